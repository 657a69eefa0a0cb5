/// Consecutive transaction identifiers.
struct TransactionNumbers {
    var following: UInt64

    mutating func next() -> String {
        defer { following &+= 1 }
        return String(following)
    }
}
