#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird
import VerifyReceipt

/// Validates receipts, and returns their unverified contents.
@available(AppReceiptServer 1.0, *)
struct ReceiptRoutes: Sendable {
    let service: ReceiptService

    static let validateOptions = Set(ExpectationOption.all.map(\.name) + ["raw", "evidence"])
    static let inspectOptions: Set = ["raw", "certificates"]

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/receipts/validate") { request, context in
            let context = try context.withAccount(of: request)
            return try await service.admission.withBody(of: request) { body in
                try await validate(
                    ValidationRequest(request, body: body, content: ["receipt"], options: Self.validateOptions),
                    in: context)
            }
        }
        group.post("/receipts/inspect") { request, _ in
            try await service.admission.withBody(of: request) { body in
                try inspect(ValidationRequest(request, body: body, content: ["receipt"], options: Self.inspectOptions))
            }
        }
    }

    private func validate(_ request: ValidationRequest, in context: ServerContext) async throws -> Response {
        let (item, now) = (try request.item(), Date())
        var expectations = try request.options.expectations()
        try service.restrict(&expectations, for: context.access, claimed: item.claimedBundleIdentifier)
        if case .transactionReceipt(let list) = item {
            let report = service.tracing.verifying {
                service.receipts.reportTransactionReceipt(list, expecting: expectations, now: now)
            }
            return try await response(with: report, expecting: expectations, to: request, in: context) {
                .transaction($0)
            }
        }
        let report = service.tracing.verifying {
            service.receipts.report(source: item.receipt, expecting: expectations, now: now)
        }
        return try await response(with: report, expecting: expectations, to: request, in: context) { .app($0) }
    }

    /// Returns the response with a report. Records the receipt and the other evidence of the request if the receipt is
    /// valid.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - expectations: The expectations of the request.
    ///   - request: The request.
    ///   - context: The context of the request.
    ///   - receipt: Returns the receipt that was verified.
    private func response<Value, Contents: ReportedReceipt>(
        with report: ValidationReport<Value, Contents>, expecting expectations: Expectations,
        to request: ValidationRequest, in context: ServerContext, receipt: (Value) -> AnyVerifiedReceipt
    ) async throws -> Response {
        let (report, attributes) = (report.withServerRemedies, try request.options.flag("raw"))
        service.metrics.countVerdict(kind: "receipt", code: report.failure?.code.rawValue)
        service.logRejection(report.failure?.code.rawValue, in: context)
        let texts = try request.options.strings("evidence", allowsEmpty: true)
        let submitted = try SubmittedEvidence(in: texts, expecting: expectations, by: service, now: report.now)
        for rejection in submitted.rejections { service.logRejection(rejection.code, in: context) }
        guard let receipt = (try? report.result.get()).map(receipt) else {
            return Response(
                jsonBytes: report.json(nil, attributes: attributes) {
                    write(revoked: [], replays: [], to: &$0, in: context)
                    if !texts.isEmpty { submitted.writeRejected(to: &$0) }
                })
        }
        try context.access.check(receipt.bundleIdentifier)
        let others = submitted.evidence(in: AppScope(app: receipt.bundleIdentifier, receipt.environment))
        let history = service.history(for: context)
        let (ledger, replays) = try await service.read { () throws(StoreError) in
            try await self.ledger(of: receipt, beside: others, history: history)
        } thenRecord: {
            try await service.record(submitted, in: context).replayedOriginals
                + record(receipt, after: history, in: context).replayedOriginals
        }
        // A stage of its own, as in `withVerificationSlot` (budget: validate. 131 µs without it, 119 µs with it).
        await Task.yield()
        return history.response(
            jsonBytes: report.json(Entitlements(ledger, now: report.now), attributes: attributes) {
                write(revoked: ledger.revoked(among: receipt.transactions), replays: replays, to: &$0, in: context)
                if !texts.isEmpty { submitted.writeRejected(to: &$0) }
            })
    }

    private func ledger(
        of receipt: AnyVerifiedReceipt, beside others: CustomerEvidence, history: RequestHistory
    ) async throws(StoreError) -> PurchaseLedger {
        switch receipt {
        case .app(let receipt): try await service.ledger(ofReceipt: receipt, beside: others, history: history)
        case .transaction(let receipt):
            try await service.ledger(ofTransactionReceipt: receipt, beside: others, history: history)
        }
    }

    private func record(
        _ receipt: AnyVerifiedReceipt, after history: RequestHistory, in context: ServerContext
    ) async throws -> RecordResult {
        switch receipt {
        case .app(let receipt): try await service.record(receipt, after: history, in: context)
        case .transaction(let receipt): try await service.record(receipt, in: context)
        }
    }

    /// Writes the transactions that were refunded or revoked, and the replays if the request names an account.
    private func write(
        revoked: [AppStoreTransaction], replays: [String], to writer: inout JSONWriter,
        in context: ServerContext
    ) {
        writer.openArray("revoked")
        for transaction in revoked { writer.element { Self.write(revoked: transaction, to: &$0) } }
        writer.closeArray()
        guard context.account != nil else { return }
        writer.openArray("replays")
        for original in replays { writer.element(original) }
        writer.closeArray()
    }

    private func inspect(_ request: ValidationRequest) throws -> Response {
        let (item, attributes) = (try request.item(), try request.options.flag("raw"))
        let certificates = try request.options.flag("certificates")
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
    private static func write(revoked transaction: AppStoreTransaction, to writer: inout JSONWriter) {
        writer.member("transactionIdentifier", transaction.transactionIdentifier)
        writer.member("productIdentifier", transaction.productIdentifier)
        writer.member("revocationDate", transaction.cancellationDate)
        writer.member("refundedPercentage", transaction.refundedPercentage.map { .number($0) } ?? .null)
    }
}

extension AnyVerifiedReceipt {
    /// Its transactions, as a ledger has them.
    fileprivate var transactions: [AppStoreTransaction] {
        switch self {
        case .app(let receipt): receipt.evidence.transactions
        case .transaction(let receipt): [receipt.evidence.transaction]
        }
    }
}
#endif
