import AppReceiptKit
import Testing
import VerifyReceipt

@Suite("VerifyReceiptStatus")
struct VerifyReceiptStatusTests {
    @Test("The numbers are Apple's")
    func numbers() {
        let statuses: [VerifyReceiptStatus] = [
            .valid, .requestUnreadable, .receiptMalformed, .notAuthenticated, .sharedSecretMismatch, .unavailable,
            .subscriptionExpired, .sandboxReceiptInProduction, .productionReceiptInSandbox, .internalError,
        ]
        #expect(
            statuses.map(\.rawValue) == [0, 21000, 21002, 21003, 21004, 21005, 21006, 21007, 21008, 21009])
    }
}
