#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// Evidence to record, and who submitted it.
struct EvidenceSubmission: Sendable {
    let evidence: CustomerEvidence
    /// The account that submitted it; nil for none.
    let account: Account?
    /// The app of the renewal information, which isn't stored without one.
    let app: RenewalApp?
    let source: EvidenceSource

    /// The cause of what a kind of evidence changes.
    fileprivate func cause(_ kind: EventCause.Kind) -> EventCause { EventCause(source == .appStore ? .appStore : kind) }
}

/// The stored rows on which it depends what is recorded.
struct StoredRows: Sendable {
    var transactions: [TransactionRow.Key: TransactionRow] = [:]
    var tokens: [TokenRow.Key: TokenRow] = [:]
    /// The identifiers of notifications.
    var notifications: Set<String> = []
    /// The original transactions with a transaction or receipt, among those of ``EvidenceRecording/claimedOriginals``.
    var originals: Set<ScopedOriginal> = []
}

/// A notification that webhooks forward.
struct ForwardedNotification: Sendable, Hashable {
    let scope: AppScope
    /// The original transaction that it is about; nil for none.
    let original: String?
    let cause: EventCause
    let body: [UInt8]
}

/// The recording of evidence in one commit: the rows that are stored, and the purchases that change.
///
/// An engine loads the purchases, stores the receipts, loads the stored rows, and stores what ``run()`` adds.
struct EvidenceRecording: Sendable {
    private let submission: EvidenceSubmission
    private let accounts: Accounts
    private let verifier: StoredEvidenceVerifier

    /// The receipts to store, but for those that are never stored.
    let receipts: [ReceiptReplacement]
    /// The positions of the receipts that an original transaction needs and didn't have.
    var newReceipts: Set<Int> = []
    /// The stored rows, with those that were added.
    var stored = StoredRows()
    /// The purchases that change.
    var changes = EvidenceChanges()

    /// The rows to store, in this order, each instead of the one with its key.
    private(set) var transactions: [TransactionRow] = []
    private(set) var tokens: [TokenRow] = []
    private(set) var notifications: [NotificationRow] = []
    /// The notifications to forward.
    private(set) var forwarded: [ForwardedNotification] = []
    /// The result for the caller.
    private(set) var result = RecordResult.known

    init(
        _ submission: EvidenceSubmission, accounts: Accounts, verifier: StoredEvidenceVerifier, limits: StoreLimits
    ) {
        self.submission = submission
        self.accounts = accounts
        self.verifier = verifier
        receipts = submission.evidence.receipts.compactMap { ReceiptReplacement($0, limits: limits) }
        if receipts.count < submission.evidence.receipts.count { result.add(.notStored) }
    }

    // MARK: Rows to load

    /// The rows of the transactions.
    var transactionRows: [TransactionRow] {
        submission.evidence.withNestedData.transactions.compactMap { TransactionRow($0) }
    }

    /// The rows of the renewal information and of the statuses in notifications.
    var tokenRows: [TokenRow] {
        renewalRows
            + submission.evidence.notifications.flatMap { notification in
                let renewal = notification.renewalInfo.flatMap { renewal in
                    NotificationRow(notification)?.app.flatMap { TokenRow(renewal, app: $0) }
                }
                return [renewal, TokenRow(notification)].compactMap(\.self)
            }
    }

    private var renewalRows: [TokenRow] {
        guard let app = submission.app?.bundleIdentifier else { return [] }
        return submission.evidence.renewals.compactMap { TokenRow($0, app: app) }
    }

    /// The rows of the notifications.
    var notificationRows: [NotificationRow] { submission.evidence.notifications.compactMap { NotificationRow($0) } }

    /// The original transactions of renewal information that is stored only if there is other evidence of them.
    var claimedOriginals: [ScopedOriginal] {
        if case .claimed = submission.app { renewalRows.map(\.original) } else { [] }
    }

    /// The purchases whose accounts and states decide.
    var purchases: Set<ScopedOriginal> {
        var purchases = Set(transactionRows.map(\.original) + tokenRows.map(\.original))
        purchases.formUnion(notificationRows.compactMap(\.purchase))
        guard submission.account != nil else { return purchases }
        purchases.formUnion(receipts.flatMap(\.purchases))
        return purchases.union(submission.evidence.transactionReceipts.compactMap(\.purchase))
    }

    // MARK: Recording

    /// Determines the rows to store, the changes and the result.
    mutating func run() {
        let evidence = submission.evidence
        for index in receipts.indices { add(receipts[index], isNew: newReceipts.contains(index)) }
        for receipt in evidence.transactionReceipts {
            // Only its account is stored.
            result.add(.notStored)
            if let purchase = receipt.purchase { bind([purchase]) }
        }
        for transaction in evidence.transactions {
            result.add(add(transaction, because: submission.cause(.transaction)))
        }
        for renewal in evidence.renewals {
            result.add(add(renewal, app: submission.app, because: submission.cause(.renewalInfo)))
        }
        for notification in evidence.notifications { result.add(add(notification)) }
        if !changes.originals.isEmpty { verifier.remember(evidence) }
    }

    private mutating func add(_ receipt: ReceiptReplacement, isNew: Bool) {
        result.add(RecordResult(isNew: isNew, isStored: receipt.isStored))
        if isNew {
            for purchase in receipt.purchases { changes.touch(purchase, because: submission.cause(.receipt)) }
        }
        bind(receipt.purchases)
    }

    /// Binds the purchases in a receipt to the account.
    private mutating func bind(_ purchases: [ScopedOriginal]) {
        for purchase in purchases {
            let replay = bind(purchase, appAccountToken: nil, signed: 0, because: submission.cause(.receipt))
            result.replays += replay
        }
    }

    /// Binds a purchase to the account in signed data, and to the account that submits it.
    ///
    /// - Returns: The replay, if the purchase belongs to another account than the one that submits it.
    private mutating func bind(
        _ purchase: ScopedOriginal, transaction: String? = nil, appAccountToken token: UUID?, signed date: Int64,
        because cause: EventCause
    ) -> [RecordResult.Replay] {
        let isReplay = changes.bind(
            purchase, to: submission.account,
            appAccountToken: token.map { .init(account: accounts.account($0), signed: date) }, because: cause)
        let replay = RecordResult.Replay(
            originalTransactionIdentifier: purchase.originalTransactionIdentifier, transactionIdentifier: transaction)
        return isReplay ? [replay] : []
    }

    private mutating func add(_ transaction: VerifiedTransaction, because cause: EventCause) -> RecordResult {
        guard let row = TransactionRow(transaction) else { return .notStored }
        let isNew = row.replaces(stored.transactions[row.key], with: transaction, by: verifier)
        if isNew {
            stored.transactions[row.key] = row
            stored.originals.insert(row.original)
            transactions.append(row)
            changes.touch(row.original, because: cause)
        }
        let replays = bind(
            row.original, transaction: row.identifier, appAccountToken: transaction.claims.appAccountToken,
            signed: row.signed, because: cause)
        return RecordResult(isNew: isNew, replays: replays)
    }

    private mutating func add(
        _ renewal: VerifiedRenewalInfo, app: RenewalApp?, because cause: EventCause
    ) -> RecordResult {
        guard let app, let row = TokenRow(renewal, app: app.bundleIdentifier) else { return .notStored }
        // Alone, it proves no purchase (rule 6), so it binds none.
        if case .claimed = app, !stored.originals.contains(row.original) { return .notStored }
        let isNew = add(row, because: cause)
        let replays = bind(
            row.original, appAccountToken: renewal.claims.appAccountToken, signed: row.signed, because: cause)
        return RecordResult(isNew: isNew, replays: replays)
    }

    /// - Returns: Whether the row replaces the stored one.
    private mutating func add(_ row: TokenRow, because cause: EventCause) -> Bool {
        guard row.replaces(stored.tokens[row.key], by: verifier) else { return false }
        stored.tokens[row.key] = row
        tokens.append(row)
        changes.touch(row.original, because: cause)
        return true
    }

    /// Adds the contents of a notification. One whose UUID is known is merged too, because it may contain newer data.
    private mutating func add(_ notification: VerifiedNotification) -> RecordResult {
        guard let row = NotificationRow(notification) else { return .notStored }
        if submission.account == nil, let purchase = row.purchase, changes[purchase].state.excludes(row) {
            return .notStored
        }
        let isNew = stored.notifications.insert(row.identifier).inserted
        if isNew { notifications.append(row) }
        let cause = EventCause(row)
        var result = RecordResult(isNew: isNew)
        if let transaction = notification.transaction {
            result.replays = add(transaction, because: cause).replays
        }
        if let renewal = notification.renewalInfo {
            let replays = add(renewal, app: row.app.map { .trusted($0) }, because: cause).replays
            // Both are of one purchase.
            if notification.transaction == nil { result.replays = replays }
        }
        if let status = TokenRow(notification) { _ = add(status, because: cause) }
        guard isNew, let scope = row.scope else { return result }
        if case .forwarded(let body) = submission.source {
            forwarded.append(
                ForwardedNotification(
                    scope: scope, original: row.original, cause: cause, body: body ?? notification.notification.body))
        }
        if notification.claims.notificationType == .rescindConsent {
            changes.rescindConsent(in: scope, because: cause)
        }
        return result
    }
}

extension VerifiedTransactionReceipt {
    /// The purchase; nil if it isn't stored.
    fileprivate var purchase: ScopedOriginal? {
        guard let original = originalTransactionIdentifier, original.isStorable,
            let scope = AppScope(app: bundleIdentifier, environment)
        else { return nil }
        return ScopedOriginal(scope: scope, originalTransactionIdentifier: original)
    }
}

extension VerifiedData<NotificationClaims> {
    /// The body with which Apple sends the notification.
    fileprivate var body: [UInt8] { AppStoreJSON.object(["signedPayload": .string(token)]).text() }
}
#endif
