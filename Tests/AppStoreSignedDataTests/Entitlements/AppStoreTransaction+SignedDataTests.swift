import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("AppStoreTransaction from a signed transaction")
struct AppStoreTransactionSignedDataTests {
    private func purchase(_ change: (inout TestTransaction) -> Void) throws -> AppStoreTransaction {
        let evidence = try Evidence.period("plus", "2", "2024-06-01", "2024-07-01", original: "1", change)
        return try #require(evidence.entitlements(at: "2024-06-15").transactions.first)
    }

    @Test("The properties are the transaction's claims")
    func values() throws {
        let token = UUID()
        let purchase = try purchase { made in
            made.quantity = 3
            made.ownership = .familyShared
            made.revocationDate = moment("2024-06-10")
            made.overrides = [
                "isUpgraded": true, "appAccountToken": .string(token.uuidString), "webOrderLineItemId": "123",
                "originalPurchaseDate": .number(
                    AppStoreJSON.Number(Int64(moment("2024-05-01").timeIntervalSince1970 * 1000))),
            ]
        }
        #expect(purchase.productIdentifier == "plus")
        #expect(purchase.transactionIdentifier == "2")
        #expect(purchase.originalTransactionIdentifier == "1")
        #expect(purchase.purchaseDate == moment("2024-06-01"))
        #expect(purchase.expirationDate == moment("2024-07-01"))
        #expect(purchase.originalPurchaseDate == moment("2024-05-01"))
        #expect(purchase.cancellationDate == moment("2024-06-10"))
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.quantity == 3)
        #expect(purchase.isUpgraded == true)
        #expect(purchase.ownership == .familyShared)
        #expect(purchase.subscriptionGroupIdentifier == "21000001")
        #expect(purchase.appAccountToken == token)
        #expect(purchase.webOrderLineItemIdentifier == 123)
    }

    @Test("A transaction without the member isUpgraded wasn't upgraded")
    func notUpgraded() throws {
        #expect(try purchase { _ in }.isUpgraded == false)
    }

    @Test("Offers are mapped to the properties of receipts")
    func offers() throws {
        func offer(_ overrides: [String: AppStoreJSON]) throws -> AppStoreTransaction {
            try purchase { $0.overrides = overrides }
        }
        let trial = try offer(["offerType": 1, "offerDiscountType": "FREE_TRIAL"])
        #expect(trial.isTrialPeriod == true)
        #expect(trial.isInIntroductoryOfferPeriod == false)
        let introductory = try offer(["offerType": 1, "offerDiscountType": "PAY_AS_YOU_GO"])
        #expect(introductory.isTrialPeriod == false)
        #expect(introductory.isInIntroductoryOfferPeriod == true)
        let promotional = try offer(["offerType": 2, "offerIdentifier": "summer"])
        #expect(promotional.promotionalOfferIdentifier == "summer")
        #expect(promotional.isTrialPeriod == false)
        #expect(promotional.isInIntroductoryOfferPeriod == false)
        #expect(promotional.offerCodeReferenceName == nil)
        let code = try offer(["offerType": 3, "offerIdentifier": "friends"])
        #expect(code.promotionalOfferIdentifier == nil)
        #expect(code.offerCodeReferenceName == "friends")
    }

    @Test("Introductory offers in tokens and receipts both make the customer ineligible")
    func introductoryOffers() throws {
        let trial = try Evidence.period("plus", "2", "2024-06-01", "2024-06-08") {
            $0.overrides = ["offerType": 1, "offerDiscountType": "FREE_TRIAL"]
        }
        let receipt = try Evidence.receipt(created: "2024-07-01", .period("max", "3", "2024-06-08", "2024-07-08"))
        #expect(
            (trial + receipt).entitlements(at: "2024-07-01").introductoryOfferEligibility(inGroupOf: ["plus", "max"])
                == .ineligible)
        #expect(
            receipt.entitlements(at: "2024-07-01").introductoryOfferEligibility(inGroupOf: ["plus", "max"]) == .eligible
        )
    }

    @Test("Seats and revoked seats are read from the transactions that contain them")
    func seats() throws {
        #expect(try !purchase { _ in }.buysSeats)
        let addition = try purchase { $0.overrides = ["additionalTransactionReason": "SEAT_ADDITION"] }
        #expect(addition.buysSeats)
        #expect(addition.revokedSeatQuantity == nil)
        #expect(try !purchase { $0.overrides = ["additionalTransactionReason": "OTHER"] }.buysSeats)
        let seats = try purchase { $0.overrides = ["multiSeatInfo": .object(["revokedSeatQuantity": 4])] }
        #expect(seats.buysSeats)
        #expect(seats.revokedSeatQuantity == 4)
    }

    @Test("Numbers out of range are absent")
    func numbers() throws {
        for quantity in [Int64.max, 1 << 31, .min] {
            #expect(try purchase { $0.quantity = quantity }.quantity == nil)
        }
        #expect(try purchase { $0.overrides = ["webOrderLineItemId": "a"] }.webOrderLineItemIdentifier == nil)
    }
}
