#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import VerifyReceipt

/// What a request proves: all purchases in an app receipt, or one signed transaction.
@available(AppReceiptServer 1.0, *)
enum ValidatorSubmission: Sendable {
    case receipt(VerifiedReceipt)
    case transaction(VerifiedTransaction)

    /// The app.
    var bundleIdentifier: String? {
        switch self {
        case .receipt(let receipt): receipt.bundleIdentifier
        case .transaction(let transaction): transaction.claims.bundleIdentifier
        }
    }

    /// The environment; nil if it isn't known.
    var environment: AppStoreEnvironment? {
        switch self {
        case .receipt(let receipt): receipt.environment
        case .transaction(let transaction): transaction.environment
        }
    }

    /// The original transactions.
    var originals: Set<String> {
        switch self {
        case .receipt(let receipt): receipt.originals
        case .transaction(let transaction): transaction.original.map { [$0] } ?? []
        }
    }

    /// `data.id`, under which the plugin keeps the collection in place of an earlier one.
    ///
    /// A receipt contains all of the customer's purchases. A transaction may prove only one, so it is kept under its
    /// original transaction: under the bundle identifier it would erase the other purchases in the app.
    var identifier: String {
        switch self {
        case .receipt(let receipt): receipt.bundleIdentifier ?? ""
        case .transaction(let transaction): transaction.original ?? ""
        }
    }

    /// Returns the original transactions of the submission, and those that Apple signed for the same account. An
    /// account that only a client named isn't enough: the app that sends the request chose the account in it.
    private func originals(beside known: CustomerEvidence) -> Set<String> {
        guard case .transaction(let transaction) = self, let account = transaction.claims.appAccountToken else {
            return originals
        }
        return originals.union(
            known.transactions.filter { $0.claims.appAccountToken == account }.compactMap(\.original))
    }

    /// Returns the ledger of the customer's purchases, from the submission and the stored evidence.
    func ledger(beside known: CustomerEvidence) -> PurchaseLedger {
        let app = bundleIdentifier ?? ""
        let originals = originals(beside: known)
        let known = known.only(app: app, environment: environment, originals: originals)
        switch self {
        case .receipt(let receipt):
            return PurchaseLedger(
                known, app: app, environment: environment, ownEvidence: [receipt.evidence], originals: originals)
        case .transaction(let transaction):
            var evidence = known
            evidence.transactions.append(transaction)
            return PurchaseLedger(evidence, app: app, environment: environment, originals: originals)
        }
    }

    /// Returns `data.transaction`: the member `receipt` of verifyReceipt's response. A transaction doesn't contain the
    /// app's first version and purchase, with which the plugin dates the app: a stored receipt may.
    func transaction(beside known: CustomerEvidence, now: Date) -> AppStoreJSON.Object {
        switch self {
        case .receipt(let receipt):
            var members: AppStoreJSON.Object = ["type": "ios-appstore"]
            for member in receipt.receiptMember(history: known, now: now).members {
                members[member.name] = member.value
            }
            return members
        case .transaction:
            var members: AppStoreJSON.Object = ["type": "apple-sk2"]
            let receipts = known.only(app: bundleIdentifier ?? "", environment: environment, originals: originals)
                .receipts
            guard let contents = receipts.max(by: { $0.creationDate < $1.creationDate })?.receipt else {
                return members
            }
            members["original_application_version"] = contents.originalAppVersion.map { .string($0) }
            members["original_purchase_date_ms"] = contents.originalPurchaseDate.flatMap(\.milliseconds)
                .map { .string(String($0)) }
            return members
        }
    }
}
#endif
