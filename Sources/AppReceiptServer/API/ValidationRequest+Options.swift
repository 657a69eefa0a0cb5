#if Server
import AppReceiptSupport
import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@available(AppReceiptServer 1.0, *)
extension ValidationRequest {
    /// The value of a text option, or nil if it isn't given. An empty text is an error.
    func text(_ name: String) throws(APIError) -> String? {
        // Compared byte by byte, as with a receipt: equal strings may be different bytes.
        try single(name, "a string", \.string, by: { $0.utf8.elementsEqual($1.utf8) }) { text throws(APIError) in
            guard !text.isEmpty else { throw Self.empty(name) }
            guard text.unicodeScalars.count <= Self.maxTextLength else {
                throw .badRequest(.optionMalformed, "'\(name)' must have at most \(Self.maxTextLength) characters.")
            }
            return text
        }
    }

    /// The converted value of an option, or nil if it isn't given.
    func value<Value: Equatable>(
        _ name: String, expected: String, convert: (String) -> Value?
    ) throws(APIError) -> Value? {
        try single(name, "a string", \.string) { text throws(APIError) in
            guard let value = convert(text) else { throw Self.malformed(name, expected) }
            return value
        }
    }

    /// Whether a flag is set. In the query, a name without a value sets it.
    func flag(_ name: String) throws(APIError) -> Bool {
        let expected = "true or false"
        return try single(name, expected, { $0.boolean.map { String($0) } }) { text throws(APIError) in
            switch text {
            case "true", "1", "": return true
            case "false", "0": return false
            default: throw Self.malformed(name, expected)
            }
        } ?? false
    }

    /// The value of an option that is a whole number from 0 to the largest 64-bit signed integer, Apple's type for
    /// identifiers, or nil if it isn't given.
    func unsignedInteger(_ name: String) throws(APIError) -> UInt64? {
        let expected = "a whole number from 0 to \(Int64.max)"
        return try single(name, expected, { $0.number?.wholeText }) { text throws(APIError) in
            guard let number = UInt64(text), number <= Int64.max else { throw Self.malformed(name, expected) }
            return number
        }
    }

    /// The converted values of a list option, or nil if it isn't given. In JSON, a single value need not be a list.
    func values<Value: Hashable>(
        _ name: String, expected: String, convert: (String) -> Value?
    ) throws(APIError) -> [Value]? {
        try value(name, by: { Set($0) == Set($1) }) { texts throws(APIError) in
            var values: [Value] = []
            for text in texts {
                guard let value = convert(text) else { throw Self.malformed(name, expected) }
                values.append(value)
            }
            return values
        } texts: { value throws(APIError) in
            let elements = value.array ?? [value]
            let texts = elements.compactMap(\.string)
            guard texts.count == elements.count else { throw Self.mistyped(name, "a string, or a list of strings") }
            guard !texts.isEmpty else { throw Self.empty(name) }
            return texts
        }
    }

    /// The environments that the request accepts, or nil if it names none.
    func environments() throws(APIError) -> Set<ReceiptEnvironment.Base>? {
        try values("environment", expected: "production, sandbox or xcode") { ReceiptEnvironment.Base(rawValue: $0) }
            .map { Set($0) }
    }

    /// The devices that the request accepts, or nil if it names none.
    func devices() throws(APIError) -> [DeviceIdentifier]? {
        let devices = try values(
            "device-id", expected: "a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes"
        ) { try? DeviceIdentifier(text: $0) }
        guard (devices ?? []).count <= Self.maxDevices else {
            throw .badRequest(.optionMalformed, "'device-id' must name at most \(Self.maxDevices) devices.")
        }
        return devices
    }

    /// The converted value of an option that has a single value.
    private func single<Value: Equatable>(
        _ name: String, _ expected: String, _ text: (JSONValue) -> String?,
        by areEqual: (Value, Value) -> Bool = { $0 == $1 }, _ convert: (String) throws(APIError) -> Value
    ) throws(APIError) -> Value? {
        try value(name, by: areEqual) { texts throws(APIError) in
            guard let text = texts.first, texts.count == 1 else {
                throw .badRequest(.optionRepeated, "'\(name)' is given more than once.")
            }
            return try convert(text)
        } texts: { value throws(APIError) in
            guard let text = text(value) else { throw Self.mistyped(name, expected) }
            return [text]
        }
    }

    /// The converted value of an option, from the query or the body.
    ///
    /// - Parameters:
    ///   - areEqual: Whether the values of the query and of the body are equal, if both have the option.
    ///   - convert: Converts the texts of the option.
    ///   - texts: The texts that a member of the body contains.
    /// - Throws: `option-conflict` if the values differ. Neither wins: one of them may come from an intermediary that
    ///   restricts its clients.
    private func value<Value>(
        _ name: String, by areEqual: (Value, Value) -> Bool, _ convert: ([String]) throws(APIError) -> Value,
        texts: (JSONValue) throws(APIError) -> [String]
    ) throws(APIError) -> Value? {
        let parameter = try parameters[name].map(convert)
        let member = try members[name].map(texts).map(convert)
        if let parameter, let member, !areEqual(parameter, member) {
            throw .badRequest(
                .optionConflict,
                "'\(name)' in the body differs from '\(name)' in the query. Give it once, or twice with the same value."
            )
        }
        return member ?? parameter
    }

    /// The length of the longest text option in Unicode scalars, as JSON Schema counts for `maxLength`. Bundle identifiers
    /// and versions are shorter.
    private static var maxTextLength: Int { 255 }

    /// The number of devices that a request may name. A Mac has fewer network interfaces.
    private static var maxDevices: Int { 16 }

    private static func empty(_ name: String) -> APIError {
        .badRequest(.optionMalformed, "'\(name)' must not be empty. Leave it out instead.")
    }

    private static func mistyped(_ name: String, _ expected: String) -> APIError {
        .badRequest(.optionMistyped, "'\(name)' must be \(expected).")
    }

    private static func malformed(_ name: String, _ expected: String) -> APIError {
        .badRequest(.optionMalformed, "'\(name)' must be \(expected).")
    }
}

extension JSONNumber {
    /// The digits of a whole number, also of one that is written as 5.0: some programs have no other numbers. Otherwise
    /// the number as it is written.
    fileprivate var wholeText: String {
        guard int64 == nil, double.magnitude < 0x1p53, let whole = Int64(exactly: double) else { return text }
        return String(whole)
    }
}
#endif
