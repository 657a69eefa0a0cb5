#if Server
package import AppReceiptFoundation
package import AppReceiptKit
package import AppStoreSignedData

/// A persistent store of what Apple signed about customers: transactions, renewal information, notifications, the
/// newest receipts of each original transaction, and the account of each original transaction.
///
/// A store contains the signed data itself, and verifies it again when it is read, so that an attacker who can write
/// the database can't forge evidence. What is recorded is on disk when the function returns. Of several copies of the
/// same data, the store keeps the one signed last, in every order of arrival. Data from Xcode is never stored.
///
/// Dates are milliseconds since 1970.
package protocol EvidenceStore: TransactionHistory {
    // MARK: Evidence

    /// Stores evidence in one commit, and binds its original transactions to their `appAccountToken` and to the
    /// account, unless they are bound.
    ///
    /// Not stored is what has no identifier, app or known environment, or is from Xcode; receipts without purchases or
    /// larger than ``StoreLimits/maxReceiptBytes``; and transaction receipts, which are only bound to the account. The
    /// transaction and renewal information in a notification are stored with it, but belong to no account.
    ///
    /// - Parameters:
    ///   - evidence: The evidence.
    ///   - account: The account that submitted it, as the back end names its customers; nil for none. A UUID is
    ///     compared with the `appAccountToken` of the original transaction, which takes precedence over the first
    ///     account.
    ///   - app: The app of the renewal information; nil if there is none to store.
    ///   - source: Where the evidence comes from, which events name.
    /// - Throws: `busy` if too many writes are waiting, otherwise the error of the write.
    func record(
        _ evidence: CustomerEvidence, account: String?, app: RenewalApp?, from source: EvidenceSource
    ) async throws(StoreError) -> RecordResult

    /// Stores what the App Store answered about an original transaction in the queue of requests, as
    /// ``record(_:account:app:from:)`` does. Nothing is stored if the purchase was forgotten since: then it isn't in
    /// the queue.
    func record(
        _ evidence: CustomerEvidence, answering original: ScopedOriginal
    ) async throws(StoreError) -> RecordResult

    /// Returns the stored evidence of these original transactions that still verifies.
    ///
    /// ``StoreLimits`` never hide a revocation: only older transactions that weren't revoked are left out.
    ///
    /// - Throws: `tooMuchEvidence` if the required rows exceed the limits, `untrustedRevocation` if a root that isn't
    ///   trusted any more signed a refund of them, otherwise the error of reading.
    func evidence(of originals: Set<String>, in scope: AppScope) async throws(StoreError) -> StoredEvidence

    /// Returns the stored evidence about the purchases in a receipt, as far as it still verifies, without the receipt
    /// itself.
    ///
    /// - Throws: As for ``evidence(of:in:)``.
    func evidence(beside receipt: VerifiedReceipt) async throws(StoreError) -> StoredEvidence

    /// Whether the same evidence was recorded recently without an account, and nothing was forgotten since.
    ///
    /// - Parameters:
    ///   - evidence: The evidence.
    ///   - generation: The ``StoredEvidence/generation`` that was read after the evidence was submitted.
    func hasRecorded(_ evidence: CustomerEvidence, in generation: Int64) -> Bool

    /// Whether the receipt is stored, and nothing else about its purchases. Takes microseconds if the engine can tell
    /// so quickly; otherwise false, and ``evidence(beside:)`` tells.
    func isSole(_ receipt: VerifiedReceipt) async throws(StoreError) -> Bool

    /// The apps and environments of the stored evidence.
    func scopes() async throws(StoreError) -> [AppScope]

    // MARK: Accounts and purchases

    /// The purchases of an account, in order: those whose newest `appAccountToken` names it, and those without one that
    /// it submitted first or was bound to.
    ///
    /// - Parameter account: The account, as the back end names it.
    func purchases(of account: String) async throws(StoreError) -> [ScopedOriginal]

    /// The purchases of an account, in order, as ``accounts(of:)`` returns it, which may be the hash of its name.
    ///
    /// - Parameter account: The account, as it is stored. A customer must not choose it: a name that looks like the
    ///   hash of another one would lead to the purchases of that one.
    func purchases(ofStored account: String) async throws(StoreError) -> [ScopedOriginal]

    /// The account that owns each of some purchases: its newest signed `appAccountToken` in lowercase, otherwise the
    /// account that submitted it first or was bound to it, as it is stored. Purchases that nobody submitted are left
    /// out.
    func accounts(of originals: [ScopedOriginal]) async throws(StoreError) -> [ScopedOriginal: String]

    /// Binds a purchase to an account instead of the one that submitted it.
    func bind(_ original: ScopedOriginal, to account: String) async throws(StoreError) -> BindingOutcome

    /// Deletes everything about the purchases of an account, but for a tombstone of each transaction, which keeps an
    /// old receipt or token from changing whether it is revoked.
    ///
    /// The account of their events becomes nil, and forwarded notifications about them aren't sent any more. What is
    /// recorded of them later isn't an event until an account submits or is bound to them. Limits don't apply.
    ///
    /// - Parameters:
    ///   - account: The account, as the back end names it.
    ///   - apps: The apps whose purchases are deleted; nil for all.
    /// - Returns: What was deleted; nil if the account is unknown in these apps.
    /// - Throws: `untrustedRevocation` if a root that isn't trusted any more signed a refund of them, otherwise the
    ///   error of reading or writing. Of many purchases, some may be deleted then.
    func forget(_ account: String, in apps: Set<String>?) async throws(StoreError) -> ForgottenPurchases?

    /// Deletes everything about a purchase, whatever its account, as ``forget(_:in:)`` does. The accounts of its events
    /// become nil.
    ///
    /// - Returns: What was deleted; nil if nothing is known about the purchase.
    func forget(_ purchase: ScopedOriginal) async throws(StoreError) -> ForgottenPurchases?

    /// The number of times that purchases were forgotten or notifications deleted, by any server of the database. If it
    /// has changed, what a server remembers of purchases is outdated.
    func forgetCount() async throws(StoreError) -> Int64

    /// The purchases with this transaction or original transaction, in receipts or signed transactions, of every app
    /// and environment.
    func originals(of identifier: String) async throws(StoreError) -> [ScopedOriginal]

    /// The evidence that was seen of each of some purchases, the newest first. Purchases without any are left out.
    func sightings(of originals: [ScopedOriginal]) async throws(StoreError) -> [ScopedOriginal: [EvidenceSighting]]

    /// The purchases after one, in the order of apps, environments and original transactions, with the entitlements
    /// that events reported last.
    ///
    /// - Parameters:
    ///   - purchase: The last purchase of the page before; nil for the first page.
    ///   - limit: The largest number of purchases.
    ///   - apps: The apps; nil for all.
    ///   - environments: The environments; nil for all.
    func reportedPurchases(
        after purchase: ScopedOriginal?, limit: Int, apps: Set<String>?, environments: Set<AppStoreEnvironment>?
    ) async throws(StoreError) -> ReportedPurchasePage

    // MARK: Events

    /// The changes of entitlements after a cursor, in the order in which they were committed.
    ///
    /// A commit that ends later never has an earlier cursor than one that was returned, so a reader that continues
    /// after ``EventPage/next`` skips nothing.
    ///
    /// - Parameters:
    ///   - cursor: The cursor after which to begin; 0 for the first event.
    ///   - limit: The largest number of events.
    ///   - apps: The apps; nil for all.
    ///   - environments: The environments; nil for all.
    /// - Returns: The events. Their ``EventPage/next`` is before the cursor only if the database never had the cursor.
    func events(
        after cursor: Int64, limit: Int, apps: Set<String>?, environments: Set<AppStoreEnvironment>?
    ) async throws(StoreError) -> EventPage

    /// Records what only time changed, each change once, some purchases at a time.
    ///
    /// - Parameter date: The current time.
    /// - Returns: When the next change is due, which may be before `date`; nil for never.
    func recordDueEvents(at date: Date) async throws(StoreError) -> Int64?

    // MARK: Webhooks

    /// Queues the events and notifications of an app that follow the webhook's position. A new webhook begins with what
    /// comes next.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - app: The app.
    ///   - includesNotifications: Whether notifications are forwarded.
    ///   - date: The current time.
    func enqueueDeliveries(
        to webhook: String, app: String, includesNotifications: Bool, at date: Int64
    ) async throws(StoreError)

    /// Takes deliveries to a webhook that are due, those first that have been due longest. Nobody else takes them
    /// before the lease ends.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - date: The current time.
    ///   - lease: When the lease ends.
    ///   - limit: The largest number of deliveries.
    func takeDeliveries(
        to webhook: String, at date: Int64, leasedUntil lease: Int64, limit: Int
    ) async throws(StoreError) -> [WebhookDelivery]

    /// Gives back deliveries that were taken and not tried: they are due at once.
    func release(_ deliveries: [WebhookDelivery]) async throws(StoreError)

    /// Records how an attempt ended, and if it failed, why.
    func finish(
        _ delivery: WebhookDelivery, as outcome: DeliveryOutcome, because failure: DeliveryFailure?
    ) async throws(StoreError)

    /// The deliveries that failed, whether they are tried again or not, the oldest first.
    func failedDeliveries(limit: Int) async throws(StoreError) -> [WebhookDelivery]

    /// Makes deliveries due that failed, unless their webhooks aren't configured any more.
    ///
    /// - Parameters:
    ///   - numbers: Their numbers; nil for all.
    ///   - date: The current time.
    func replayFailedDeliveries(_ numbers: [Int64]?, at date: Int64) async throws(StoreError) -> ReplayResult

    /// Stores which webhooks are configured, so that what waits for others isn't lost silently.
    func setWebhooks(_ webhooks: Set<String>, at date: Int64) async throws(StoreError)

    /// The webhooks that are or were configured, in order, with the numbers of their deliveries.
    func webhooks() async throws(StoreError) -> [WebhookStatus]

    // MARK: Requests to the App Store

    /// Returns what is known about the requests for original transactions.
    func completions(of originals: Set<String>, in scope: AppScope) async throws(StoreError) -> [String: Completion]

    /// Adds original transactions to the queue of requests. One that is in the queue keeps its position, and one that
    /// was completed in the meantime isn't added.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: The app and environment.
    ///   - due: When to send the request.
    ///   - date: The date after which a completion isn't outdated.
    func enqueue(
        _ originals: Set<String>, in scope: AppScope, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError)

    /// Removes original transactions from the queue, because the requests about them are completed.
    ///
    /// - Parameters:
    ///   - originals: The original transactions, of one customer.
    ///   - request: The one that was requested.
    ///   - revision: The position in the customer's history; nil to begin with the first page again.
    ///   - date: When the requests were completed.
    /// - Returns: False if the purchase was forgotten since, and nothing was done.
    func complete(
        _ originals: Set<String>, answering request: ScopedOriginal, revision: String?, at date: Int64
    ) async throws(StoreError) -> Bool

    /// Postpones the request for an original transaction, because it failed. One that was completed in the meantime
    /// isn't added to the queue again.
    ///
    /// - Parameters:
    ///   - original: The original transaction.
    ///   - attempts: The number of failed requests.
    ///   - due: When to send the next request.
    ///   - date: The date after which a completion isn't outdated.
    func postpone(
        _ original: ScopedOriginal, attempts: Int, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError)

    /// The apps and environments with due requests.
    func scopesOfDueCompletions(at date: Int64) async throws(StoreError) -> [AppScope]

    /// The original transactions of an app whose requests are due, those first that are due longest.
    ///
    /// - Returns: Batches: those of one receipt are together, because they are probably one customer's.
    func dueCompletions(in scope: AppScope, at date: Int64, limit: Int) async throws(StoreError) -> [[ScopedOriginal]]

    /// The number of original transactions in the queue.
    func pendingCompletions() async throws(StoreError) -> Int

    /// The date when the newest stored transaction or receipt of an original transaction was signed; nil without one.
    func newestSignedDate(of original: ScopedOriginal) async throws(StoreError) -> Int64?

    // MARK: The App Store's notification history

    /// The position up to which the notifications of an app were read.
    func catchUpPosition(of scope: AppScope) async throws(StoreError) -> CatchUpPosition

    /// Stores how far the notifications of an app were read.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - scope: The app and environment.
    ///   - gap: A period before the position that has to be read again; nil if there is none. A known gap with the same
    ///     beginning isn't shortened, and keeps its attempts.
    func setCatchUpPosition(
        _ position: CatchUpPosition, of scope: AppScope, leaving gap: NotificationGap?
    ) async throws(StoreError)

    /// The periods that have to be read again, due or not, the earliest first.
    func gaps(in scope: AppScope) async throws(StoreError) -> [NotificationGap]

    /// Stores when a period is read again, and how often it was.
    func update(_ gap: NotificationGap, in scope: AppScope) async throws(StoreError)

    /// Removes a period that was read, or that isn't read again.
    func remove(_ gap: NotificationGap, in scope: AppScope) async throws(StoreError)

    // MARK: Moving

    /// The rows of a kind after a position, in the engine's order.
    ///
    /// A row that stays is in exactly one page, whatever else is written meanwhile. Only ``StoredRowVerifier`` tells
    /// whether its data is genuine.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - position: The ``StoredRowPage/next`` of the page before; nil for the first page.
    ///   - limit: The largest number of rows.
    func rows(
        of kind: StoredRow.Kind, after position: [StoredValue]?, limit: Int
    ) async throws(StoreError) -> StoredRowPage

    /// What names the accounts of the database and numbers its events.
    func identity() async throws(StoreError) -> StoreIdentity

    /// Prepares the import of another database's rows. A database that contains nothing gets its key of accounts, and
    /// later events follow its events.
    func prepareImport(of other: StoreIdentity) async throws(StoreError) -> ImportPreparation

    /// Imports rows of another database in one commit, in any order, each once or several times.
    ///
    /// Evidence is verified before, and recorded by the rules of ``record(_:account:app:from:)``: what is newer stays,
    /// as does a revocation. What was received before its purchase was forgotten here isn't imported, unless it is a
    /// revocation. A row of the server's own state is imported unless its key is taken. No event is recorded; what
    /// changed for a customer is recorded by ``recordDueEvents(at:)``.
    func insert(_ rows: [StoredRow]) async throws(StoreError) -> ImportResult

    /// Deletes notifications in one commit. The transactions, the renewal information and the status in them are other
    /// rows, which stay. A repetition is new, as ``forgetCount()`` tells every server.
    ///
    /// - Parameter rows: Rows of the kind `notification`.
    func removeNotifications(_ rows: [StoredRow]) async throws(StoreError)

    // MARK: Operation

    /// Checks that the database can be read, that its disk isn't full, and that it can be written if the last write
    /// failed.
    ///
    /// - Throws: The error of reading or writing; `untrustedRevocation` if a root that isn't trusted any more signed a
    ///   stored refund that was found.
    func check() async throws(StoreError)

    /// The original transactions that may have a refund or upgrade that a root signed which isn't trusted any more, in
    /// order, up to 1,000. The first ten have one if ``check()`` has thrown `untrustedRevocation`.
    var untrustedOriginals: [ScopedOriginal] { get }

    /// Counts the stored evidence, which takes time in a large store. An engine may estimate the rows of a large table.
    func statistics() async throws(StoreError) -> StoreStatistics

    /// Describes the database for its operator, which takes time in a large one.
    func details() async throws(StoreError) -> StoreDetails

    /// Rejects further writes, completes the accepted ones, and closes the database. Closing it again has no effect.
    ///
    /// - Throws: The error of closing the database. Recorded data is on disk nevertheless.
    func close() async throws(StoreError)
}

/// Evidence that was read from a store.
package struct StoredEvidence: Sendable {
    /// The evidence.
    package var evidence = CustomerEvidence()
    /// The number of rows that were skipped, because their data doesn't verify or differs from the other columns.
    package var skippedRows = 0
    /// The ``EvidenceStore/forgetCount()`` that was read in the same round trip; nil if it wasn't.
    package var generation: Int64?
}

/// The result of binding a purchase to an account.
package enum BindingOutcome: Sendable, Hashable {
    /// The purchase is the account's.
    case bound
    /// Nothing is known about the purchase.
    case unknown
    /// A signed `appAccountToken` of another account owns the purchase.
    case signed
}

/// The stored state of the requests to the App Store for one original transaction.
package struct Completion: Sendable, Hashable {
    /// The date when the requests were last completed; nil if they never were.
    package var completed: Int64?
    /// The position in the customer's history from which the next request continues.
    package var revision: String?
    /// The number of requests that failed since.
    package var attempts: Int
}
#endif
