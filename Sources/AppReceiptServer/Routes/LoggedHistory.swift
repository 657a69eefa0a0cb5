#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOPosix
import VerifyReceipt

/// The store's history for one request, completed by the App Store. Logs failures and skipped rows, because the
/// response doesn't contain them.
///
/// Reading and merging it blocks, so it is read on ``VerificationExecutor``.
@available(AppReceiptServer 1.0, *)
struct LoggedHistory: TransactionHistory {
    let store: TransactionStore
    /// Completes the store; nil if the App Store isn't asked.
    let completion: AppStoreCompletion?
    let logger: Logger

    private let isPartial = LockedValueBox(false)

    /// Marks the response if the App Store hasn't answered completely yet.
    func mark(_ response: inout Response) {
        if isPartial.withLock({ $0 }) { response.headers[.evidence] = "partial" }
    }

    func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws -> CustomerEvidence {
        try await logging { () throws(StoreError) in
            try await storedHistory(of: originals, app: app, environment: environment)
        }
    }

    func history(for receipt: VerifiedReceipt) async throws -> CustomerEvidence {
        try await logging { () throws(StoreError) in try await storedHistory(for: receipt) }
    }

    private func logging(
        _ read: () async throws(StoreError) -> CustomerEvidence
    ) async throws(StoreError) -> CustomerEvidence {
        do throws(StoreError) {
            return try await read()
        } catch {
            logger.databaseFailed(error)
            throw error
        }
    }

    /// Completes and reads the history for a receipt, without the receipt itself. As for
    /// ``storedHistory(of:app:environment:)``.
    func storedHistory(for receipt: VerifiedReceipt) async throws(StoreError) -> CustomerEvidence {
        if completion != nil, receipt.hasOriginals {
            await complete(
                receipt.originals, scope: AppScope(app: receipt.bundleIdentifier, receipt.environment),
                signedDate: receipt.creationDate)
        }
        assertMayBlock()
        let skipped = store.skippedRows
        let history = try store.history(beside: receipt)
        logSkippedRows(since: skipped)
        return history
    }

    /// Completes and reads the history, and logs skipped rows but no failure: the caller reports that.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - app: Their app.
    ///   - environment: Their environment.
    ///   - signedDate: When the data that names them was signed; nil if that isn't known.
    func storedHistory(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment, signedDate: Date? = nil
    ) async throws(StoreError) -> CustomerEvidence {
        await complete(originals, scope: AppScope(app: app, environment), signedDate: signedDate)
        assertMayBlock()
        let skipped = store.skippedRows
        let history = try await store.history(of: originals, app: app, environment: environment)
        logSkippedRows(since: skipped)
        return history
    }

    /// Stops a debug build if the current thread is that of an event loop.
    private func assertMayBlock() {
        assert(MultiThreadedEventLoopGroup.currentEventLoop == nil, "Reading would block an event loop.")
    }

    private func complete(_ originals: Set<String>, scope: AppScope?, signedDate: Date?) async {
        guard let completion, let scope else { return }
        let isComplete = await completion.complete(originals, scope: scope, signedDate: signedDate)
        if !isComplete { isPartial.withLock { $0 = true } }
    }

    private func logSkippedRows(since skipped: Int) {
        guard store.skippedRows > skipped else { return }
        logger.warning("Stored rows that don't verify under the current roots were skipped")
    }
}
#endif
