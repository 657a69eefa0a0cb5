#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import Hummingbird
import AppReceiptSupport

/// The content and options of a request to `/v1`: a receipt or token, and what it is compared with.
///
/// The body is the receipt or token itself, or a JSON object that contains it. Options are members of that object or
/// parameters of the query, under the names of the command line's options. An option may be in both if the values are
/// equal.
@available(AppReceiptServer 1.0, *)
struct ValidationRequest: Sendable {
    /// The receipt or token as the client sent it.
    let content: [UInt8]
    /// The member of the JSON object that contains ``content``, or nil if the body itself is the content.
    let contentMember: String?
    /// The values of each option in the query.
    let parameters: [String: [String]]
    /// The options in the body.
    let members: [String: AppStoreJSON]

    /// The receipt or token in ``content``, which may be in any form that ``EvidenceInput`` reads.
    ///
    /// - Throws: `content-ambiguous` if there are several, or if options of a request would be ignored.
    func item() throws(APIError) -> EvidenceInput.Item { try evidence().item }

    /// The token in ``content``, or the text that was sent instead of one. Otherwise like ``item()``.
    func token() throws(APIError) -> String { try evidence().input.tokenText }

    private func evidence() throws(APIError) -> (input: EvidenceInput, item: EvidenceInput.Item) {
        let input = EvidenceInput(content)
        guard let item = input.items.first, input.items.count == 1 else {
            throw .badRequest(
                .contentAmbiguous,
                "The content contains \(input.items.count) receipts and tokens. Send each in a request of its own.")
        }
        guard !input.isServerRequest else {
            throw .badRequest(
                .contentAmbiguous,
                "The content is itself a request, whose options would be ignored. Send it as the body, with content type application/json."
            )
        }
        return (input, item)
    }

    /// Reads the content and the options of a request. The accessors check the options' values.
    ///
    /// - Parameters:
    ///   - request: The request, of which the query and the content type are read.
    ///   - body: The body of the request.
    ///   - names: The members that may contain the content. A JSON object must have exactly one of them.
    ///   - options: The names of all options. Any other name is an error, so a typo can't silently disable a check.
    init(
        _ request: Request, _ body: [UInt8], _ names: String..., options: Set<String>
    ) throws(APIError) {
        let mediaType = request.mediaType
        let isBinary = mediaType == "application/octet-stream"
        let text = body[...].withoutByteOrderMark.drop(while: Base64.isWhitespace)
        // The property list of a transaction receipt begins like JSON.
        let isObject = text.first == UInt8(ascii: "{") && !ReceiptInput.isTransactionReceipt(text)
        parameters = try Self.read(query: request, options)
        if mediaType == "application/json" || !isBinary && isObject {
            (content, contentMember, members) = try Self.read(json: body, names, options)
        } else {
            (content, contentMember, members) = (body, nil, [:])
        }
        guard !content.isEmpty else {
            throw .badRequest(
                .contentMissing, "The body is empty. Send a receipt or token, or a JSON object with one.")
        }
    }

    private static func read(query request: Request, _ options: Set<String>) throws(APIError) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for (name, value) in request.uri.queryParameters {
            guard options.contains(String(name)) else { throw unknown(String(name), options) }
            values[String(name), default: []].append(String(value))
        }
        return values
    }

    private static func read(
        json bytes: [UInt8], _ names: [String], _ options: Set<String>
    ) throws(APIError) -> (content: [UInt8], member: String?, options: [String: AppStoreJSON]) {
        let parsed: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            parsed = try AppStoreJSON(parsing: bytes[...].withoutByteOrderMark, depth: 8)
        } catch {
            throw .badRequest(.bodyMalformed, "The body is \(error.predicate).")
        }
        guard let object = parsed.object else {
            throw .badRequest(.bodyMalformed, "The body is JSON but not an object.")
        }
        // Its members aren't options: the response says what to send instead.
        guard object.tokenMistake == nil else { return (bytes, nil, [:]) }
        var content: (bytes: [UInt8], member: String)?
        var values: [String: AppStoreJSON] = [:]
        for member in object.members {
            if names.contains(member.name) {
                guard content == nil, let text = member.value.string else {
                    throw .badRequest(
                        .contentMistyped, "Expected exactly one member \(list(names)), and a string as its value.")
                }
                content = (Array(text.utf8), member.name)
                continue
            }
            guard options.contains(member.name) else { throw unknown(member.name, options, content: names) }
            guard member.value != .null else {
                throw .badRequest(.optionMalformed, "'\(member.name)' must not be null. Leave it out instead.")
            }
            values[member.name] = member.value
        }
        guard let content else {
            throw .badRequest(.contentMissing, "The body has no member \(list(names)).")
        }
        return (content.bytes, content.member, values)
    }

    private static func list(_ names: some Sequence<String>) -> String {
        names.map { "'\($0)'" }.joined(separator: " or ")
    }

    private static func unknown(_ name: String, _ options: Set<String>, content: [String] = []) -> APIError {
        let known = (content + options.sorted()).map { "'\($0)'" }.joined(separator: ", ")
        // A character may consist of any number of scalars.
        let short = String(String.UnicodeScalarView(name.unicodeScalars.prefix(40)))
        let isForData = content.contains { $0 == "receipt" || $0 == "token" }
        let hint =
            isForData
            ? " Send other JSON that contains the \(content[0]) with content type application/octet-stream." : ""
        return .badRequest(.optionUnknown, "Unknown option '\(short)'. Expected one of \(known).\(hint)")
    }
}
#endif
