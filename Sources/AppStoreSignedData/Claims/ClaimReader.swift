import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads members with the expected types. A null member is treated as absent.
struct ClaimReader {
    let members: JSONObject

    func text(_ name: String) throws(ReceiptError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw malformed(name, "a string") }
        return text
    }

    func whole(_ name: String) throws(ReceiptError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.number, let whole = number.int64 ?? Int64(exactly: number.double) else {
            throw malformed(name, "a whole number")
        }
        return whole
    }

    /// An App Store identifier, which isn't negative.
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

    /// A date in milliseconds since 1970. Xcode's values may have a fraction or be negative.
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
        guard let elements = value.array else { throw malformed(name, "an array of strings") }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw malformed(name, "an array of strings") }
        return texts
    }

    func open<Value: RawRepresentable>(_ name: String) throws(ReceiptError) -> Value? where Value.RawValue == String {
        try text(name).flatMap { Value(rawValue: $0) }
    }

    func open<Value: RawRepresentable>(_ name: String) throws(ReceiptError) -> Value? where Value.RawValue == Int64 {
        try whole(name).flatMap { Value(rawValue: $0) }
    }

    /// Whether the member is present, readable or not.
    func has(_ name: String) -> Bool { value(name) != nil }

    private func value(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func malformed(_ name: String, _ type: String) -> ReceiptError {
        ReceiptError(.tokenClaimMalformed, "The member '\(name)' isn't \(type).")
    }

    /// The range of JavaScript's dates, about 270,000 years before and after 1970.
    private static let maxMilliseconds = 8.64e15
}
