#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The web inspector: a page, and what it asks. What is sent to it is judged and forgotten.
@available(AppReceiptServer 1.0, *)
struct PageRoutes: Sendable {
    let core: ServerCore
    let inspector: Inspector

    init(core: ServerCore) {
        self.core = core
        inspector = Inspector(
            receipts: core.receipts, signedData: core.signedData,
            transactionReceipts: core.configuration.transactionReceipts,
            maximumInputBytes: core.configuration.limits.bodyBytes / 4 * 3,
            bundleIdentifiers: core.configuration.bundleIdentifiers, environments: core.configuration.environments)
    }

    var endpoints: [Endpoint] {
        guard core.configuration.servesInspector else { return [] }
        return InspectorPage.files.map { file in .get(file.path) { request, _ in Self.answer(file, request) } }
            + [
                .post("/v1/inspector/examine") { request, _ in
                    try await core.withVerificationSlotForAPI(request) { try examine(request, $0) }
                }
            ]
    }

    private static func answer(_ file: InspectorPage.File, _ request: Request) -> Response {
        let isKnown = request.headers[.ifNoneMatch] == file.entityTag
        var response =
            isKnown
            ? Response(status: .notModified) : Response(bytes: file.bytes, contentType: file.contentType)
        add(InspectorPage.headers, to: &response)
        response.headers[.eTag] = file.entityTag
        return response
    }

    private func examine(_ request: Request, _ body: CollectedBody) throws -> Response {
        // A second line of defense behind `CrossOriginProtection`: a form can't send this type.
        guard request.mediaType == "application/json" else {
            throw APIError(
                .unsupportedMediaType, "content-type-unsupported", "Send JSON, and say so: application/json.")
        }
        let answer = inspector.answer(to: body.bytes[...])
        core.metrics.verdict(kind: "inspector", code: answer.code)
        var response = Response(jsonBytes: answer.body, status: HTTPResponse.Status(code: answer.status))
        Self.add(InspectorPage.answerHeaders, to: &response)
        return response
    }

    private static func add(_ headers: [(name: String, value: String)], to response: inout Response) {
        for header in headers {
            if let name = HTTPField.Name(header.name) { response.headers[name] = header.value }
        }
    }
}
#endif
