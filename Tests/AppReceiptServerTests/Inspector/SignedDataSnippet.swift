import AppStoreSignedData

/// The signed data.
let signedData = "…"

/// What it proves, or the first thing that is wrong with it.
func checkSignedData() throws(ReceiptError) -> VerifiedTransaction {
    let expectations = SignedDataExpectations(
        bundleIdentifier: "com.example.app",
        environments: [.sandbox],
        appAppleIdentifier: .anyApp)
    return try SignedDataVerifier().verifyTransaction(signedData, expecting: expectations)
}
// It was not judged by Apple's roots but by another: give that to the verifier as its anchors.
