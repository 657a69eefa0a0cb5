import AppReceiptKit
import AppStoreSignedData

extension SignedDataExpectations {
    /// The app and environments of a receipt's expectations. Versions and devices apply to receipts only.
    init(_ expectations: Expectations) {
        self.init(
            bundleIdentifier: expectations.bundleIdentifier, environments: expectations.environments,
            appAppleIdentifier: .anyApp)
    }
}
