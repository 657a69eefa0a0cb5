import AppReceiptKit
import Foundation

/// Formats values as Swift source.
enum SourceText {
    static func literal(_ text: String?) -> String {
        guard let text else { return "nil" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            // A character that ends the line or is invisible.
            case _ where scalar.properties.generalCategory.isInvisible:
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    static func literal(_ data: Data?) -> String { literal(data?.base64EncodedString()) }

    static func literal(_ date: Date?) -> String { literal(date.map(ReceiptDate.string(from:))) }

    static func literal(_ number: Int64?) -> String { number.map(String.init) ?? "nil" }

    static func list(_ elements: [String]) -> String {
        elements.isEmpty ? "[]" : "[\n" + indented(elements.joined(separator: ",\n")) + "\n]"
    }

    static func call(_ name: String, with arguments: [(label: String, value: String)]) -> String {
        let lines = arguments.map { "\($0.label): \($0.value)" }
        return "\(name)(\n" + indented(lines.joined(separator: ",\n")) + "\n)"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n")
    }
}

extension Unicode.GeneralCategory {
    /// Whether characters of this category have no visible form. Spaces are considered visible.
    var isInvisible: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
