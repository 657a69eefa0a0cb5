#if Server
import AppReceiptKit
import AppReceiptStore
import AppStoreServerAPI
import AppStoreSignedData
import Logging
import VerifyReceipt

/// Reads what the App Store has about a customer, and records it in the database.
@available(AppReceiptServer 1.0, *)
struct AppStoreReader: Sendable {
    let clients: AppStoreClients
    let store: any EvidenceStore
    let logger: Logger

    /// The result of reading.
    enum Outcome: Sendable {
        /// Everything is recorded.
        ///
        /// - `originals`: The original transaction that was requested, and those that Apple's signatures prove to be
        ///   the same customer's.
        /// - `revision`: The position in the history from which the next request continues.
        case complete(originals: Set<String>, revision: String?)
        /// The App Store doesn't have the purchase. Apple removes the purchases of sandbox accounts, so this is a
        /// complete result too, except about a new purchase.
        case unknown(AppStoreServerError.Code)
        /// Signed data in the App Store's response doesn't verify. The rest is recorded.
        case rejected
        /// A request failed. A part may be recorded.
        case failed(AppStoreServerError)

        /// The label of a metric; nil if the request was canceled.
        var label: String? {
            switch self {
            case .complete: "complete"
            case .unknown(let code): code.rawValue
            case .rejected: AppStoreServerError.Code.verificationFailed.rawValue
            case .failed(let error): error.code == .canceled ? nil : error.code.rawValue
            }
        }
    }

    /// Reads the statuses and the history of the customer who has an original transaction.
    ///
    /// - Parameters:
    ///   - original: The original transaction.
    ///   - revision: The position in the history from an earlier request; nil for the whole history.
    ///   - onRetry: Receives each failure after which the request is repeated, and the wait until then.
    /// - Throws: An error if what was read can't be recorded.
    func read(
        _ original: ScopedOriginal, from revision: String?,
        onRetry: @escaping @Sendable (AppStoreServerError, Duration) async -> Void
    ) async throws(StoreError) -> Outcome {
        do {
            let client = try clients.client(for: original.scope).reportingRetries(onRetry)
            var data = CustomerData(original: original.originalTransactionIdentifier)
            try await readStatuses(of: original, from: client, into: &data)
            do {
                try await readHistory(of: original, after: revision, from: client, into: &data)
            } catch let error as AppStoreServerError where error.code == .invalidRequestRevision && revision != nil {
                try await readHistory(of: original, after: nil, from: client, into: &data)
            }
            if !data.rejected.isEmpty {
                logger.warning(
                    "The App Store's response contains signed data that doesn't verify",
                    metadata: [
                        "app": "\(original.scope.app)", "environment": "\(original.scope.environment.rawValue)",
                        "items": .stringConvertible(data.rejected.count), "code": "\(data.rejected.firstCode)",
                    ])
                return .rejected
            }
            if let code = data.notFound { return .unknown(code) }
            return .complete(originals: data.customersOriginals, revision: data.revision)
        } catch let error as AppStoreServerError {
            return .failed(error)
        } catch {
            throw StoreError(error)
        }
    }

    private struct CustomerData {
        /// The original transaction that was requested.
        let original: String
        /// The app transactions of the customers who have an original transaction, by original transaction.
        var appTransactions: [String: Set<String>] = [:]
        var revision: String?
        var rejected: [AppStoreServerClient.RejectedItem] = []
        /// Whether the App Store has subscriptions of the customer.
        var hasSubscriptions = false
        /// The reason why there is no history; nil if there is one.
        var notFound: AppStoreServerError.Code?

        init(original: String) { self.original = original }

        /// The original transactions that share an app transaction with the one that was requested. No signature
        /// covers the list that contains them, so the list doesn't prove that the others are the same customer's.
        var customersOriginals: Set<String> {
            let known = appTransactions[original] ?? []
            return Set(appTransactions.filter { !$0.value.isDisjoint(with: known) }.keys).union([original])
        }

        mutating func add(_ transactions: [VerifiedTransaction]) {
            for transaction in transactions {
                guard let original = transaction.original, let customer = transaction.claims.appTransactionIdentifier
                else { continue }
                appTransactions[original, default: []].insert(customer)
            }
        }
    }

    private func readStatuses(
        of original: ScopedOriginal, from client: AppStoreServerClient, into data: inout CustomerData
    ) async throws {
        let statuses: AppStoreServerClient.SubscriptionStatuses
        do throws(AppStoreServerError) {
            statuses = try await client.subscriptionStatuses(ofCustomer: original.originalTransactionIdentifier)
        } catch {
            // A customer without subscriptions.
            guard error.isNotFound else { throw error }
            return
        }
        data.hasSubscriptions = !statuses.subscriptions.isEmpty || !statuses.rejected.isEmpty
        data.rejected += statuses.rejected
        try await record(
            statuses.subscriptions.map(\.transaction), renewals: statuses.subscriptions.map(\.renewalInfo),
            scope: original.scope, in: &data)
    }

    private func readHistory(
        of original: ScopedOriginal, after revision: String?, from client: AppStoreServerClient,
        into data: inout CustomerData
    ) async throws {
        let cursor = revision.flatMap { revision in
            client.environments.first.map { AppStoreServerCursor(environment: $0, revision: revision) }
        }
        var hasPage = false
        do {
            // Only the whole list proves that it is this customer's.
            var transactions: [VerifiedTransaction] = []
            for try await page in client.history(
                ofCustomer: original.originalTransactionIdentifier,
                query: AppStoreServerClient.HistoryQuery(cursor: cursor))
            {
                hasPage = true
                data.rejected += page.rejected
                data.revision = page.cursor?.revision ?? data.revision
                transactions += page.transactions
            }
            try await record(transactions, renewals: [], scope: original.scope, in: &data)
        } catch let error as AppStoreServerError where error.isNotFound && !hasPage && !data.hasSubscriptions {
            data.notFound = error.code
        }
    }

    private func record(
        _ transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo], scope: AppScope,
        in data: inout CustomerData
    ) async throws(StoreError) {
        data.add(transactions)
        guard !transactions.isEmpty || !renewals.isEmpty else { return }
        let evidence = CustomerEvidence(transactions: transactions, renewals: renewals)
        let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: data.original)
        _ = try await clients.tracing.span(.storeWrite) { () throws(StoreError) in
            try await store.record(evidence, answering: original)
        }
    }
}

@available(AppReceiptServer 1.0, *)
extension AppStoreServerError {
    /// Whether the App Store doesn't have the identifier, and won't have it a little later.
    var isNotFound: Bool {
        [.transactionIdentifierNotFound, .originalTransactionIdentifierNotFound, .accountNotFound].contains(code)
    }
}
#endif
