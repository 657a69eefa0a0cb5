public import AppReceiptFoundation
import AppReceiptSupport

/// Parses and formats dates as RFC 3339 text, the format in receipts.
///
/// It doesn't use Foundation's formatters, which take tens of microseconds per date. A receipt may contain thousands of
/// dates.
public enum ReceiptDate {
    /// Returns the date that a text represents.
    ///
    /// - Parameter text: `YYYY-MM-DDTHH:MM:SS`, then optionally a period and one to nine digits, then `Z` or an offset
    ///   with or without a colon (`+01:00`, `+0100`, as Xcode wrote in 2020). RFC 3339, section 5.6. A leap second
    ///   (`:59:60`) is the second after it.
    /// - Returns: The date; `nil` if the text isn't one.
    public static func date(from text: String) -> Date? { RFC3339.date(from: text) }

    /// Returns a date as text in UTC, with milliseconds only if it has a fraction: `2024-01-15T09:00:00Z`, `…:00.250Z`.
    ///
    /// A date outside of the years 0 to 9999 becomes the first or last date that four digits can represent.
    ///
    /// - Parameter date: The date.
    /// - Returns: The text.
    public static func string(from date: Date) -> String { RFC3339.string(from: date) }
}
