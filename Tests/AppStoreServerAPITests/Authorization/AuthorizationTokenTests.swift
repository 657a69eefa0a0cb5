import AppReceiptSupport
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Authorization token")
struct AuthorizationTokenTests {
    @Test("A token names key, issuer, audience, app and five minutes, and is signed with r and s")
    @available(AppStoreServerAPI 1.0, *)
    func contents() async throws {
        let transport = ScriptedTransport(try transactionResponse("1"))
        _ = try await makeClient(transport).transaction("1")
        let header = try #require(transport.requests.first?.headers["Authorization"])
        #expect(header.hasPrefix("Bearer "))
        let token = try #require(try DecodedToken(String(header.dropFirst(7))))
        #expect(token.header == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
        let issued = Int64(now.timeIntervalSince1970)
        #expect(
            token.payload == [
                "iss": .string(issuer), "iat": .number(AppStoreJSON.Number(issued)),
                "exp": .number(AppStoreJSON.Number(issued + 300)),
                "aud": "appstoreconnect-v1", "bid": "com.example.app",
            ])
        #expect(token.signature.count == 64)
        #expect(try token.isSigned)
    }

    @Test("A token for other programs has the requested lifetime, at most an hour")
    @available(AppStoreServerAPI 1.0, *)
    func lifetime() throws {
        let text = try testKey().authorizationToken(
            bundleIdentifier: "com.example.app", at: now, lifetime: .seconds(3600))
        let token = try #require(try DecodedToken(text))
        #expect(token.payload["exp"]?.number?.int64 == Int64(now.timeIntervalSince1970) + 3600)
        for lifetime in [Duration.seconds(3601), .zero] {
            #expect(throws: AppStoreServerError(.requestInvalid)) {
                try testKey().authorizationToken(bundleIdentifier: "com.example.app", at: now, lifetime: lifetime)
            }
        }
    }

    /// The distinct authorizations of the requests, in order of their first use.
    @available(AppStoreServerAPI 1.0, *)
    private func authorizations(_ transport: ScriptedTransport) -> [String] {
        transport.requests.compactMap { $0.headers["Authorization"] }.reduce(into: []) { known, next in
            if !known.contains(next) { known.append(next) }
        }
    }

    @Test("A token is shared by requests and copies until a minute before it expires")
    @available(AppStoreServerAPI 1.0, *)
    func cache() async throws {
        let time = TestTime()
        let transport = ScriptedTransport(try transactionResponse("1"))
        let client = try makeClient(transport, time: time)
        _ = try await client.transaction("1")
        time.now += 239
        _ = try await client.restricted(to: .production).transaction("1")
        #expect(authorizations(transport).count == 1)
        time.now += 1
        _ = try await client.transaction("1")
        #expect(authorizations(transport).count == 2)
    }

    @Test("A token that is from the future after the clock was set back isn't used")
    @available(AppStoreServerAPI 1.0, *)
    func clockSetBack() async throws {
        let time = TestTime()
        let transport = ScriptedTransport(try transactionResponse("1"))
        let client = try makeClient(transport, time: time)
        _ = try await client.transaction("1")
        time.now -= 10
        _ = try await client.transaction("1")
        #expect(authorizations(transport).count == 2)
    }

    @Test("Concurrent requests share one token")
    @available(AppStoreServerAPI 1.0, *)
    func concurrent() async throws {
        let transport = ScriptedTransport(try transactionResponse("1"))
        let client = try makeClient(transport)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await client.transaction("1") } }
            try await group.waitForAll()
        }
        #expect(transport.requests.count == 20)
        #expect(authorizations(transport).count == 1)
    }

    @Test("After a 401 the token is made again once, and the request succeeds")
    @available(AppStoreServerAPI 1.0, *)
    func renewal() async throws {
        let transport = ScriptedTransport(.unauthenticated, try transactionResponse("1"))
        let time = TestTime()
        let client = try makeClient(transport, time: time)
        _ = try await client.transaction("1")
        #expect(transport.requests.count == 2)
        #expect(authorizations(transport).count == 2)
        #expect(time.sleeps.isEmpty)
        _ = try await client.transaction("1")
        #expect(authorizations(transport).count == 2)
    }

    @Test("A second 401 is final: the error explains key, clock and approval")
    @available(AppStoreServerAPI 1.0, *)
    func secondRejection() async throws {
        let transport = ScriptedTransport(.unauthenticated)
        let client = try makeClient(transport, environments: [.production])
        let error = await failure { try await client.transaction("1") }
        #expect(error?.code == .unauthenticated)
        #expect(error?.httpStatus == 401)
        #expect(error?.isRetryable == false)
        #expect(error?.remedy.contains("clock") == true)
        #expect(transport.requests.count == 2)
    }
}
