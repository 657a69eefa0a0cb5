/// The checks of a report on signed data, in the order in which they are made.
public enum SignedDataCheck: String, Sendable, Hashable, CaseIterable, Codable {
    /// The token is a well-formed JWS with ES256 and the certificates that it must have.
    case token
    /// What it says is well-formed, and of the kind that was asked for.
    case payload
    /// The signer's certificate chains to a trusted root and was valid when the token was signed.
    case certificateChain = "certificate-chain"
    /// The signer signed this header and payload.
    case signature
    /// The data is for the expected app.
    case bundleIdentifier = "bundle-identifier"
    /// The data comes from an accepted environment.
    case environment
    /// In production: the data is for the expected number in the App Store.
    case appAppleIdentifier = "app-apple-id"
    /// The data was signed for this device.
    case deviceVerification = "device-verification"
    /// What a notification carries passes the same checks and belongs to it.
    case nestedData = "nested-data"
}
