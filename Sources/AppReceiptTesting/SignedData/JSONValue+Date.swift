import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONValue {
    /// Returns the milliseconds since 1970, with a fraction if the date has one.
    static func date(_ date: Date) -> JSONValue {
        let milliseconds = date.timeIntervalSince1970 * 1000
        if let whole = Int64(exactly: milliseconds.rounded()), abs(milliseconds - milliseconds.rounded()) < 0.001 {
            return .number(JSONNumber(whole))
        }
        return .number(JSONNumber(milliseconds))
    }
}
