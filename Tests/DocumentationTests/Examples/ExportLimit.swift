import AppReceiptKit

/// The number of plants in a plan that the customer may export, for the code that exports.
///
/// It verifies the receipt again, so that a modified `License` doesn't unlock it.
func exportLimit(
    receipt: ReceiptLocation = .mainBundle, verifier: ReceiptVerifier = ReceiptVerifier()
) -> Int {
    let ofGarden = Expectations(bundleIdentifier: "com.example.garden", environments: [.production, .sandbox])
    let verified = try? verifier.verify(contentsOf: receipt, expecting: ofGarden)
    return verified?.entitlements().isActive("com.example.garden.pro") == true ? 2_000 : 20
}
