import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// The first second of a day.
func day(_ text: String) -> Date { instant("\(text)T00:00:00Z") }

/// The date in text, an instant or the start of a day.
func moment(_ text: String) -> Date { text.utf8.count > 10 ? instant(text) : day(text) }

extension ReceiptTestCase {
    /// A valid receipt with these purchases, created 2024-07-02.
    static func bought(_ purchases: TestPurchase...) -> ReceiptTestCase { with { $0.receipt.purchases = purchases } }

    /// A valid receipt with these purchases and creation date.
    static func created(_ date: String, _ purchases: TestPurchase...) -> ReceiptTestCase {
        with { testCase in
            testCase.receipt.creationDate = moment(date)
            testCase.receipt.purchases = purchases
        }
    }

    /// The receipt as Xcode writes it, with trust in its certificate.
    func likeXcode() throws -> ReceiptTestCase {
        var testCase = self
        testCase.receipt.environment = .xcode
        testCase.isSignedByXcode = true
        testCase.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
        testCase.expectations.environments = [.xcode]
        return testCase
    }

    /// The receipt with its attributes, purchases included, in their order or reversed.
    func inOrder(reversed: Bool) -> ReceiptTestCase {
        var testCase = self
        let members = receipt.attributes.map(\.der)
        let content = DERWriter.set(reversed ? members.reversed() : members, sorted: false)
        testCase.container = { $0.content = content }
        return testCase
    }

    /// The verified receipt's entitlements at a date.
    func entitlements(at date: String = "2024-07-02T15:04:05Z") throws -> Entitlements {
        try verified().entitlements(at: moment(date))
    }

    /// The transactions of the verified receipt.
    func purchases() throws -> [AppStoreTransaction] { try entitlements().transactions }

    /// The only transaction of the verified receipt.
    func purchase(sourceLocation: SourceLocation = #_sourceLocation) throws -> AppStoreTransaction {
        let all = try purchases()
        try #require(all.count == 1, sourceLocation: sourceLocation)
        return all[0]
    }

    /// The only entitlement of the verified receipt at a date.
    func entitlement(
        at date: String = "2024-07-02T15:04:05Z", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Entitlement {
        let all = try entitlements(at: date).all
        try #require(all.count == 1, sourceLocation: sourceLocation)
        return all[0]
    }

    /// The subscriptions of the verified receipt, with their periods.
    func subscriptions() throws -> [Subscription] {
        let verified = try verified()
        return PurchaseLedger(environment: verified.environment, receipts: [verified.evidence]).subscriptions
    }

    /// The only subscription of the verified receipt.
    func subscription(sourceLocation: SourceLocation = #_sourceLocation) throws -> Subscription {
        let all = try subscriptions()
        try #require(all.count == 1, sourceLocation: sourceLocation)
        return all[0]
    }
}

extension TestPurchase {
    /// A period of the subscription whose original transaction is 1, unless another one is given.
    static func period(
        _ product: String, _ transaction: String, _ start: String, _ end: String, original: String = "1"
    ) -> TestPurchase {
        TestPurchase(
            subscription: product, transaction: transaction, original: original, from: moment(start), to: moment(end))
    }

    /// A non-consumable.
    static func kept(_ product: String, _ transaction: String, _ date: String) -> TestPurchase {
        TestPurchase(product, transaction: transaction, at: moment(date))
    }

    /// The purchase without these attributes.
    func without(_ types: Int...) -> TestPurchase {
        with { purchase in for type in types { purchase.overrides[type] = [] } }
    }

    /// The purchase, refunded or upgraded at a date.
    func canceled(at date: Date) -> TestPurchase { with { $0.cancellationDate = date } }

    /// The purchase, refunded or upgraded at a date.
    func canceled(_ date: String) -> TestPurchase { canceled(at: moment(date)) }
}

extension [AppStoreTransaction] {
    /// The identifiers of the transactions.
    var transactions: [String?] { map(\.transactionIdentifier) }
}

extension [Entitlement] {
    /// The identifiers of the products.
    var products: [String] { map(\.productIdentifier) }
}

extension Entitlements {
    /// The state of a product.
    func state(_ product: String) -> Entitlement.State? { self[product]?.state }
}
