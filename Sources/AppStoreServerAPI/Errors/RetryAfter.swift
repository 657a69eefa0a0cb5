import AppReceiptFoundation
import AppReceiptSupport

/// Reads the header `Retry-After`.
///
/// Apple sends a date in milliseconds since 1970. RFC 9110 defines seconds to wait or an HTTP date, which proxies send.
/// The magnitude decides what a number means. A date is at least now and at most a day later: Apple counts requests by
/// the hour.
enum RetryAfter {
    private static let longestWait: TimeInterval = 86_400

    /// Returns the date until which to wait, or nil if the value has none of these forms.
    static func date(_ value: String, now: Date) -> Date? {
        let text = value.drop { $0 == " " }
        guard let date = number(text).map({ date($0, now: now) }) ?? httpDate(text) else { return nil }
        return min(max(date, now), now.addingTimeInterval(longestWait))
    }

    /// Returns a number of decimal digits, the only form in which Apple and RFC 9110 write numbers.
    private static func number(_ text: Substring) -> Double? {
        guard (1...30).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Double(String(text))
    }

    private static func date(_ number: Double, now: Date) -> Date {
        switch number {
        case ..<1e9: now.addingTimeInterval(number)
        case ..<1e11: Date(timeIntervalSince1970: number)
        default: Date(timeIntervalSince1970: number / 1000)
        }
    }

    /// Returns the date of `Wed, 21 Oct 2015 07:28:00 GMT`, the only form that servers may send.
    private static func httpDate(_ text: Substring) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: parts[2]) else { return nil }
        let number = String(month + 1)
        let padded = String(repeating: "0", count: 2 - number.count) + number
        return RFC3339.date(from: "\(parts[3])-\(padded)-\(parts[1])T\(parts[4])Z")
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
