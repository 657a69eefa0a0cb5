import AppReceiptKit
import Testing

@testable import VerifyReceipt

@Suite("RenewalFields")
struct RenewalFieldsTests {
    @Test("every field has its member, in Apple's order, and every value is a string")
    func completeElement() {
        var fields = RenewalFields()
        #expect(fields.json == [:])
        fields.autoRenewProductIdentifier = "com.example.monthly"
        fields.originalTransactionIdentifier = "10"
        fields.productIdentifier = "com.example.yearly"
        fields.autoRenewStatus = true
        fields.expirationIntent = 2
        fields.isInBillingRetryPeriod = false
        fields.gracePeriodExpirationDate = instant("2024-01-15T09:00:00Z")
        fields.priceConsentStatus = false
        fields.priceIncreaseStatus = true
        fields.offerCodeReferenceName = "friends"
        fields.promotionalOfferIdentifier = "spring"
        #expect(
            String(decoding: fields.json.text(), as: UTF8.self) == """
                {"auto_renew_product_id":"com.example.monthly","original_transaction_id":"10",\
                "product_id":"com.example.yearly","auto_renew_status":"1","expiration_intent":"2",\
                "is_in_billing_retry_period":"0","grace_period_expires_date":"2024-01-15 09:00:00 Etc/GMT",\
                "grace_period_expires_date_ms":"1705309200000",\
                "grace_period_expires_date_pst":"2024-01-15 01:00:00 America/Los_Angeles",\
                "price_consent_status":"0","price_increase_status":"1","offer_code_ref_name":"friends",\
                "promotional_offer_id":"spring"}
                """)
    }
}
