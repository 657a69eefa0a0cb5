#if Server
import AppStoreSignedData
import Crypto

extension EvidenceStore {
    /// Returns the stored evidence of a customer's original transactions, as ``evidence(of:in:)`` does, but of any
    /// number of them: what exceeds the limits of a receipt is read in parts.
    ///
    /// The parts are merged before anything is derived from them, because one entitlement may come from any of them.
    ///
    /// - Throws: `tooMuchEvidence` if the evidence of one original transaction exceeds the limits, otherwise as
    ///   ``evidence(of:in:)``.
    package func customerEvidence(
        of originals: Set<String>, in scope: AppScope
    ) async throws(StoreError) -> StoredEvidence {
        var stored = StoredEvidence()
        var receipts: Set<SHA256Digest> = []
        var parts = [originals.sorted()]
        while let part = parts.popLast() {
            do throws(StoreError) {
                var found = try await evidence(of: Set(part), in: scope)
                if part.count < originals.count {
                    // A receipt may be evidence of several parts.
                    found.evidence.receipts.removeAll { !receipts.insert(ContentDigest.sha256(of: $0)).inserted }
                }
                stored.evidence.add(found.evidence)
                stored.skippedRows += found.skippedRows
            } catch {
                guard error == .tooMuchEvidence, part.count > 1 else { throw error }
                parts += part.halves
            }
        }
        return stored
    }
}
#endif
