/// A version of numbers separated by periods, such as `2.10.1`. 2.10 is later than 2.9, and 2 equals 2.0.
///
/// Numbers may have any number of digits. Other versions, such as `2.0b3`, can't be compared.
struct DottedVersion: Comparable {
    /// The numbers' digits, without leading zeros, and without zeros at the end.
    private let numbers: [[UInt8]]

    /// Parses a version.
    ///
    /// - Returns: `nil` if the text isn't numbers of ASCII digits with single periods between them.
    init?(_ description: String) {
        var numbers: [[UInt8]] = []
        for part in Array(description.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return nil
            }
            numbers.append(Array(part.drop { $0 == UInt8(ascii: "0") }))
        }
        self.numbers = Self.significant(numbers)
    }

    /// Returns the numbers without zeros at the end.
    private static func significant(_ numbers: [[UInt8]]) -> [[UInt8]] {
        Array(numbers.reversed().drop(while: \.isEmpty).reversed())
    }

    /// Compares by the first number that differs.
    static func < (left: DottedVersion, right: DottedVersion) -> Bool {
        for (mine, other) in zip(left.numbers, right.numbers) where mine != other {
            return mine.count == other.count ? mine.lexicographicallyPrecedes(other) : mine.count < other.count
        }
        return left.numbers.count < right.numbers.count
    }
}
