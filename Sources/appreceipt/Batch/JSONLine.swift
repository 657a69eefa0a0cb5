/// JSON written octet by octet, where an encoder would take longer than the verification.
enum JSONLine {
    /// A string with its quotation marks. Characters that a terminal would obey are escaped.
    static func quoted(_ text: String) -> [UInt8] {
        var line: [UInt8] = []
        append(text, to: &line)
        return line
    }

    static func append(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                line.append(UInt8(ascii: "\\"))
                line.append(UInt8(scalar.value))
            case _ where scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F:
                line.append(UInt8(scalar.value))
            case _ where Terminal.isUnsafe(scalar):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    line.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
                }
            default:
                line.append(contentsOf: String(scalar).utf8)
            }
        }
        line.append(UInt8(ascii: "\""))
    }
}
