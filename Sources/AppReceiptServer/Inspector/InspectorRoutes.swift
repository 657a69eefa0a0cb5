#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import HTTPTypes
import Hummingbird

/// The web inspector: its page, and the route that the page calls. Nothing that is sent to it is stored; what the App
/// Store answers about it is.
@available(AppReceiptServer 1.0, *)
struct InspectorRoutes: Sendable {
    private let service: ReceiptService
    private let inspector: Inspector

    init(service: ReceiptService) {
        self.service = service
        inspector = Inspector(receipts: service.receipts, signedData: service.signedData)
    }

    /// Adds the files of the page.
    func addPage(to group: RouterGroup<ServerContext>) {
        let roots = TrustedRoots(service.configuration.anchors, xcode: service.configuration.xcode)
        for file in InspectorPage.files(trust: roots.sentence) {
            group.get(RouterPath(file.path)) { request, _ in Self.response(file, to: request) }
        }
    }

    /// Adds the route that examines an input, and finds customers.
    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/inspector/examine") { request, context in
            // A second line of defense behind `CrossOriginProtection`: a form can't send this type.
            guard request.hasMediaType("application/json") else {
                throw APIError(
                    .unsupportedMediaType, .contentTypeUnsupported, "Send JSON, with content type application/json.")
            }
            return try await service.admission.withBody(of: request) { body in
                let request = try ValidationRequest(
                    request, body, InspectorRequest.contents, options: InspectorRequest.options)
                return try await examine(InspectorRequest(request), in: context)
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

    private func examine(_ request: InspectorRequest, in context: ServerContext) async throws -> Response {
        let now = Date()
        let document =
            switch request.source {
            case .sample(let sample): try inspector.examine(sample, request, now: now).bytes
            case .search(let text): try await search(for: text, in: context, now: now)
            case .bytes(let bytes): try await examine(bytes, request, in: context, now: now)
            }
        var response = Response(jsonBytes: document)
        response.headers.set(InspectorPage.responseHeaders)
        return response
    }

    /// Examines an input, and says what the server knows about the purchases that it proves.
    private func examine(
        _ bytes: [UInt8], _ request: InspectorRequest, in context: ServerContext, now: Date
    ) async throws -> [UInt8] {
        let input = inspector.input(bytes)
        var request = request
        try restrict(&request, to: input)
        let requested = request.expectations
        let response = try inspector.examine(input, request, now: now)
        service.metrics.countVerdict(kind: "inspector", code: response.code)
        guard let proof = response.proof, AppScope(app: proof.app, proof.environment) != nil else {
            return response.bytes
        }
        // The first item is verified already.
        let others = input.evidence.items.enumerated().dropFirst().map { (index: $0.offset, item: $0.element) }
        var submitted = try SubmittedEvidence(others, expecting: requested, by: service, now: now)
        submitted.add(proof.evidence, of: proof.app, in: proof.environment, at: 0)
        for scope in submitted.evidence.keys { try context.access.check(scope.app) }
        return response.bytes(
            with: try await CustomerDocument(of: [], beside: submitted, by: service, in: context, now: now))
    }

    /// Restricts the expectations to what the server serves, so that the page says the same as the validation routes.
    private func restrict(_ request: inout InspectorRequest, to input: InspectorInput) throws(APIError) {
        switch input.kind {
        case .receipt(let source):
            try service.restrict(&request.expectations) { (try? AppReceipt(parsing: source))?.bundleIdentifier }
        case .transactionReceipt(let list):
            try service.restrict(&request.expectations) { (try? TransactionReceipt(parsing: list))?.bundleIdentifier }
        case .signedData(let token):
            let expected = try service.expectations(for: token, requested: request.expectations)
            request.expectations.bundleIdentifier = expected.bundleIdentifier
            request.expectations.environments = expected.environments
            request.appAppleIdentifiers = expected.appAppleIdentifier ?? .anyApp
        }
    }

    /// Returns what the server knows about the customer with an account, a transaction or an order.
    private func search(for text: String, in context: ServerContext, now: Date) async throws -> [UInt8] {
        let (purchases, match) = try await CustomerSearch(service: service).purchases(matching: text, in: context)
        let customer = try await CustomerDocument(
            of: purchases, beside: SubmittedEvidence(), by: service, in: context, now: now)
        var document = JSONDocument()
        document.add("kind", "customer")
        document.add("match", .string(match.rawValue))
        // What is stored was verified again.
        document.add("verdict", "valid")
        document.add("isProven", true)
        document.add("now", .date(now))
        document.add("input", ["name": .string(text), "items": 0])
        let environments = Set(purchases.map(\.scope.environment))
        document.add("environment", .text(environments.count == 1 ? environments.first?.rawValue : nil))
        customer.write(to: &document)
        return document.bytes
    }
}

extension HTTPFields {
    /// Sets every field of another collection.
    fileprivate mutating func set(_ fields: HTTPFields) {
        for field in fields { self[field.name] = field.value }
    }
}
#endif
