import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

/// The members of an entitlement that signed transactions and renewal information state.
@Suite("Members of entitlements")
struct EntitlementMembersTests {
    private func period(_ overrides: [String: AppStoreJSON]) throws -> Evidence {
        try .period("plus", "1", "2024-06-01", "2024-07-01") { $0.overrides = overrides }
    }

    private func renewal(_ product: String?, isOn: Bool = true, signed: String = "2024-06-10") throws -> Evidence {
        try .renewal("plus", signed: signed) {
            $0.autoRenewProductIdentifier = product
            $0.autoRenewStatus = isOn ? .on : .off
        }
    }

    @Test("The product of the next period is named, and only renewal with the same product is renewal")
    func renewsAs() throws {
        for (product, isOn, willRenew, renewsAs) in [
            ("plus", true, true, "plus"), ("basic", true, false, "basic"), ("basic", false, false, nil),
            ("plus", false, false, nil),
        ] as [(String, Bool, Bool, String?)] {
            let plus = try #require(
                try (period([:]) + renewal(product, isOn: isOn)).entitlements(at: "2024-06-15")["plus"])
            #expect(plus.state == .active)
            #expect(plus.willRenew == willRenew)
            #expect(plus.renewsAs == renewsAs)
            let replaces = plus.reason.contains("when \"basic\" replaces it")
            #expect(replaces == (renewsAs == "basic"))
        }
        let alone = try #require(try period([:]).entitlements(at: "2024-06-15")["plus"])
        #expect(alone.willRenew == nil)
        #expect(alone.renewsAs == nil)
    }

    @Test("Nothing that is over renews")
    func over() throws {
        let refunded = try period(["revocationDate": 1_718_000_000_000, "revocationReason": 0])
        let expired = try period([:]) + .renewal("plus", signed: "2024-07-02") { $0.expirationIntent = .canceled }
        for evidence in [try refunded + renewal("plus"), expired] {
            let plus = try #require(evidence.entitlements(at: "2024-07-15")["plus"])
            #expect(plus.willRenew == false)
            #expect(plus.renewsAs == nil)
            #expect(plus.nextStep != nil)
        }
    }

    @Test("A commitment and the items of Advanced Commerce are reported, and a revoked item isn't active")
    func commitmentAndItems() throws {
        let evidence = try period([
            "commitmentInfo": [
                "billingPeriodNumber": 2, "totalBillingPeriods": 12, "commitmentExpiresDate": 1_748_736_000_000,
            ],
            "advancedCommerceInfo": [
                "items": [["SKU": "news"], ["SKU": "sports", "revocationDate": 1_717_500_000_000]]
            ],
        ])
        let plus = try #require(evidence.entitlements(at: "2024-06-15")["plus"])
        #expect(plus.commitment?.period == 2)
        #expect(plus.commitment?.periods == 12)
        #expect(plus.commitment?.until == moment("2025-06-01"))
        #expect(plus.items?.map(\.sku) == ["news", "sports"])
        #expect(plus.items?.map(\.isActive) == [true, false])
        let json = plus.json.object
        #expect(json?["commitment"] == ["period": 2, "periods": 12, "until": "2025-06-01T00:00:00Z"])
        #expect(
            json?["items"] == [["sku": "news", "isActive": true], ["sku": "sports", "isActive": false]])
    }

    @Test("The refunded percentage is the stated one, and 100 for a full refund")
    func refundedPercentage() throws {
        for (overrides, percentage, text) in [
            (["revocationPercentage": 33333, "revocationType": "REFUND_PRORATED"], 33.333, "33.333"),
            (["revocationType": "REFUND_FULL"], 100, "100"), ([:], nil, "null"),
        ] as [([String: AppStoreJSON], Double?, String)] {
            let revoked = try period(overrides.merging(["revocationDate": 1_718_000_000_000]) { own, _ in own })
            let plus = try #require(revoked.entitlements(at: "2024-06-15")["plus"])
            #expect(plus.state == .refunded)
            #expect(plus.refundedPercentage == percentage)
            #expect(String(decoding: plus.json.text(), as: UTF8.self).contains("\"refundedPercentage\":\(text)"))
        }
    }

    @Test(
        "A refund of a part of several items leaves the rounded rest",
        arguments: [
            (3, 33333, 2, Entitlement.State.owned), (3, 66667, 1, .owned), (2, 10000, 2, .owned),
            (2, 90000, 2, .refunded), (1, 50000, 1, .refunded), (4, 100_000, 4, .refunded),
        ] as [(Int64, Int64, Int, Entitlement.State)])
    func partialRefund(_ quantity: Int64, _ percentage: Int64, _ left: Int, _ state: Entitlement.State) throws {
        let evidence = try Evidence.kept("coins", "1", "2024-06-01") {
            $0.productType = .consumable
            $0.quantity = quantity
            $0.revocationDate = moment("2024-06-10")
            $0.overrides = ["revocationPercentage": .number(AppStoreJSON.Number(percentage))]
        }
        let coins = try #require(evidence.entitlements(at: "2024-06-15")["coins"])
        #expect(coins.state == state)
        #expect(coins.quantity == left)
        #expect(coins.refundedPercentage == Double(percentage) / 1000)
    }

    @Test(
        "After a refund of a part of several items, the next step is to take that part back, whatever the kind of product"
    )
    func partialRefundOfKeptItems() throws {
        for type in [SignedProductType.nonConsumable, .consumable, .nonRenewingSubscription] {
            let evidence = try Evidence.kept("pack", "1", "2024-06-01") {
                $0.productType = type
                $0.quantity = 3
                $0.revocationDate = moment("2024-06-10")
                $0.overrides = ["revocationPercentage": 33333]
            }
            let pack = try #require(evidence.entitlements(at: "2024-06-15")["pack"])
            #expect(pack.state == .owned)
            #expect(pack.quantity == 2)
            #expect(pack.nextStep == "Take back what was refunded, and keep the rest.")
        }
    }

    @Test(
        "Only a refund is called a refund",
        arguments: [
            (["revocationReason": 0], true), (["revocationReason": 1], true), ([:], true),
            (["revocationType": "REFUND_FULL"], true), (["revocationReason": 3], false),
            (["revocationType": "NEW_TYPE", "revocationReason": 0], false),
            (["revocationType": "FAMILY_REVOKE", "revocationReason": 0], false),
            (["revocationType": "ASSIGNMENT_REVOKE"], false), (["inAppOwnershipType": "ASSIGNED"], false),
            (["inAppOwnershipType": "FAMILY_SHARED", "revocationReason": 1], false),
        ] as [([String: AppStoreJSON], Bool)])
    func refunds(_ overrides: [String: AppStoreJSON], _ isRefund: Bool) throws {
        let revoked = try period(overrides.merging(["revocationDate": 1_718_000_000_000]) { own, _ in own })
        let plus = try #require(revoked.entitlements(at: "2024-06-15")["plus"])
        #expect(plus.state == (isRefund ? .refunded : .revoked))
        #expect(plus.reason.contains("Apple refunded") == isRefund)
    }

    @Test("A product type that is stated but unknown is never active without an end")
    func unknownType() throws {
        let evidence = try Evidence.kept("pro", "1", "2024-06-01") {
            $0.productType = SignedProductType(rawValue: "Hologram")
        }
        let pro = try #require(evidence.entitlements(at: "2024-06-15")["pro"])
        #expect(pro.kind == .unknown)
        #expect(pro.state == .owned)
        #expect(!pro.isActive)
        #expect(pro.nextStep != nil)
    }

    @Test("Without an explicit date, the date isn't before the newest date that Apple signed")
    func date() throws {
        let evidence = try Evidence.period("plus", "1", "2031-01-01", "2031-02-01", signed: "2031-01-02")
        let entitlements = Entitlements(
            bundleIdentifier: "com.example.app", environment: .sandbox, transactions: evidence.transactions)
        #expect(entitlements.date == moment("2031-01-02"))
        #expect(entitlements.isActive("plus"))
    }

    @Test("A token without the payment mode of an offer doesn't deny the trial that a receipt states")
    func trial() throws {
        let receipt = try Evidence.receipt(
            created: "2024-06-02",
            .period("plus", "1", "2024-06-01", "2024-07-01").with {
                $0.isTrialPeriod = true
                $0.isInIntroductoryOfferPeriod = false
            })
        let token = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-05") {
            $0.overrides = ["offerType": 1]
        }
        for evidence in [receipt + token, token + receipt] {
            let purchase = evidence.entitlements(at: "2024-06-15").transactions.first
            #expect(purchase?.isTrialPeriod == true)
            #expect(purchase?.isInIntroductoryOfferPeriod == false)
        }
    }

    @Test("The milliseconds of a token's dates survive a newer receipt")
    func milliseconds() throws {
        let receipt = try Evidence.receipt(
            created: "2024-06-05", .period("plus", "1", "2024-06-01T00:00:00Z", "2024-07-01T00:00:00Z"))
        let token = try Evidence.period(
            "plus", "1", "2024-06-01T00:00:00.485Z", "2024-07-01T00:00:00.485Z", signed: "2024-06-02")
        let purchase = (receipt + token).entitlements(at: "2024-06-15").transactions.first
        #expect(purchase?.purchaseDate == moment("2024-06-01T00:00:00.485Z"))
        #expect(purchase?.expirationDate == moment("2024-07-01T00:00:00.485Z"))
    }

    @Test("Product identifiers are compared byte by byte")
    func normalization() throws {
        let composed = try Evidence.period("caf\u{E9}", "1", "2024-06-01", "2024-07-01")
        let decomposed = try Evidence.period("cafe\u{301}", "2", "2024-04-01", "2024-05-01", original: "2")
        let entitlements = (composed + decomposed).entitlements(at: "2024-06-15")
        #expect(entitlements.all.count == 2)
        #expect(entitlements.isActive("caf\u{E9}"))
        #expect(!entitlements.isActive("cafe\u{301}"))
    }
}
