import AppStoreSignedData

/// Whether the customer got the app before it became free with version 3.0, whose build number on iOS was 412.
///
/// - Parameter token: `jwsRepresentation` of `AppTransaction.shared`.
/// - Returns: Nil if the app transaction doesn't tell: let support decide.
func paidBeforeItWasFree(appTransaction token: String) throws(ReceiptError) -> Bool? {
    try signedData.verifyAppTransaction(token, expecting: ofThisApp)
        .originalAppPurchase.precedes(build: "412", version: "3.0")
}
