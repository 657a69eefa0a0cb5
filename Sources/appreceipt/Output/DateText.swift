import AppReceiptFoundation
import AppReceiptKit

/// Dates in text, in UTC.
enum DateText {
    /// 2024-07-02 15:04:05 UTC
    static func second(_ date: Date) -> String {
        let text = ReceiptDate.string(from: date)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + " UTC"
    }

    /// 2024-07-02 15:04
    static func minute(_ date: Date) -> String { String(second(date).prefix(16)) }

    /// 2024-07-02
    static func day(_ date: Date) -> String { String(second(date).prefix(10)) }
}
