package import AppReceiptKit
import AppReceiptSupport
package import AppReceiptTesting
package import AppStoreSignedData
package import Foundation
import TestSupport

/// Evidence about one customer, and the entitlements that every component must derive from it.
package struct Scenario: Sendable, CustomStringConvertible {
    /// The expected behavior, as a sentence.
    package let name: String
    /// The evidence; its order has no effect.
    package let evidence: [Evidence]
    /// The date at which the entitlements are evaluated.
    package var date = day("07-15")
    /// The expected entitlements by product, or by transaction for consumables and non-renewing subscriptions.
    package let products: [String: Expected]
    /// The cancellation date of each transaction in verifyReceipt's answer to the first receipt, if the evidence
    /// contains a receipt.
    package var cancellations: [String: Date] = [:]

    /// The expected values of an entitlement.
    package struct Expected: Equatable, Sendable {
        package let state: Entitlement.State
        package var until: Date?
    }

    /// A signed source.
    package enum Evidence: Sendable {
        case receipt(TestReceipt)
        case transaction(TestTransaction)
        case renewal(TestRenewalInfo)
        case notification(TestNotification, TestTransaction, TestRenewalInfo?)
    }

    package var description: String { name }

    /// Every scenario.
    package static let all = oneTimePurchases + subscriptions + rules

    package init(
        _ name: String, _ evidence: [Evidence], at date: Date = day("07-15"), _ products: [String: Expected],
        cancellations: [String: Date] = [:]
    ) {
        self.name = name
        self.evidence = evidence
        self.date = date
        self.products = products
        self.cancellations = cancellations
    }
}

/// Returns the start of a day of 2024: `day("07-15")`.
package func day(_ text: String) -> Date { instant("2024-\(text)T00:00:00Z") }

extension Scenario.Expected {
    package static func state(_ state: Entitlement.State, until: Date? = nil) -> Self {
        Self(state: state, until: until)
    }
    package static let owned = Self(state: .owned)
    package static func active(_ until: Date) -> Self { Self(state: .active, until: until) }
    package static func refunded(_ date: Date) -> Self { Self(state: .refunded, until: date) }
}

extension Scenario.Evidence {
    package static let app = "com.example.app"

    /// A receipt of the sandbox, created at a date.
    package static func receipt(_ created: Date, _ purchases: TestPurchase...) -> Self {
        .receipt(
            TestReceipt().with {
                $0.creationDate = created
                $0.purchases = purchases
            })
    }

    /// A signed transaction of the sandbox.
    package static func transaction(
        signed: Date, _ identifier: String, _ product: String = "pro", of original: String? = nil, from start: Date,
        until end: Date? = nil, revoked: Date? = nil, type: SignedProductType? = nil,
        _ overrides: [String: AppStoreJSON] = [:]
    ) -> Self {
        .transaction(
            .of(
                signed: signed, identifier, product, of: original, from: start, until: end, revoked: revoked,
                type: type, overrides))
    }

    /// Renewal information of the sandbox.
    package static func renewal(
        signed: Date, _ product: String = "plus", of original: String, grace: Date? = nil, retries: Bool? = nil,
        intent: ExpirationIntent? = nil, status: AutoRenewStatus = .on
    ) -> Self {
        .renewal(
            TestRenewalInfo(product, original: original).with {
                $0.signedDate = signed
                $0.gracePeriodExpirationDate = grace
                $0.isInBillingRetryPeriod = retries
                $0.expirationIntent = intent
                $0.autoRenewStatus = status
            })
    }

    /// A notification about a transaction.
    package static func refund(_ transaction: TestTransaction, signed: Date, uuid: String = "1") -> Self {
        .notification(
            TestNotification(type: .refund).with {
                $0.notificationUUID = "00000000-0000-4000-8000-00000000000\(uuid)"
                $0.signedDate = signed
            }, transaction, nil)
    }
}

extension TestTransaction {
    static func of(
        signed: Date, _ identifier: String, _ product: String = "pro", of original: String? = nil, from start: Date,
        until end: Date? = nil, revoked: Date? = nil, type: SignedProductType? = nil,
        _ overrides: [String: AppStoreJSON] = [:]
    ) -> TestTransaction {
        TestTransaction(product, transaction: identifier, original: original, at: start, until: end).with {
            $0.signedDate = signed
            $0.revocationDate = revoked
            if let type { $0.productType = type }
            $0.overrides = overrides
        }
    }
}

extension TestPurchase {
    func canceled(_ date: Date) -> TestPurchase { with { $0.cancellationDate = date } }
    func copy(of original: String) -> TestPurchase { with { $0.originalTransactionIdentifier = original } }
}
