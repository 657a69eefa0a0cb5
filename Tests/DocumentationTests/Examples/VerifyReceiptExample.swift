import AppReceiptKit
import VerifyReceipt

/// Responds like Apple's production endpoint. App Review and TestFlight use the sandbox endpoint.
let production = VerifyReceiptResponder(
    verifier: ReceiptVerifier(), environments: .production,
    sharedSecret: SharedSecret("0123456789abcdef0123456789abcdef"), bundleIdentifiers: ["com.example.app"])

/// Returns the body of the HTTP response to a POST with this body. The HTTP status is always 200.
func verifyReceipt(_ requestBody: [UInt8]) -> [UInt8] {
    let response = production.response(to: requestBody)
    if let failure = response.failure {
        print("\(response.status): \(failure)")  // for the log: the client gets the status only
    }
    return response.body
}
