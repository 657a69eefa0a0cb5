import AppReceiptKit
import VerifyReceipt

/// Apple's address for customers, on your own machine. App Review and TestFlight ask the other one.
let production = VerifyReceiptResponder(
    verifier: ReceiptVerifier(), environments: .production,
    sharedSecret: SharedSecret("0123456789abcdef0123456789abcdef"), bundleIdentifiers: ["com.example.app"])

/// The body of the HTTP response to the body of a POST; the HTTP status is 200, whatever came of it.
func verifyReceipt(_ requestBody: [UInt8]) -> [UInt8] {
    let response = production.answer(requestBody)
    if let failure = response.failure {
        print("\(response.status): \(failure)")  // for the log; the client gets the status alone
    }
    return response.body
}
