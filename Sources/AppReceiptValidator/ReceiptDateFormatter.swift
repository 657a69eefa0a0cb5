import AppReceiptKit
public import Foundation

extension AppReceiptValidator {
    /// Dates as receipts write them.
    public enum ReceiptDateFormatter {
        /// The instant that `text` names, with milliseconds or without; nil if it names none.
        public static func date(from text: String) -> Date? { ReceiptDate.date(from: text) }

        /// `2017-01-01T12:00:00Z`, with milliseconds only where the date has a fraction.
        public static func string(from date: Date) -> String { ReceiptDate.string(from: date) }
    }
}
