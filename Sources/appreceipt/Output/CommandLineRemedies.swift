import AppReceiptKit

/// What to do about an error on the command line.
///
/// The libraries' remedies name Swift API and know nothing about options and subcommands. This is the only place that adds
/// or replaces advice.
enum CommandLineRemedies {
    /// The sentences to show for an error, in order.
    ///
    /// - Parameters:
    ///   - code: The error's code.
    ///   - remedy: The library's remedy.
    static func remedies(for code: String, _ remedy: String) -> [String] {
        switch code {
        case "root-not-trusted":
            [
                "Data from the App Store chains to Apple's roots. --root FILE replaces them; --root apple adds them.",
                "For test data, pass its root certificate with --root FILE, but never one that arrives with the data.",
            ]
        case "signer-self-signed", "intermediate-signature-invalid":
            [remedy, "For test data, pass its root certificate with --root FILE."]
        case "xcode-not-trusted", "xcode-certificate-mismatch":
            [remedy, "Pass Xcode's certificate with --trust-xcode FILE."]
        case "transaction-receipt-intermediate-missing":
            [remedy, "Pass the certificate with --transaction-intermediate FILE."]
        case "input-too-large", "payload-too-many-attributes", "payload-too-many-purchases":
            ["Check that this is a receipt. The limits of this command can't be changed."]
        case "input-signed-data":
            ["Use 'appreceipt signed-data' for signed data (JWS)."]
        case "request-too-large", "token-too-large":
            ["The limits of this command can't be changed."]
        case "sandbox-receipt-in-production":
            ["Pass --environment sandbox or both."]
        case "production-receipt-in-sandbox":
            ["Pass --environment production or both."]
        case "shared-secret-mismatch":
            ["Compare the request's password with --password-file."]
        case "token-kind-mismatch":
            ["Leave out --kind, or pass the right kind."]
        case "token-malformed":
            [remedy, "For a receipt, use 'appreceipt validate'."]
        default:
            [remedy]
        }
    }

    /// The sentences to show for several errors, each once.
    static func remedies(for errors: some Sequence<(code: String, remedy: String)>) -> [String] {
        var all: [String] = []
        for error in errors {
            for remedy in remedies(for: error.code, error.remedy) where !all.contains(remedy) { all.append(remedy) }
        }
        return all
    }

    /// The message and remedies for an error, in one text.
    static func text(for error: ReceiptError) -> String {
        ([error.message] + remedies(for: error.code.rawValue, error.remedy)).joined(separator: " ")
    }
}
