import AppReceiptKit

/// The receipt, in base64.
let receiptInBase64 = "…"

/// Prints the result of every check, and returns the receipt if none failed.
func checkReceipt(_ receipt: some Collection<UInt8>) -> VerifiedReceipt? {
    let expectations = Expectations(
        bundleIdentifier: "com.example.app",
        environments: [.sandbox],
        appVersion: "1")
    let report = ReceiptVerifier().report(receipt, expecting: expectations)
    for result in report.checks {
        print(result.outcome.rawValue, result.check.rawValue, result.message)
    }
    return try? report.result.get()
}

func checkThisReceipt() -> VerifiedReceipt? { checkReceipt(Array(receiptInBase64.utf8)) }
// This receipt claims “sandbox”. Name the environments that your app accepts.
// This was verified under a root other than Apple's. Pass that root to the verifier as its anchors.
