#if Server
import AppReceiptKit

/// The remedies of errors over HTTP.
///
/// The libraries' remedies name Swift API and know nothing about routes and settings. This is the only place that
/// replaces them.
enum ServerRemedies {
    /// Returns the remedy for the client of a request.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - remedy: The library's remedy.
    static func remedy(for code: String, _ remedy: String) -> String {
        switch code {
        case "input-too-large", "payload-too-many-attributes", "payload-too-many-purchases", "token-too-large":
            "Check that this is what the App Store issued. This limit isn't a setting of the server."
        case "input-base64-malformed":
            "Send the complete base64. In a form or URL, percent-encode it, so that '+' is preserved."
        case "request-malformed":
            "Send {\"receipt-data\": \"…\"} as JSON in the body of a POST, not as a form."
        case "request-too-large":
            "Check that this is a request with one receipt. The server's setting 'max-body' limits all requests."
        case "input-transaction-receipt":
            "Send the app receipt. /v1/receipts and verifyReceipt accept transaction receipts."
        case "transaction-receipt-intermediate-missing":
            "Apple's intermediates are known, so treat it as forged. For test data, set 'transaction-intermediate'."
        case "transaction-receipt-version-unsupported":
            "Have the app send its app receipt instead."
        case "input-signed-data":
            "Send signed data (JWS) to /v1/signed-data/verify."
        case "token-malformed":
            "Send the complete token, three parts separated by periods; to /v1/notifications {\"signedPayload\": \"…\"}. Send receipts to /v1/receipts/validate."
        case "token-kind-mismatch":
            "Send notifications to /v1/notifications, and other signed data to /v1/signed-data/verify without 'kind' or with the right one."
        case "root-not-trusted":
            "Data from the App Store chains to Apple's roots. The server's setting 'root' replaces them; the value 'apple' adds them. For test data, add its root certificate."
        case "signer-self-signed":
            "The App Store didn't sign this. For data from Xcode, set 'trust-xcode'; for test data, set 'root'."
        case "xcode-certificate-mismatch":
            "Export the certificate that Xcode signs with, and name it in the server's setting 'trust-xcode'."
        case "device-identifier-unsupported":
            "Send the identifier that the app has sent as 'device-id', or leave it out."
        case "app-apple-id-unspecified":
            "Send the app's identifier, as App Store Connect shows it, as 'app-apple-id'."
        case "sandbox-receipt-in-production":
            "Send it to /sandbox/verifyReceipt, or set 'answer-both': App Review uses the production app with the sandbox."
        case "production-receipt-in-sandbox":
            "Send it to /verifyReceipt."
        case "shared-secret-mismatch":
            "Use the server's shared secret, without spaces or line breaks around it."
        default:
            remedy
        }
    }
}

extension ValidationReport {
    /// The report with remedies for the client of a request.
    var withServerRemedies: Self { mapRemedies(ServerRemedies.remedy) }
}
#endif
