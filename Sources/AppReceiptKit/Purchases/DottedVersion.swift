/// A version of numbers and points, such as `2.10.1`, compared number by number: 2.10 comes after 2.9, and 2 equals 2.0.
///
/// Numbers may have any number of digits. Anything else, such as `2.0b3`, is no version of this kind and cannot be
/// compared.
public struct DottedVersion: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The numbers' digits, without leading zeros, and without zeros at the end.
    private let numbers: [[UInt8]]

    /// The text it was made from.
    public let description: String

    /// - Returns: nil if the text is not numbers of ASCII digits with single points between them.
    public init?(_ description: String) {
        var numbers: [[UInt8]] = []
        for part in Array(description.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return nil
            }
            numbers.append(Array(part.drop { $0 == UInt8(ascii: "0") }))
        }
        self.numbers = Self.significant(numbers)
        self.description = description
    }

    /// The version of these numbers: `DottedVersion(2, 10, 1)`.
    public init(_ first: UInt, _ others: UInt...) {
        let all = [first] + others
        description = all.map(String.init).joined(separator: ".")
        numbers = Self.significant(all.map { $0 == 0 ? [] : Array(String($0).utf8) })
    }

    /// Without zeros at the end.
    private static func significant(_ numbers: [[UInt8]]) -> [[UInt8]] {
        Array(numbers.reversed().drop(while: \.isEmpty).reversed())
    }

    /// Equal number by number: `2` and `2.0` are.
    public static func == (left: DottedVersion, right: DottedVersion) -> Bool { left.numbers == right.numbers }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

    /// Earlier by the first number that differs.
    public static func < (left: DottedVersion, right: DottedVersion) -> Bool {
        for (mine, other) in zip(left.numbers, right.numbers) where mine != other {
            return mine.count == other.count ? mine.lexicographicallyPrecedes(other) : mine.count < other.count
        }
        return left.numbers.count < right.numbers.count
    }
}
