public import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

extension Date {
    /// Creates a date from RFC 3339 text: `Date(rfc3339: "2024-01-15T09:00:00Z")`.
    ///
    /// Returns nil if the text isn't a date.
    public init?(rfc3339 text: String) {
        guard let date = ReceiptDate.date(from: text) else { return nil }
        self = date
    }

    /// Returns the first second of a year, in UTC.
    static func year(_ year: Int) -> Date {
        RFC3339.date(year: year, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    }
}
