#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird

/// The receipt validation protocol of cordova-plugin-purchase. Source: cordova-plugin-purchase 13.18.0,
/// `src/ts/validator`; 11.0.0, `src/js/product.js`.
///
/// Apps send the requests, and can't keep a token secret. As for verifyReceipt, the answer is about the purchases that
/// the request proves: those in a receipt, or a transaction's and those of the account that it is signed for.
@available(AppReceiptServer 1.0, *)
struct ValidatorRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/validator") { request, context in
            try await service.admission.withBody(of: request) { try await respond(to: $0, in: context) }
        }
    }

    private func respond(to body: [UInt8], in context: ServerContext) async throws -> Response {
        let now = Date()
        let request = try ValidatorRequest(parsing: body)
        let submission = try verified(request.proof, now: now)
        let product = try request.product(ofApp: submission.bundleIdentifier)
        let history = service.history(for: context)
        let (evidence, _) = try await service.read { () throws(StoreError) in
            let originals = try await self.originals(of: submission)
            return try await self.evidence(about: submission, of: originals, in: history)
        } thenRecord: {
            try await record(submission, after: history, in: context)
        }
        let answer = ValidatorAnswer(
            about: submission, beside: evidence, isPartial: history.isMissingEvidence, now: now)
        var response = Response(json: try answer.json(about: product))
        history.mark(&response)
        return response
    }

    /// Verifies the receipt or token of a request.
    ///
    /// - Throws: `INVALID_PAYLOAD` with the code of the check that failed, `bundle-not-served` or
    ///   `environment-not-served`.
    private func verified(_ proof: ValidatorRequest.Proof, now: Date) throws -> ValidatorSubmission {
        switch proof {
        case .receipt(let item):
            var expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
            try service.restrict(&expectations, claimed: item.claimedBundleIdentifier)
            let report = service.tracing.verifying {
                service.receipts.report(source: item.receipt, expecting: expectations, now: now)
            }
            return .receipt(try verified(report, as: "receipt"))
        case .token(let token):
            let expectations = try service.expectations(for: token)
            let report = service.tracing.verifying {
                service.signedData.report(token, as: .transaction, expecting: expectations, now: now)
            }
            guard let transaction = try verified(report, as: "signed-data").transaction,
                transaction.original != nil
            else { throw ValidatorFailure(.invalidPayload, "The token isn't a transaction.") }
            return .transaction(transaction)
        }
    }

    /// Counts a verdict, and returns what was verified.
    private func verified<Value, Contents>(
        _ report: ValidationReport<Value, Contents>, as kind: String
    ) throws(ValidatorFailure) -> Value {
        service.metrics.countVerdict(kind: kind, code: report.failure?.code.rawValue)
        do throws(ReceiptError) {
            return try report.result.get()
        } catch {
            throw ValidatorFailure(
                .invalidPayload, "\(error.code.rawValue): \(report.firstFailure?.message ?? error.message)",
                check: error.code.rawValue)
        }
    }

    /// Returns the original transactions that an answer may be about.
    ///
    /// After each start, the plugin sends only the newest transaction, so without the other purchases of the account in
    /// its signed `appAccountToken` a customer would seem to own only that one.
    private func originals(
        of submission: ValidatorSubmission
    ) async throws(StoreError) -> Set<String> {
        guard case .transaction(let transaction) = submission, let account = transaction.claims.appAccountToken,
            let scope = AppScope(app: submission.bundleIdentifier, submission.environment),
            service.storesPurchases(of: scope.environment)
        else { return submission.originals }
        let purchases = try await service.tracing.span(.storeRead) { () throws(StoreError) in
            try await service.store.purchases(of: account.uuidString)
        }
        return purchases.filter { $0.scope == scope }.reduce(into: submission.originals) {
            $0.insert($1.originalTransactionIdentifier)
        }
    }

    /// Reads the stored evidence about the purchases of a submission, completed by the App Store.
    private func evidence(
        about submission: ValidatorSubmission, of originals: Set<String>, in history: RequestHistory
    ) async throws(StoreError) -> CustomerEvidence {
        guard let environment = submission.environment, service.storesPurchases(of: environment) else {
            return CustomerEvidence()
        }
        switch submission {
        case .receipt(let receipt):
            return try await history.evidence(beside: receipt)
        case .transaction(let transaction):
            return try await history.evidence(
                of: originals, app: submission.bundleIdentifier ?? "", environment: environment,
                signedDate: transaction.signedDate)
        }
    }

    /// Records a submission without an account: the username in a request is only the app's claim.
    private func record(
        _ submission: ValidatorSubmission, after history: RequestHistory, in context: ServerContext
    ) async throws {
        switch submission {
        case .receipt(let receipt):
            _ = try await service.record(receipt, after: history, in: context)
        case .transaction(let transaction):
            guard service.storesPurchases(of: transaction.environment) else { return }
            _ = try await service.record(CustomerEvidence(transactions: [transaction]), in: context)
        }
    }
}
#endif
