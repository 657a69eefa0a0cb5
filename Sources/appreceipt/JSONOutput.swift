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
        try Terminal.write(harmless(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n")
    }

    /// A receipt without its raw attributes, on one line.
    static func line(_ receipt: AppReceipt) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsReceiptAttributes] = true
        return Array(harmless(String(decoding: try encoder.encode(receipt), as: UTF8.self)).utf8)
    }

    /// The same document with the characters escaped that a terminal would obey or that reorder text; they can only
    /// stand inside of strings.
    private static func harmless(_ document: String) -> String {
        guard document.unicodeScalars.contains(where: \.isUnsafeToShow) else { return document }
        var safe = ""
        for scalar in document.unicodeScalars {
            if scalar != "\n", scalar.isUnsafeToShow {
                safe += JSONText.escaped(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }
}
