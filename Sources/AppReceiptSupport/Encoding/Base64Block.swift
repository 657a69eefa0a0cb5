#if _endian(little)
/// Sixteen characters of base64, which are decoded together.
struct Base64Block {
    private typealias Bytes = SIMD16<UInt8>

    /// The value of each character; those outside of the alphabet have higher bits too.
    private let values: SIMD16<UInt8>

    /// Creates a block from sixteen characters.
    @inline(__always)
    init(_ characters: SIMD16<UInt8>) {
        // Each term is the value of one class of characters with the two highest bits, and zero for all others.
        let upper = Self.mask(characters &- Bytes(repeating: UInt8(ascii: "A")) .< Bytes(repeating: 26))
        let lower = Self.mask(characters &- Bytes(repeating: UInt8(ascii: "a")) .< Bytes(repeating: 26))
        let digits = Self.mask(characters &- Bytes(repeating: UInt8(ascii: "0")) .< Bytes(repeating: 10))
        let plus = Self.mask(characters .== Bytes(repeating: UInt8(ascii: "+")))
        let slash = Self.mask(characters .== Bytes(repeating: UInt8(ascii: "/")))
        let high: UInt8 = 0xC0
        let letters =
            upper & (characters &+ Bytes(repeating: high &- UInt8(ascii: "A")))
            | lower & (characters &+ Bytes(repeating: high &+ 26 &- UInt8(ascii: "a")))
        let others =
            digits & (characters &+ Bytes(repeating: high &+ 52 &- UInt8(ascii: "0")))
            | plus & Bytes(repeating: high + 62) | slash & Bytes(repeating: high + 63)
        values = (letters | others) ^ Bytes(repeating: high)
    }

    /// All bits of each lane that is true.
    @inline(__always)
    private static func mask(_ lanes: SIMDMask<SIMD16<Int8>>) -> SIMD16<UInt8> {
        unsafe unsafeBitCast(lanes, to: SIMD16<UInt8>.self)
    }

    /// Whether all characters of two blocks are in the alphabet.
    @inline(__always)
    static func areValid(_ first: Base64Block, _ second: Base64Block) -> Bool {
        let lanes = unsafe unsafeBitCast(first.values | second.values, to: SIMD2<UInt64>.self)
        return (lanes[0] | lanes[1]) & 0xC0C0_C0C0_C0C0_C0C0 == 0
    }

    /// The decoded bytes, in memory order: six, two zeros, six, and two zeros.
    @inline(__always)
    var bytes: SIMD2<UInt64> {
        // The first character of each pair, group and pair of groups is the lowest one, and its bits become the highest.
        let characters = unsafe unsafeBitCast(values, to: SIMD8<UInt16>.self)
        let pairs = unsafe unsafeBitCast(
            (characters &<< 6) & SIMD8<UInt16>(repeating: 0x0FC0) | (characters &>> 8), to: SIMD4<UInt32>.self)
        let groups = unsafe unsafeBitCast(
            (pairs &<< 12) & SIMD4<UInt32>(repeating: 0x00FF_F000) | (pairs &>> 16), to: SIMD2<UInt64>.self)
        let bytes = (groups &<< 40) | (groups &>> 16) & SIMD2<UInt64>(repeating: 0x00FF_FFFF_0000)
        return SIMD2(bytes[0].bigEndian, bytes[1].bigEndian)
    }
}
#endif
