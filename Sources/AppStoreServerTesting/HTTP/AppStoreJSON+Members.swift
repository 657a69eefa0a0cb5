import AppReceiptFoundation
import AppReceiptSupport

extension AppStoreJSON.Object {
    /// Returns the text of a member; nil if it is missing or not a string.
    func string(_ name: String) -> String? { self[name]?.string }

    /// Returns the milliseconds since 1970 of a member, at most 100 million days from 1970 so that sums don't overflow.
    func milliseconds(_ name: String) -> Int64? {
        guard let number = self[name]?.number else { return nil }
        let limit: Int64 = 100_000_000 * 86_400_000
        return (number.int64 ?? Int64(exactly: number.double.rounded(.down))).map { min(max($0, -limit), limit) }
    }

    /// Returns the object with other values for members that it has.
    func replacing(_ values: [String: AppStoreJSON]) -> AppStoreJSON.Object {
        AppStoreJSON.Object(
            distinct: members.map { member in
                AppStoreJSON.Object.Member(name: member.name, value: values[member.name] ?? member.value)
            })
    }
}

extension AppStoreJSON {
    /// Milliseconds as a number.
    static func milliseconds(_ milliseconds: Int64) -> AppStoreJSON { .number(AppStoreJSON.Number(milliseconds)) }
}

extension Date {
    /// The whole milliseconds since 1970.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000 + 0.001).rounded(.down)) }
}
