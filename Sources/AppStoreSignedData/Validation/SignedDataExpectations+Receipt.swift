import AppReceiptKit

extension SignedDataExpectations {
    /// The app and environments of a receipt's expectations, for any app identifier. Versions apply to receipts only.
    package init(_ expectations: Expectations, device: Device = .anyDevice) {
        self.init(
            bundleIdentifier: expectations.bundleIdentifier, environments: expectations.environments,
            appAppleIdentifier: .anyApp, device: device)
    }
}
