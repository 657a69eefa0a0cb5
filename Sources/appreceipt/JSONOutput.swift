import AppReceiptParsing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One JSON document on standard output.
enum JSONOutput {
    /// - Parameter raw: whether a receipt's raw attributes are written too.
    static func write(_ value: some Encodable, raw: Bool) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsReceiptAttributes] = !raw
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
