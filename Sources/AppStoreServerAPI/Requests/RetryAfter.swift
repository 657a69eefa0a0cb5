import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the header `Retry-After`.
///
/// Apple sends a date in milliseconds since 1970. RFC 9110 defines seconds to wait or an HTTP date, which proxies send. The magnitude
/// decides what a number means.
enum RetryAfter {
    /// The date until which to wait, or nil if the value has none of these forms.
    static func date(_ value: String, now: Date) -> Date? {
        let text = value.drop { $0 == " " }
        guard let number = Double(text), number.isFinite, number >= 0 else { return httpDate(text) }
        switch number {
        case ..<1e9: return now.addingTimeInterval(number)
        case ..<1e11: return Date(timeIntervalSince1970: number)
        case ...8.64e15: return Date(timeIntervalSince1970: number / 1000)
        default: return nil
        }
    }

    /// The date of `Wed, 21 Oct 2015 07:28:00 GMT`, the only form that servers may send.
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
