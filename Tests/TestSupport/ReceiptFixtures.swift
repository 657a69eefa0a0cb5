package import AppReceiptTesting
import AppStoreSignedData
package import Foundation

/// Unsigned receipts, purchases and transactions.
package enum ReceiptFixtures {
    package static func receipt(_ purchases: [TestPurchase], created: String = "2024-07-02T15:04:05Z") -> TestReceipt {
        TestReceipt().with {
            $0.creationDate = instant(created)
            $0.purchases = purchases
        }
    }

    /// The start of the period with this number. Periods last 30 days.
    package static func start(_ number: Int) -> Date {
        VerifiedFixtures.start.addingTimeInterval(Double(number - 1) * 30 * 86_400)
    }

    /// A period of a subscription. The transaction has the period's number.
    package static func period(_ number: Int, of original: Int = 1, canceled: String? = nil) -> TestPurchase {
        TestPurchase(
            subscription: "com.example.plus", transaction: "\(number)", original: "\(original)", from: start(number),
            to: start(number + 1)
        ).with { $0.cancellationDate = canceled.map(instant) }
    }

    /// A signed transaction of the period with this number.
    package static func transaction(
        _ number: Int, of original: Int = 1, signed: String = "2024-12-01T00:00:00Z", revoked: String? = nil
    ) -> TestTransaction {
        TestTransaction(
            "com.example.plus", transaction: "\(number)", original: "\(original)", at: start(number),
            until: start(number + 1)
        ).with {
            $0.signedDate = instant(signed)
            $0.revocationDate = revoked.map(instant)
        }
    }
}
