#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

/// The store's history for one request, completed by the App Store. Logs failures and skipped rows, because the
/// response doesn't contain them.
///
/// Reading and verifying it blocks, so that takes place on ``VerificationExecutor``.
@available(AppReceiptServer 1.0, *)
struct RequestHistory: TransactionHistory {
    let store: any EvidenceStore
    /// Completes the store; nil if no request is sent to the App Store.
    let completion: AppStoreCompletion?
    let databaseFailures: DatabaseFailureLog
    let tracing: ServerTracing
    let logger: Logger

    private let isPartial = LockedValueBox(false)
    /// The generation that was read for the request; nil if none was.
    private let generation = LockedValueBox<Int64?>(nil)

    /// Marks the response if evidence from the App Store is still missing.
    func mark(_ response: inout Response) {
        if isMissingEvidence { response.headers[.evidence] = "partial" }
    }

    /// Whether evidence from the App Store is still missing.
    var isMissingEvidence: Bool { isPartial.withLock { $0 } }

    /// A response with a document, marked if evidence from the App Store is still missing.
    func response(jsonBytes document: [UInt8]) -> Response {
        var response = Response(jsonBytes: document)
        mark(&response)
        return response
    }

    // MARK: verifyReceipt

    // Its responder answers 21100 and doesn't throw, so that failures are logged here.

    func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws -> CustomerEvidence {
        try await logging { () throws(StoreError) in
            try await evidence(of: originals, app: app, environment: environment)
        }
    }

    func history(for receipt: VerifiedReceipt) async throws -> CustomerEvidence {
        try await logging { () throws(StoreError) in try await evidence(beside: receipt) }
    }

    private func logging(
        _ read: () async throws(StoreError) -> CustomerEvidence
    ) async throws(StoreError) -> CustomerEvidence {
        do throws(StoreError) {
            return try await read()
        } catch {
            databaseFailures.log(error, logger: logger)
            throw error
        }
    }

    // MARK: Other routes

    /// Completes and reads the evidence about the purchases in a receipt, without the receipt itself. As for
    /// ``evidence(of:app:environment:signedDate:)``.
    func evidence(beside receipt: VerifiedReceipt) async throws(StoreError) -> CustomerEvidence {
        if completion != nil, receipt.hasOriginals,
            let scope = AppScope(app: receipt.bundleIdentifier, receipt.environment)
        {
            await complete(receipt.originals, scope: scope, signedDate: receipt.creationDate)
        }
        let stored = try await tracing.span(.storeRead) { () throws(StoreError) -> StoredEvidence? in
            guard try await !store.isSole(receipt) else { return nil }
            return try await onVerificationExecutor { () throws(StoreError) in
                try await store.evidence(beside: receipt)
            }
        }
        generation.withLock { $0 = stored?.generation }
        return stored.map(logged) ?? CustomerEvidence()
    }

    /// Whether the evidence was recorded without an account, and nothing was forgotten since, as far as that was read
    /// for the request.
    func hasRecorded(_ evidence: CustomerEvidence) -> Bool {
        generation.withLock(\.self).map { store.hasRecorded(evidence, in: $0) } ?? false
    }

    /// Completes and reads the evidence of original transactions, and logs skipped rows. A failure is logged with the
    /// response to the request.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - app: Their app.
    ///   - environment: Their environment.
    ///   - signedDate: When the data that names them was signed; nil if that isn't known.
    func evidence(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment, signedDate: Date? = nil
    ) async throws(StoreError) -> CustomerEvidence {
        guard let scope = AppScope(app: app, environment) else { return CustomerEvidence() }
        await complete(originals, scope: scope, signedDate: signedDate)
        return logged(
            try await tracing.span(.storeRead) { () throws(StoreError) in
                try await onVerificationExecutor { () throws(StoreError) in
                    try await store.customerEvidence(of: originals, in: scope)
                }
            })
    }

    private func complete(_ originals: Set<String>, scope: AppScope, signedDate: Date?) async {
        guard let completion else { return }
        let isComplete = await completion.complete(originals, scope: scope, signedDate: signedDate)
        if !isComplete { isPartial.withLock { $0 = true } }
    }

    private func logged(_ stored: StoredEvidence) -> CustomerEvidence {
        if stored.skippedRows > 0 {
            logger.warning("Stored rows that don't verify under the current roots were skipped")
        }
        return stored.evidence
    }
}
#endif
