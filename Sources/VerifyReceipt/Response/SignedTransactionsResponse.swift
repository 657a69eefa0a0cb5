import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The response for signed transactions, after its status: in the form of that for an app receipt.
///
/// `receipt` has what the tokens contain. Its `in_app` lists the submitted transactions, and `latest_receipt_info`
/// every known one of the same purchases. `latest_receipt` is the newest submitted transaction.
struct SignedTransactionsResponse {
    private let submitted: VerifiedSignedTransactions
    private let renewals: [RenewalFields]
    private let excludesOldTransactions: Bool
    private let renewalInfo: VerifyReceiptResponder.RenewalInfo
    private let now: Date
    private let ledger: PurchaseLedger

    /// - Parameters:
    ///   - submitted: The tokens.
    ///   - history: The known evidence of their original transactions, without others.
    ///   - renewalInfo: The subscriptions with an element of `pending_renewal_info`.
    ///   - now: `request_date`.
    init(
        _ submitted: VerifiedSignedTransactions, history: CustomerEvidence, excludesOldTransactions: Bool,
        renewalInfo: VerifyReceiptResponder.RenewalInfo, now: Date
    ) {
        self.submitted = submitted
        self.excludesOldTransactions = excludesOldTransactions
        self.renewalInfo = renewalInfo
        self.now = now
        var evidence = history
        evidence.add(submitted.evidence)
        renewals = evidence.newestRenewals.map { RenewalFields($0) }
        // A stored receipt has other purchases of the customer, about which the tokens prove nothing.
        ledger = PurchaseLedger(
            evidence, app: submitted.bundleIdentifier, environment: submitted.environment,
            originals: submitted.evidence.originals)
    }

    /// The expected size of the members.
    var capacity: Int {
        1024 * (1 + submitted.transactions.count + ledger.transactions.count)
            + (submitted.newestTransaction?.token.utf8.count ?? 0)
    }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.memberIfPresent("environment", submitted.environment?.responseName)
        writer.openObject("receipt")
        writeReceipt(to: &writer)
        let claimed = submitted.claimed()
        writer.openArray("in_app")
        for (claimed, merged) in zip(claimed, ledger.merged(claimed)) {
            writer.openObject()
            TransactionFields(claimed, canceledLike: merged).write(to: &writer)
            writer.closeObject()
        }
        writer.closeArray()
        writer.closeObject()
        guard let newest = submitted.newestTransaction else { return }
        LatestReceiptInfo(
            transactions: ledger.transactions.filter { $0.transactionIdentifier != nil }.map { TransactionFields($0) },
            renewals: renewals, latestReceipt: .text(Array(newest.token.utf8)[...]),
            excludesOldTransactions: excludesOldTransactions, renewalInfo: renewalInfo
        ).write(to: &writer)
    }

    /// Writes `receipt` up to its transactions.
    private func writeReceipt(to writer: inout JSONWriter) {
        let app = submitted.appTransaction?.claims
        writer.memberIfPresent("receipt_type", submitted.environment?.receiptType.rawValue)
        writer.memberIfPresent("adam_id", number: app?.appAppleIdentifier)
        writer.memberIfPresent("app_item_id", number: app?.appAppleIdentifier)
        writer.member("bundle_id", submitted.bundleIdentifier)
        writer.memberIfPresent("application_version", app?.appVersion)
        writer.memberIfPresent("version_external_identifier", number: app?.versionExternalIdentifier)
        writer.memberIfPresent("receipt_creation_date", dateInThreeForms: submitted.newestSignedDate)
        writer.memberIfPresent("request_date", dateInThreeForms: now)
        writer.memberIfPresent("original_purchase_date", dateInThreeForms: app?.originalPurchaseDate)
        writer.memberIfPresent("original_application_version", app?.originalAppVersion)
        writer.memberIfPresent("preorder_date", dateInThreeForms: app?.preorderDate)
    }
}

extension AppStoreEnvironment {
    /// The type of receipts from the environment.
    fileprivate var receiptType: ReceiptEnvironment {
        switch self {
        case .production: .production
        case .sandbox: .productionSandbox
        case .xcode: .xcode
        }
    }
}
