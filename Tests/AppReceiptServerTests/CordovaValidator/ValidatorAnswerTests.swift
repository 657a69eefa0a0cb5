#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@testable import AppReceiptServer

/// The rules of the collection, at a date that the tests name.
@Suite("ValidatorAnswer")
struct ValidatorAnswerTests {
    private static let original = "100"
    private static let monthly = "com.example.monthly"
    private static let start = instant("2024-06-01T00:00:00Z")
    private static let end = instant("2024-07-01T00:00:00Z")

    /// A period of June 2024.
    private static func period(
        _ change: (inout TestTransaction) -> Void = { _ in }
    ) throws -> VerifiedTransaction {
        var period = TestTransaction(monthly, transaction: "101", original: original, at: start, until: end)
        period.originalPurchaseDate = instant("2024-05-01T00:00:00Z")
        period.signedDate = instant("2024-06-01T00:00:01Z")
        change(&period)
        return try period.verified()
    }

    /// Renewal information that was signed a day after the period's end.
    private static func renewal(
        _ change: (inout TestRenewalInfo) -> Void = { _ in }
    ) throws -> CustomerEvidence {
        var renewal = TestRenewalInfo(monthly, original: original)
        renewal.signedDate = instant("2024-07-02T00:00:00Z")
        change(&renewal)
        return CustomerEvidence(renewals: [try renewal.verified()])
    }

    @available(AppReceiptServer 1.0, *)
    private static func answer(
        _ transaction: VerifiedTransaction, beside known: CustomerEvidence = CustomerEvidence(),
        at now: String = "2024-07-03T00:00:00Z"
    ) throws -> PluginAnswer {
        let answer = ValidatorAnswer(
            about: .transaction(transaction), beside: known, isPartial: false, now: instant(now))
        return try PluginAnswer(answer.json(about: nil), at: instant(now))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A running period is owned until its end")
    func active() throws {
        let known = try Self.renewal { $0.signedDate = instant("2024-06-02T00:00:00Z") }
        let answer = try Self.answer(Self.period(), beside: known, at: "2024-06-15T00:00:00Z")
        #expect(answer.owns(Self.monthly))
        #expect(!answer.owns("com.example.other"))
        #expect(
            answer.data["collection"] == [
                [
                    "id": "com.example.monthly", "transactionId": "101", "purchaseId": "100",
                    "platform": "ios-appstore", "purchaseDate": 1_714_521_600_000, "isExpired": false,
                    "lastRenewalDate": 1_717_200_000_000, "expiryDate": 1_719_792_000_000, "renewalIntent": "Renew",
                    "isBillingRetryPeriod": false, "isTrialPeriod": false, "isIntroPeriod": false, "quantity": 1,
                    "cancelationReason": "",
                ]
            ])
        #expect(answer.data["date"] == "2024-06-15T00:00:00.000Z")
        #expect(answer.data["latest_receipt"] == true)
        #expect(answer.data["ineligible_for_intro_price"] == [])
        #expect(answer.data["warning"] == nil)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A single transaction is kept under its original, so that it doesn't erase other products of the app")
    func identifier() throws {
        let answer = try Self.answer(Self.period())
        #expect(answer.data["id"] == "100")
        #expect(answer.data["transaction"] == ["type": "apple-sk2"])
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A refund is expired, with its reason",
        arguments: [(nil, "Unknown"), (0, "Customer.OtherReason"), (1, "Customer.TechnicalIssues")]
            as [(Int64?, String)])
    func refund(reason: Int64?, cancelation: String) throws {
        for kind in [SignedProductType.nonConsumable, .autoRenewableSubscription] {
            let refunded = try Self.period {
                $0.productType = kind
                $0.expirationDate = kind == .nonConsumable ? nil : instant("2024-08-01T00:00:00Z")
                $0.revocationDate = instant("2024-06-10T00:00:00Z")
                $0.signedDate = instant("2024-06-10T00:00:01Z")
                if let reason { $0.overrides["revocationReason"] = .number(AppStoreJSON.Number(reason)) }
            }
            let answer = try Self.answer(refunded)
            let element = try #require(answer.element(Self.monthly))
            #expect(!answer.owns(Self.monthly), "\(kind)")
            #expect(element["isExpired"] == true)
            #expect(element["cancelationReason"]?.string == cancelation)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The end of Family Sharing is expired too")
    func familySharing() throws {
        let revoked = try Self.period {
            $0.ownership = .familyShared
            $0.revocationDate = instant("2024-06-10T00:00:00Z")
            $0.signedDate = instant("2024-06-10T00:00:01Z")
        }
        let answer = try Self.answer(revoked, at: "2024-06-15T00:00:00Z")
        #expect(!answer.owns(Self.monthly))
        #expect(answer.element(Self.monthly)?["cancelationReason"] == "System")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A grace period is owned until its end")
    func grace() throws {
        let known = try Self.renewal {
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpirationDate = instant("2024-07-17T00:00:00Z")
        }
        let answer = try Self.answer(Self.period(), beside: known)
        #expect(answer.owns(Self.monthly))
        let element = try #require(answer.element(Self.monthly))
        #expect(element["expiryDate"]?.number?.int64 == 1_721_174_400_000)
        #expect(element["isBillingRetryPeriod"] == true)
        #expect(!(try Self.answer(Self.period(), beside: known, at: "2024-07-18T00:00:00Z")).owns(Self.monthly))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A grace period without an end is owned for at most 28 days")
    func graceWithoutEnd() throws {
        let period = try Self.period()
        let notification = TestNotification(type: .didFailToRenew, subtype: .gracePeriod).with {
            $0.status = .billingGracePeriod
            $0.signedTransactionInfo = period.token
            $0.signedDate = instant("2024-07-02T00:00:00Z")
        }
        let known = CustomerEvidence(notifications: [try notification.verified()])
        let answer = try Self.answer(period, beside: known)
        #expect(answer.owns(Self.monthly))
        #expect(answer.element(Self.monthly)?["expiryDate"]?.number?.int64 == 1_722_211_200_000)
        #expect(!(try Self.answer(period, beside: known, at: "2024-07-29T00:00:00Z")).owns(Self.monthly))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Billing retry without grace is expired")
    func billingRetry() throws {
        let known = try Self.renewal { $0.isInBillingRetryPeriod = true }
        let answer = try Self.answer(Self.period(), beside: known)
        #expect(!answer.owns(Self.monthly))
        let element = try #require(answer.element(Self.monthly))
        #expect(element["isExpired"] == true)
        #expect(element["isBillingRetryPeriod"] == true)
        #expect(element["cancelationReason"] == "")
        #expect(element["expiryDate"]?.number?.int64 == 1_719_792_000_000)
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An ended subscription is expired, with Apple's reason in the plugin's words",
        arguments: [
            (1, "Customer"), (2, "System.BillingError"), (3, "Customer.PriceIncrease"),
            (4, "System.ProductUnavailable"), (5, "Unknown"), (99, "Unknown"),
        ] as [(Int64, String)])
    func expired(intent: Int64, reason: String) throws {
        let known = try Self.renewal {
            $0.expirationIntent = ExpirationIntent(rawValue: intent)
            $0.autoRenewStatus = .off
        }
        let answer = try Self.answer(Self.period(), beside: known)
        #expect(!answer.owns(Self.monthly))
        #expect(answer.element(Self.monthly)?["cancelationReason"]?.string == reason)
        #expect(answer.element(Self.monthly)?["renewalIntent"] == "Lapse")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A period whose renewal isn't known is expired, and nothing is claimed about the reason")
    func renewalUnknown() throws {
        let answer = try Self.answer(Self.period())
        #expect(!answer.owns(Self.monthly))
        let element = try #require(answer.element(Self.monthly))
        #expect(element["isExpired"] == true)
        #expect(element["cancelationReason"] == nil)
        #expect(element["renewalIntent"] == nil)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After an upgrade, both products are listed, and the newer one is owned")
    func upgrade() throws {
        let yearly = try TestTransaction(
            "com.example.yearly", transaction: "102", original: Self.original, at: instant("2024-06-10T00:00:00Z"),
            until: instant("2025-06-10T00:00:00Z")
        ).with { $0.signedDate = instant("2024-06-10T00:00:01Z") }.verified()
        let known = CustomerEvidence(transactions: [try Self.period()])
        let answer = try Self.answer(yearly, beside: known, at: "2024-06-15T00:00:00Z")
        #expect(answer.elements.map { $0["id"]?.string } == ["com.example.monthly", "com.example.yearly"])
        #expect(answer.owns("com.example.yearly"))
        #expect(!answer.owns(Self.monthly))
        #expect(answer.element(Self.monthly)?["cancelationReason"] == "System.Replaced")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A consumable and a non-renewing subscription are listed once, and never owned: the app decides")
    func consumables() throws {
        for kind in [SignedProductType.consumable, .nonRenewingSubscription] {
            let earlier = try TestTransaction("com.example.coins", transaction: "1", at: Self.start).with {
                $0.productType = kind
            }.verified()
            let later = try TestTransaction("com.example.coins", transaction: "2", at: Self.end).with {
                $0.productType = kind
                $0.quantity = 3
            }.verified()
            let receipt = try TestReceipt(purchases: [
                TestPurchase(
                    "com.example.coins", transaction: "1", at: Self.start,
                    type: kind == .consumable ? .consumable : .nonRenewingSubscription)
            ]).verified()
            for submission in [ValidatorSubmission.transaction(later), .receipt(receipt)] {
                let now = instant("2024-07-03T00:00:00Z")
                let known = CustomerEvidence(transactions: [earlier])
                let document = try ValidatorAnswer(about: submission, beside: known, isPartial: false, now: now)
                    .json(about: nil)
                let answer = try PluginAnswer(document, at: now)
                #expect(answer.elements.count == 1)
                #expect(!answer.owns("com.example.coins"))
                #expect(answer.element("com.example.coins")?["cancelationReason"] == "")
            }
            #expect(try Self.answer(later).element("com.example.coins")?["quantity"] == 3)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A trial, an offer and the consent to a price are told")
    func offers() throws {
        let trial = try Self.period {
            $0.overrides = ["offerType": 1, "offerDiscountType": "FREE_TRIAL"]
        }
        let known = try Self.renewal {
            $0.signedDate = instant("2024-06-02T00:00:00Z")
            $0.overrides = ["priceIncreaseStatus": 0]
        }
        var answer = try Self.answer(trial, beside: known, at: "2024-06-15T00:00:00Z")
        #expect(answer.element(Self.monthly)?["isTrialPeriod"] == true)
        #expect(answer.element(Self.monthly)?["isIntroPeriod"] == false)
        #expect(answer.element(Self.monthly)?["priceConsentStatus"] == "Notified")
        #expect(answer.data["ineligible_for_intro_price"] == ["com.example.monthly"])
        let promotional = try Self.period {
            $0.overrides = ["offerType": 2, "offerIdentifier": "loyalty", "offerDiscountType": "PAY_UP_FRONT"]
        }
        answer = try Self.answer(promotional, at: "2024-06-15T00:00:00Z")
        #expect(answer.element(Self.monthly)?["discountId"] == "loyalty")
        #expect(answer.data["ineligible_for_intro_price"] == [])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receipt is kept under the bundle identifier, with verifyReceipt's receipt as the transaction")
    func receipt() throws {
        let receipt = try TestReceipt(purchases: [
            TestPurchase("com.example.pro", transaction: "1"),
            TestPurchase(subscription: Self.monthly, transaction: "2", from: Self.start, to: Self.end, isTrial: true),
        ]).verified()
        let refund = try TestTransaction("com.example.pro", transaction: "1").with {
            $0.revocationDate = instant("2024-07-02T20:00:00Z")
            $0.signedDate = instant("2024-07-02T21:00:00Z")
        }.verified()
        let now = instant("2024-07-03T00:00:00Z")
        for (known, owns) in [(CustomerEvidence(), true), (CustomerEvidence(transactions: [refund]), false)] {
            let document = try ValidatorAnswer(about: .receipt(receipt), beside: known, isPartial: true, now: now)
                .json(about: nil)
            let answer = try PluginAnswer(document, at: now)
            #expect(answer.data["id"] == "com.example.app")
            let transaction = try #require(answer.data["transaction"]?.object)
            #expect(transaction["type"] == "ios-appstore")
            #expect(transaction["bundle_id"] == "com.example.app")
            #expect(transaction["original_application_version"] == "1.0")
            #expect(transaction["original_purchase_date_ms"] == "1375340400000")
            let purchases = transaction["in_app"]?.array ?? []
            #expect(purchases.count == 2)
            let isCanceled = purchases.contains { $0["cancellation_date_ms"] != nil }
            #expect(isCanceled == !owns)
            #expect(answer.elements.map { $0["id"]?.string } == ["com.example.monthly", "com.example.pro"])
            #expect(answer.owns("com.example.pro") == owns)
            #expect(answer.element("com.example.pro")?["expiryDate"] == nil)
            #expect(!answer.owns(Self.monthly))
            #expect(answer.data["ineligible_for_intro_price"] == ["com.example.monthly"])
            #expect(answer.data["warning"]?.string?.contains("App Store") == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A transaction's answer dates the app if a stored receipt of the same purchase does")
    func datedApp() throws {
        let receipt = try TestReceipt(purchases: [TestPurchase("com.example.pro", transaction: "1")]).verified()
        let other = try TestReceipt(purchases: [TestPurchase("com.example.pro", transaction: "2")]).with {
            $0.originalAppVersion = "9"
            $0.creationDate = instant("2024-08-02T00:00:00Z")
        }.verified()
        let token = try TestTransaction("com.example.pro", transaction: "1").verified()
        let answer = try Self.answer(token, beside: CustomerEvidence(receipts: [receipt, other]))
        #expect(
            answer.data["transaction"] == [
                "type": "apple-sk2", "original_application_version": "1.0",
                "original_purchase_date_ms": "1375340400000",
            ])
    }

    @available(AppReceiptServer 1.0, *)
    @Test("About a product, an answer dates it in the transaction, where versions 8 to 12 read it")
    func product() throws {
        let now = instant("2024-06-15T00:00:00Z")
        let answer = ValidatorAnswer(
            about: .transaction(try Self.period()), beside: CustomerEvidence(), isPartial: false, now: now)
        let document = try PluginAnswer(answer.json(about: Self.monthly), at: now)
        #expect(document.data["transaction"]?["expiryDate"]?.number?.int64 == 1_719_792_000_000)
        #expect(document.data["transaction"]?["lastRenewalDate"]?.number?.int64 == 1_717_200_000_000)
        let failure = #expect(throws: ValidatorFailure.self) {
            try answer.json(about: "com.example.other")
        }
        #expect(failure?.code == .needMoreData)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A product that is over is a failure of a request about it, and an element of the collection otherwise")
    func productOver() throws {
        let answer = ValidatorAnswer(
            about: .transaction(try Self.period()), beside: CustomerEvidence(), isPartial: false,
            now: instant("2024-07-03T00:00:00Z"))
        let failure = #expect(throws: ValidatorFailure.self) {
            try answer.json(about: Self.monthly)
        }
        #expect(failure?.code == .purchaseExpired)
        let document = try answer.json(about: nil)
        #expect(document["ok"] == true)
        #expect(document["data"]?["collection"]?[0]?["isExpired"] == true)
    }
}
#endif
