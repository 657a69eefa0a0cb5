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
    /// The options.
    let options: RequestOptions

    /// Returns the receipt or token in ``content``, which may be in any form that ``EvidenceInput`` reads.
    ///
    /// - Throws: `content-ambiguous` if there are several, or if options of a request would be ignored.
    func item() throws(APIError) -> EvidenceInput.Item { try evidence().item }

    /// Returns the token in ``content``, or the text that was sent instead of one. Otherwise like ``item()``.
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
        _ request: Request, body: [UInt8], content names: [String], options: Set<String>
    ) throws(APIError) {
        let text = body[...].withoutByteOrderMark.drop(while: Base64.isWhitespace)
        // The property list of a transaction receipt begins like JSON.
        let isObject = text.first == UInt8(ascii: "{") && !ReceiptInput.isTransactionReceipt(text)
        if request.hasMediaType("application/json") || isObject && !request.hasMediaType("application/octet-stream") {
            let object = try RequestOptions.object(in: body)
            // The members of what was sent instead of a token aren't options: the response says what to send.
            let isMistake = object.tokenMistake != nil
            let contents = isMistake ? [] : object.members.filter { names.contains($0.name) }
            let others = isMistake ? [] : object.members.filter { !names.contains($0.name) }
            self.options = try RequestOptions(
                of: request, body: AppStoreJSON.Object(distinct: others), named: options, content: names)
            (content, contentMember) = isMistake ? (body, nil) : try Self.content(of: contents, named: names)
        } else {
            self.options = try RequestOptions(of: request, named: options)
            (content, contentMember) = (body, nil)
        }
        guard !content.isEmpty else {
            throw .badRequest(
                .contentMissing, "The body is empty. Send a receipt or token, or a JSON object with one.")
        }
    }

    /// Returns the content in the members that may contain it, and the name of the one that does.
    private static func content(
        of members: [AppStoreJSON.Object.Member], named names: [String]
    ) throws(APIError) -> ([UInt8], String?) {
        guard let member = members.first else {
            throw .badRequest(.contentMissing, "The body has no member \(list(names)).")
        }
        guard members.count == 1, let text = member.value.string else {
            throw .badRequest(
                .contentMistyped, "Expected exactly one member \(list(names)), and a string as its value.")
        }
        return (Array(text.utf8), member.name)
    }

    private static func list(_ names: some Sequence<String>) -> String {
        names.map { "'\($0)'" }.joined(separator: " or ")
    }
}
#endif
