/// Eight ASCII characters in one register, for texts with digits at fixed positions. Reading or appending them one by one takes several
/// times as long.
struct EightCharacters {
    /// The characters, the first one in the lowest bits.
    let bits: UInt64

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameter text: Eight ASCII characters.
    @inline(__always)
    init(_ text: StaticString) {
        precondition(text.utf8CodeUnitCount == 8, "The text doesn't have eight characters.")
        let bytes = unsafe UnsafeRawPointer(text.utf8Start)
        bits = unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    /// Reads eight characters.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - position: The position of the first of the eight characters.
    @inline(__always)
    init(_ text: Span<UInt8>, at position: Int) {
        // Checks the bounds. Every pattern of bits is a number.
        bits = unsafe UInt64(
            littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// Reads numbers of two digits.
    ///
    /// - Parameter form: Zeros at the positions of digits, and the other characters.
    /// - Returns: The numbers of two digits, by the position of their first digit; `nil` if the characters don't have this form.
    @inline(__always)
    func numbers(in form: EightCharacters) -> Numbers? {
        // 0 for a character equal to the form's, the value of a digit, or more than 9.
        let digits = bits ^ form.bits
        let other = form.bits ^ 0x3030_3030_3030_3030
        let isOther = (((other & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F) & 0x8080_8080_8080_8080) >> 7 &* 0xFF
        // Adding 118 to a value above 9 sets the highest bit. A carry into the next byte only follows a byte above 0x89, which is rejected itself.
        let excess = (digits | (digits &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080
        guard excess | digits & isOther == 0 else { return nil }
        return Numbers(bits: digits &* 10 &+ digits >> 8)
    }

    /// Eight numbers below 100.
    struct Numbers {
        fileprivate let bits: UInt64

        /// The number at a position.
        @inline(__always)
        subscript(position: Int) -> Int64 { Int64(bits >> UInt64(truncatingIfNeeded: 8 &* position) & 0xFF) }
    }

    /// The last eight digits of a number.
    @inline(__always)
    init(lastDigitsOf number: UInt32) {
        let (first, last) = (number % 100_000_000).quotientAndRemainder(dividingBy: 10_000)
        // Two numbers of four digits become four of two digits, and those become eight digits, all of them at once.
        let fours = UInt64(first) | UInt64(last) << 32
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        bits = tens | (pairs &- tens &* 10) << 8 | 0x3030_3030_3030_3030
    }

    /// The number of zeros before the first other character.
    var leadingZeros: Int { (bits ^ 0x3030_3030_3030_3030).trailingZeroBitCount / 8 }

    /// Replaces the two zeros at a position with a number below 100.
    @inline(__always)
    func replacingZeros(at position: Int, with number: UInt32) -> EightCharacters {
        assert(number < 100 && position <= 6, "The number has more than two digits.")
        let tens = number / 10
        let digits = UInt64(tens | (number &- tens &* 10) << 8)
        return EightCharacters(bits: bits | digits << UInt64(truncatingIfNeeded: 8 &* position))
    }
}

extension OutputSpan<UInt8> {
    /// Appends eight characters.
    @inline(__always)
    mutating func append(_ characters: EightCharacters) {
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            guard let start = buffer.baseAddress, count <= buffer.count &- 8 else {
                preconditionFailure("The capacity is too small.")
            }
            unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: characters.bits.littleEndian, as: UInt64.self)
            count = count &+ 8
        }
    }

    /// Appends the last characters.
    ///
    /// - Parameters:
    ///   - characters: The characters.
    ///   - dropped: The number of characters to leave out, less than eight.
    @inline(__always)
    mutating func append(_ characters: EightCharacters, droppingFirst dropped: Int) {
        var rest = characters.bits >> UInt64(truncatingIfNeeded: 8 &* dropped)
        for _ in dropped..<8 {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
