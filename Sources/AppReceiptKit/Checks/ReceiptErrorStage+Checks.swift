public import AppReceiptParsing

extension ReceiptError.Stage {
    /// Building and validating the certificate chain.
    public static let certificateChain = Self(rawValue: "certificate-chain")
    /// Verifying the signature.
    public static let signature = Self(rawValue: "signature")
    /// Comparing the bundle identifier.
    public static let bundleIdentifier = Self(rawValue: "bundle-identifier")
    /// Comparing the environment.
    public static let environment = Self(rawValue: "environment")
    /// Comparing the app's version.
    public static let appVersion = Self(rawValue: "app-version")
    /// Comparing the app version that was first bought.
    public static let originalAppVersion = Self(rawValue: "original-app-version")
    /// Comparing the device hash.
    public static let deviceHash = Self(rawValue: "device-hash")
    /// Comparing the expiration date with the current time.
    public static let expiration = Self(rawValue: "expiration")

    /// The stages after parsing, in order.
    package static let verificationStages: [Self] = [
        .certificateChain, .signature, .bundleIdentifier, .environment, .appVersion, .originalAppVersion, .deviceHash,
        .expiration,
    ]
}
