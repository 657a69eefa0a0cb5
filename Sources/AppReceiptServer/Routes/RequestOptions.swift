#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird

/// The options of a request to `/v1`, under the names of the command line's options: parameters of the query and
/// members of the body. An option may be in both if the values are equal.
@available(AppReceiptServer 1.0, *)
struct RequestOptions: Sendable {
    /// The values of each option in the query.
    private let parameters: [String: [String]]
    /// The options in the body.
    private let members: [String: AppStoreJSON]

    /// Reads the options of a request. The other functions check their values.
    ///
    /// - Parameters:
    ///   - request: The request, of which the query is read.
    ///   - object: The body without its content.
    ///   - names: The names of all options. Any other name is an error, so a typo can't silently disable a check.
    ///   - content: The members that may contain the content, for the message.
    ///   - ignoresOthers: Whether another parameter of the query has no effect instead.
    init(
        of request: Request, body object: AppStoreJSON.Object = [:], named names: Set<String>, content: [String] = [],
        ignoresOthers: Bool = false
    ) throws(APIError) {
        var parameters: [String: [String]] = [:]
        for (name, value) in request.uri.queryParameters {
            guard names.contains(String(name)) else {
                if ignoresOthers { continue }
                throw Self.unknown(String(name), expected: names.sorted())
            }
            parameters[String(name), default: []].append(String(value))
        }
        var members: [String: AppStoreJSON] = [:]
        for member in object.members {
            guard names.contains(member.name) else {
                throw Self.unknown(member.name, expected: content + names.sorted(), content: content)
            }
            guard member.value != .null else {
                throw .badRequest(.optionMalformed, "'\(member.name)' must not be null. Leave it out instead.")
            }
            members[member.name] = member.value
        }
        self.parameters = parameters
        self.members = members
    }

    /// Reads a body that is a JSON object.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - form: The form of the object, for the message about another body.
    static func object(in body: [UInt8], as form: String? = nil) throws(APIError) -> AppStoreJSON.Object {
        let advice = form.map { " Send \($0)." } ?? ""
        let parsed: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            parsed = try AppStoreJSON(parsing: body[...].withoutByteOrderMark, depth: 8)
        } catch {
            throw .badRequest(.bodyMalformed, "The body is \(error.predicate).\(advice)")
        }
        guard let object = parsed.object else {
            throw .badRequest(.bodyMalformed, "The body is JSON but not an object.\(advice)")
        }
        return object
    }

    private static func unknown(_ name: String, expected names: [String], content: [String] = []) -> APIError {
        // A character may consist of any number of scalars.
        let short = String(String.UnicodeScalarView(name.unicodeScalars.prefix(40)))
        var message = "Unknown option '\(short)'. "
        message +=
            names.isEmpty
            ? "This path has no options." : "Expected one of \(names.map { "'\($0)'" }.joined(separator: ", "))."
        if content.contains(where: { $0 == "receipt" || $0 == "token" }) {
            message += " Send other JSON that contains the \(content[0]) with content type application/octet-stream."
        }
        return .badRequest(.optionUnknown, message)
    }

    /// Returns the expectations in the request: those that ``ExpectationOption`` lists, or some of them.
    func expectations(_ options: [ExpectationOption] = ExpectationOption.all) throws(APIError) -> Expectations {
        var expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        for option in options {
            let base = expectations
            let stated = try value(option.name) {
                option.narrows($0, to: $1) && option.narrows($1, to: $0)
            } convert: { texts throws(APIError) in
                try Self.set(option, to: texts, in: base)
            } texts: { value throws(APIError) in
                if option.isRepeatable {
                    return try Self.strings(
                        in: value.array ?? [value], of: option.name, expected: "a string, or a list of strings")
                }
                guard let text = value.string else { throw Self.mistyped(option.name, expected: "a string") }
                return [text]
            }
            expectations = stated ?? expectations
        }
        return expectations
    }

    private static func set(
        _ option: ExpectationOption, to texts: [String], in expectations: Expectations
    ) throws(APIError) -> Expectations {
        guard texts.count == 1 || option.isRepeatable else {
            throw .badRequest(.optionRepeated, "'\(option.name)' is given more than once.")
        }
        guard !texts.contains("") else { throw empty(option.name) }
        guard texts.allSatisfy({ $0.unicodeScalars.count <= maxTextLength }) else {
            throw .badRequest(
                .optionMalformed, "'\(option.name)' must have at most \(maxTextLength) characters.")
        }
        var expectations = expectations
        guard option.set(texts, in: &expectations) else { throw malformed(option.name, expected: option.form) }
        if let devices = expectations.devices.values, devices.count > maxDevices {
            throw .badRequest(.optionMalformed, "'device-id' must have at most \(maxDevices) values.")
        }
        return expectations
    }

    /// Returns the converted value of an option, or nil if it isn't given.
    func value<Value: Equatable>(
        _ name: String, expected: String, convert: (String) -> Value?
    ) throws(APIError) -> Value? {
        try single(name, expected: "a string", text: \.string) { text throws(APIError) in
            guard let value = convert(text) else { throw Self.malformed(name, expected: expected) }
            return value
        }
    }

    /// Returns whether a flag is set. In the query, a name without a value sets it.
    func flag(_ name: String) throws(APIError) -> Bool {
        let expected = "true or false"
        return try single(name, expected: expected, text: { $0.boolean.map { String($0) } }) { text throws(APIError) in
            switch text {
            case "true", "1", "": return true
            case "false", "0": return false
            default: throw Self.malformed(name, expected: expected)
            }
        } ?? false
    }

    /// Returns the value of an option that is a whole number in a range, or nil if it isn't given.
    ///
    /// - Parameters:
    ///   - name: The option.
    ///   - range: The accepted numbers. Default: up to the largest 64-bit signed integer, Apple's type for identifiers.
    func wholeNumber(
        _ name: String, in range: ClosedRange<UInt64> = 0...UInt64(Int64.max)
    ) throws(APIError) -> UInt64? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return try single(name, expected: expected, text: { $0.number?.wholeText }) { text throws(APIError) in
            guard let number = UInt64(text), range.contains(number) else {
                throw Self.malformed(name, expected: expected)
            }
            return number
        }
    }

    /// Returns the values of an option that is a list of strings of any length, in the query repeated. Empty if it
    /// isn't given.
    ///
    /// - Parameters:
    ///   - name: The option.
    ///   - allowsEmpty: Whether a value may be empty.
    ///   - isRequired: Whether the option may not be left out, for the message about an empty list.
    func strings(
        _ name: String, allowsEmpty: Bool = false, isRequired: Bool = false
    ) throws(APIError) -> [String] {
        try value(name) {
            $0 == $1
        } convert: { texts throws(APIError) in
            guard texts.count <= Self.maxTexts else {
                throw Self.malformed(name, expected: "a list of at most \(Self.maxTexts) texts")
            }
            guard allowsEmpty || !texts.contains("") else { throw Self.empty(name) }
            return texts
        } texts: { value throws(APIError) in
            let expected = "a list of strings"
            guard let elements = value.array else { throw Self.mistyped(name, expected: expected) }
            return try Self.strings(in: elements, of: name, isRequired: isRequired, expected: expected)
        } ?? []
    }

    private static func strings(
        in elements: [AppStoreJSON], of name: String, isRequired: Bool = false, expected: String
    ) throws(APIError) -> [String] {
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw mistyped(name, expected: expected) }
        guard !texts.isEmpty else {
            throw isRequired ? malformed(name, expected: "a list that isn't empty") : empty(name)
        }
        return texts
    }

    /// Returns the converted value of an option that has a single value.
    private func single<Value: Equatable>(
        _ name: String, expected: String, text: (AppStoreJSON) -> String?, convert: (String) throws(APIError) -> Value
    ) throws(APIError) -> Value? {
        try value(name) {
            $0 == $1
        } convert: { texts throws(APIError) in
            guard let text = texts.first, texts.count == 1 else {
                throw .badRequest(.optionRepeated, "'\(name)' is given more than once.")
            }
            return try convert(text)
        } texts: { value throws(APIError) in
            guard let text = text(value) else { throw Self.mistyped(name, expected: expected) }
            return [text]
        }
    }

    /// Returns the converted value of an option, from the query or the body.
    ///
    /// - Parameters:
    ///   - areEqual: Whether the values of the query and of the body are equal, if both have the option.
    ///   - convert: Converts the texts of the option.
    ///   - texts: The texts that a member of the body contains.
    /// - Throws: `option-conflict` if the values differ. Neither wins: one of them may come from an intermediary that
    ///   restricts its clients.
    private func value<Value>(
        _ name: String, areEqual: (Value, Value) -> Bool, convert: ([String]) throws(APIError) -> Value,
        texts: (AppStoreJSON) throws(APIError) -> [String]
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

    /// The length of the longest text option in Unicode scalars, as JSON Schema counts for `maxLength`. Bundle
    /// identifiers and versions are shorter.
    private static var maxTextLength: Int { 255 }

    /// The number of texts in a list. A text may contain several receipts and tokens.
    private static var maxTexts: Int { 1_000 }

    /// The number of devices that a request may name. A Mac has fewer network interfaces.
    private static var maxDevices: Int { 16 }

    private static func empty(_ name: String) -> APIError {
        .badRequest(.optionMalformed, "'\(name)' must not be empty. Leave it out instead.")
    }

    private static func mistyped(_ name: String, expected: String) -> APIError {
        .badRequest(.optionMistyped, "'\(name)' must be \(expected).")
    }

    private static func malformed(_ name: String, expected: String) -> APIError {
        .badRequest(.optionMalformed, "'\(name)' must be \(expected).")
    }
}

extension AppStoreJSON.Number {
    /// The digits of a whole number, also of one that is written as 5.0: some programs have no other numbers. Otherwise
    /// the number as it is written.
    fileprivate var wholeText: String {
        guard int64 == nil, double.magnitude < 0x1p53, let whole = Int64(exactly: double) else { return text }
        return String(whole)
    }
}
#endif
