/// Encodes and decodes base64 (RFC 4648, section 4), strictly: standard alphabet, correct padding, unused bits zero.
///
/// When decoding, line breaks, tabs and spaces beside them are skipped, because people paste receipts from mails and logs. A space in the middle of
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
        // The largest possible result, and room for the bytes that blocks write beyond theirs.
        return try [UInt8](capacity: span.count / 4 * 3 + 8) { (output: inout OutputSpan<UInt8>) throws(Fault) in
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
        var triesBlocks = true
        while position < span.count {
            // After a block that isn't valid, the next one begins after whitespace.
            if triesBlocks, digits == 0, padding == 0 {
                position = decodeBlocks(of: span, from: position, into: &output)
                triesBlocks = false
                guard position < span.count else { break }
            }
            let character = span[position]
            position += 1
            if isWhitespace(character) {
                if character == UInt8(ascii: " "), isSpaceInLine(span, position - 1) { throw .space(position - 1) }
                triesBlocks = true
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

    /// Decodes characters of the alphabet, 32 at a time.
    ///
    /// - Returns: The position of the first character that isn't decoded: fewer than 32 are left, or one of the next 32 isn't in the alphabet.
    private static func decodeBlocks(
        of span: Span<UInt8>, from start: Int, into output: inout OutputSpan<UInt8>
    ) -> Int {
        #if _endian(little)
        return unsafe span.withUnsafeBytes { text in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                let result = UnsafeMutableRawBufferPointer(buffer)
                var position = start
                // Eight bytes are written for six, of which the next ones replace the last two.
                while position + 32 <= text.count, count + 26 <= result.count {
                    let first = Base64Block(unsafe text.loadUnaligned(fromByteOffset: position, as: SIMD16.self))
                    let second = Base64Block(unsafe text.loadUnaligned(fromByteOffset: position + 16, as: SIMD16.self))
                    guard Base64Block.areValid(first, second) else { break }
                    let bytes = (first.bytes, second.bytes)
                    unsafe result.storeBytes(of: bytes.0[0], toByteOffset: count, as: UInt64.self)
                    unsafe result.storeBytes(of: bytes.0[1], toByteOffset: count + 6, as: UInt64.self)
                    unsafe result.storeBytes(of: bytes.1[0], toByteOffset: count + 12, as: UInt64.self)
                    unsafe result.storeBytes(of: bytes.1[1], toByteOffset: count + 18, as: UInt64.self)
                    position += 32
                    count += 24
                }
                return position
            }
        }
        #else
        return start
        #endif
    }

    /// Appends the three bytes of a group.
    @inline(__always)
    private static func append(_ group: UInt32, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        output.append(UInt8(truncatingIfNeeded: group >> 8))
        output.append(UInt8(truncatingIfNeeded: group))
    }

    /// The number of characters that encode `count` bytes.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Appends the text that encodes `bytes`, on one line.
    package static func encode(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        let pairs: ArraySlice<UInt16> = Self.pairs
        let table = pairs.span
        // Lets the compiler remove the bounds checks below.
        precondition(table.count >= 4096)
        precondition(output.freeCapacity >= encodedCount(bytes.count))
        var position = 0
        while position + 3 <= bytes.count {
            let group =
                UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
            append(pair: table[Int(group >> 12 & 0xFFF)], to: &output)
            append(pair: table[Int(group & 0xFFF)], to: &output)
            position += 3
        }
        switch bytes.count - position {
        case 1:
            append(pair: table[Int(bytes[position]) << 4], to: &output)
            append(pair: 0x3D3D, to: &output)
        case 2:
            let group = UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8
            append(pair: table[Int(group >> 12 & 0xFFF)], to: &output)
            append(pair: table[Int(group & 0xFFF)] & 0xFF00 | 0x3D, to: &output)
        default: break
        }
    }

    /// Appends two characters, the first one in the high byte.
    @inline(__always)
    private static func append(pair: UInt16, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: pair >> 8))
        output.append(UInt8(truncatingIfNeeded: pair))
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

    /// The two characters that encode each number of twelve bits, the first one in the high byte.
    private static let pairs: ArraySlice<UInt16> = {
        let characters = Array(alphabet.utf8)
        return (0..<4096).map { UInt16(characters[$0 >> 6]) << 8 | UInt16(characters[$0 & 63]) }[...]
    }()

    /// The value of each character, 255 for those outside of the alphabet.
    private static let values: ArraySlice<UInt8> = {
        var values = [UInt8](repeating: 255, count: 256)[...]
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
