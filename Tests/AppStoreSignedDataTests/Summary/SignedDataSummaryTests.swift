import AppReceiptTesting
import AppStoreSignedData
import Testing

@Suite("SignedDataSummary")
struct SignedDataSummaryTests {
    private func event(_ token: String) throws -> String {
        let report = verifier.report(
            token,
            expecting: SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp), now: now)
        return SignedDataSummary(try report.result.get()).event
    }

    @Test("Data of each kind states what happened")
    func events() throws {
        let bought = TestTransaction("pro", transaction: "1")
        #expect(try event(bought.signed()) == "The customer bought the product.")
        let refunded = bought.with { $0.revocationDate = now }
        #expect(
            try event(refunded.signed()) == "Apple refunded the purchase on \(ReceiptDate.string(from: now)).")
        #expect(try event(TestRenewalInfo("pro", original: "1").signed()) == "The subscription is set to renew.")
        #expect(try event(TestAppTransaction().signed()) == "The customer has the app.")
        let refundedApp = TestAppTransaction().with { $0.overrides = ["revocationDate": 1_719_932_645_000] }
        #expect(try event(refundedApp.signed()) == "The app itself was refunded on 2024-07-02.")
        let request = TestRealtimeRequest("pro", original: "1")
        #expect(try event(request.signed()).hasPrefix("The App Store asks which message"))
        #expect(try event(TestNotification(type: .refund).signed()) == "Apple refunded the purchase.")
    }

    @Test(
        "A price is written with two digits, or three if the third isn't zero",
        arguments: [
            (9990, "USD", "9.99 USD"), (0, "USD", "0.00 USD"), (1_234_500, "EUR", "1234.50 EUR"),
            (1, "KWD", "0.001 KWD"),
            (Int64.max, "USD", "9223372036854775.807 USD"),
        ] as [(Int64, String, String)])
    func prices(thousandths: Int64, currency: String, expected: String) {
        #expect(SignedDataSummary.price(thousandths, in: currency) == expected)
    }

    @Test("A price without its currency, or below zero, isn't shown")
    func absentPrices() {
        #expect(SignedDataSummary.price(9990, in: nil) == nil)
        #expect(SignedDataSummary.price(nil, in: "USD") == nil)
        #expect(SignedDataSummary.price(-1, in: "USD") == nil)
    }
}
