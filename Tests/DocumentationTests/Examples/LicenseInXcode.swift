import AppReceiptKit

#if DEBUG
extension AppLaunchValidation {
    /// Also accepts receipts of Xcode's local testing, signed with the certificate that Xcode exports. The device isn't checked,
    /// because it isn't known which identifier such receipts are made for.
    static func forDebugging(certificate: [UInt8]) throws(ReceiptError) -> AppLaunchValidation {
        AppLaunchValidation(
            bundleIdentifier: "com.example.garden", environments: [.sandbox, .xcode],
            verifier: ReceiptVerifier(xcode: try XcodeTrust(der: [certificate])), devices: .anyDevice)
    }
}
#endif
