public import AppReceiptParsing

extension ValidationCheck {
    /// The signer's certificate chains to a trusted root and was valid when the data was signed.
    public static let certificateChain = Self(rawValue: "certificate-chain")
    /// The signer signed this content.
    public static let signature = Self(rawValue: "signature")
    /// The data is for the expected app.
    public static let bundleIdentifier = Self(rawValue: "bundle-identifier")
    /// The data comes from an accepted environment.
    public static let environment = Self(rawValue: "environment")
    /// The receipt is for the expected version.
    public static let appVersion = Self(rawValue: "app-version")
    /// The app was first bought in the expected version.
    public static let originalAppVersion = Self(rawValue: "original-app-version")
    /// The receipt was created for this device.
    public static let deviceHash = Self(rawValue: "device-hash")
    /// The receipt hasn't expired.
    public static let expiration = Self(rawValue: "expiration")

    /// The checks of a receipt, in the order in which they run.
    public static let receiptChecks: [Self] = [
        .container, .payload, .certificateChain, .signature, .bundleIdentifier, .environment, .appVersion,
        .originalAppVersion, .deviceHash, .expiration,
    ]
}
