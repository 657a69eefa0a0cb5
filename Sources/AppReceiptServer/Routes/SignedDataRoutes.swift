#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird

/// Verifies signed data of StoreKit 2.
@available(AppReceiptServer 1.0, *)
struct SignedDataRoutes: Sendable {
    let service: ReceiptService

    static let verifyOptions = Set(ExpectationOption.ofSignedData.map(\.name) + ["kind", "app-apple-id", "device-id"])

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/signed-data/verify") { request, context in
            let context = try context.withAccount(of: request)
            return try await service.admission.withBody(of: request) { body in
                let request = try ValidationRequest(
                    request, body: body, content: ["token", "signedPayload"], options: Self.verifyOptions)
                return try await verify(request, in: context)
            }
        }
    }

    private func verify(_ request: ValidationRequest, in context: ServerContext) async throws -> Response {
        let token = try request.token()
        let kind = try request.options.value(
            "kind", expected: "transaction, renewal-info, app-transaction, notification or realtime-request"
        ) {
            SignedDataKind(rawValue: $0)
        }
        var expectations = try service.expectations(
            for: token, requested: request.options.expectations(ExpectationOption.ofSignedData),
            by: context.access, appAppleIdentifier: request.options.wholeNumber("app-apple-id"))
        if let device = try request.options.value("device-id", expected: "a UUID", convert: { UUID(uuidString: $0) }) {
            expectations.device = [device]
        }
        let report = service.tracing.verifying {
            service.signedData.report(token, as: kind, expecting: expectations)
        }.withServerRemedies
        service.metrics.countVerdict(kind: "signed-data", code: report.failure?.code.rawValue)
        service.logRejection(report.failure?.code.rawValue, in: context)
        var recorded = RecordResult.notStored
        var entitlements: Entitlements?
        let history = service.history(for: context)
        if case .success(let data) = report.result {
            try context.access.check(data.bundleIdentifier ?? expectations.bundleIdentifier.single)
            let (ledger, result) = try await service.read { () throws(StoreError) in
                try await service.ledger(ofSignedData: data, expecting: expectations, history: history)
            } thenRecord: {
                try await record(data, of: report.provenEnvironment, expecting: expectations, in: context)
            }
            recorded = result
            entitlements = ledger.map { Entitlements($0, now: report.entitlementDate) }
        }
        var writer = JSONWriter()
        writer.openObject()
        report.write(to: &writer, entitlements: entitlements)
        if context.account != nil {
            writer.openArray("replays")
            for original in recorded.replayedOriginals { writer.element(original) }
            writer.closeArray()
        }
        writer.closeObject()
        return history.response(jsonBytes: writer.bytes)
    }

    /// Records a verified transaction or verified renewal information.
    private func record(
        _ data: VerifiedSignedData, of environment: AppStoreEnvironment?,
        expecting expectations: SignedDataExpectations, in context: ServerContext
    ) async throws -> RecordResult {
        guard let environment, environment != .xcode else { return .notStored }
        switch data {
        case .transaction(let transaction):
            return try await service.record(CustomerEvidence(transactions: [transaction]), in: context)
        case .renewalInfo(let renewal):
            // Renewal information names no app: the request does, or the configuration of a server of one app.
            guard let app = expectations.bundleIdentifier.single else { return .notStored }
            return try await service.record(
                CustomerEvidence(renewals: [renewal]), app: .claimed(app), in: context)
        default:
            return .notStored
        }
    }
}
#endif
