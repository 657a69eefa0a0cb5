/// Writes strings as JSON.
package enum JSONText {
    /// The string with quotation marks. Control characters and characters that reorder text are escaped.
    package static func quoted(_ string: String) -> [UInt8] {
        var text: [UInt8] = []
        append(string, to: &text)
        return text
    }

    /// Appends a string with quotation marks.
    package static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        defer { text.append(UInt8(ascii: "\"")) }
        // Fast path: nearly all strings in receipts are plain ASCII, and a response has thousands of them.
        if string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            text.append(contentsOf: string.utf8)
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                text.append(UInt8(ascii: "\\"))
                text.append(UInt8(scalar.value))
            case _ where scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F:
                text.append(UInt8(scalar.value))
            case _ where scalar.isUnsafeToShow:
                text.append(contentsOf: escaped(scalar).utf8)
            default:
                text.append(contentsOf: String(scalar).utf8)
            }
        }
    }

    /// The escape sequence of a character: `\u` and four hexadecimal digits, or a surrogate pair of these.
    package static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character, or an invisible one such as those that reorder text.
    package var isUnsafeToShow: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}
