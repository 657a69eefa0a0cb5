import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Tokens of requests to the fake App Store server")
struct FakeAuthorizationTests {
    /// A change that makes a token invalid, or that must be accepted.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let failure: String?
        let apply: @Sendable (inout TestToken) -> Void

        init(_ name: String, _ failure: String?, _ apply: @escaping @Sendable (inout TestToken) -> Void) {
            (testDescription, self.failure, self.apply) = (name, failure, apply)
        }

        /// A member of the payload, in seconds relative to now.
        static func seconds(_ members: [String: Int64], _ name: String, _ failure: String?) -> Change {
            Change(name, failure) { token in
                for (member, offset) in members {
                    token.payload[member] = .number(AppStoreJSON.Number(1_719_932_645 + offset))
                }
            }
        }
    }

    static let changes: [Change] = [
        Change("a valid token", nil) { _ in },
        Change("no iat, as in Apple's Python library", nil) { $0.payload["iat"] = nil },
        .seconds(["iat": 60, "exp": 360], "iat a minute ahead", nil),
        .seconds(["iat": 0, "exp": 3600], "valid for 60 minutes", nil),
        .seconds(["iat": -3599, "exp": 1], "valid for another second", nil),
        Change("a nonce", nil) { $0.payload["nonce"] = "1" },
        Change("alg ES384", "algorithm") { $0.header["alg"] = "ES384" },
        Change("alg none", "algorithm") { $0.header["alg"] = "none" },
        Change("HS256", "algorithm") { token in
            token.header["alg"] = "HS256"
            token.signature = .hmac([1])
        },
        Change("typ JWS", "type") { $0.header["typ"] = "JWS" },
        Change("no typ", "type") { $0.header["typ"] = nil },
        Change("an unknown kid", "keyIdentifier") { $0.header["kid"] = "OTHERKEY01" },
        Change("no kid", "keyIdentifier") { $0.header["kid"] = nil },
        Change("another key", "signature") { $0.key = .foreignSigner },
        Change("a signature in DER", "signature") { $0.signature = .der },
        Change("an empty signature", "signature") { $0.signature = .bytes([]) },
        Change("a signature of 65 bytes", "signature") { $0.signature = .bytes(Array(repeating: 1, count: 65)) },
        Change("another issuer", "issuer") { $0.payload["iss"] = "57246542-96fe-1a63-e053-0824d011072a" },
        Change("no issuer", "issuer") { $0.payload["iss"] = nil },
        Change("another audience", "audience") { $0.payload["aud"] = "appstoreconnect-v2" },
        Change("a list of audiences", "audience") { $0.payload["aud"] = ["appstoreconnect-v1"] },
        .seconds(["iat": 61, "exp": 360], "iat 61 seconds ahead", "issuedInFuture"),
        .seconds(["iat": -300, "exp": 0], "exp now", "expired"),
        .seconds(["iat": 0, "exp": 3601], "valid for 60 minutes and a second", "lifetime"),
        Change("no iat, and exp in 2 hours", "lifetime") { token in
            token.payload["iat"] = nil
            token.payload["exp"] = .number(AppStoreJSON.Number(1_719_932_645 + 7200))
        },
        Change("no exp", "members") { $0.payload["exp"] = nil },
        Change("exp as text", "members") { $0.payload["exp"] = "1719932945" },
        Change("no bid", "members") { $0.payload["bid"] = nil },
        Change("iat as text", "members") { $0.payload["iat"] = "1719932645" },
        Change("a header that isn't JSON", "malformed") { $0.headerText = Array("{".utf8) },
        Change("a payload that is a list", "malformed") { $0.payloadText = Array("[]".utf8) },
    ]

    @Test(
        "A token with one change is rejected with 401 and without a body, and the log names the reason",
        arguments: changes)
    @available(AppStoreServerAPI 1.0, *)
    func reasons(_ change: Change) async throws {
        let client = FakeStoreClient()
        client.store.add(TestTransaction("com.example.pro", transaction: "1"))
        let token = try client.store.key.authorization(for: "com.example.app", at: client.now, change.apply)
        let response = try await client.send(.get, "/v1/transactions/1", authorization: token)
        #expect(response.status == (change.failure == nil ? 200 : 401))
        #expect(response.raw.body.isEmpty == (change.failure != nil))
        #expect(client.store.requests.map(\.authorizationFailure?.rawValue) == [change.failure])
    }

    @Test(
        "A request without a bearer token is rejected",
        arguments: [
            ("", "missing"), ("Basic YTpi", "missing"), ("Bearer a.b", "malformed"), ("Bearer ..", "malformed"),
            ("Bearer a=.b.c", "malformed"),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func withoutToken(_ header: String, _ failure: String) async throws {
        let client = FakeStoreClient()
        let response = try await client.send(.get, "/v1/transactions/1", authorization: header)
        #expect(response.status == 401)
        #expect(client.store.requests.first?.authorizationFailure?.rawValue == failure)
    }

    @Test("Padding in a token is rejected")
    @available(AppStoreServerAPI 1.0, *)
    func padding() async throws {
        let client = FakeStoreClient()
        let token = try client.store.key.authorization(for: "com.example.app", at: client.now) + "=="
        #expect(try await client.send(.get, "/v1/transactions/1", authorization: token).status == 401)
    }

    @Test("A token of an app that the developer doesn't have gets AppNotFound")
    @available(AppStoreServerAPI 1.0, *)
    func otherApp() async throws {
        let client = FakeStoreClient().with { $0.bundleIdentifier = "com.example.other" }
        #expect(try await client.code(.get, "/v1/transactions/1") == 4_040_003)
        client.store.addApp("com.example.other", appAppleIdentifier: 2)
        #expect(try await client.code(.get, "/v1/transactions/1") == 4_040_010)
    }

    @Test("Production answers 401 for an app that was never approved, and the sandbox doesn't")
    @available(AppStoreServerAPI 1.0, *)
    func neverApproved() async throws {
        let client = FakeStoreClient()
        client.store.setApproved(false, app: "com.example.app")
        client.store.add(TestTransaction("com.example.pro", transaction: "1"))
        let production = try await client.with { $0.environment = .production }.send(.get, "/v1/transactions/1")
        #expect(production.status == 401)
        #expect(client.store.requests.last?.authorizationFailure == .appNotApproved)
        #expect(try await client.send(.get, "/v1/transactions/1").status == 200)
    }

    @Test("The key is a P-256 key in PKCS #8 that can be read again")
    func key() throws {
        let key = TestAppStoreServerKey.standard
        let pem = try key.pem
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(pem.hasSuffix("-----END PRIVATE KEY-----\n"))
        #expect(key.keyIdentifier.count == 10)
        #expect(UUID(uuidString: key.issuerIdentifier) != nil)
        #expect(try key.pem == pem)
    }
}
