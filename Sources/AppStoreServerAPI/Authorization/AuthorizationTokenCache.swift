import AppReceiptFoundation
import AppReceiptSupport

/// The current token of a client and its copies. All requests share it until a minute before it expires.
@available(AppStoreServerAPI 1.0, *)
final class AuthorizationTokenCache: Sendable {
    private struct Entry {
        let token: String
        let created: Date
    }

    private static let lifetime: TimeInterval = 300
    private static let margin: TimeInterval = 60

    private let key: AppStoreServerKey
    private let bundleIdentifier: String
    private let entry = LockedValueBox<Entry?>(nil)

    init(key: AppStoreServerKey, bundleIdentifier: String) {
        self.key = key
        self.bundleIdentifier = bundleIdentifier
    }

    /// Returns the current token, or a new one.
    func token(at now: Date) throws(AppStoreServerError) -> String {
        // Result, because withLock rethrows any error.
        let result = entry.withLock { entry -> Result<String, AppStoreServerError> in
            if let entry {
                // A clock that was set back makes a token come from the future, which Apple rejects.
                let age = now.timeIntervalSince(entry.created)
                if age >= 0, age < Self.lifetime - Self.margin { return .success(entry.token) }
            }
            return Result { () throws(AppStoreServerError) in
                let token = try key.authorizationToken(
                    bundleIdentifier: bundleIdentifier, at: now, lifetime: .seconds(Self.lifetime))
                entry = Entry(token: token, created: now)
                return token
            }
        }
        return try result.get()
    }

    /// Forgets a token that was rejected, unless another request has replaced it.
    func discard(_ token: String) {
        entry.withLock { entry in
            if entry?.token == token { entry = nil }
        }
    }
}
