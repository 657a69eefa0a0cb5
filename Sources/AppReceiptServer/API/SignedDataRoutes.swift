#if Server
import AppReceiptKit
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signed data of StoreKit 2, and the notifications of the App Store's server.
@available(AppReceiptServer 1.0, *)
struct SignedDataRoutes: Sendable {
    let core: ServerCore

    static let verifyOptions: Set = ["kind", "bundle-id", "environment", "app-apple-id", "device-id"]

    var endpoints: [Endpoint] {
        [
            .post("/v1/signed-data/verify") { request, context in
                try await core.withVerificationSlotForAPI(request) { try await verify(request, context, $0) }
            },
            // The App Store's server has no token of ours to send; its signature is its proof.
            .post("/v1/notifications") { request, context in
                try await core.withVerificationSlotForAPI(request, needsToken: false) { try await receive(context, $0) }
            },
        ]
    }

    private func verify(_ request: Request, _ context: ServerContext, _ body: CollectedBody) async throws -> Response {
        let question = try ValidationRequest(
            request, body, content: ["token", "signedPayload"], options: Self.verifyOptions)
        let account = try core.account(request)
        let token = JWSText.token(in: question.content)
        let kind = try question.one("kind", "transaction, renewal-info, app-transaction or notification") {
            SignedDataKind(rawValue: $0)
        }
        let device = try question.one("device-id", "a UUID") { UUID(uuidString: $0) }
        var expectations = try expectations(
            token, bundle: question.text("bundle-id"), environments: question.environments(),
            appAppleID: question.whole("app-apple-id"))
        if let device { expectations.device = .identifier(device) }
        let report = core.signedData.report(token, as: kind, expecting: expectations)
        core.metrics.verdict(kind: "signed-data", code: report.failure?.code.rawValue)
        guard var object = report.json.object else { return Response(json: report.json) }
        let replays = report.isValid ? try await record(token, report, expectations, account, context) : []
        if account != nil { object["replays"] = .array(replays.map { .string($0) }) }
        return Response(json: .object(object))
    }

    /// Keeps what was proven.
    ///
    /// - Returns: the lines that were presented for another account before.
    private func record(
        _ token: String, _ report: SignedDataReport, _ expectations: SignedDataExpectations, _ account: String?,
        _ context: ServerContext
    ) async throws -> [String] {
        guard let environment = report.provenEnvironment, environment != .xcode else { return [] }
        switch report.kind {
        case .transaction:
            let transaction = try core.signedData.verifyTransaction(token, expecting: expectations)
            let recorded = try await core.recordingForAPI(context) { () throws(StoreError) in
                try await core.store.record(transaction, account: account)
            }
            core.report(recorded, context)
            return recorded.replays.map(\.originalTransactionIdentifier)
        case .renewalInfo:
            // It names no app: whoever sends it, or a server of one app, does.
            guard case .identifier(let app) = expectations.bundleIdentifier else { return [] }
            let renewal = try core.signedData.verifyRenewalInfo(token, expecting: expectations)
            // Whoever has one token could otherwise have it stored for any number of names.
            let isServed = core.configuration.bundleIdentifiers.contains(app)
            _ = try await core.recordingForAPI(context) { () throws(StoreError) in
                try await core.store.record(renewal, app: app, onlyIfKnown: !isServed)
            }
            return []
        default:
            return []
        }
    }

    private func receive(_ context: ServerContext, _ body: CollectedBody) async throws -> Response {
        let token = JWSText.token(in: body.bytes)
        let expectations = try expectations(token, bundle: nil, environments: nil, appAppleID: nil)
        let report = core.signedData.report(body: body.bytes, expecting: expectations)
        guard var object = report.json.object else { return Response(json: report.json) }
        guard report.isValid else {
            let code = report.failure?.code.rawValue ?? ""
            core.metrics.notification("refused")
            context.logger.info("Notification refused", metadata: ["code": "\(code)"])
            object["recorded"] = false
            return Response(json: .object(object), status: .badRequest)
        }
        let notification = try core.signedData.verifyNotification(body: body.bytes, expecting: expectations)
        let recorded = try await core.recordingForAPI(context) { () throws(StoreError) in
            try await core.store.record(notification)
        }
        core.report(recorded, context)
        core.metrics.notification(!recorded.isStored ? "not-stored" : recorded.isNew ? "new" : "repeated")
        // The App Store repeats a notification until it gets a 2xx status. What it contains is merged in any case.
        object["recorded"] = .boolean(recorded.isStored)
        object["repeated"] = .boolean(recorded.isStored && !recorded.isNew)
        return Response(json: .object(object))
    }

    private func expectations(
        _ token: String, bundle: String?, environments: Set<ReceiptEnvironment.Base>?, appAppleID: Int64?
    ) throws(APIError) -> SignedDataExpectations {
        let bundle = try core.bundle(requested: bundle) { Self.claimedBundle(token) }
        let number = appAppleID ?? core.configuration.appAppleIdentifier
        return SignedDataExpectations(
            bundleIdentifier: bundle.map { .identifier($0) } ?? .anyBundle,
            environments: .only(try core.environments(requested: environments)),
            appAppleIdentifier: number.map { .identifier($0) } ?? .anyApp)
    }

    /// The app that a token says it is for, unproven.
    private static func claimedBundle(_ token: String) -> String? {
        guard let members = (try? UnverifiedSignedData(parsing: token))?.claims.members else { return nil }
        let subjects = ["data", "summary", "externalPurchaseToken", "appData"].compactMap { members[$0]?.object }
        return (subjects.first ?? members)["bundleId"]?.string
    }
}
#endif
