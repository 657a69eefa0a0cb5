import AppReceiptKit
import AppReceiptSupport

/// The contents of a token in a report, verified or not.
public struct SignedDataContents: Sendable, Hashable {
    /// The kind of data, nil if it can't be determined.
    public let kind: SignedDataKind?

    /// The members of the payload.
    public let payload: AppStoreJSON.Object

    /// The payloads of the tokens in a notification, by the names of their members. Unreadable ones are left out.
    public let nested: [String: AppStoreJSON.Object]

    /// The app that the payload names, verified or not; nil if it names none or has malformed members.
    package var claimedBundleIdentifier: String? {
        (try? UnverifiedSignedData.Claims(payload, kind: kind))?.bundleIdentifier
    }

    /// - Parameters:
    ///   - payload: The members of the payload.
    ///   - claims: Its claims, nil if they couldn't be read.
    init(_ payload: AppStoreJSON.Object, in claims: (some SignedClaims)? = NotificationClaims?.none) {
        kind = SignedDataKind(of: payload)
        self.payload = payload
        var nested: [String: AppStoreJSON.Object] = [:]
        for (name, token) in (claims as? NotificationClaims)?.nestedTokens ?? [] {
            nested[name] = (try? UnverifiedSignedData(parsing: token))?.claims.members
        }
        self.nested = nested
    }
}
