import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Testing
import VerifyReceipt

@Suite("VerifyReceiptResponse")
struct VerifyReceiptResponseTests {
    @Test("A response without a receipt contains its status, and from 21100 to 21199 is-retryable in both spellings")
    func statusOnly() {
        func text(_ status: Int, _ isRetryable: Bool) -> String {
            let response = VerifyReceiptResponse(
                status: VerifyReceiptStatus(rawValue: status), isRetryable: isRetryable)
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(text(21005, true) == #"{"status":21005}"#)
        #expect(text(21099, true) == #"{"status":21099}"#)
        #expect(text(21100, true) == #"{"status":21100,"is-retryable":true,"is_retryable":true}"#)
        #expect(text(21199, false) == #"{"status":21199,"is-retryable":false,"is_retryable":false}"#)
        #expect(text(21200, true) == #"{"status":21200}"#)
    }

    @Test("The description contains the code but no data of the receipt")
    func description() throws {
        let responder = try VerifyReceiptResponder.standard(.production)
        let rejected = try responder.response(to: TestReceipt())
        #expect("\(rejected)" == "VerifyReceiptResponse(21007, sandbox-receipt-in-production)")
        let answered = try VerifyReceiptResponder.standard().response(to: TestReceipt())
        #expect("\(answered)" == "VerifyReceiptResponse(0)")
    }

    @Test("A response contains the answered receipt, and a rejection doesn't")
    func receipt() async throws {
        let receipt = ReceiptFixtures.receipt([ReceiptFixtures.period(1)])
        let verified = VerifyReceiptResponse.Receipt.app(try VerifiedFixtures.receipt(receipt))
        let responder = try VerifyReceiptResponder.standard()
        #expect(try responder.response(to: receipt).receipt == verified)
        #expect(try await responder.response(to: receipt, CustomerEvidence()).receipt == verified)
        #expect(verified.environment == .sandbox)
        #expect(try VerifyReceiptResponder.standard(.production).response(to: receipt).receipt == nil)
        #expect(VerifyReceiptResponse(status: .historyUnavailable).receipt == nil)
    }

    @Test("A transaction receipt is in the response without its contents")
    func transactionReceipt() throws {
        let testCase = TransactionReceiptTestCase()
        let receipt = try #require(try testCase.response().receipt)
        guard case .transaction(let verified) = receipt else {
            Issue.record("The receipt is \(receipt).")
            return
        }
        #expect(verified.bundleIdentifier == "com.example.app")
        #expect(receipt.environment == .sandbox)
        #expect(verified.originalTransactionIdentifier == "1000000181298734")
        #expect("\(verified)" == "VerifiedTransactionReceipt(com.example.app)")
    }
}
