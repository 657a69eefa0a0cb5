import AppReceiptKit

/// What the customer owns, according to the receipt of the running app. Doesn't check the device.
func entitlementsOfRunningApp() throws(ReceiptError) -> Entitlements {
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.production])
    return try ReceiptVerifier().verify(contentsOf: .mainBundle, expecting: expectations).entitlements()
}
