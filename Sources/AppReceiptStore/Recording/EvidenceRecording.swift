#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Crypto

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
        for index in receipts.indices { result.add(record(receipts[index], isNew: newReceipts.contains(index))) }
        for receipt in evidence.transactionReceipts { result.add(record(receipt)) }
        for transaction in evidence.transactions {
            result.add(record(transaction, because: submission.cause(.transaction)))
        }
        for renewal in evidence.renewals {
            result.add(record(renewal, app: submission.app, because: submission.cause(.renewalInfo)))
        }
        for notification in evidence.notifications { result.add(record(notification)) }
        if !changes.originals.isEmpty { verifier.remember(evidence) }
    }

    private mutating func record(_ receipt: ReceiptReplacement, isNew: Bool) -> RecordResult {
        if isNew {
            for purchase in receipt.purchases { changes.touch(purchase, because: submission.cause(.receipt)) }
        }
        return RecordResult(isNew: isNew, isStored: receipt.isStored, replays: bindUnsigned(receipt.purchases))
    }

    /// Records the account of a transaction receipt, which isn't stored itself.
    private mutating func record(_ receipt: VerifiedTransactionReceipt) -> RecordResult {
        RecordResult(isNew: false, isStored: false, replays: bindUnsigned(receipt.purchase.map { [$0] } ?? []))
    }

    private mutating func record(_ transaction: VerifiedTransaction, because cause: EventCause) -> RecordResult {
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

    private mutating func record(
        _ renewal: VerifiedRenewalInfo, app: RenewalApp?, because cause: EventCause
    ) -> RecordResult {
        guard let app, let row = TokenRow(renewal, app: app.bundleIdentifier) else { return .notStored }
        // Alone, it proves no purchase (rule 6 of WhatACustomerOwns), so it binds none.
        if case .claimed = app, !stored.originals.contains(row.original) { return .notStored }
        let isNew = replaceToken(by: row, because: cause)
        let replays = bind(
            row.original, appAccountToken: renewal.claims.appAccountToken, signed: row.signed, because: cause)
        return RecordResult(isNew: isNew, replays: replays)
    }

    /// Records a notification and its contents, also of one whose UUID is known, because they may be newer.
    private mutating func record(_ notification: VerifiedNotification) -> RecordResult {
        guard let row = NotificationRow(notification), !isForgotten(row) else { return .notStored }
        let isNew = stored.notifications.insert(row.identifier).inserted
        if isNew { notifications.append(row) }
        let replays = recordContents(of: notification, in: row)
        if isNew { report(notification, of: row) }
        return RecordResult(isNew: isNew, replays: replays)
    }

    /// Whether a notification that no account submits is about a purchase that was forgotten.
    private func isForgotten(_ row: NotificationRow) -> Bool {
        guard submission.account == nil, let purchase = row.purchase else { return false }
        return changes[purchase].state.excludes(row)
    }

    private mutating func recordContents(
        of notification: VerifiedNotification, in row: NotificationRow
    ) -> [RecordResult.Replay] {
        let cause = EventCause(row)
        let transaction = notification.transaction.map { record($0, because: cause) }
        let renewal = notification.renewalInfo.map {
            record($0, app: row.app.map { .trusted($0) }, because: cause)
        }
        if let status = TokenRow(notification) { _ = replaceToken(by: status, because: cause) }
        // Both are of one purchase.
        return (transaction ?? renewal)?.replays ?? []
    }

    /// Forwards a new notification, and ends the consent that it rescinds.
    private mutating func report(_ notification: VerifiedNotification, of row: NotificationRow) {
        guard let scope = row.scope else { return }
        let cause = EventCause(row)
        if case .forwarded(let body) = submission.source {
            forwarded.append(
                ForwardedNotification(
                    scope: scope, original: row.original, cause: cause, body: body ?? notification.notification.body))
        }
        if notification.claims.notificationType == .rescindConsent {
            changes.rescindConsent(in: scope, because: cause)
        }
    }

    /// - Returns: Whether the row replaces the stored one.
    private mutating func replaceToken(by row: TokenRow, because cause: EventCause) -> Bool {
        guard row.replaces(stored.tokens[row.key], by: verifier) else { return false }
        stored.tokens[row.key] = row
        tokens.append(row)
        changes.touch(row.original, because: cause)
        return true
    }

    // MARK: Accounts

    /// Binds the purchases in a receipt, which names no account, to the one that submits it.
    private mutating func bindUnsigned(_ purchases: [ScopedOriginal]) -> [RecordResult.Replay] {
        purchases.flatMap { bind($0, appAccountToken: nil, signed: 0, because: submission.cause(.receipt)) }
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
