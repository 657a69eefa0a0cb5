#if Server
import AppReceiptKit
import AppStoreSignedData
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a request to `/v1` asks: a receipt or a token, and what it is compared with.
///
/// The body is a JSON object that holds all of it, or the receipt or token itself; then the rest stands in the query. What
/// stands in both must be right in both, and counts as the body has it. The names are those of the command line's options.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct Question: Sendable {
    /// The receipt or token, as it was sent.
    let content: [UInt8]
    /// What is given for each option: in the query, and then in the body.
    private let given: [String: [Given]]

    private enum Given {
        case query([String])
        case body(JSONValue)
    }

    /// - Parameters:
    ///   - members: the names under which a JSON object may hold the content; exactly one of them must be there.
    ///   - options: the other names that mean something; any other is refused, lest a misspelled one goes unheeded.
    init(_ request: Request, _ body: ReadBody, content members: [String], options: Set<String>) throws(Refusal) {
        let mediaType = request.mediaType
        let isBinary = mediaType == "application/octet-stream"
        let begin = body.bytes.drop(while: Base64.isWhitespace).first
        var given = try Self.read(query: request, options).mapValues { [Given.query($0)] }
        if mediaType == "application/json" || !isBinary && begin == UInt8(ascii: "{") {
            let (content, values) = try Self.read(json: body.bytes, members, options)
            self.content = content
            for (name, value) in values { given[name, default: []].append(.body(value)) }
        } else {
            content = body.bytes
        }
        self.given = given
        guard !content.isEmpty else {
            throw .badRequest(
                "content-missing", "The body is empty: send a receipt or token, or a JSON object with one.")
        }
    }

    private static func read(query request: Request, _ options: Set<String>) throws(Refusal) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for (name, value) in request.uri.queryParameters {
            guard options.contains(String(name)) else { throw unknown(String(name), options) }
            values[String(name), default: []].append(String(value))
        }
        return values
    }

    private static func read(
        json bytes: [UInt8], _ members: [String], _ options: Set<String>
    ) throws(Refusal) -> ([UInt8], [String: JSONValue]) {
        let parsed: JSONValue
        do throws(JSONValue.Fault) {
            parsed = try JSONValue(parsing: bytes[...], depth: 8)
        } catch {
            throw .badRequest("body-malformed", "The body is \(error.inWords).")
        }
        guard let object = parsed.object else {
            throw .badRequest("body-malformed", "The body is JSON, but no object.")
        }
        var content: [UInt8]?
        var values: [String: JSONValue] = [:]
        for member in object.members where member.value != .null {
            if members.contains(member.name) {
                guard content == nil, let text = member.value.string else {
                    throw .badRequest(
                        "content-mistyped", "There must be one member \(list(members)), and it must be a string.")
                }
                content = Array(text.utf8)
                continue
            }
            guard options.contains(member.name) else { throw unknown(member.name, options, content: members) }
            values[member.name] = member.value
        }
        guard let content else {
            throw .badRequest("content-missing", "The body has no member \(list(members)).")
        }
        return (content, values)
    }

    private static func list(_ names: some Sequence<String>) -> String {
        names.map { "'\($0)'" }.joined(separator: " or ")
    }

    private static func unknown(_ name: String, _ options: Set<String>, content: [String] = []) -> Refusal {
        let known = (content + options.sorted()).map { "'\($0)'" }.joined(separator: ", ")
        // A character may be of any number of scalars.
        let short = String(String.UnicodeScalarView(name.unicodeScalars.prefix(40)))
        return .badRequest("option-unknown", "There is no '\(short)' here, but \(known).")
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Question {
    /// The one value of an option in each place where it stands. An empty one is refused: it would be an expectation that
    /// nobody compares.
    func texts(_ name: String) throws(Refusal) -> [String] {
        let texts = try each(name, "a string", \.string)
        guard texts.allSatisfy({ !$0.isEmpty }) else { throw Self.empty(name) }
        guard texts.allSatisfy({ $0.utf8.count <= Self.mostTextBytes }) else {
            throw Self.malformed(name, "\(Self.mostTextBytes) bytes at most")
        }
        return texts
    }

    /// The one value of an option; nil for none.
    func text(_ name: String) throws(Refusal) -> String? { try texts(name).last }

    /// The one value of an option, converted; nil for none.
    func one<Value>(_ name: String, _ what: String, _ convert: (String) -> Value?) throws(Refusal) -> Value? {
        var converted: Value?
        for text in try each(name, "a string", \.string) {
            guard let value = convert(text) else { throw Self.malformed(name, what) }
            converted = value
        }
        return converted
    }

    /// Whether an option is set. In the query its name alone is enough.
    func flag(_ name: String) throws(Refusal) -> Bool {
        var isSet = false
        for text in try each(name, "true or false", { $0.boolean.map { String($0) } }) {
            switch text {
            case "true", "1", "": isSet = true
            case "false", "0": isSet = false
            default: throw Self.malformed(name, "true or false")
            }
        }
        return isSet
    }

    /// A whole number, 0 or more; nil for none.
    func whole(_ name: String) throws(Refusal) -> Int64? {
        let what = "a whole number, 0 or more"
        var whole: Int64?
        for text in try each(name, what, { $0.number?.wholeText }) {
            guard let number = Int64(text), number >= 0 else { throw Self.malformed(name, what) }
            whole = number
        }
        return whole
    }

    /// All values of an option, each converted, in each place where it stands. In JSON they are a list, or one alone.
    func lists<Value>(
        _ name: String, _ what: String, _ convert: (String) -> Value?
    ) throws(Refusal) -> [[Value]] {
        var lists: [[Value]] = []
        for given in given[name] ?? [] {
            let texts: [String]
            switch given {
            case .query(let values): texts = values
            case .body(let value):
                let elements = value.array ?? [value]
                texts = elements.compactMap(\.string)
                guard texts.count == elements.count else { throw Self.mistyped(name, "a string, or a list of strings") }
            }
            guard !texts.isEmpty else { throw Self.empty(name) }
            var list: [Value] = []
            for text in texts {
                guard let value = convert(text) else { throw Self.malformed(name, what) }
                list.append(value)
            }
            lists.append(list)
        }
        return lists
    }

    /// The environments that are named, in each place where they are.
    func environments() throws(Refusal) -> [Set<ReceiptEnvironment.Base>] {
        try lists("environment", "production, sandbox or xcode") { ReceiptEnvironment.Base(rawValue: $0) }.map {
            Set($0)
        }
    }

    /// What is given for an option that has one value, as text.
    private func each(
        _ name: String, _ what: String, _ text: (JSONValue) -> String?
    ) throws(Refusal) -> [String] {
        var texts: [String] = []
        for given in given[name] ?? [] {
            switch given {
            case .query(let values):
                guard values.count <= 1 else {
                    throw .badRequest("option-repeated", "'\(name)' is given more than once.")
                }
                texts += values
            case .body(let value):
                guard let text = text(value) else { throw Self.mistyped(name, what) }
                texts.append(text)
            }
        }
        return texts
    }

    /// Longer is no bundle identifier and no version.
    private static var mostTextBytes: Int { 255 }

    private static func empty(_ name: String) -> Refusal {
        .badRequest("option-malformed", "'\(name)' must not be empty; leave it out.")
    }

    private static func mistyped(_ name: String, _ what: String) -> Refusal {
        .badRequest("option-mistyped", "'\(name)' must be \(what).")
    }

    private static func malformed(_ name: String, _ what: String) -> Refusal {
        .badRequest("option-malformed", "'\(name)' must be \(what).")
    }
}

extension JSONNumber {
    /// A whole number's digits: 5 may be written 5.0, by programs that have no other numbers. Otherwise as it is written.
    fileprivate var wholeText: String {
        guard int64 == nil, double.magnitude < 0x1p53, let whole = Int64(exactly: double) else { return text }
        return String(whole)
    }
}
#endif
