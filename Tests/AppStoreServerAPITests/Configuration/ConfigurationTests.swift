import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("AppStoreServerConfiguration")
struct ConfigurationTests {
    @Test("By default Apple's hosts are asked")
    @available(AppStoreServerAPI 1.0, *)
    func hosts() async throws {
        let transport = ScriptedTransport(.apple(4_040_010))
        _ = await failure { try await makeClient(transport).transaction("1") }
        #expect(
            transport.requests.map(\.url) == [
                "https://api.storekit.apple.com/inApps/v1/transactions/1",
                "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/1",
            ])
    }

    @Test("Without an address of the sandbox, the sandbox is at the address of production")
    @available(AppStoreServerAPI 1.0, *)
    func sandboxOfAnotherHost() async throws {
        let transport = ScriptedTransport(.apple(4_040_010))
        let addresses = try [
            ("https://proxy.example.com/apple", .production), ("http://localhost:1", .production),
            ("http://localhost:2", .sandbox),
        ].map { try AppStoreServerConfiguration.Endpoints.address($0, for: $1) }
        let proxy = try makeClient(transport) { $0.endpoints = .init(production: addresses[0]) }
        _ = await failure { try await proxy.transaction("1") }
        let both = try makeClient(transport) {
            $0.endpoints = .init(production: addresses[1], sandbox: addresses[2])
        }
        _ = await failure { try await both.transaction("1") }
        let sandbox = try makeClient(transport) { $0.endpoints.sandbox = addresses[2] }
        _ = await failure { try await sandbox.restricted(to: .sandbox).transaction("1") }
        #expect(
            transport.requests.map(\.url) == [
                "https://proxy.example.com/apple/inApps/v1/transactions/1",
                "https://proxy.example.com/apple/inApps/v1/transactions/1",
                "http://localhost:1/inApps/v1/transactions/1", "http://localhost:2/inApps/v1/transactions/1",
                "http://localhost:2/inApps/v1/transactions/1",
            ])
    }

    @Test(
        "A URL is https, or http on this computer",
        arguments: [
            ("https://proxy.example.com/apple/", "https://proxy.example.com/apple"),
            ("https://example.com:8443", "https://example.com:8443"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1"), ("http://[::1]:8080", "http://[::1]:8080"),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func accepted(_ url: String, _ expected: String) throws {
        #expect(try BaseURL(url, for: .production).text == expected)
    }

    @Test(
        "Messages name the host and port of a URL",
        arguments: [
            ("https://api.storekit.apple.com", "api.storekit.apple.com, port 443"),
            ("http://localhost", "localhost, port 80"),
            ("https://Example.com:8443/a", "example.com, port 8443"), ("http://[::1]:8080", "[::1], port 8080"),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func server(_ url: String, _ expected: String) throws {
        #expect(try BaseURL(url, for: .production).server == expected)
    }

    @Test(
        "Other URLs are rejected",
        arguments: [
            "", "example.com", "http://example.com", "http://localhost.example.com", "http://127.0.0.1@example.com",
            "https://user:password@example.com", "https://", "https:///path", "https://example.com?a=b",
            "https://example.com#a", "ftp://example.com", "https://exa mple.com", "https://example.com:99999",
            "https://example.com\r\nX: y", "http://[::1", "http://[::1]x",
        ])
    @available(AppStoreServerAPI 1.0, *)
    func rejected(_ url: String) throws {
        #expect(throws: AppStoreServerError(.configurationInvalid)) {
            try AppStoreServerConfiguration.Endpoints.address(url, for: .sandbox)
        }
        // Not every text is a URL, and some become other URLs.
        guard let address = URL(string: url), address.absoluteString == url else { return }
        #expect(throws: AppStoreServerError(.configurationInvalid)) {
            try makeClient(ScriptedTransport(.unauthenticated)) { $0.endpoints.production = address }
        }
    }

    @Test("A client needs one or two environments, and rejects Xcode's")
    @available(AppStoreServerAPI 1.0, *)
    func environments() throws {
        for environments in [[], [.xcode], [.production, .xcode], [.sandbox, .sandbox]] as [[AppStoreEnvironment]] {
            #expect(throws: AppStoreServerError(.configurationInvalid)) {
                try makeClient(ScriptedTransport(.unauthenticated), environments: environments)
            }
        }
    }

    @Test("Limits that make no request possible are rejected")
    @available(AppStoreServerAPI 1.0, *)
    func limits() throws {
        let changes: [(inout AppStoreServerConfiguration) -> Void] = [
            { $0.requestTimeout = .zero }, { $0.callTimeout = .zero }, { $0.maxResponseBytes = 0 }, { $0.maxPages = 0 },
            { $0.retryPolicy.maxAttempts = 0 }, { $0.rateLimitShare = 0 }, { $0.rateLimitShare = 1.1 },
            { $0.userAgent = "a\r\nX: y" },
        ]
        for change in changes {
            #expect(throws: AppStoreServerError(.configurationInvalid)) {
                try makeClient(ScriptedTransport(.unauthenticated), change)
            }
        }
    }

    @Test("A cursor is restored from its description, and other text isn't one")
    @available(AppStoreServerAPI 1.0, *)
    func cursors() {
        let cursor = AppStoreServerCursor(environment: .production, revision: "1:2")
        #expect(AppStoreServerCursor(cursor.description) == cursor)
        for text in ["", "r1", "moon:r1", "sandbox:", "sandbox"] { #expect(AppStoreServerCursor(text) == nil) }
    }
}
