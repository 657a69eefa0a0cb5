public import AppReceiptKit

extension ReceiptError.Stage {
    /// Parsing the JWS; signed data has it in place of the container.
    public static let token = Self(rawValue: "token")
    /// Comparing the app's App Store identifier.
    public static let appAppleIdentifier = Self(rawValue: "app-apple-id")
    /// Comparing the device verification.
    public static let deviceVerification = Self(rawValue: "device-verification")
    /// Verifying the signed data in a notification.
    public static let nestedData = Self(rawValue: "nested-data")

    /// The stages that only signed data has, in order.
    package static let signedDataStages: [Self] = [.token, .appAppleIdentifier, .deviceVerification, .nestedData]
}
