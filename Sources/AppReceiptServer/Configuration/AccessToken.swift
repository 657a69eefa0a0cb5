#if Server
public import AppReceiptKit
public import VerifyReceipt

/// A token with which a client of `/v1` authenticates, and what it may do.
@available(AppReceiptServer 1.0, *)
public struct AccessToken: Sendable {
    /// The name, for the log.
    public var name: String
    /// The permissions of the client.
    public var role: Role
    /// The token itself.
    public var secret: SharedSecret
    /// The apps about which the client may ask. An empty list allows no app.
    public var apps: AcceptedValues<String>

    /// Creates a token. Default: it may do everything about every app.
    public init(
        _ secret: SharedSecret, name: String = "token", role: Role = .admin, apps: AcceptedValues<String> = .anyBundle
    ) {
        self.name = name
        self.role = role
        self.secret = secret
        self.apps = apps
    }

    /// The permissions of a client.
    public enum Role: String, Sendable, CaseIterable {
        /// Validate receipts and signed data, and send the evidence of accounts: for an app, or a proxy in front.
        case verify
        /// Also read accounts, purchases, orders and events: for a back end.
        case read
        /// Read, and use the web inspector, but neither validate nor send evidence: for support.
        case support
        /// Everything, also bind purchases and forget accounts.
        case admin
    }
}

@available(AppReceiptServer 1.0, *)
extension AccessToken.Role {
    /// A permission that a route needs.
    enum Permission: Sendable {
        /// Validates, or adds evidence.
        case validation
        /// Reads what is stored.
        case reading
        /// Serves the web inspector.
        case page
        /// Changes or deletes what is stored.
        case administration
    }

    func allows(_ permission: Permission) -> Bool {
        switch self {
        case .verify: permission == .validation
        case .read: permission == .validation || permission == .reading
        case .support: permission == .reading || permission == .page
        case .admin: true
        }
    }
}
#endif
