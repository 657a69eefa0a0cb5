#if _endian(little)
/// Sixteen characters of base64, which are decoded together.
struct Base64Block {
    /// The number that each character encodes.
    private let values: SIMD16<UInt8>

    /// Creates a block, or returns nil if a character is outside of the alphabet.
    @inline(__always)
    init?(_ characters: SIMD16<UInt8>) {
        // The two highest bits mark the characters in a range; those in none stay zero.
        let marked: UInt8 = 0xC0
        @inline(__always)
        func values(in range: ClosedRange<Unicode.Scalar>, from first: UInt8) -> SIMD16<UInt8> {
            let lower = UInt8(ascii: range.lowerBound)
            let count = UInt8(ascii: range.upperBound) - lower + 1
            let isContained = characters &- SIMD16<UInt8>(repeating: lower) .< SIMD16<UInt8>(repeating: count)
            return unsafe unsafeBitCast(isContained, to: SIMD16<UInt8>.self)
                & (characters &+ SIMD16<UInt8>(repeating: marked &+ first &- lower))
        }
        let letters = values(in: "A"..."Z", from: 0) | values(in: "a"..."z", from: 26)
        let others = values(in: "0"..."9", from: 52) | values(in: "+"..."+", from: 62) | values(in: "/"..."/", from: 63)
        let values = (letters | others) ^ SIMD16<UInt8>(repeating: marked)
        let halves = unsafe unsafeBitCast(values, to: SIMD2<UInt64>.self)
        guard (halves[0] | halves[1]) & 0xC0C0_C0C0_C0C0_C0C0 == 0 else { return nil }
        self.values = values
    }

    /// The decoded bytes: six in each number, the first one in the highest byte.
    @inline(__always)
    var bytes: SIMD2<UInt64> {
        // The first of two neighbors is in the lower bits, and becomes the higher part of their sum.
        let characters = unsafe unsafeBitCast(values, to: SIMD8<UInt16>.self)
        let pairs = unsafe unsafeBitCast(
            (characters & SIMD8<UInt16>(repeating: 0xFF)) &<< 6 | characters &>> 8, to: SIMD4<UInt32>.self)
        let groups = unsafe unsafeBitCast(
            (pairs & SIMD4<UInt32>(repeating: 0xFFFF)) &<< 12 | pairs &>> 16, to: SIMD2<UInt64>.self)
        return ((groups & SIMD2<UInt64>(repeating: 0xFFFF_FFFF)) &<< 24 | groups &>> 32) &<< 16
    }
}
#endif
