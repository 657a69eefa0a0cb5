import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// Reads members with the expected types. A null member is treated as absent.
struct ClaimReader {
    let members: AppStoreJSON.Object

    func string(_ name: String) throws(ReceiptError) -> String? {
        guard let value = member(name) else { return nil }
        guard let string = value.string else { throw malformed(name, expected: "a string") }
        return string
    }

    /// Returns the first of these members that is present: different spellings of one name.
    func string(anyOf names: String...) throws(ReceiptError) -> String? {
        for name in names {
            if let string = try string(name) { return string }
        }
        return nil
    }

    func integer(_ name: String) throws(ReceiptError) -> Int64? {
        guard let value = member(name) else { return nil }
        guard let number = value.number, let integer = number.int64 ?? Int64(exactly: number.double) else {
            throw malformed(name, expected: "a whole number")
        }
        return integer
    }

    /// Returns an App Store identifier, which isn't negative.
    func identifier(_ name: String) throws(ReceiptError) -> UInt64? {
        guard let value = member(name) else { return nil }
        guard let number = value.number, let identifier = number.uint64 ?? UInt64(exactly: number.double) else {
            throw malformed(name, expected: "a whole number that isn't negative")
        }
        return identifier
    }

    func boolean(_ name: String) throws(ReceiptError) -> Bool? {
        guard let value = member(name) else { return nil }
        guard let boolean = value.boolean else { throw malformed(name, expected: "true or false") }
        return boolean
    }

    /// Returns a date in milliseconds since 1970. Xcode's values may have a fraction or be negative.
    func date(_ name: String) throws(ReceiptError) -> Date? {
        guard let value = member(name) else { return nil }
        guard let milliseconds = value.number?.double, milliseconds.magnitude <= Self.maxMilliseconds else {
            throw malformed(name, expected: "a date")
        }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    func object(_ name: String) throws(ReceiptError) -> ClaimReader? {
        guard let value = member(name) else { return nil }
        guard let object = value.object else { throw malformed(name, expected: "an object") }
        return ClaimReader(members: object)
    }

    func objects(_ name: String) throws(ReceiptError) -> [ClaimReader]? {
        guard let value = member(name) else { return nil }
        guard let elements = value.array else { throw malformed(name, expected: "an array of objects") }
        let objects = elements.compactMap(\.object)
        guard objects.count == elements.count else { throw malformed(name, expected: "an array of objects") }
        return objects.map { ClaimReader(members: $0) }
    }

    func strings(_ name: String) throws(ReceiptError) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let elements = value.array else { throw malformed(name, expected: "an array of strings") }
        let strings = elements.compactMap(\.string)
        guard strings.count == elements.count else { throw malformed(name, expected: "an array of strings") }
        return strings
    }

    func value<Value: RawRepresentable>(_ name: String) throws(ReceiptError) -> Value? where Value.RawValue == String {
        try string(name).flatMap { Value(rawValue: $0) }
    }

    func value<Value: RawRepresentable>(_ name: String) throws(ReceiptError) -> Value? where Value.RawValue == Int64 {
        try integer(name).flatMap { Value(rawValue: $0) }
    }

    /// Whether the member is present, readable or not.
    func contains(_ name: String) -> Bool { member(name) != nil }

    private func member(_ name: String) -> AppStoreJSON? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func malformed(_ name: String, expected type: String) -> ReceiptError {
        ReceiptError(.tokenClaimMalformed, "The member '\(name)' isn't \(type).")
    }

    /// The range of JavaScript's dates, about 270,000 years before and after 1970.
    private static let maxMilliseconds = 8.64e15
}
