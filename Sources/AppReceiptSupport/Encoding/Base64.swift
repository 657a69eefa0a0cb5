/// Decodes base64 (RFC 4648, section 4) strictly: standard alphabet, correct padding, unused bits zero.
///
/// Line breaks, tabs and spaces beside them are skipped, because people paste receipts from mails and logs. A space in the middle of
/// a line is an error: a form or URL turns '+' into a space.
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

    /// The bytes that `text` encodes.
    package static func decode(_ text: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let span = text.span
        // The largest possible result, and room for the last two groups, which are decoded together.
        return try [UInt8](capacity: span.count / 4 * 3 + 6) { (output: inout OutputSpan<UInt8>) throws(Fault) in
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
            if digits == 0, padding == 0 {
                position = decodeGroups(of: span, from: position, into: &output)
                guard position < span.count else { break }
            }
            let character = span[position]
            position += 1
            if isWhitespace(character) {
                if character == UInt8(ascii: " "), isSpaceInLine(span, position - 1) { throw .space(position - 1) }
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

    /// Decodes groups of four characters of the alphabet, two groups at a time.
    ///
    /// - Returns: The position of the first other character, or the end.
    private static func decodeGroups(
        of span: Span<UInt8>, from start: Int, into output: inout OutputSpan<UInt8>
    ) -> Int {
        let shifted: ArraySlice<UInt32> = Self.shiftedValues
        let table = shifted.span
        // Lets the compiler remove the bounds checks below.
        precondition(table.count >= 1024)
        var position = start
        while position + 8 <= span.count, output.freeCapacity >= 6 {
            let text = span.extracting(position..<position + 8)
            let first =
                table[Int(text[0])] | table[256 + Int(text[1])] | table[512 + Int(text[2])] | table[768 + Int(text[3])]
            let second =
                table[Int(text[4])] | table[256 + Int(text[5])] | table[512 + Int(text[6])] | table[768 + Int(text[7])]
            guard first | second < 1 << 24 else { break }
            append(first, to: &output)
            append(second, to: &output)
            position += 8
        }
        return position
    }

    /// Appends the three bytes of a group.
    @inline(__always)
    private static func append(_ group: UInt32, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        output.append(UInt8(truncatingIfNeeded: group >> 8))
        output.append(UInt8(truncatingIfNeeded: group))
    }

    /// Whether the text isn't empty and every character is in the alphabet, padding or whitespace.
    package static func isPlausible(_ text: ArraySlice<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { values[Int($0)] < 64 || $0 == UInt8(ascii: "=") || isWhitespace($0) }
    }

    /// Whether a space has text both before and after it on its line.
    ///
    /// Of consecutive spaces only the first one scans ahead, so decoding stays linear.
    private static func isSpaceInLine(_ span: Span<UInt8>, _ position: Int) -> Bool {
        guard position > 0, !isWhitespace(span[position - 1]) else { return false }
        var next = position + 1
        while next < span.count, span[next] == UInt8(ascii: " ") { next += 1 }
        return next < span.count && !isWhitespace(span[next])
    }

    package static func isWhitespace(_ character: UInt8) -> Bool {
        character == 0x20 || (0x09...0x0D).contains(character)
    }

    private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// The value of each character, 255 for those outside of the alphabet.
    private static let values: ArraySlice<UInt8> = {
        var values = [UInt8](repeating: 255, count: 256)[...]
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// The value of each character for each of the four positions in a group, shifted to its place in the group's 24 bits. Characters
    /// outside of the alphabet have more than 24 bits.
    private static let shiftedValues: ArraySlice<UInt32> = {
        var values = [UInt32](repeating: .max, count: 1024)[...]
        for (value, character) in alphabet.utf8.enumerated() {
            for place in 0..<4 { values[256 * place + Int(character)] = UInt32(value) << (18 - 6 * place) }
        }
        return values
    }()
}
