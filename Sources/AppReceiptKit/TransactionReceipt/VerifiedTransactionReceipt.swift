public import AppReceiptFoundation
public import AppReceiptParsing

/// A transaction receipt whose signature and certificate chain were verified: one purchase.
///
/// It proves that this purchase was made at ``purchaseDate``. It doesn't prove that the purchase wasn't refunded since,
/// that a subscription wasn't renewed, or which device made it. Only ``ReceiptVerifier`` creates one.
public struct VerifiedTransactionReceipt: Sendable, Hashable {
    /// The contents. The purchase info is signed; `TransactionReceipt.claimedEnvironment` isn't.
    public let receipt: TransactionReceipt

    /// The certificates whose keys verified the receipt.
    package let chain: CertificateChain

    init(_ receipt: TransactionReceipt, chain: CertificateChain) {
        self.receipt = receipt
        self.chain = chain
    }

    /// The app.
    public var bundleIdentifier: String? { receipt.bundleIdentifier }

    /// The environment of the purchase, nil if it can't be determined.
    public var environment: AppStoreEnvironment? { receipt.environment }

    /// The original transaction; the transaction itself if the receipt doesn't contain one.
    public var originalTransactionIdentifier: String? { receipt.purchase.original }

    /// The date of the purchase or renewal, at which the certificates were validated.
    ///
    /// The receipt doesn't contain the date it was signed, so as evidence it counts as signed at this date, the latest
    /// that it contains.
    public var purchaseDate: Date { receipt.purchaseDate }
}

extension VerifiedTransactionReceipt {
    /// Derives the customer's entitlements from this receipt alone.
    ///
    /// - Parameter date: The date at which the entitlements apply. Default: the current time, but not before the
    ///   purchase, because an earlier clock is wrong.
    /// - Returns: The entitlements.
    public func entitlements(at date: Date? = nil) -> Entitlements {
        Entitlements(
            PurchaseLedger(environment: environment, receipts: [], transactions: [evidence]),
            at: date)
    }

    /// The purchase as evidence.
    ///
    /// It lists no other period and no refunds, so it proves no expiration and clears no revocation. The date of
    /// signing isn't in it.
    package var evidence: TransactionEvidence {
        TransactionEvidence(AppStoreTransaction(receipt.purchase), from: .transactionReceipt, signed: purchaseDate)
    }
}

extension VerifiedTransactionReceipt: CustomStringConvertible {
    /// The app, without anything about the customer.
    public var description: String { "VerifiedTransactionReceipt(\(bundleIdentifier ?? "no bundle identifier"))" }
}
