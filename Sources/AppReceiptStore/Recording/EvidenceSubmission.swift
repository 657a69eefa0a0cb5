#if Server
import AppStoreSignedData
import Crypto

/// Evidence to record, and who submitted it.
struct EvidenceSubmission: Sendable {
    let evidence: CustomerEvidence
    /// The account that submitted it; nil for none.
    let account: Account?
    /// The app of the renewal information, which isn't stored without one.
    let app: RenewalApp?
    let source: EvidenceSource

    /// Identifies what is written; nil if it has to be written always: what an account submits, because a later
    /// `appAccountToken` gives the purchase to another one.
    var digest: SHA256Digest? { account == nil ? ContentDigest.sha256(of: evidence, app: app) : nil }

    /// The cause of what a kind of evidence changes.
    func cause(_ kind: EventCause.Kind) -> EventCause { EventCause(source == .appStore ? .appStore : kind) }
}

extension EvidenceSubmission {
    /// Creates a submission of the part of some evidence that is recorded; nil if that is nothing.
    init?(_ evidence: CustomerEvidence, by account: Account?, app: RenewalApp?, from source: EvidenceSource) {
        var evidence = evidence
        // Only their accounts are stored.
        if account == nil { evidence.transactionReceipts = [] }
        guard !evidence.isEmpty else { return nil }
        self.init(evidence: evidence, account: account, app: app, source: source)
    }
}
#endif
