/// Base64 as RFC 4648 section 4 has it, read strictly: the standard alphabet, padding where it is due, no bits left
/// over. Line breaks, tabs, and blanks beside them are skipped, since people paste receipts from mails and logs. A blank
/// in the middle of a line is not: that is where a '+' was, before a form or URL turned it into a space.
package enum Base64 {
    package enum Fault: Error {
        /// A character outside of the alphabet, at this position.
        case character(Int)
        /// A blank in the middle of a line, at this position.
        case blank(Int)
        /// The text ends in the middle of a group, or its padding is wrong.
        case padding(Int)

        package var position: Int {
            switch self {
            case .character(let position), .blank(let position), .padding(let position): position
            }
        }
    }

    /// The octets that `text` stands for.
    package static func decode(_ text: ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let span = text.span
        // Room for all that can come, and for the last of the groups that are read two at a time.
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
                if character == UInt8(ascii: " "), isBlankInLine(span, position - 1) { throw .blank(position - 1) }
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

    /// Takes groups of four characters of the alphabet, which is nearly everything, two at a time.
    ///
    /// - Returns: the position of what is something else, or the end.
    private static func decodeGroups(
        of span: Span<UInt8>, from start: Int, into output: inout OutputSpan<UInt8>
    ) -> Int {
        let shifted: ArraySlice<UInt32> = Self.shiftedValues
        let table = shifted.span
        // Said once, so that no access below needs to be checked.
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

    /// Appends the three octets of a group.
    @inline(__always)
    private static func append(_ group: UInt32, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        output.append(UInt8(truncatingIfNeeded: group >> 8))
        output.append(UInt8(truncatingIfNeeded: group))
    }

    /// Whether every character is one of the alphabet, padding or white space, and there is at least one.
    package static func isPlausible(_ text: ArraySlice<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { values[Int($0)] < 64 || $0 == UInt8(ascii: "=") || isWhitespace($0) }
    }

    /// Whether a blank has text both before and after it on its line. Looks at no other blank twice: of several in a
    /// row only the first is asked for what came before it.
    private static func isBlankInLine(_ span: Span<UInt8>, _ position: Int) -> Bool {
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

    /// For each of the four places in a group the value of each character, where it stands in the group's 24 bits; more
    /// than 24 bits for those outside of the alphabet.
    private static let shiftedValues: ArraySlice<UInt32> = {
        var values = [UInt32](repeating: .max, count: 1024)[...]
        for (value, character) in alphabet.utf8.enumerated() {
            for place in 0..<4 { values[256 * place + Int(character)] = UInt32(value) << (18 - 6 * place) }
        }
        return values
    }()
}
