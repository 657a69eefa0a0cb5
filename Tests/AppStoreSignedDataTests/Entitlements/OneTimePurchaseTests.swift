import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("OneTimePurchase")
struct OneTimePurchaseTests {
    @Test("A non-consumable is owned until it is revoked")
    func owned() throws {
        let evidence = try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-06-02") { $0.quantity = 2 }
        let pro = try #require(evidence.entitlements(at: "2024-07-01")["pro"])
        #expect(pro.state == .owned)
        #expect(pro.isActive)
        #expect(pro.kind == .nonConsumable)
        #expect(pro.since == moment("2024-06-01"))
        #expect(pro.until == nil)
        #expect(pro.asOf == moment("2024-06-02"))
        #expect(pro.quantity == 2)
        #expect(pro.ownership == .purchased)
        #expect(pro.willRenew == nil)
        #expect(pro.originalTransactionIdentifier == "1")
        #expect(pro.transactionIdentifier == "1")
        #expect(evidence.state("pro", at: "2024-05-31") == .notStarted)
    }

    @Test("A restored non-consumable is owned since its original purchase")
    func restored() throws {
        let evidence = try Evidence.kept("pro", "2", "2024-06-01", original: "1") {
            $0.overrides = [
                "originalPurchaseDate": .number(
                    AppStoreJSON.Number(Int64(moment("2021-06-01").timeIntervalSince1970 * 1000)))
            ]
        }
        #expect(evidence.entitlements(at: "2024-07-01")["pro"]?.since == moment("2021-06-01"))
    }

    @Test("A purchase without a type is active, and one of an unknown type isn't")
    func unknownTypes() throws {
        for type in [AppStoreJSON.null, "Lease"] {
            let evidence = try Evidence.kept("pro", "1", "2024-06-01") { $0.overrides = ["type": type] }
            let pro = try #require(evidence.entitlements(at: "2024-07-01")["pro"])
            #expect(pro.kind == .unknown)
            #expect(pro.state == .owned)
            #expect(pro.isActive == (type == .null))
            let refunded = try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-06-20") {
                $0.overrides = ["type": type]
                $0.revocationDate = moment("2024-06-10")
            }
            #expect((evidence + refunded).state("pro", at: "2024-07-01") == .refunded)
        }
    }

    @Test(
        "Consumables and non-renewing subscriptions have an entitlement for each transaction, never active",
        arguments: [
            (SignedProductType.consumable, Entitlement.Kind.consumable), (.nonRenewingSubscription, .nonRenewing),
        ])
    func singles(_ type: SignedProductType, _ kind: Entitlement.Kind) throws {
        let first = try Evidence.kept("coins", "1", "2024-06-01") { $0.productType = type }
        let second = try Evidence.kept("coins", "2", "2024-06-10", original: "1") { $0.productType = type }
        let refunded = try Evidence.kept("coins", "3", "2024-06-20") {
            $0.productType = type
            $0.revocationDate = moment("2024-06-25")
        }
        let coins = (second + refunded + first + second).entitlements(at: "2024-07-01")
        #expect(coins.all.map(\.transactionIdentifier) == ["1", "2", "3"])
        #expect(coins.all.map(\.state) == [.owned, .owned, .refunded])
        #expect(coins.all.allSatisfy { $0.kind == kind && !$0.isActive })
        #expect(coins["coins"]?.transactionIdentifier == "3")
        #expect(!coins.isActive("coins"))
    }

    @Test("A type that only one source contains applies to the purchase")
    func typeOfOneSource() throws {
        let untyped = try Evidence.kept("coins", "1", "2024-06-01", signed: "2024-06-10") {
            $0.overrides = ["type": .null]
        }
        let receipt = try Evidence.receipt(
            created: "2024-06-05", TestPurchase("coins", transaction: "1", at: moment("2024-06-01"), type: .consumable))
        let coins = (untyped + receipt).entitlements(at: "2024-07-01")
        #expect(coins.all.map(\.kind) == [.consumable])
        #expect(coins.active.isEmpty)
    }
}
