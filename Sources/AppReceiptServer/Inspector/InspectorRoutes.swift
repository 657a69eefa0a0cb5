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
                    request, body: body, content: InspectorRequest.contents, options: InspectorRequest.options)
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
            case .sample(let sample): try inspector.examine(sample, for: request, now: now).bytes
            case .search(let text):
                try await search(for: text, within: RequestedScopes(request.expectations), in: context, now: now)
            case .bytes(let bytes): try await examine(bytes, for: request, in: context, now: now)
            }
        var response = Response(jsonBytes: document)
        response.headers.set(InspectorPage.responseHeaders)
        return response
    }

    /// Examines an input, and says what the server knows about the purchases that it proves.
    private func examine(
        _ bytes: [UInt8], for request: InspectorRequest, in context: ServerContext, now: Date
    ) async throws -> [UInt8] {
        let input = inspector.input(bytes)
        let first = try inspector.examine(input, for: restricted(request, to: input), now: now)
        let items = input.evidence.items.enumerated().map { (index: $0.offset, item: $0.element) }
        guard let proof = first.proof else {
            service.metrics.countVerdict(kind: "inspector", code: first.code)
            return try await examine(others: items, in: bytes, for: request, in: context, now: now) ?? first.bytes
        }
        service.metrics.countVerdict(kind: "inspector", code: nil)
        guard AppScope(app: proof.app, proof.environment) != nil else { return first.bytes }
        // The first item is verified already.
        var submitted = try SubmittedEvidence(
            Array(items.dropFirst()), expecting: request.expectations, by: service, now: now)
        submitted.add(proof.evidence, of: proof.app, in: proof.environment, at: 0)
        return try await first.bytes(with: customer(of: [], beside: submitted, in: context, now: now))
    }

    /// Examines the first valid one of several items, if the first one isn't valid; nil if none is. What is rejected
    /// never hides the rest.
    private func examine(
        others items: [(index: Int, item: EvidenceInput.Item)], in bytes: [UInt8], for request: InspectorRequest,
        in context: ServerContext, now: Date
    ) async throws -> [UInt8]? {
        guard items.count > 1 else { return nil }
        let submitted = try SubmittedEvidence(items, expecting: request.expectations, by: service, now: now)
        let rejected = Set(submitted.rejections.map(\.index))
        guard !submitted.evidence.isEmpty, let index = items.map(\.index).first(where: { !rejected.contains($0) })
        else { return nil }
        let input = inspector.input(bytes, item: index)
        let response = try inspector.examine(input, for: restricted(request, to: input), now: now)
        return try await response.bytes(with: customer(of: [], beside: submitted, in: context, now: now))
    }

    private func customer(
        of purchases: [ScopedOriginal], beside submitted: SubmittedEvidence, in context: ServerContext, now: Date
    ) async throws -> CustomerDocument {
        for scope in submitted.evidence.keys { try context.access.check(scope.app) }
        return try await CustomerDocument(of: purchases, beside: submitted, by: service, in: context, now: now)
    }

    /// Restricts the expectations to what the server serves, so that the page says the same as the validation routes.
    private func restricted(
        _ request: InspectorRequest, to input: InspectorInput
    ) throws(APIError) -> InspectorRequest {
        var request = request
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
        return request
    }

    /// Returns what the server knows about the customer with an account, a transaction or an order.
    private func search(
        for text: String, within scopes: RequestedScopes, in context: ServerContext, now: Date
    ) async throws -> [UInt8] {
        let (purchases, match) = try await CustomerSearch(service: service)
            .purchases(matching: text, within: scopes, in: context)
        let customer = try await customer(of: purchases, beside: SubmittedEvidence(), in: context, now: now)
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
