import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI

/// The remedies for errors on the command line.
///
/// The libraries' remedies name Swift API and know nothing about options and subcommands. This is the only place that
/// adds or replaces advice.
enum CommandLineRemedies {
    /// Returns the sentences to show for an error, in order.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - remedy: The library's remedy.
    static func remedies(for code: String, _ remedy: String) -> [String] {
        switch code {
        case "root-not-trusted":
            [
                "Data from the App Store chains to Apple's roots. --root FILE replaces them; --root apple adds them.",
                testData,
            ]
        case "intermediate-signature-invalid":
            ["Treat it as forged.", testData]
        case "signer-self-signed":
            [
                "The App Store didn't sign this.", testData,
                "For data from Xcode, pass Xcode's certificate with --trust-xcode FILE.",
            ]
        case "xcode-not-trusted", "xcode-certificate-mismatch":
            [remedy, "Pass Xcode's certificate with --trust-xcode FILE."]
        case "transaction-receipt-intermediate-missing":
            ["Apple's intermediates are known, so treat it as forged.", testIntermediate]
        case "input-too-large", "payload-too-many-attributes", "payload-too-many-purchases":
            ["Check that this is a receipt. The limits of this command can't be changed."]
        case "input-base64-malformed":
            ["Pass the complete base64, standard or URL-safe: it may be cut off, or a space may have replaced '+'."]
        case "input-json":
            [
                "Pass the receipt itself, or JSON with a member such as 'receipt-data', 'latest_receipt' or "
                    + "'signedPayload'."
            ]
        case "input-transaction-receipt":
            [
                "Pass the app receipt. 'validate', 'inspect', 'purchases', 'batch' and 'verify-receipt' accept "
                    + "transaction receipts."
            ]
        case "transaction-receipt-version-unsupported":
            ["Have the app send its app receipt instead."]
        case "device-identifier-unsupported":
            ["Pass the identifier of the device with --device-id."]
        case "input-signed-data":
            ["Use 'appreceipt signed-data' for signed data (JWS)."]
        case "request-too-large", "token-too-large":
            ["The limits of this command can't be changed."]
        case "sandbox-receipt-in-production":
            [
                "Pass --environment sandbox or both.",
                "For a receipt from Xcode, pass --environment sandbox, and Xcode's certificate with --trust-xcode "
                    + "FILE.",
            ]
        case "production-receipt-in-sandbox":
            ["Pass --environment production or both."]
        case "shared-secret-mismatch":
            ["Compare the request's password with --password-file."]
        case "response-without-receipt":
            [remedy, "'appreceipt inspect' shows what the response claims."]
        case "token-kind-mismatch":
            ["Leave out --kind, or pass the right kind."]
        case "token-malformed":
            [
                "Pass the complete token: three parts of URL-safe base64, separated by periods.",
                "For a receipt, use 'appreceipt validate'.",
            ]
        case "timed-out":
            ["Try again later, or allow more time with --timeout."]
        case "rate-limited":
            ["Wait, and send fewer requests. Apple counts requests for each app by the hour."]
        case "response-too-large", "response-unreadable":
            ["Check that --base-url is Apple's address, and that no proxy answers in its place."]
        case "pages-without-end":
            ["Try again later. If it happens again, report it to Apple."]
        case "too-many-pages":
            ["Allow more pages with --max-pages."]
        case "app-not-found", "invalid-app-identifier":
            ["Check --bundle-id, and that the key belongs to the app's team."]
        case "pagination-token-expired", "invalid-pagination-token", "invalid-request-revision":
            ["Run the command again."]
        default:
            [remedy]
        }
    }

    private static let testData =
        "Only for your own test data, pass its root certificate with --root FILE, never one that arrives with the data."

    private static let testIntermediate =
        "Only for your own test data, pass the certificate that issued the signer with --transaction-intermediate FILE."

    /// Returns the sentences in one text.
    static func remedy(for code: String, _ remedy: String) -> String {
        remedies(for: code, remedy).joined(separator: " ")
    }

    /// Returns the lines to show for several errors, each once: the sentences, then where the error is documented.
    static func lines(for errors: some Sequence<(code: String, remedy: String)>) -> [String] {
        var all: [String] = []
        for error in errors {
            let lines = remedies(for: error.code, error.remedy) + ["See \(ErrorDocumentation.link(to: error.code))"]
            for line in lines where !all.contains(line) { all.append(line) }
        }
        return all
    }

    /// Returns the error with its code, the remedies and the link, in one text.
    static func text(for error: ReceiptError) -> String {
        ([error.description] + lines(for: [(error.code.rawValue, error.remedy)])).joined(separator: " ")
    }
}

extension ValidationReport {
    /// The report with remedies for the command line, for JSON. Text has a line for each sentence.
    var withCommandLineRemedies: Self { mapRemedies(CommandLineRemedies.remedy) }
}

@available(AppStoreServerAPI 1.0, *)
extension CommandLineRemedies {
    /// Returns the remedy for a receipt that a command of `store` accepts instead of an identifier.
    static func remedy(ofReceipt error: ReceiptError) -> String {
        guard error.code == .environmentMismatch else { return error.remedy }
        return "Leave out --environment, or set it to the receipt's."
    }

    /// Returns the remedy for a request of `store`, or for signed data of its response.
    static func remedy(ofRequest error: AppStoreServerError) -> String {
        guard error.receiptError?.code == .environmentMismatch else { return error.remedy }
        return "Check --base-url and --sandbox-base-url."
    }
}
