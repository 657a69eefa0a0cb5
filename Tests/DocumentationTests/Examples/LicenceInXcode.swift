import AppReceiptKit

#if DEBUG
extension AppLaunchValidation {
    /// Accepts receipts of Xcode's local testing too, under the certificate that Xcode exports. Which device they are
    /// made for nobody knows, so the device is left open.
    static func forDebugging(certificate: [UInt8]) throws(ReceiptError) -> AppLaunchValidation {
        AppLaunchValidation(
            bundleIdentifier: "com.example.garden", environments: [.sandbox, .xcode],
            verifier: ReceiptVerifier(xcode: try XcodeTrust(certificates: [certificate])), device: .any)
    }
}
#endif
