#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird
import VerifyReceipt

/// A verified receipt or transaction receipt.
private protocol ReceiptOfApp {
    var bundleIdentifier: String? { get }
    var environment: AppStoreEnvironment? { get }
    /// Its transactions, as a ledger has them.
    var transactions: [AppStoreTransaction] { get }
}

extension VerifiedReceipt: ReceiptOfApp {
    fileprivate var transactions: [AppStoreTransaction] { evidence.transactions }
}

extension VerifiedTransactionReceipt: ReceiptOfApp {
    fileprivate var transactions: [AppStoreTransaction] { [evidence.transaction] }
}

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
        let (item, now, history) = (try request.item(), Date(), service.history(for: context))
        let document: [UInt8]
        if case .transactionReceipt(let list) = item {
            let expectations = try expectations(request, in: context) {
                (try? TransactionReceipt(parsing: list))?.bundleIdentifier
            }
            // It isn't stored, but its purchase is bound to the account.
            document = try await self.document(
                of: service.tracing.verifying {
                    service.receipts.reportTransactionReceipt(list, expecting: expectations, now: now)
                },
                expecting: expectations, request: request, in: context
            ) { receipt, others throws(StoreError) in
                try await service.ledger(for: receipt, beside: others, history: history)
            } record: { receipt in
                try await service.record(receipt, in: context)
            }
        } else {
            let expectations = try expectations(request, in: context) {
                (try? AppReceipt(parsing: item.bytes))?.bundleIdentifier
            }
            document = try await self.document(
                of: service.tracing.verifying {
                    service.receipts.report(source: item.receipt, expecting: expectations, now: now)
                },
                expecting: expectations, request: request, in: context
            ) { receipt, others throws(StoreError) in
                try await service.ledger(for: receipt, beside: others, history: history)
            } record: { receipt in
                try await service.record(receipt, after: history, in: context)
            }
        }
        return history.response(jsonBytes: document)
    }

    /// The JSON of a report. Records the receipt and the other evidence of the request if the receipt is valid.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - expectations: The expectations of the request.
    ///   - request: The request.
    ///   - context: The context of the request.
    ///   - ledger: Returns the ledger of the receipt's purchases and other evidence.
    ///   - record: Records the receipt.
    private func document<Receipt: ReceiptOfApp, Contents: ReportedReceipt>(
        of report: ValidationReport<Receipt, Contents>, expecting expectations: Expectations,
        request: ValidationRequest, in context: ServerContext,
        ledger: (Receipt, CustomerEvidence) async throws(StoreError) -> PurchaseLedger,
        record: (Receipt) async throws -> RecordResult
    ) async throws -> [UInt8] {
        let (report, attributes) = (report.withServerRemedies, try request.options.flag("raw"))
        service.metrics.countVerdict(kind: "receipt", code: report.failure?.code.rawValue)
        service.logRejection(report.failure?.code.rawValue, in: context)
        let texts = try request.options.strings("evidence", allowsEmpty: true)
        let submitted = try SubmittedEvidence(in: texts, expecting: expectations, by: service, now: report.now)
        for rejection in submitted.rejections { service.logRejection(rejection.code, in: context) }
        guard let receipt = try? report.result.get() else {
            return report.json(nil, attributes: attributes) {
                write(revoked: [], replays: [], to: &$0, in: context)
                if !texts.isEmpty { submitted.writeRejected(to: &$0) }
            }
        }
        try context.access.check(receipt.bundleIdentifier)
        let others = submitted.evidence(in: AppScope(app: receipt.bundleIdentifier, receipt.environment))
        let (evidence, replays) = try await service.read { () throws(StoreError) in
            try await ledger(receipt, others)
        } thenRecord: {
            try await service.record(submitted, in: context).replayedOriginals
                + record(receipt).replayedOriginals
        }
        // A stage of its own, as in `withVerificationSlot` (budget: validate. 131 µs without it, 119 µs with it).
        await Task.yield()
        return report.json(Entitlements(evidence, now: report.now), attributes: attributes) {
            write(revoked: evidence.revoked(among: receipt.transactions), replays: replays, to: &$0, in: context)
            if !texts.isEmpty { submitted.writeRejected(to: &$0) }
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

    /// The request's expectations, within what the server serves.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request.
    ///   - claimed: Returns the app that the receipt claims to be for.
    private func expectations(
        _ request: ValidationRequest, in context: ServerContext, claimed: () -> String?
    ) throws(APIError) -> Expectations {
        var expectations = try request.options.expectations()
        try service.restrict(&expectations, for: context.access, claimed: claimed)
        return expectations
    }
}
#endif
