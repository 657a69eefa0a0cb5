public import Foundation

/// How an app verifies what a customer owns.
public struct LicenseConfiguration: Sendable {
    /// The app, as a constant, because anyone can edit Info.plist.
    public static let bundleIdentifier = "com.example.garden"

    /// The products that unlock the pro features.
    public static let proProducts = ["com.example.garden.pro", "com.example.garden.monthly"]

    let launch: AppLaunchValidation
    let signedData: SignedDataVerifier
    let expectations: SignedDataExpectations

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - launch: Validates the receipt.
    ///   - signedData: Verifies the tokens of StoreKit 2.
    ///   - environments: The accepted environments of the tokens.
    ///   - device: `AppStore.deviceVerificationID`, which tokens that were copied from another device aren't for; nil
    ///     if it isn't known.
    public init(
        launch: AppLaunchValidation, signedData: SignedDataVerifier, environments: AcceptedValues<AppStoreEnvironment>,
        device: UUID?
    ) {
        self.launch = launch
        self.signedData = signedData
        // Replace the number with your app's Apple ID. App transactions from production contain it.
        expectations = SignedDataExpectations(
            bundleIdentifier: [Self.bundleIdentifier], environments: environments, appAppleIdentifier: 1_234_567_890,
            device: device.map { [$0] } ?? .anyDevice)
    }

    /// Returns the configuration for customers, and for App Review and TestFlight, which use the sandbox.
    ///
    /// - Parameter device: `AppStore.deviceVerificationID`.
    public static func garden(on device: UUID?) -> LicenseConfiguration {
        LicenseConfiguration(
            launch: AppLaunchValidation(bundleIdentifier: bundleIdentifier, environments: [.production, .sandbox]),
            signedData: SignedDataVerifier(), environments: [.production, .sandbox], device: device)
    }

    #if DEBUG
    /// Returns a configuration that also accepts receipts and tokens of Xcode's local testing.
    ///
    /// The device isn't checked, because it isn't known which identifier such receipts are made for.
    ///
    /// - Parameter certificate: The certificate that Xcode exports.
    /// - Throws: `trust-anchor-malformed` if it isn't a certificate.
    public static func debugging(certificate: Data) throws(ReceiptError) -> LicenseConfiguration {
        let xcode = try XcodeTrust(der: [certificate])
        return LicenseConfiguration(
            launch: AppLaunchValidation(
                bundleIdentifier: bundleIdentifier, environments: [.sandbox, .xcode],
                verifier: ReceiptVerifier(xcode: xcode), devices: .anyDevice),
            signedData: SignedDataVerifier(xcode: xcode), environments: [.sandbox, .xcode], device: nil)
    }
    #endif
}
