import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Testing

@testable import VerifyReceipt

@Suite("RenewalFields")
struct RenewalFieldsTests {
    private static func json(_ change: (inout TestRenewalInfo) -> Void) throws -> AppStoreJSON {
        RenewalFields(try VerifiedFixtures.renewal(TestRenewalInfo("com.example.yearly", original: "10").with(change)))
            .json
    }

    @Test("Every field is a member, in Apple's order, and every value is a string")
    func completeElement() throws {
        let json = try Self.json {
            $0.autoRenewProductIdentifier = "com.example.monthly"
            $0.expirationIntent = .billingError
            $0.isInBillingRetryPeriod = false
            $0.gracePeriodExpirationDate = instant("2024-01-15T09:00:00Z")
            $0.overrides = ["priceIncreaseStatus": 1, "offerType": 3, "offerIdentifier": "friends"]
        }
        #expect(
            String(decoding: json.text(), as: UTF8.self) == """
                {"auto_renew_product_id":"com.example.monthly","original_transaction_id":"10",\
                "product_id":"com.example.yearly","auto_renew_status":"1","expiration_intent":"2",\
                "is_in_billing_retry_period":"0","grace_period_expires_date":"2024-01-15 09:00:00 Etc/GMT",\
                "grace_period_expires_date_ms":"1705309200000",\
                "grace_period_expires_date_pst":"2024-01-15 01:00:00 America/Los_Angeles",\
                "price_consent_status":"1","price_increase_status":"1","offer_code_ref_name":"friends"}
                """)
    }

    @Test("Only promotional offers appear as promotional_offer_id")
    func promotionalOffer() throws {
        let json = try Self.json { $0.overrides = ["offerType": 2, "offerIdentifier": "spring"] }
        #expect(json["promotional_offer_id"] == "spring")
        #expect(json["offer_code_ref_name"] == nil)
        let introductory = try Self.json { $0.overrides = ["offerType": 1, "offerIdentifier": "spring"] }
        #expect(introductory["promotional_offer_id"] == nil)
        #expect(introductory["offer_code_ref_name"] == nil)
    }

    @Test("Unknown fields and values that Apple may add are left out")
    func unknown() throws {
        let minimal = try Self.json {
            $0.overrides = ["autoRenewProductId": .null, "productId": .null, "autoRenewStatus": .null]
        }
        #expect(minimal == ["original_transaction_id": "10"])
        let unknown = try Self.json { $0.overrides = ["autoRenewStatus": 2, "priceIncreaseStatus": 7] }
        #expect(unknown.names == ["auto_renew_product_id", "original_transaction_id", "product_id"])
    }
}
