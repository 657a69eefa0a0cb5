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
/// stands in both counts as the body has it. The names are those of the command line's options.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct Question: Sendable {
    /// The receipt or token, as it was sent.
    let content: [UInt8]
    private let values: [String: [String]]

    /// - Parameters:
    ///   - members: the names under which a JSON object may hold the content; exactly one of them must be there.
    ///   - options: the other names that mean something; any other is refused, lest a misspelled one goes unheeded.
    init(_ request: Request, _ body: ReadBody, content members: [String], options: Set<String>) throws(Refusal) {
        let mediaType = (request.headers[.contentType] ?? "").prefix { $0 != ";" }
            .filter { $0 != " " }.lowercased()
        let isBinary = mediaType == "application/octet-stream"
        let begin = body.bytes.drop(while: Base64.isWhitespace).first
        if mediaType == "application/json" || !isBinary && begin == UInt8(ascii: "{") {
            let (content, values) = try Self.read(json: body.bytes, members, options)
            self.content = content
            self.values = try Self.read(query: request, options).merging(values) { $1 }
        } else {
            content = body.bytes
            values = try Self.read(query: request, options)
        }
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
    ) throws(Refusal) -> ([UInt8], [String: [String]]) {
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
        var values: [String: [String]] = [:]
        for member in object.members where member.value != .null {
            if members.contains(member.name) {
                guard content == nil, let text = member.value.string else {
                    throw .badRequest(
                        "content-mistyped", "Exactly one of \(list(members)) must be there, and a string.")
                }
                content = Array(text.utf8)
                continue
            }
            guard options.contains(member.name) else { throw unknown(member.name, options) }
            guard let texts = texts(member.value) else {
                throw .badRequest(
                    "option-mistyped", "'\(member.name)' is a string, number or boolean, or a list of them.")
            }
            values[member.name] = texts
        }
        guard let content else {
            throw .badRequest("content-missing", "The body has no member \(list(members)).")
        }
        return (content, values)
    }

    private static func texts(_ value: JSONValue) -> [String]? {
        switch value {
        case .string(let text): [text]
        case .number(let number): [number.text]
        case .boolean(let truth): [String(truth)]
        case .array(let values):
            values.reduce(into: [String]?.some([])) { texts, value in
                if case .array = value { return texts = nil }
                guard let inner = Self.texts(value) else { return texts = nil }
                texts? += inner
            }
        default: nil
        }
    }

    private static func list(_ names: some Sequence<String>) -> String {
        names.map { "'\($0)'" }.joined(separator: " or ")
    }

    private static func unknown(_ name: String, _ options: Set<String>) -> Refusal {
        let known = options.sorted().map { "'\($0)'" }.joined(separator: ", ")
        return .badRequest("option-unknown", "There is no option of this name; known are \(known).")
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Question {
    /// The one value of an option; nil for none or an empty one.
    func text(_ name: String) throws(Refusal) -> String? {
        guard let all = values[name] else { return nil }
        guard all.count <= 1 else { throw .badRequest("option-repeated", "'\(name)' is given more than once.") }
        return all.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether an option is set.
    func flag(_ name: String) throws(Refusal) -> Bool {
        guard values[name] != nil else { return false }
        switch try text(name) {
        case nil, "true", "1": return true
        case "false", "0": return false
        default: throw .badRequest("option-malformed", "'\(name)' is true or false.")
        }
    }

    /// A whole number.
    func whole(_ name: String) throws(Refusal) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Int64(text) else { throw .badRequest("option-malformed", "'\(name)' is a whole number.") }
        return number
    }

    /// All values of an option, each converted.
    func all<Value>(_ name: String, _ what: String, _ convert: (String) -> Value?) throws(Refusal) -> [Value] {
        var converted: [Value] = []
        for text in values[name] ?? [] where !text.isEmpty {
            guard let value = convert(text) else { throw .badRequest("option-malformed", "'\(name)' is \(what).") }
            converted.append(value)
        }
        return converted
    }

    /// The environments that are named.
    func environments() throws(Refusal) -> Set<ReceiptEnvironment.Base> {
        Set(try all("environment", "production, sandbox or xcode") { ReceiptEnvironment.Base(rawValue: $0) })
    }
}
#endif
