/// The attribute types that have occurred so far, of those that may occur once.
struct SeenTypes {
    private var bits: UInt64 = 0

    /// Records a type, and returns whether it hasn't occurred before. Among the types of a receipt, or of a purchase, that may occur
    /// once, the last six bits are distinct.
    mutating func insert(_ type: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(type & 63)
        guard bits & bit == 0 else { return false }
        bits |= bit
        return true
    }
}
