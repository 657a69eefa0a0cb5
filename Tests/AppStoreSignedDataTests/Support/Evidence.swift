import AppReceiptTesting
import AppStoreSignedData
import Foundation

/// The date of an RFC 3339 text, or the beginning of a day.
func moment(_ text: String) -> Date { instant(text.utf8.count > 10 ? text : "\(text)T00:00:00Z") }

/// Verified evidence of one customer of `com.example.app`.
struct Evidence: Sendable {
    var receipts: [VerifiedReceipt] = []
    var transactions: [VerifiedTransaction] = []
    var renewals: [VerifiedRenewalInfo] = []

    /// A period of a subscription, in a token signed when it began unless a date is given.
    static func period(
        _ product: String, _ transaction: String, _ start: String, _ end: String, original: String = "1",
        signed: String? = nil, _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> Evidence {
        let made = TestTransaction(
            product, transaction: transaction, original: original, at: moment(start), until: moment(end))
        return try token(made, signed: signed ?? start, change)
    }

    /// A non-consumable, in a token signed when it was bought unless a date is given.
    static func kept(
        _ product: String, _ transaction: String, _ date: String, original: String? = nil, signed: String? = nil,
        _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> Evidence {
        let made = TestTransaction(product, transaction: transaction, original: original, at: moment(date))
        return try token(made, signed: signed ?? date, change)
    }

    /// A signed transaction.
    static func token(
        _ transaction: TestTransaction, signed: String, _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> Evidence {
        let made = transaction.with { transaction in
            transaction.signedDate = moment(signed)
            change(&transaction)
        }
        return Evidence(transactions: [try verified(made)])
    }

    /// Renewal information.
    static func renewal(
        _ product: String, original: String = "1", signed: String, _ change: (inout TestRenewalInfo) -> Void = { _ in }
    ) throws -> Evidence {
        let made = TestRenewalInfo(product, original: original).with { renewal in
            renewal.signedDate = moment(signed)
            change(&renewal)
        }
        return Evidence(renewals: [try verified(made)])
    }

    /// A receipt.
    static func receipt(created: String, _ purchases: TestPurchase...) throws -> Evidence {
        let made = TestReceipt().with { receipt in
            receipt.creationDate = moment(created)
            receipt.purchases = purchases
        }
        return Evidence(receipts: [try verified(made)])
    }

    static func verified(_ transaction: TestTransaction) throws -> VerifiedTransaction {
        try verifier.verifyTransaction(transaction.signed(), expecting: everywhere, now: now)
    }

    static func verified(_ renewal: TestRenewalInfo) throws -> VerifiedRenewalInfo {
        try verifier.verifyRenewalInfo(renewal.signed(), expecting: everywhere, now: now)
    }

    static func verified(_ receipt: TestReceipt) throws -> VerifiedReceipt {
        try receiptVerifier.verify(
            receipt.signed(),
            expecting: Expectations(
                bundleIdentifier: [receipt.bundleIdentifier], environments: .anyEnvironment), now: now)
    }

    private static let receiptVerifier = ReceiptVerifier(anchors: (try? TestPKI.standard.anchors) ?? .apple)

    private static let everywhere = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)

    static func + (left: Evidence, right: Evidence) -> Evidence {
        Evidence(
            receipts: left.receipts + right.receipts, transactions: left.transactions + right.transactions,
            renewals: left.renewals + right.renewals)
    }

    /// The evidence in the opposite order.
    var reversed: Evidence {
        Evidence(receipts: receipts.reversed(), transactions: transactions.reversed(), renewals: renewals.reversed())
    }

    /// The entitlements at a date.
    func entitlements(
        at date: String, in environment: AppStoreEnvironment = .sandbox, of app: String = "com.example.app"
    ) -> Entitlements {
        Entitlements(
            bundleIdentifier: app, environment: environment, receipts: receipts, transactions: transactions,
            renewals: renewals, at: moment(date))
    }

    /// The state of a product at a date.
    func state(_ product: String, at date: String) -> Entitlement.State? { entitlements(at: date)[product]?.state }

    /// The evidence of all parts.
    static func all(_ parts: Evidence...) -> Evidence { parts.reduce(Evidence(), +) }
}

extension TestPurchase {
    /// A period of a subscription.
    static func period(
        _ product: String, _ transaction: String, _ start: String, _ end: String, original: String = "1"
    ) -> TestPurchase {
        TestPurchase(
            subscription: product, transaction: transaction, original: original, from: moment(start), to: moment(end))
    }

    /// A non-consumable.
    static func kept(_ product: String, _ transaction: String, _ date: String, original: String? = nil) -> TestPurchase
    {
        TestPurchase(product, transaction: transaction, at: moment(date)).with {
            $0.originalTransactionIdentifier = original
        }
    }

    /// The purchase, refunded or upgraded at a date.
    func canceled(_ date: String) -> TestPurchase { with { $0.cancellationDate = moment(date) } }
}
