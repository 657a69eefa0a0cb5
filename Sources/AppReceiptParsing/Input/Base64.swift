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
        let values = Self.values
        let table = values.span
        // Room for all that can come; what was not needed is cut off in the end.
        var octets = [UInt8](repeating: 0, count: span.count / 4 * 3 + 3)[...]
        var output = octets.mutableSpan
        var written = 0
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        var position = 0
        while position < span.count {
            if digits == 0, padding == 0 {
                // Groups of four characters of the alphabet, which is nearly everything.
                while position + 4 <= span.count {
                    let first = table[Int(span[position])]
                    let second = table[Int(span[position + 1])]
                    let third = table[Int(span[position + 2])]
                    let fourth = table[Int(span[position + 3])]
                    guard first | second | third | fourth < 64 else { break }
                    output[written] = first << 2 | second >> 4
                    output[written + 1] = second << 4 | third >> 2
                    output[written + 2] = third << 6 | fourth
                    written += 3
                    position += 4
                }
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
                output[written] = UInt8(truncatingIfNeeded: group >> 16)
                output[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
                output[written + 2] = UInt8(truncatingIfNeeded: group)
                written += 3
                group = 0
                digits = 0
            }
        }
        switch (digits, padding) {
        case (0, 0):
            break
        case (2, 2) where group & 0xF == 0:
            output[written] = UInt8(truncatingIfNeeded: group >> 4)
            written += 1
        case (3, 1) where group & 0x3 == 0:
            output[written] = UInt8(truncatingIfNeeded: group >> 10)
            output[written + 1] = UInt8(truncatingIfNeeded: group >> 2)
            written += 2
        default:
            throw .padding(span.count)
        }
        octets.removeLast(octets.count - written)
        return Array(octets)
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

    /// The value of each character, 255 for those outside of the alphabet.
    private static let values: ArraySlice<UInt8> = {
        var values = [UInt8](repeating: 255, count: 256)[...]
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
