#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import HTTPTypes
import Hummingbird

/// The routes of accounts: entitlements, evidence, bindings, and forgetting.
@available(AppReceiptServer 1.0, *)
struct AccountRoutes: Sendable {
    let service: ReceiptService

    func addReading(to group: RouterGroup<ServerContext>) {
        group.get("/accounts/:account/entitlements") { request, context in
            let context = try context.withAccountInPath()
            let options = try RequestOptions(of: request, named: ["bundle-id", "environment", "product"])
            return try await service.admission.withoutBody { try await entitlements(options, in: context) }
        }
    }

    func addEvidence(to group: RouterGroup<ServerContext>) {
        group.post("/accounts/:account/evidence") { request, context in
            let context = try context.withAccountInPath()
            return try await service.admission.withBody(of: request) { body in
                let options = try RequestOptions(
                    of: request, body: RequestOptions.object(in: body, as: "{\"evidence\": [\"…\"]}"),
                    named: ["evidence", "bundle-id", "environment"])
                return try await record(options, in: context)
            }
        }
    }

    func addAdministration(to group: RouterGroup<ServerContext>) {
        group.put("/accounts/:account/purchases/:original") { request, context in
            let context = try context.withAccountInPath()
            return try await service.admission.withBody(of: request) { body in
                let scopes = try RequestedScopes(Self.options(of: request, body: body, named: RequestedScopes.options))
                return try await bind(context.pathValue("original"), within: scopes, in: context)
            }
        }
        group.delete("/accounts/:account") { request, context in
            let context = try context.withAccountInPath()
            return try await service.admission.withBody(of: request) { body in
                _ = try Self.options(of: request, body: body, named: [])
                return try await forget(in: context)
            }
        }
    }

    /// Returns the options of a request that doesn't need a body.
    private static func options(
        of request: Request, body: [UInt8], named names: Set<String>
    ) throws(APIError) -> RequestOptions {
        guard !body.isEmpty else { return try RequestOptions(of: request, named: names) }
        return try RequestOptions(of: request, body: RequestOptions.object(in: body), named: names)
    }

    /// - Throws: `account-unknown` if the client's token may see no purchase of the account.
    private func entitlements(_ options: RequestOptions, in context: ServerContext) async throws -> Response {
        let (scopes, products) = (try RequestedScopes(options), try options.strings("product"))
        try service.check(scopes, in: context)
        let visible = try await purchases(in: context)
        guard !visible.isEmpty else { throw APIError.accountUnknown }
        let history = service.history(for: context)
        let customer = try await CustomerEntitlements(
            of: visible.filter { scopes.contain($0.scope) }, in: history, now: Date())
        return response(customer, only: products, to: context, history: history) { _ in }
    }

    /// Returns the purchases of the context's account that the client's token may see.
    private func purchases(in context: ServerContext) async throws -> [ScopedOriginal] {
        try await service.tracing.span(.storeRead) { try await service.store.purchases(of: context.account ?? "") }
            .filter { context.access.allows($0.scope.app) }
    }

    private func record(_ options: RequestOptions, in context: ServerContext) async throws -> Response {
        let texts = try options.strings("evidence", allowsEmpty: true, isRequired: true)
        guard !texts.isEmpty else {
            throw APIError.badRequest(
                .contentMissing, "The body has no member 'evidence', a list of receipts and tokens.")
        }
        let requested = try options.expectations([.bundleIdentifier, .environments])
        let now = Date()
        var submitted = try SubmittedEvidence(
            in: texts, expecting: requested, by: service, for: context.access, now: now)
        try await submitted.rejectUnprovenRenewals(in: service.store)
        for rejection in submitted.rejections { service.logRejection(rejection.code, in: context) }
        let recorded = try await service.record(submitted, in: context)
        let history = service.history(for: context)
        let (scopes, sent) = (RequestedScopes(requested), submitted.purchases)
        let owned = try await purchases(in: context).filter {
            scopes.contain($0.scope) && (context.access.mayRead || sent.contains($0))
        }
        let customer = try await CustomerEntitlements(of: owned, in: history, now: now)
        return response(customer, to: context, history: history) { [submitted] writer in
            submitted.writeRejected(to: &writer)
            writer.openArray("replays")
            for original in recorded.replayedOriginals { writer.element(original) }
            writer.closeArray()
        }
    }

    private func response(
        _ customer: CustomerEntitlements, only products: [String] = [], to context: ServerContext,
        history: RequestHistory, more: (inout JSONWriter) -> Void
    ) -> Response {
        var writer = JSONWriter()
        writer.openObject()
        writer.member("account", context.account)
        writer.member("at", customer.date)
        customer.writeProducts(only: products, namesApp: true, to: &writer)
        customer.writePurchases(to: &writer)
        more(&writer)
        writer.closeObject()
        return history.response(jsonBytes: writer.bytes)
    }

    private func bind(
        _ original: String, within scopes: RequestedScopes, in context: ServerContext
    ) async throws -> Response {
        let known = try await service.purchases(original, within: scopes, in: context)
        guard let purchase = known.first(where: { $0.originalTransactionIdentifier == original }) else {
            guard let other = known.first else { throw APIError.purchaseUnknown }
            throw APIError(
                .notFound, .purchaseUnknown,
                """
                This is a later transaction of a purchase. Name the purchase by its original transaction identifier, \
                \(other.originalTransactionIdentifier).
                """)
        }
        let outcome = try await service.tracing.span(.storeWrite) {
            try await service.store.bind(purchase, to: context.account ?? "")
        }
        switch outcome {
        case .bound:
            context.logAdministration("A purchase was bound to an account", purchases: 1)
            return Response(status: .noContent)
        case .unknown: throw APIError.purchaseUnknown
        case .signed:
            throw APIError(
                .conflict, .accountSigned,
                "The purchase has a signed appAccountToken of another account, which owns it. The App Store can change it: "
                    + "see `appreceipt store app-account-token`.")
        }
    }

    /// Forgets the account in the apps of the client's token. Whether it has purchases of other apps isn't revealed.
    private func forget(in context: ServerContext) async throws -> Response {
        let forgotten = try await service.tracing.span(.storeWrite) {
            try await service.store.forget(context.account ?? "", in: context.access.apps.set)
        }
        guard let forgotten else {
            throw APIError(
                .notFound, .accountUnknown, "Nothing of this account is known, so there is nothing to forget.")
        }
        context.logAdministration("An account was forgotten", purchases: forgotten.count)
        var response = Response(json: ["purchases": .number(AppStoreJSON.Number(forgotten.count))])
        response.headers[.eventCursor] = String(forgotten.event)
        return response
    }
}

extension APIError {
    fileprivate static let accountUnknown = APIError(
        .notFound, .accountUnknown, "No purchase of this account is known. Send its receipts and tokens first.")
}

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Records what was submitted for the context's account, app by app.
    ///
    /// - Throws: `app-not-allowed` if the client's token is of other apps; then nothing is recorded.
    func record(_ submitted: SubmittedEvidence, in context: ServerContext) async throws -> RecordResult {
        for scope in submitted.evidence.keys { try context.access.check(scope.app) }
        var result = RecordResult.known
        for (scope, evidence) in submitted.evidence.sorted(by: { $0.key < $1.key })
        where storesPurchases(of: scope.environment) {
            result.add(
                try await record(
                    evidence, app: evidence.renewals.isEmpty ? nil : .claimed(scope.app),
                    from: source(ofNotificationOf: scope.app, body: nil), in: context))
        }
        return result
    }
}
#endif
