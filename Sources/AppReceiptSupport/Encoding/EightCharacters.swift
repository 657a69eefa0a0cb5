/// Eight ASCII characters in one register, for texts with digits at fixed positions. Appending them one by one takes several times
/// as long.
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
}
