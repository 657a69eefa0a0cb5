import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

extension JSONWriter {
    /// Writes a number as a string, like all values of a transaction.
    mutating func memberIfPresent(_ name: StaticString, digits: Int64?) {
        if let digits { member(name, capacity: 20) { $0.append(digits: digits) } }
    }

    /// Writes "true" or "false" as a string.
    mutating func memberIfPresent(_ name: StaticString, trueOrFalse: Bool?) {
        memberIfPresent(name, trueOrFalse.map { $0 ? "true" : "false" })
    }

    /// Writes "1" or "0" as a string.
    mutating func memberIfPresent(_ name: StaticString, oneOrZero: Bool?) {
        memberIfPresent(name, oneOrZero.map { $0 ? "1" : "0" })
    }

    /// Writes a date in the three forms of Apple's responses: `d`, `d_ms`, `d_pst`.
    mutating func memberIfPresent(_ name: StaticString, dateInThreeForms date: Date?) {
        if let date { member(name, date: AppStoreDate(date)) }
    }

    /// Writes a date in its three forms.
    mutating func member(_ name: StaticString, date: AppStoreDate) {
        member(name, capacity: AppStoreDate.maxCount) { date.appendUTC(to: &$0) }
        member(name, "_ms", capacity: 20) { $0.append(digits: date.milliseconds) }
        member(name, "_pst", capacity: AppStoreDate.maxCount) { date.appendPacific(to: &$0) }
    }
}
