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
            bundleIdentifiers: service.configuration.bundleIdentifiers,
            environments: service.configuration.environments)
    }

    /// Adds the files of the page.
    func addPage(to group: RouterGroup<ServerContext>) {
        let roots = TrustedRoots(service.configuration.anchors, xcode: service.configuration.xcode)
        for file in InspectorPage.files(trust: roots.sentence) {
            group.get(RouterPath(file.path)) { request, _ in Self.response(file, to: request) }
        }
    }

    /// Adds the route that examines an input.
    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/inspector/examine") { request, _ in
            // A second line of defense behind `CrossOriginProtection`: a form can't send this type.
            guard request.mediaType == "application/json" else {
                throw APIError(
                    .unsupportedMediaType, .contentTypeUnsupported, "Send JSON, with content type application/json.")
            }
            return try await service.admission.withBody(of: request) { body in
                let request = try ValidationRequest(
                    request, body, "input", "sample", options: InspectorRequest.options)
                return try examine(InspectorRequest(request))
            }
        }
    }

    private static func response(_ file: InspectorPage.File, to request: Request) -> Response {
        let isUnchanged = request.headers[.ifNoneMatch] == file.entityTag
        var response =
            isUnchanged
            ? Response(status: .notModified) : Response(bytes: file.bytes, contentType: file.contentType)
        response.headers.set(InspectorPage.headers)
        response.headers[.eTag] = file.entityTag
        return response
    }

    private func examine(_ request: InspectorRequest) throws -> Response {
        let result = try inspector.examine(request)
        service.metrics.countVerdict(kind: "inspector", code: result.code)
        var response = Response(jsonBytes: result.document.bytes)
        response.headers.set(InspectorPage.responseHeaders)
        return response
    }
}

extension HTTPFields {
    /// Sets every field of another collection.
    fileprivate mutating func set(_ fields: HTTPFields) {
        for field in fields { self[field.name] = field.value }
    }
}
#endif
