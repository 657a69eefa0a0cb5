import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads members as what they must be. A member that is null is as good as absent.
struct ClaimReader {
    let members: JSONObject

    func text(_ name: String) throws(ReceiptError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw malformed(name, "text") }
        return text
    }

    func whole(_ name: String) throws(ReceiptError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.number, let whole = number.int64 ?? Int64(exactly: number.double) else {
            throw malformed(name, "a whole number")
        }
        return whole
    }

    /// An identifier of the App Store, which is never negative.
    func identifier(_ name: String) throws(ReceiptError) -> UInt64? {
        guard let value = value(name) else { return nil }
        guard let number = value.number, let identifier = number.uint64 ?? UInt64(exactly: number.double) else {
            throw malformed(name, "a whole number that isn't negative")
        }
        return identifier
    }

    func truth(_ name: String) throws(ReceiptError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let truth = value.boolean else { throw malformed(name, "true or false") }
        return truth
    }

    /// Milliseconds since 1970, which Xcode writes with a fraction and, for dates long past, with a sign.
    func date(_ name: String) throws(ReceiptError) -> Date? {
        guard let value = value(name) else { return nil }
        guard let milliseconds = value.number?.double, milliseconds.magnitude <= Self.maxMilliseconds else {
            throw malformed(name, "a date")
        }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    func object(_ name: String) throws(ReceiptError) -> ClaimReader? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw malformed(name, "an object") }
        return ClaimReader(members: object)
    }

    func texts(_ name: String) throws(ReceiptError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.array else { throw malformed(name, "a list of texts") }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw malformed(name, "a list of texts") }
        return texts
    }

    func open<Value: RawRepresentable>(_ name: String) throws(ReceiptError) -> Value? where Value.RawValue == String {
        try text(name).flatMap { Value(rawValue: $0) }
    }

    func open<Value: RawRepresentable>(_ name: String) throws(ReceiptError) -> Value? where Value.RawValue == Int64 {
        try whole(name).flatMap { Value(rawValue: $0) }
    }

    /// Whether there is such a member, readable or not.
    func has(_ name: String) -> Bool { value(name) != nil }

    private func value(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func malformed(_ name: String, _ type: String) -> ReceiptError {
        ReceiptError(.tokenClaimMalformed, "The member '\(name)' is not \(type).")
    }

    /// Some 270,000 years to either side, as far as JavaScript's dates reach.
    private static let maxMilliseconds = 8.64e15
}
