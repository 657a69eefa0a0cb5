#if Server
/// The source of evidence.
public enum EvidenceSource: Sendable, Hashable {
    /// A request: of the app, the back end, or the App Store that sends a notification.
    case client
    /// An answer of the App Store Server API.
    case appStore
    /// Notifications that webhooks forward: as received, or without a body as Apple sends them.
    case forwarded(body: [UInt8]?)
}

/// The app of renewal information, which doesn't contain it, so that it can't be verified.
public enum RenewalApp: Sendable, Hashable {
    /// An app that a trusted source names.
    case trusted(String)
    /// An app that an untrusted client names. The renewal information is stored only if other data of the original
    /// transaction is stored for it.
    case claimed(String)

    var bundleIdentifier: String {
        switch self {
        case .trusted(let app), .claimed(let app): app
        }
    }
}
#endif
