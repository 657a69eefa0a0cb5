/// Base64 as RFC 4648 section 4 has it, read strictly: the standard alphabet, padding where it is due, no bits left
/// over. Line breaks, and blanks beside them, are skipped, since people paste receipts from mails and logs. A blank in
/// the middle of a line is not: that is where a '+' was, before a form or URL turned it into a space.
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
        var octets: [UInt8] = []
        octets.reserveCapacity(span.count / 4 * 3 + 3)
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        for position in 0..<span.count {
            let character = span[position]
            if isWhitespace(character) {
                if character == UInt8(ascii: " "), isBlankInLine(span, position) { throw .blank(position) }
                continue
            }
            if character == UInt8(ascii: "=") {
                padding += 1
                guard digits + padding <= 4, digits >= 2 else { throw .padding(position) }
                continue
            }
            let digit = values[Int(character)]
            guard digit < 64 else { throw .character(position) }
            guard padding == 0 else { throw .padding(position) }
            group = group << 6 | UInt32(digit)
            digits += 1
            if digits == 4 {
                octets.append(UInt8(truncatingIfNeeded: group >> 16))
                octets.append(UInt8(truncatingIfNeeded: group >> 8))
                octets.append(UInt8(truncatingIfNeeded: group))
                group = 0
                digits = 0
            }
        }
        switch (digits, padding) {
        case (0, 0):
            break
        case (2, 2) where group & 0xF == 0:
            octets.append(UInt8(truncatingIfNeeded: group >> 4))
        case (3, 1) where group & 0x3 == 0:
            octets.append(UInt8(truncatingIfNeeded: group >> 10))
            octets.append(UInt8(truncatingIfNeeded: group >> 2))
        default:
            throw .padding(span.count)
        }
        return octets
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
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
