/// Encodes and decodes base64 (RFC 4648, section 4), strictly: standard alphabet, correct padding, unused bits zero.
///
/// When decoding, line breaks, tabs and spaces beside them are skipped, because people paste receipts from mails and
/// logs. A space in the middle of a line is an error: a form or URL turns '+' into a space.
package enum Base64 {
    package enum Fault: Error {
        /// A character outside of the alphabet, at this position.
        case character(Int)
        /// A space in the middle of a line, at this position.
        case space(Int)
        /// The text ends in the middle of a group, or its padding is wrong.
        case padding(Int)

        package var position: Int {
            switch self {
            case .character(let position), .space(let position), .padding(let position): position
            }
        }
    }

    /// Returns the bytes that `text` encodes.
    package static func decode(_ text: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let span = text.span
        return try [UInt8](capacity: (span.count + 3) / 4 * 3 + 2) { (output: inout OutputSpan<UInt8>) throws(Fault) in
            try decode(span, into: &output)
        }
    }

    private static func decode(_ span: Span<UInt8>, into output: inout OutputSpan<UInt8>) throws(Fault) {
        let values = Self.values
        let table = values.span
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        var position = 0
        while position < span.count {
            let character = span[position]
            position += 1
            if isWhitespace(character) {
                if character == UInt8(ascii: " "), isSpaceInLine(span, position: position - 1) {
                    throw .space(position - 1)
                }
                continue
            }
            if character == UInt8(ascii: "=") {
                padding += 1
                guard digits + padding <= 4, digits >= 2 else { throw .padding(position - 1) }
                continue
            }
            let digit = table[Int(character)]
            guard digit < 64 else { throw .character(position - 1) }
            guard padding == 0 else { throw .padding(position - 1) }
            group = group << 6 | UInt32(digit)
            digits += 1
            if digits == 4 {
                append(group, to: &output)
                group = 0
                digits = 0
            }
        }
        switch (digits, padding) {
        case (0, 0):
            break
        case (2, 2) where group & 0xF == 0:
            output.append(UInt8(truncatingIfNeeded: group >> 4))
        case (3, 1) where group & 0x3 == 0:
            output.append(UInt8(truncatingIfNeeded: group >> 10))
            output.append(UInt8(truncatingIfNeeded: group >> 2))
        default:
            throw .padding(span.count)
        }
    }

    /// Appends the three bytes of a group.
    private static func append(_ group: UInt32, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        output.append(UInt8(truncatingIfNeeded: group >> 8))
        output.append(UInt8(truncatingIfNeeded: group))
    }

    /// Returns the number of characters that encode `count` bytes.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Appends the text that encodes `bytes`, on one line.
    package static func encode(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        let characters = Self.characters
        let alphabet = characters.span
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 0x3F)])
            output.append(count > 1 ? alphabet[Int(group >> 6 & 0x3F)] : UInt8(ascii: "="))
            output.append(count > 2 ? alphabet[Int(group & 0x3F)] : UInt8(ascii: "="))
        }
    }

    /// Whether the text isn't empty and every character is in the alphabet, padding or whitespace.
    package static func isPlausible(_ text: ArraySlice<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { values[Int($0)] < 64 || $0 == UInt8(ascii: "=") || isWhitespace($0) }
    }

    /// Whether a space has text both before and after it on its line.
    ///
    /// Of consecutive spaces only the first one scans ahead, so decoding stays linear.
    private static func isSpaceInLine(_ span: Span<UInt8>, position: Int) -> Bool {
        guard position > 0, !isWhitespace(span[position - 1]) else { return false }
        var next = position + 1
        while next < span.count, span[next] == UInt8(ascii: " ") { next += 1 }
        return next < span.count && !isWhitespace(span[next])
    }

    package static func isWhitespace(_ character: UInt8) -> Bool {
        character == 0x20 || (0x09...0x0D).contains(character)
    }

    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)[...]

    /// The value of each character, 255 for those outside of the alphabet.
    private static let values: ArraySlice<UInt8> = {
        var values = [UInt8](repeating: 255, count: 256)[...]
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
