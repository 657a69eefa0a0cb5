import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The members of an object, in order. Unknown values are left out.
///
/// Names must be added only once.
struct ResponseMembers {
    private(set) var members: [JSONObject.Member] = []

    /// - Parameter capacity: The expected number of members.
    init(capacity: Int) { members.reserveCapacity(capacity) }

    var json: JSONValue { .object(JSONObject(distinct: members)) }

    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append(JSONObject.Member(name: name, value: value)) }
    }

    mutating func add(_ name: String, text: String?) { add(name, text.map { .string($0) }) }

    /// Adds a number as a string, like all values of a transaction.
    mutating func add(_ name: String, digits: (some BinaryInteger)?) { add(name, text: digits.map { String($0) }) }

    /// Adds "true" or "false" as a string.
    mutating func add(_ name: String, trueOrFalse: Bool?) { add(name, text: trueOrFalse.map { $0 ? "true" : "false" }) }

    /// Adds "1" or "0" as a string.
    mutating func add(_ name: String, oneOrZero: Bool?) { add(name, text: oneOrZero.map { $0 ? "1" : "0" }) }

    /// Adds an integer as a number, with all digits.
    mutating func add(_ name: String, number: UInt64?) { add(name, number.map { .number(JSONNumber($0)) }) }

    /// Adds a date in its three forms.
    mutating func add(_ name: String, date: Date?) {
        if let date { members += AppStoreDate(date).members(name) }
    }
}
