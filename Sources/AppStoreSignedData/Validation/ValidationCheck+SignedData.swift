public import AppReceiptKit

extension ValidationCheck {
    /// The token is a well-formed JWS with ES256 and the required certificates. Signed data has it in place of the
    /// container.
    public static let token = Self(rawValue: "token")
    /// The data is for the expected app identifier of the App Store. Production only.
    public static let appAppleIdentifier = Self(rawValue: "app-apple-id")
    /// The token was signed for this device.
    public static let deviceVerification = Self(rawValue: "device-verification")
    /// The tokens in a notification pass the same checks and belong to it.
    public static let nestedData = Self(rawValue: "nested-data")

    /// The checks of signed data, in the order in which they run.
    public static let signedDataChecks: [Self] = [
        .token, .payload, .certificateChain, .signature, .bundleIdentifier, .environment, .appAppleIdentifier,
        .deviceVerification, .nestedData,
    ]
}
