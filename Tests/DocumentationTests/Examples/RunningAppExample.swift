import AppReceiptKit

/// Whether the customer owns the pro version, according to the receipt of the running app. Doesn't check the device.
///
/// App Review and TestFlight use the sandbox.
func ownsPro() throws(ReceiptError) -> Bool {
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
    let verified = try ReceiptVerifier().verify(contentsOf: .mainBundle, expecting: expectations)
    return verified.entitlements().isActive("com.example.pro")
}
