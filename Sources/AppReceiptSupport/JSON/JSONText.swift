/// Writes strings as JSON.
package enum JSONText {
    /// Appends a string with quotation marks. Control characters and characters that reorder text are escaped.
    package static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        defer { text.append(UInt8(ascii: "\"")) }
        // Fast path: nearly all strings in receipts are plain ASCII, and a response has thousands of them.
        guard !isPlain(string) else { return text.append(contentsOf: string.utf8) }
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

    /// Whether the string is written as it is: printable ASCII without quotation marks and backslashes.
    static func isPlain(_ string: String) -> Bool {
        unsafe string.utf8.withContiguousStorageIfAvailable { unsafe isPlain(UnsafeRawBufferPointer($0)) }
            ?? string.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Eight bytes at a time: a word contains a zero byte if the borrow of a subtraction reaches the byte's highest
        // bit.
        let ones: UInt64 = 0x0101_0101_0101_0101
        func special(_ word: UInt64) -> UInt64 {
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let controls = word &- (ones &* 0x20)
            let beyondASCII = word &+ ones
            return (controls | beyondASCII | (quotes &- ones) | (backslashes &- ones)) & (ones &* 0x80)
        }
        var found: UInt64 = 0
        var position = 0
        while position + 8 <= bytes.count {
            unsafe found |= special(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        guard position < bytes.count else { return found == 0 }
        if bytes.count >= 8 {
            // The last bytes, with some before them a second time.
            unsafe found |= special(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
            return found == 0
        }
        // A short string one byte at a time, each with letters in place of the others.
        let letters: UInt64 = 0x6161_6161_6161_6100
        while position < bytes.count {
            unsafe found |= special(UInt64(bytes[position]) | letters)
            position += 1
        }
        return found == 0
    }

    /// Returns the escape sequence of a character: `\u` and four hexadecimal digits, or a surrogate pair of these.
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
