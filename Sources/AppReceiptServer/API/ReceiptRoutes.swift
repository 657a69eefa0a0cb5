#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird
import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Validates receipts, and returns their unverified contents.
@available(AppReceiptServer 1.0, *)
struct ReceiptRoutes: Sendable {
    let service: ReceiptService

    static let validateOptions: Set = [
        "bundle-id", "app-version", "original-app-version", "environment", "device-id", "raw",
    ]
    static let inspectOptions: Set = ["raw", "certificates"]

    /// The maximum size in bytes of a body that is verified on an event loop. The worst case, a body with thousands of unknown members, takes
    /// about a millisecond.
    private static let maxEventLoopBytes = 32 << 10

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/receipts/validate") { request, context in
            let context = try context.withAccount(of: request)
            return try await service.withVerificationSlot(for: request, maxEventLoopBytes: Self.maxEventLoopBytes) {
                body in
                try validate(ValidationRequest(request, body, "receipt", options: Self.validateOptions), context)
            }
        }
        group.post("/receipts/inspect") { request, _ in
            try await service.withVerificationSlot(for: request) { body in
                try inspect(ValidationRequest(request, body, "receipt", options: Self.inspectOptions))
            }
        }
    }

    /// Responds without blocking if the receipt is invalid, or recorded and known to be the only evidence.
    private func validate(
        _ request: ValidationRequest, _ context: ServerContext
    ) throws -> PartialResult<Response> {
        let content = try request.item().bytes
        let expectations = try expectations(request, content)
        let attributes = try request.flag("raw")
        let now = Date()
        let report = service.receipts.report(content, expecting: expectations, now: now).withServerRemedies
        service.metrics.verdict(kind: "receipt", code: report.failure?.code.rawValue)
        guard let verified = try? report.result.get() else {
            return .finished(response(report, nil, at: now, attributes: attributes, context))
        }
        if service.isKnownToBeOnlyEvidence(verified), try service.hasRecorded(verified, in: context) {
            let evidence = verified.evidence
            let ledger = PurchaseLedger(environment: verified.environment, receipts: [evidence])
            return .finished(response(report, (evidence, ledger), at: now, attributes: attributes, context))
        }
        return .unfinished {
            let history = service.history(context.logger)
            let evidence = verified.evidence
            var replays: [RecordResult.Replay] = []
            let ledger = try await service.ledger { () throws(StoreError) in
                try await service.ledger(of: verified, evidence: evidence, stored: history)
            } recording: {
                replays = try await service.record(verified, in: context)
            }
            var response = response(report, (evidence, ledger), at: now, replays, attributes: attributes, context)
            history.mark(&response)
            return response
        }
    }

    /// Returns the response: the report with the entitlements, the purchases that were refunded or revoked, and the replays if the request names
    /// an account.
    ///
    /// - Parameter evidence: The purchases in the receipt and all evidence about them; nil if the receipt isn't valid.
    private func response(
        _ report: ReceiptReport, _ evidence: (own: PurchaseLedger.ReceiptEvidence, ledger: PurchaseLedger)?,
        at now: Date, _ replays: [RecordResult.Replay] = [], attributes: Bool, _ context: ServerContext
    ) -> Response {
        let entitlements = evidence.map { Entitlements($0.ledger, at: now) }
        let revoked = evidence.map { $0.ledger.revoked(among: $0.own.purchases) } ?? []
        let document = report.json(entitlements, attributes: attributes) { writer in
            writer.openArray("revoked")
            for purchase in revoked { writer.element { Self.write(revoked: purchase, to: &$0) } }
            writer.closeArray()
            guard context.account != nil else { return }
            writer.openArray("replays")
            for replay in replays { writer.element(replay.originalTransactionIdentifier) }
            writer.closeArray()
        }
        return Response(jsonBytes: document)
    }

    private func inspect(_ request: ValidationRequest) throws -> Response {
        let report = UnverifiedReport(
            Result<ArraySlice<UInt8>, ReceiptError>.success(try request.item().bytes),
            certificates: try request.flag("certificates"), remedy: ServerRemedies.remedy)
        return Response(jsonBytes: report.json(attributes: try request.flag("raw")))
    }

    /// Writes a transaction that was refunded or revoked, absent values as null.
    private static func write(revoked purchase: Purchase, to writer: inout JSONWriter) {
        writer.member("transactionIdentifier", purchase.transactionIdentifier)
        writer.member("productIdentifier", purchase.productIdentifier)
        writer.member("revocationDate", purchase.cancellationDate)
    }

    /// The request's expectations, within what the server serves.
    private func expectations(
        _ request: ValidationRequest, _ receipt: ArraySlice<UInt8>
    ) throws(APIError) -> Expectations {
        let bundle = try service.bundle(requested: request.text("bundle-id")) {
            (try? AppReceipt(parsing: receipt))?.bundleIdentifier
        }
        return Expectations(
            bundleIdentifier: bundle.map { .identifier($0) } ?? .anyBundle,
            environments: .only(try service.environments(requested: request.environments())),
            appVersion: try request.text("app-version"),
            originalAppVersion: try request.text("original-app-version"),
            devices: try request.devices().map { .oneOf($0) } ?? .anyDevice)
    }
}
#endif
