import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The response for a verified app receipt, after its status.
struct AppReceiptResponse {
    let members: [JSONObject.Member]

    /// - Parameters:
    ///   - submitted: The receipt.
    ///   - history: The known evidence for its original transactions, without others.
    ///   - renewalInfo: The subscriptions with an element of `pending_renewal_info`.
    ///   - now: `request_date`.
    init(
        _ submitted: VerifiedReceipt, history: CustomerHistory, excludesOldTransactions: Bool,
        renewalInfo: VerifyReceiptResponder.RenewalInfo, now: Date
    ) {
        let receipt = submitted.receipt
        let originals = submitted.originals
        let ledger = PurchaseLedger(
            bundleIdentifier: receipt.bundleIdentifier ?? "", environment: submitted.environment,
            receipts: history.receipts, ownEvidence: [submitted.evidence], transactions: history.transactions,
            renewals: history.renewals, originals: originals)
        var members = ResponseMembers(capacity: 5)
        members.add("environment", text: submitted.environment?.responseName)
        members.add("receipt", Self.receipt(receipt, ledger, now: now))
        let latest = Self.latest(receipt, ledger)
        guard !latest.isEmpty else {
            self.members = members.members
            return
        }
        self.members =
            members.members
            + LatestReceiptInfo(
                transactions: latest, renewals: Self.renewals(history),
                latestReceipt: Self.newest(submitted, originals, history.receipts),
                excludesOldTransactions: excludesOldTransactions, renewalInfo: renewalInfo
            ).members
    }

    /// The transactions of subscriptions, and one-time purchases that were refunded or revoked, each once: those of the receipt in its
    /// order, then others of its original transactions.
    private static func latest(_ receipt: AppReceipt, _ ledger: PurchaseLedger) -> [TransactionFields] {
        // A receipt may list a transaction several times; merged, the copies are equal.
        var listed: Set<Purchase> = []
        let own = receipt.purchases.map { ledger.merged(Purchase($0)) }
            .filter { $0.transactionIdentifier == nil || listed.insert($0).inserted }
        let others = ledger.purchases.filter { $0.transactionIdentifier != nil && !listed.contains($0) }
        return (own + others).filter { $0.isSubscriptionPeriod || $0.revocation != nil }
            .map { TransactionFields($0) }
    }

    /// The newest receipt by creation date; of equal dates, the submitted one.
    ///
    /// A receipt with a purchase that the submitted one doesn't contain is never returned: it would disclose that purchase to
    /// anyone with the older receipt.
    private static func newest(
        _ submitted: VerifiedReceipt, _ originals: Set<String>, _ others: [VerifiedReceipt]
    ) -> ArraySlice<UInt8> {
        let newest = others.filter { $0.creationDate > submitted.creationDate && $0.containsNothing(but: originals) }
            .max { $0.creationDate < $1.creationDate }
        // The submitted receipt is returned as it was sent. Another customer may have modified the unsigned parts of the other one.
        return newest?.strippedContainer()[...] ?? submitted.container
    }

    /// The renewal of each subscription; nil if none is known.
    private static func renewals(_ history: CustomerHistory) -> [RenewalFields]? {
        var newest: [String: VerifiedRenewalInfo] = [:]
        var order: [String] = []
        for renewal in history.renewals {
            guard let original = renewal.claims.originalTransactionIdentifier else { continue }
            if let known = newest[original] {
                if renewal.isNewer(than: known) { newest[original] = renewal }
            } else {
                order.append(original)
                newest[original] = renewal
            }
        }
        return order.isEmpty ? nil : order.compactMap { newest[$0] }.map { RenewalFields($0) }
    }

    /// `receipt`: numbers as 64-bit integers, and the transactions in the order of the receipt.
    private static func receipt(_ receipt: AppReceipt, _ ledger: PurchaseLedger, now: Date) -> JSONValue {
        var members = ResponseMembers(capacity: 24)
        members.add("receipt_type", text: receipt.environment?.rawValue)
        members.add("adam_id", number: receipt.appStoreIdentifier)
        members.add("app_item_id", number: receipt.appStoreIdentifier)
        members.add("bundle_id", text: receipt.bundleIdentifier)
        members.add("application_version", text: receipt.appVersion)
        members.add("download_id", number: receipt.downloadIdentifier)
        members.add("version_external_identifier", number: receipt.versionExternalIdentifier)
        members.add("receipt_creation_date", date: receipt.creationDate)
        members.add("request_date", date: now)
        members.add("original_purchase_date", date: receipt.originalPurchaseDate)
        members.add("original_application_version", text: receipt.originalAppVersion)
        members.add("preorder_date", date: receipt.preorderDate)
        members.add("expiration_date", date: receipt.expirationDate)
        members.add("in_app", .array(receipt.purchases.map { TransactionFields($0, in: ledger).json }))
        return members.json
    }
}
