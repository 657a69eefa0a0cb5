import AppReceiptKit

/// The number of plants in a plan that the customer may export, for the code that exports.
///
/// It verifies the receipt again, on this device, so that a modified `License` doesn't unlock it.
func exportLimit(
    receipt: ReceiptLocation = .mainBundle, verifier: ReceiptVerifier = ReceiptVerifier(),
    device: () throws -> [DeviceIdentifier] = DeviceIdentifier.current
) -> Int {
    guard let devices = try? device() else { return 20 }
    let ofGarden = Expectations(
        bundleIdentifier: "com.example.garden", environments: [.production, .sandbox], devices: .only(devices))
    let verified = try? verifier.verify(contentsOf: receipt, expecting: ofGarden)
    let products: Set = ["com.example.garden.pro", "com.example.garden.monthly"]
    return verified?.entitlements().current(ofAny: products) == nil ? 20 : 2_000
}
