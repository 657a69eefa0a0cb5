import AppReceiptKit
import AppReceiptTesting
import Testing
import VerifyReceipt

@Suite("VerifyReceiptResponse")
struct VerifyReceiptResponseTests {
    @Test("an answer without receipt is its status, with whether to retry only from 21100 to 21199")
    func statusOnly() {
        func text(_ status: Int, _ isRetryable: Bool) -> String {
            let response = VerifyReceiptResponse(
                status: VerifyReceiptStatus(rawValue: status), isRetryable: isRetryable)
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(text(21005, true) == #"{"status":21005}"#)
        #expect(text(21099, true) == #"{"status":21099}"#)
        #expect(text(21100, true) == #"{"status":21100,"is-retryable":true}"#)
        #expect(text(21199, false) == #"{"status":21199,"is-retryable":false}"#)
        #expect(text(21200, true) == #"{"status":21200}"#)
    }

    @Test("what is logged of it names the code and nothing of the receipt")
    func description() throws {
        let responder = try VerifyReceiptResponder.standard(.production)
        let refused = try responder.answer(TestReceipt())
        #expect("\(refused)" == "VerifyReceiptResponse(21007, sandbox-receipt-in-production)")
        let answered = try VerifyReceiptResponder.standard().answer(TestReceipt())
        #expect("\(answered)" == "VerifyReceiptResponse(0)")
    }
}
