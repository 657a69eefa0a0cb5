import AppReceiptKit
public import Foundation

extension AppReceiptValidator {
    /// Converts between dates and their form in receipts.
    public enum ReceiptDateFormatter {
        /// Parses a date with or without milliseconds. Returns nil if the text isn't a date.
        public static func date(from text: String) -> Date? { ReceiptDate.date(from: text) }

        /// Formats a date as `2017-01-01T12:00:00Z`, with milliseconds only if the date has a fraction.
        public static func string(from date: Date) -> String { ReceiptDate.string(from: date) }
    }
}
