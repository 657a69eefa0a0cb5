#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird

/// The web inspector: its page, and the route that the page calls. Nothing that is sent to it is stored.
@available(AppReceiptServer 1.0, *)
struct InspectorRoutes: Sendable {
    private let service: ReceiptService
    private let inspector: Inspector

    init(service: ReceiptService) {
        self.service = service
        inspector = Inspector(
            receipts: service.receipts, signedData: service.signedData,
            transactionReceipts: service.configuration.transactionReceipts,
            maximumInputBytes: service.configuration.limits.bodyBytes / 4 * 3,
            bundleIdentifiers: service.configuration.bundleIdentifiers,
            environments: service.configuration.environments)
    }

    /// Adds the files of the page.
    func addPage(to group: RouterGroup<ServerContext>) {
        for file in InspectorPage.files {
            group.get(RouterPath(file.path)) { request, _ in Self.response(file, to: request) }
        }
    }

    /// Adds the route that examines an input.
    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/inspector/examine") { request, _ in
            // A second line of defense behind `CrossOriginProtection`: a form can't send this type.
            guard request.mediaType == "application/json" else {
                throw APIError(
                    .unsupportedMediaType, "content-type-unsupported", "Send JSON, with content type application/json.")
            }
            return try await service.withVerificationSlot(for: request) { examine($0) }
        }
    }

    private static func response(_ file: InspectorPage.File, to request: Request) -> Response {
        let isUnchanged = request.headers[.ifNoneMatch] == file.entityTag
        var response =
            isUnchanged
            ? Response(status: .notModified) : Response(bytes: file.bytes, contentType: file.contentType)
        add(InspectorPage.headers, to: &response)
        response.headers[.eTag] = file.entityTag
        return response
    }

    private func examine(_ body: [UInt8]) -> Response {
        let answer = inspector.answer(to: body[...])
        service.metrics.verdict(kind: "inspector", code: answer.code)
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
