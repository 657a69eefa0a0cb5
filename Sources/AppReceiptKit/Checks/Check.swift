/// The checks of a report, in the order in which they are made.
public enum Check: String, Sendable, Hashable, CaseIterable, Codable {
    /// The bytes are a well-formed container with one signer.
    case container
    /// The content is a well-formed set of attributes.
    case payload
    /// The signer's certificate chains to a trusted root and was valid at the creation date.
    case certificateChain = "certificate-chain"
    /// The signer signed this content.
    case signature
    /// The receipt is for the expected app.
    case bundleIdentifier = "bundle-identifier"
    /// The receipt comes from an accepted environment.
    case environment
    /// The receipt is for the expected version.
    case appVersion = "app-version"
    /// The app was first bought in the expected version.
    case originalAppVersion = "original-app-version"
    /// The receipt was made for this device.
    case deviceHash = "device-hash"
    /// The receipt has not expired.
    case expiration
}
