import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Encodes receipts and reports as JSON for the command line and the server.
package enum ReceiptJSON {
    /// Encodes a value with sorted members and without a trailing line break.
    ///
    /// - Parameters:
    ///   - value: The receipt or report.
    ///   - attributes: Whether to include a receipt's raw attributes.
    ///   - isPretty: Whether to write each member on its own line.
    /// - Returns: The JSON document.
    /// - Throws: The encoder's error.
    package static func text(_ value: some Encodable, attributes: Bool, isPretty: Bool) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isPretty
            ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsReceiptAttributes] = !attributes
        return escapingUnsafeCharacters(in: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Escapes the characters that control a terminal or reorder text. In JSON they only occur inside strings.
    private static func escapingUnsafeCharacters(in document: String) -> String {
        guard document.unicodeScalars.contains(where: \.isUnsafeToShow) else { return document }
        var escaped = ""
        for scalar in document.unicodeScalars {
            if scalar != "\n", scalar.isUnsafeToShow {
                escaped += JSONText.escaped(scalar)
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
