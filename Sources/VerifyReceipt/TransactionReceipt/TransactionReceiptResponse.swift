import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The response for a transaction receipt, after its status.
///
/// `receipt` is flat, all strings, and mirrors the purchase info; clients recognize it by `bid`. For a subscription,
/// `latest_receipt_info` is the newest known transaction in the same form, or `latest_expired_receipt_info` if that one
/// ended. A purchase that was refunded has its cancellation in both.
struct TransactionReceiptResponse {
    private let submitted: ArraySlice<UInt8>
    private let environment: AppStoreEnvironment?
    private let info: StringPropertyList
    /// The transaction of the receipt, from all evidence.
    private let own: AppStoreTransaction
    /// The newest known transaction of the subscription; nil for other products.
    private let latest: AppStoreTransaction?
    private let renewal: RenewalFields?
    /// Whether the subscription ended, according to the known evidence.
    let isExpired: Bool

    /// - Parameters:
    ///   - receipt: A verified receipt.
    ///   - submitted: The receipt's bytes.
    ///   - beside: The tokens that were submitted beside the receipt; nil for none. Those of other purchases have no
    ///     place in the response.
    ///   - history: The known evidence for its original transaction.
    ///   - now: The date at which a subscription is evaluated.
    init(
        _ receipt: VerifiedTransactionReceipt, submitted: ArraySlice<UInt8>, beside: VerifiedSignedTransactions? = nil,
        history: CustomerEvidence, now: Date
    ) {
        let claimed = receipt.evidence.transaction
        let (app, environment) = (receipt.bundleIdentifier ?? "", receipt.environment)
        var evidence = history
        if let beside {
            let originals = claimed.original.map { [$0] } ?? []
            evidence.add(beside.evidence.only(app: app, environment: environment, originals: Set(originals)))
        }
        evidence.transactionReceipts.append(receipt)
        let ledger = PurchaseLedger(evidence, app: app, environment: environment)
        own = ledger.merged(claimed)
        latest = ledger.transactions.filter { $0.original == claimed.original && $0.isSubscriptionPeriod }
            .max { $0.periodStart < $1.periodStart }
        isExpired = latest?.expirationDate.map { $0 <= now } ?? false
        renewal = evidence.renewals.max { $1.isNewer(than: $0) }.map { RenewalFields($0) }
        info = receipt.receipt.info
        self.environment = environment
        self.submitted = submitted
    }

    /// The expected size of the members.
    var capacity: Int { 3 * submitted.count }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.memberIfPresent("environment", environment?.responseName)
        writeInfo("receipt", ofLatest: nil, to: &writer)
        if let latest {
            let isOwn = latest.transactionIdentifier == own.transactionIdentifier
            writeInfo(
                isExpired ? "latest_expired_receipt_info" : "latest_receipt_info", ofLatest: isOwn ? nil : latest,
                to: &writer)
            if !isExpired { writer.member("latest_receipt", base64: submitted) }
        } else if own.hasRevocation {
            writeInfo("latest_receipt_info", ofLatest: nil, to: &writer)
        }
        guard let renewal else { return }
        writer.memberIfPresent("auto_renew_status", number: renewal.autoRenewStatus.map { $0 ? 1 : 0 })
        writer.memberIfPresent("auto_renew_product_id", renewal.autoRenewProductIdentifier)
        writer.memberIfPresent("is_in_billing_retry_period", oneOrZero: renewal.isInBillingRetryPeriod)
        writer.memberIfPresent("expiration_intent", digits: renewal.expirationIntent)
    }

    /// Returns the purchase info with the names of JSON, in its order. If two keys become the same name, the last one
    /// is used.
    private static func mirror(_ info: StringPropertyList) -> AppStoreJSON.Object {
        var object = AppStoreJSON.Object()
        for entry in info.entries {
            object[String(entry.key.map { $0 == "-" ? "_" : $0 })] = .string(entry.value)
        }
        return object
    }

    /// Writes the purchase info with its cancellation, or with the values of another transaction.
    private func writeInfo(_ name: StaticString, ofLatest latest: AppStoreTransaction?, to writer: inout JSONWriter) {
        // The values replace those of the purchase info in their places, so they are needed as values.
        let changes = AppStoreJSON { changes in
            if let latest { Self.write(latest, to: &changes) }
            let revocation = (latest ?? own).revocation
            changes.memberIfPresent("cancellation_date", dateInThreeForms: revocation?.date)
            changes.memberIfPresent("cancellation_reason", digits: revocation?.reason)
        }
        var object = Self.mirror(info)
        for member in changes.object?.members ?? [] { object[member.name] = member.value }
        writer.openObject(name)
        writer.members(object)
        writer.closeObject()
    }

    /// Writes the members that differ between transactions, in the form of such receipts: `expires_date` is in
    /// milliseconds.
    private static func write(_ transaction: AppStoreTransaction, to writer: inout JSONWriter) {
        writer.memberIfPresent("quantity", digits: transaction.quantity.map { Int64($0) })
        writer.memberIfPresent("product_id", transaction.productIdentifier)
        writer.memberIfPresent("transaction_id", transaction.transactionIdentifier)
        writer.memberIfPresent("purchase_date", dateInThreeForms: transaction.purchaseDate)
        if let expiration = transaction.expirationDate.map({ AppStoreDate($0) }) {
            writer.memberIfPresent("expires_date", digits: expiration.milliseconds)
            writer.member("expires_date_formatted", capacity: AppStoreDate.maxCount) { expiration.appendUTC(to: &$0) }
            writer.member("expires_date_formatted_pst", capacity: AppStoreDate.maxCount) {
                expiration.appendPacific(to: &$0)
            }
        }
        writer.memberIfPresent("web_order_line_item_id", digits: transaction.webOrderLineItemIdentifier)
        writer.memberIfPresent("is_trial_period", trueOrFalse: transaction.isTrialPeriod)
        writer.memberIfPresent("is_in_intro_offer_period", trueOrFalse: transaction.isInIntroductoryOfferPeriod)
        writer.memberIfPresent("in_app_ownership_type", transaction.ownership?.rawValue)
        writer.memberIfPresent("subscription_group_identifier", transaction.subscriptionGroupIdentifier)
    }
}
