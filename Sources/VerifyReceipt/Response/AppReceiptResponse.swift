package import AppReceiptFoundation
package import AppReceiptKit
package import AppReceiptSupport
package import AppStoreSignedData

/// The response for a verified app receipt, after its status.
struct AppReceiptResponse {
    private let submitted: VerifiedReceipt
    /// The receipt as it was submitted.
    private let text: ArraySlice<UInt8>
    private let history: CustomerEvidence
    private let excludesOldTransactions: Bool
    private let renewalInfo: VerifyReceiptResponder.RenewalInfo
    private let now: Date
    /// The transactions in the receipt, then those of the tokens beside it.
    private let claimed: [AppStoreTransaction]
    private let ledger: PurchaseLedger

    /// - Parameters:
    ///   - submitted: The receipt.
    ///   - text: The receipt as it was submitted, in any form.
    ///   - beside: The tokens that were submitted beside the receipt; nil for none.
    ///   - history: The known evidence for its original transactions, without others.
    ///   - renewalInfo: The subscriptions with an element of `pending_renewal_info`.
    ///   - now: `request_date`.
    init(
        _ submitted: VerifiedReceipt, text: ArraySlice<UInt8>, beside: VerifiedSignedTransactions? = nil,
        history: CustomerEvidence, excludesOldTransactions: Bool, renewalInfo: VerifyReceiptResponder.RenewalInfo,
        now: Date
    ) {
        var history = history
        if let beside { history.add(beside.evidence) }
        self.submitted = submitted
        self.text = text
        self.history = history
        self.excludesOldTransactions = excludesOldTransactions
        self.renewalInfo = renewalInfo
        self.now = now
        let evidence = submitted.evidence
        claimed = evidence.transactions + (beside?.claimed(besides: evidence.transactions) ?? [])
        // `originals` only filters receipts: skip it if there are none.
        ledger = PurchaseLedger(
            history, app: submitted.bundleIdentifier ?? "", environment: submitted.environment,
            ownEvidence: [evidence],
            originals: history.receipts.isEmpty ? nil : submitted.originals.union(beside?.evidence.originals ?? []))
    }

    /// The expected size of the members.
    ///
    /// A transaction takes about a kilobyte. Most are written twice.
    var capacity: Int {
        1024 + 1024 * (claimed.count + ledger.transactions.count) + Base64.encodedCount(submitted.container.count)
    }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.memberIfPresent("environment", submitted.environment?.responseName)
        // For each transaction, its position in the ledger.
        let positions = ledger.positions(of: claimed)
        writer.openObject("receipt")
        let elements = writeReceipt(at: positions, to: &writer)
        writer.closeObject()

        guard !claimed.isEmpty else { return }
        let (latest, written) = latest(positions, writtenAs: elements)
        let newest = newest
        // The text is on one line if it has the length of the encoding: it was decoded strictly.
        let isText = newest == nil && text.count == Base64.encodedCount(submitted.container.count)
        // The submitted receipt is returned as it was sent. Another customer may have modified the unsigned parts of
        // the other one.
        LatestReceiptInfo(
            transactions: latest, written: written, renewals: history.newestRenewals.map { RenewalFields($0) },
            latestReceipt: isText ? .text(text) : .binary(newest?.strippedContainer()[...] ?? submitted.container),
            excludesOldTransactions: excludesOldTransactions, renewalInfo: renewalInfo
        ).write(to: &writer)
    }

    /// Returns the transactions, each once: those of the receipt in its order, then others of its original
    /// transactions.
    ///
    /// - Parameters:
    ///   - positions: For each transaction of the receipt, its position in the ledger.
    ///   - elements: For each transaction of the receipt, its element of `in_app`.
    /// - Returns: The transactions, and for each one in the receipt the element that is equal to it, if there is one.
    private func latest(
        _ positions: [Int?], writtenAs elements: [Range<Int>]
    ) -> (transactions: [TransactionFields], written: [Range<Int>?]) {
        var transactions: [TransactionFields] = []
        var written: [Range<Int>?] = []
        // A receipt may list a transaction several times.
        var isListed = [Bool](repeating: false, count: ledger.transactions.count)
        for (index, position) in positions.enumerated() {
            var merged = claimed[index]
            if let position {
                guard !isListed[position] else { continue }
                isListed[position] = true
                merged = ledger.transactions[position]
            }
            let fields = TransactionFields(merged)
            let isEqual = fields == TransactionFields(claimed[index], canceledLike: merged)
            transactions.append(fields)
            written.append(isEqual ? elements[index] : nil)
        }
        for (index, transaction) in ledger.transactions.enumerated()
        where !isListed[index] && transaction.transactionIdentifier != nil {
            transactions.append(TransactionFields(transaction))
        }
        return (transactions, written)
    }

    /// The newest other receipt, if it was created later than the submitted one.
    ///
    /// A receipt with a purchase that the submitted one doesn't contain is never returned: it would disclose that
    /// purchase to anyone with the older receipt.
    private var newest: VerifiedReceipt? {
        let later = history.receipts.filter { $0.creationDate > submitted.creationDate }
        guard !later.isEmpty else { return nil }
        let originals = submitted.originals
        return later.filter { $0.containsNothing(but: originals) }.max { $0.creationDate < $1.creationDate }
    }

    /// Writes the members of `receipt`, and returns the elements of `in_app`.
    @discardableResult
    private func writeReceipt(at positions: [Int?], to writer: inout JSONWriter) -> [Range<Int>] {
        writeContents(to: &writer)
        var elements: [Range<Int>] = []
        elements.reserveCapacity(claimed.count)
        writer.openArray("in_app")
        for (claimed, position) in zip(claimed, positions) {
            let fields = TransactionFields(
                claimed, canceledLike: position.map { ledger.transactions[$0] } ?? claimed)
            elements.append(writer.element { fields.write(to: &$0) })
        }
        writer.closeArray()
        return elements
    }

    /// The value of `receipt`.
    var receipt: AppStoreJSON.Object {
        AppStoreJSON { writeReceipt(at: ledger.positions(of: claimed), to: &$0) }.object ?? [:]
    }

    /// Writes the members of `receipt` up to its transactions: numbers as 64-bit integers.
    private func writeContents(to writer: inout JSONWriter) {
        let contents = submitted.receipt
        writer.memberIfPresent("receipt_type", contents.environment?.rawValue)
        writer.memberIfPresent("adam_id", number: contents.appStoreIdentifier)
        writer.memberIfPresent("app_item_id", number: contents.appStoreIdentifier)
        writer.memberIfPresent("bundle_id", contents.bundleIdentifier)
        writer.memberIfPresent("application_version", contents.appVersion)
        writer.memberIfPresent("download_id", number: contents.downloadIdentifier)
        writer.memberIfPresent("version_external_identifier", number: contents.versionExternalIdentifier)
        writer.memberIfPresent("receipt_creation_date", dateInThreeForms: contents.creationDate)
        writer.memberIfPresent("request_date", dateInThreeForms: now)
        writer.memberIfPresent("original_purchase_date", dateInThreeForms: contents.originalPurchaseDate)
        writer.memberIfPresent("original_application_version", contents.originalAppVersion)
        writer.memberIfPresent("preorder_date", dateInThreeForms: contents.preorderDate)
        writer.memberIfPresent("expiration_date", dateInThreeForms: contents.expirationDate)
    }
}

extension VerifiedReceipt {
    /// Returns the member `receipt` of a response: the contents of the receipt, and the refunds in a history.
    ///
    /// - Parameters:
    ///   - history: The known evidence for its original transactions, without others.
    ///   - now: `request_date`.
    package func receiptMember(history: CustomerEvidence, now: Date) -> AppStoreJSON.Object {
        AppReceiptResponse(
            self, text: [], history: history, excludesOldTransactions: false, renewalInfo: .known, now: now
        ).receipt
    }
}
