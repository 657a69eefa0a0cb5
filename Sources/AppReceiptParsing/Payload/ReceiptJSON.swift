import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Receipts and reports as JSON documents, as the command line and the server give them.
package enum ReceiptJSON {
    /// The document of a value, members in the order of their names, without a line break at its end.
    ///
    /// - Parameters:
    ///   - attributes: whether a receipt's raw attributes are written too.
    ///   - isPretty: on several lines, for people.
    package static func text(_ value: some Encodable, attributes: Bool, isPretty: Bool) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isPretty
            ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsReceiptAttributes] = !attributes
        return harmless(String(decoding: try encoder.encode(value), as: UTF8.self))
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
