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
                try await validate(ValidationRequest(request, body, "receipt", options: Self.validateOptions), context)
            }
        }
        group.post("/receipts/inspect") { request, _ in
            try await service.withVerificationSlot(for: request) { body in
                try inspect(ValidationRequest(request, body, "receipt", options: Self.inspectOptions))
            }
        }
    }

    private func validate(_ request: ValidationRequest, _ context: ServerContext) async throws -> Response {
        let content = try request.item().bytes
        let expectations = try expectations(request, content)
        let attributes = try request.flag("raw")
        let now = Date()
        let report = service.receipts.report(content, expecting: expectations, now: now).withServerRemedies
        service.metrics.verdict(kind: "receipt", code: report.failure?.code.rawValue)
        guard let verified = try? report.result.get() else {
            return Response(jsonBytes: document(report, nil, attributes: attributes, context))
        }
        let history = service.history(for: verified, context.logger)
        return try await history.withExecutor {
            try await response(report, verified, history, attributes: attributes, now: now, context)
        }
    }

    /// Records a valid receipt and returns the response.
    private func response(
        _ report: ReceiptReport, _ verified: VerifiedReceipt, _ history: LoggedHistory, attributes: Bool, now: Date,
        _ context: ServerContext
    ) async throws -> Response {
        var replays: [String] = []
        let ledger = try await service.ledger { () throws(StoreError) in
            try await service.ledger(of: verified, history)
        } recording: {
            guard service.storesPurchases(of: verified.environment) else { return }
            let recorded = try await service.record(in: context) { () throws(StoreError) in
                try await service.store.record(verified, account: context.account)
            }
            if context.account != nil { replays = recorded.replays.map(\.originalTransactionIdentifier) }
        }
        let entitlements = Entitlements(ledger, verified.environment, at: now)
        let revoked = ledger.revoked(among: verified.evidence.purchases)
        var response = Response(
            jsonBytes: document(
                report, entitlements, revoked: revoked, replays: replays, attributes: attributes, context))
        history.mark(&response)
        return response
    }

    /// The JSON of a report, the purchases that were refunded or revoked, and the replays if the request names an account.
    private func document(
        _ report: ReceiptReport, _ entitlements: Entitlements?, revoked: [Purchase] = [], replays: [String] = [],
        attributes: Bool, _ context: ServerContext
    ) -> [UInt8] {
        report.json(entitlements, attributes: attributes) { writer in
            writer.openArray("revoked")
            for purchase in revoked { writer.element { Self.write(revoked: purchase, to: &$0) } }
            writer.closeArray()
            guard context.account != nil else { return }
            writer.openArray("replays")
            for original in replays { writer.element(original) }
            writer.closeArray()
        }
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
