public import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
public import AppReceiptTesting

/// A key for the App Store Server API, as App Store Connect creates it, with public and fixed values.
public struct TestAppStoreServerKey: Sendable, Hashable {
    /// The identifier of the key, 10 characters.
    public var keyIdentifier: String
    /// The identifier of the developer team, a UUID.
    public var issuerIdentifier: String
    /// The key pair.
    public var key: TestKey

    /// Creates a key.
    public init(keyIdentifier: String, issuerIdentifier: String, key: TestKey) {
        self.keyIdentifier = keyIdentifier
        self.issuerIdentifier = issuerIdentifier
        self.key = key
    }

    /// The key that every ``FakeAppStoreServer`` accepts by default.
    public static let standard = TestAppStoreServerKey(
        keyIdentifier: "TESTKEY001", issuerIdentifier: "6f9619ff-8b86-4011-b42d-00cf4fc964ff", key: .appStoreServer)

    /// The text of the `.p8` file.
    public var pem: String { get throws(ReceiptError) { try key.privateKeyPEM } }

    /// Creates the value of the header `Authorization`, valid for 5 minutes.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app.
    ///   - date: The date of issue.
    ///   - change: Changes the token before it is signed, so that a test can break one rule at a time.
    /// - Returns: `Bearer` and the token.
    /// - Throws: An error if the key can't be read.
    public func authorization(
        for bundleIdentifier: String, at date: Date, _ change: (inout TestToken) -> Void = { _ in }
    ) throws -> String {
        let seconds = Int64(date.timeIntervalSince1970)
        var token = try TestToken(
            [
                "iss": .string(issuerIdentifier), "iat": .number(AppStoreJSON.Number(seconds)),
                "exp": .number(AppStoreJSON.Number(seconds + 300)), "aud": "appstoreconnect-v1",
                "bid": .string(bundleIdentifier),
            ], certificates: [], key: key)
        token.header = ["alg": "ES256", "kid": .string(keyIdentifier), "typ": "JWT"]
        change(&token)
        return "Bearer " + (try token.encoded())
    }
}
