/// A check of a receipt or of signed data.
///
/// ``receiptChecks`` lists the checks of a receipt in the order in which they run. A report contains a ``CheckResult`` for each of them.
public enum ValidationCheck: String, Sendable, Hashable, Codable {
    /// The bytes are a well-formed container with one signer.
    case container
    /// The token is a well-formed JWS with ES256 and the required certificates.
    case token
    /// The payload is well-formed: a receipt's attributes, or a token's claims of the requested kind.
    case payload
    /// The signer's certificate chains to a trusted root and was valid when the data was signed.
    case certificateChain = "certificate-chain"
    /// The signer signed this content.
    case signature
    /// The data is for the expected app.
    case bundleIdentifier = "bundle-identifier"
    /// The data comes from an accepted environment.
    case environment
    /// The receipt is for the expected version.
    case appVersion = "app-version"
    /// The app was first bought in the expected version.
    case originalAppVersion = "original-app-version"
    /// The data is for the expected app identifier of the App Store. Production only.
    case appAppleIdentifier = "app-apple-id"
    /// The receipt was created for this device.
    case deviceHash = "device-hash"
    /// The token was signed for this device.
    case deviceVerification = "device-verification"
    /// The receipt hasn't expired.
    case expiration
    /// The tokens in a notification pass the same checks and belong to it.
    case nestedData = "nested-data"

    /// The checks of a receipt, in the order in which they run.
    public static let receiptChecks: [ValidationCheck] = [
        .container, .payload, .certificateChain, .signature, .bundleIdentifier, .environment, .appVersion,
        .originalAppVersion, .deviceHash, .expiration,
    ]
}
