import AppReceiptKit

/// The receipt, in base64.
let receiptInBase64 = "…"

/// Says of every check what came of it, and gives the receipt if none failed.
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
// “sandbox” is what this receipt says of itself. Accept what your app should accept.
// It was not judged by Apple's roots but by another: give that to the verifier as its anchors.
