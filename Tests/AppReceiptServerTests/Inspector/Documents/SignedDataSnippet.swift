import AppStoreSignedData

/// The signed data.
let signedData = "…"

/// Returns the verified data, or throws the first failure.
func checkSignedData() throws(ReceiptError) -> VerifiedTransaction {
    let expectations = SignedDataExpectations(
        bundleIdentifier: "com.example.app",
        environments: [.sandbox],
        appAppleIdentifier: .anyApp)
    return try SignedDataVerifier().verifyTransaction(signedData, expecting: expectations)
}
// This was verified under a root other than Apple's. Pass that root to the verifier as its anchors.
