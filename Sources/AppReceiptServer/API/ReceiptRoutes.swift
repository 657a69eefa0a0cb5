#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird
import VerifyReceipt

/// Validates receipts, and returns their unverified contents.
@available(AppReceiptServer 1.0, *)
struct ReceiptRoutes: Sendable {
    let service: ReceiptService

    static let validateOptions = Set(ExpectationOption.all.map(\.name) + ["raw"])
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
        let item = try request.item()
        let attributes = try request.flag("raw")
        let now = Date()
        if case .transactionReceipt(let list) = item {
            return try validate(transactionReceipt: list, request, at: now, attributes: attributes, context)
        }
        let expectations = try expectations(request) { (try? AppReceipt(parsing: item.bytes))?.bundleIdentifier }
        let report = service.receipts.report(source: item.receipt, expecting: expectations, now: now).withServerRemedies
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

    /// Validates a transaction receipt. It isn't stored, but its purchase is bound to the account.
    private func validate(
        transactionReceipt list: ArraySlice<UInt8>, _ request: ValidationRequest, at now: Date, attributes: Bool,
        _ context: ServerContext
    ) throws -> PartialResult<Response> {
        let expectations = try expectations(request) { (try? TransactionReceipt(parsing: list))?.bundleIdentifier }
        let report = service.receipts.reportTransactionReceipt(list, expecting: expectations, now: now)
            .withServerRemedies
        service.metrics.verdict(kind: "receipt", code: report.failure?.code.rawValue)
        guard let verified = try? report.result.get() else {
            let document = report.json(nil, attributes: attributes) {
                write(revoked: [], replays: [], to: &$0, context)
            }
            return .finished(Response(jsonBytes: document))
        }
        return .unfinished {
            let history = service.history(context.logger)
            var replays: [RecordResult.Replay] = []
            let ledger = try await service.ledger { () throws(StoreError) in
                try await service.ledger(of: verified, stored: history)
            } recording: {
                replays = try await service.record(verified, in: context)
            }
            let document = report.json(Entitlements(ledger, now: now), attributes: attributes) {
                write(
                    revoked: ledger.revoked(among: [verified.evidence.purchase]), replays: replays, to: &$0, context)
            }
            var response = Response(jsonBytes: document)
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
        let entitlements = evidence.map { Entitlements($0.ledger, now: now) }
        let revoked = evidence.map { $0.ledger.revoked(among: $0.own.purchases) } ?? []
        let document = report.json(entitlements, attributes: attributes) {
            write(revoked: revoked, replays: replays, to: &$0, context)
        }
        return Response(jsonBytes: document)
    }

    /// Writes the purchases that were refunded or revoked, and the replays if the request names an account.
    private func write(
        revoked: [Purchase], replays: [RecordResult.Replay], to writer: inout JSONWriter, _ context: ServerContext
    ) {
        writer.openArray("revoked")
        for purchase in revoked { writer.element { Self.write(revoked: purchase, to: &$0) } }
        writer.closeArray()
        guard context.account != nil else { return }
        writer.openArray("replays")
        for replay in replays { writer.element(replay.originalTransactionIdentifier) }
        writer.closeArray()
    }

    private func inspect(_ request: ValidationRequest) throws -> Response {
        let (item, attributes) = (try request.item(), try request.flag("raw"))
        let certificates = try request.flag("certificates")
        guard case .transactionReceipt(let list) = item else {
            let report = UnverifiedReport(
                item.receipt, certificates: certificates, remedy: ServerRemedies.remedy)
            return Response(jsonBytes: report.json(attributes: attributes))
        }
        let report = UnverifiedReport(
            transactionReceipt: list, certificates: certificates, remedy: ServerRemedies.remedy)
        return Response(jsonBytes: report.json(attributes: attributes))
    }

    /// Writes a transaction that was refunded or revoked, absent values as null.
    private static func write(revoked purchase: Purchase, to writer: inout JSONWriter) {
        writer.member("transactionIdentifier", purchase.transactionIdentifier)
        writer.member("productIdentifier", purchase.productIdentifier)
        writer.member("revocationDate", purchase.cancellationDate)
        writer.member("refundedPercentage", purchase.refundedPercentage.map { .number($0) } ?? .null)
    }

    /// The request's expectations, within what the server serves.
    ///
    /// - Parameter claimed: Returns the app that the receipt claims to be for.
    private func expectations(
        _ request: ValidationRequest, claimed: () -> String?
    ) throws(APIError) -> Expectations {
        var expectations = try request.expectations()
        try service.restrict(&expectations, claimed: claimed)
        return expectations
    }
}
#endif
