import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// Adds a customer with purchases of every type to both environments, with dates around the present.
    ///
    /// The transactions have the identifiers 2000000000000001 to 2000000000000006: a subscription with two periods, the
    /// last one active; a consumable; a refunded non-consumable; a non-consumable; and a non-renewing subscription.
    public func addSample() {
        let day: TimeInterval = 86_400
        let date = Date(timeIntervalSince1970: now().wholeSeconds)
        for environment in Environment.allCases {
            let (pro, plus) = ("\(bundleIdentifier).pro", "\(bundleIdentifier).plus")
            let first = TestTransaction(
                plus, transaction: "2000000000000001", at: date - 40 * day, until: date - 10 * day
            ).with { $0.overrides = ["webOrderLineItemId": "2000000000000011"] }
            let renewed = TestTransaction(
                plus, transaction: "2000000000000002", original: "2000000000000001", at: date - 10 * day,
                until: date + 20 * day
            ).with {
                $0.originalPurchaseDate = first.purchaseDate
                $0.overrides = ["transactionReason": "RENEWAL", "webOrderLineItemId": "2000000000000012"]
            }
            let coins = TestTransaction(
                "\(bundleIdentifier).coins", transaction: "2000000000000003", at: date - 9 * day
            )
            .with { $0.productType = .consumable }
            let refunded = TestTransaction(
                "\(bundleIdentifier).tools", transaction: "2000000000000004", at: date - 8 * day
            )
            .with {
                $0.revocationDate = date - 7 * day
                $0.overrides = ["revocationReason": 0]
            }
            let owned = TestTransaction(pro, transaction: "2000000000000005", at: date - 6 * day)
            let pass = TestTransaction("\(bundleIdentifier).pass", transaction: "2000000000000006", at: date - 5 * day)
                .with { $0.productType = .nonRenewingSubscription }
            let transactions = [first, renewed, coins, refunded, owned, pass].map { transaction in
                transaction.with {
                    $0.bundleIdentifier = bundleIdentifier
                    $0.environment = environment.claim
                }
            }
            let renewal = TestRenewalInfo(plus, original: "2000000000000001").with {
                $0.renewalDate = renewed.expirationDate
                $0.environment = environment.claim
                $0.overrides = ["recentSubscriptionStartDate": .milliseconds(first.purchaseDate.milliseconds)]
            }
            let appTransaction = TestAppTransaction().with {
                $0.bundleIdentifier = bundleIdentifier
                $0.environment = environment.claim
            }
            add(purchases: transactions + [renewal, appTransaction])
            addSampleNotification(about: renewed, renewalInfo: renewal, in: environment)
        }
        addOrder("MTEST00001", transactions: ["2000000000000005"], app: bundleIdentifier)
    }

    private func addSampleNotification(
        about transaction: TestTransaction, renewalInfo renewal: TestRenewalInfo,
        in environment: Environment
    ) {
        let date = transaction.purchaseDate
        let signed = transaction.with {
            $0.bundleIdentifier = bundleIdentifier
            $0.environment = environment.claim
            $0.signedDate = date
        }
        addNotification(
            TestNotification(type: .didRenew).with {
                $0.bundleIdentifier = bundleIdentifier
                $0.environment = environment.claim
                if environment == .sandbox { $0.notificationUUID = "00000000-0000-4000-8000-000000000002" }
                $0.appAppleIdentifier = environment == .production ? appAppleIdentifier : nil
                $0.signedDate = date
                $0.status = .active
                $0.signedTransactionInfo = try? signed.signed(by: pki)
                $0.signedRenewalInfo = try? renewal.with { $0.signedDate = date }.signed(by: pki)
            })
    }
}
