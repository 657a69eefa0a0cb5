import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Gathers the members of an object in their order, leaving out what is not known.
///
/// No name may be added twice.
struct AnswerMembers {
    private(set) var members: [JSONObject.Member] = []

    /// - Parameter capacity: how many members may come.
    init(capacity: Int) { members.reserveCapacity(capacity) }

    var json: JSONValue { .object(JSONObject(distinct: members)) }

    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append(JSONObject.Member(name: name, value: value)) }
    }

    mutating func add(_ name: String, text: String?) { add(name, text.map { .string($0) }) }

    /// A number as a string, as everything in a transaction is.
    mutating func add(_ name: String, digits: (some BinaryInteger)?) { add(name, text: digits.map { String($0) }) }

    /// "true" or "false" as a string.
    mutating func add(_ name: String, word: Bool?) { add(name, text: word.map { $0 ? "true" : "false" }) }

    /// "1" or "0" as a string.
    mutating func add(_ name: String, digit: Bool?) { add(name, text: digit.map { $0 ? "1" : "0" }) }

    /// A whole number as one, digit by digit.
    mutating func add(_ name: String, number: UInt64?) { add(name, number.map { .number(JSONNumber($0)) }) }

    /// A date in its three forms.
    mutating func add(_ name: String, date: Date?) {
        if let date { members += StoreDate(date).members(name) }
    }
}
