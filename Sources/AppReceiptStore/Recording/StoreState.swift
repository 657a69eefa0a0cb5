#if Server
import AppReceiptSupport

/// What an open store knows beside its database.
final class StoreState: Sendable {
    private struct Values {
        var skippedRows = 0
        var isClosed = false
        /// Original transactions with a refund or upgrade that a root signed which isn't trusted any more.
        var untrusted: Set<ScopedOriginal>
    }

    private let values: LockedValueBox<Values>

    private static let maxUntrusted = 1000
    private static let maxNamed = 10

    /// - Parameter untrusted: The original transactions with a refund of a former root that were found.
    init(untrusted: Set<ScopedOriginal>) { values = LockedValueBox(Values(untrusted: untrusted)) }

    // MARK: Closing

    /// - Throws: `closed` if the store was closed.
    func checkOpen() throws(StoreError) {
        guard !values.withLock(\.isClosed) else { throw .closed }
    }

    /// - Returns: Whether the store was closed before.
    func close() -> Bool {
        values.withLock { values in
            defer { values.isClosed = true }
            return values.isClosed
        }
    }

    // MARK: Rows that were skipped

    /// The number of rows that were read and skipped.
    var skippedRows: Int { values.withLock(\.skippedRows) }

    /// Counts rows that were skipped.
    func countSkipped(_ rows: Int) {
        if rows > 0 { values.withLock { $0.skippedRows += rows } }
    }

    // MARK: Refunds of former roots

    /// The original transactions that may have a refund of a former root, in order.
    var untrustedOriginals: [ScopedOriginal] { values.withLock(\.untrusted).sorted() }

    /// Verifies rows, and counts those that are skipped. Remembers original transactions, one of which has a refund or
    /// upgrade that a root signed which isn't trusted any more.
    func verified(
        _ rows: EvidenceRows, by verifier: StoredEvidenceVerifier, for originals: Set<String>, in scope: AppScope
    ) throws(StoreError) -> StoredEvidence {
        do throws(StoreError) {
            let stored = try rows.verified(by: verifier, for: originals, in: scope)
            countSkipped(stored.skippedRows)
            return stored
        } catch {
            guard error == .untrustedRevocation else { throw error }
            values.withLock { values in
                for original in originals.sorted() where values.untrusted.count < Self.maxUntrusted {
                    values.untrusted.insert(ScopedOriginal(scope: scope, originalTransactionIdentifier: original))
                }
            }
            throw error
        }
    }

    /// Checks that the refunds of former roots that were found are gone: the operator deleted them, or newer evidence
    /// replaced them.
    ///
    /// - Parameter read: Reads the evidence of an original transaction.
    /// - Throws: `untrustedRevocation` if one isn't. Those that are gone are forgotten, up to the tenth that isn't.
    func checkUntrusted(
        reading read: (ScopedOriginal) async throws(StoreError) -> StoredEvidence
    ) async throws(StoreError) {
        var remaining = 0
        for known in untrustedOriginals {
            do throws(StoreError) {
                _ = try await read(known)
                values.withLock { _ = $0.untrusted.remove(known) }
            } catch {
                guard error == .untrustedRevocation else { throw error }
                remaining += 1
                if remaining == Self.maxNamed { break }
            }
        }
        if remaining > 0 { throw .untrustedRevocation }
    }
}

/// A value that the store itself needs.
enum Setting: String {
    /// The key of accounts.
    case accountKey = "account-key"
    /// Whether accounts are stored as hashes, for ever once they were.
    case hashesAccounts = "hashes-accounts"
    /// Identifies the roots that were trusted when there were no refunds of former roots.
    case trustedRoots = "trusted-roots"
    /// The number of times that purchases were forgotten.
    case forgetCount = "forget-count"
}
#endif
