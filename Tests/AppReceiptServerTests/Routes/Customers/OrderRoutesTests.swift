#if Server
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("OrderRoutes")
struct OrderRoutesTests {
    @available(AppReceiptServer 1.0, *)
    private func with(_ body: (TestServer, AppStoreFixture) async throws -> Void) async throws {
        let period = AppStoreFixture.period("70", from: "2024-11-20T00:00:00Z").with { $0.environment = .production }
        let fixture = AppStoreFixture(purchases: [period])
        fixture.fake.addOrder("MQ4B3L1KD9", transactions: ["70"], app: "com.example.app")
        let configuration = try fixture.configuration()
        try await TestServer.with {
            $0.appStore = configuration
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            try await body(server, fixture)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The transactions of an order are verified, recorded, and answered with what they are of")
    func known() async throws {
        try await with { server, _ in
            let order = try await server.get("/v1/orders/MQ4B3L1KD9")
            #expect(order.status == 200)
            #expect(order.json["order"]?.string == "MQ4B3L1KD9")
            #expect(order.json["purchases"]?.array?.compactMap(\.string) == [AppStoreFixture.original])
            #expect(order.json["products"]?[0]?["productIdentifier"]?.string == AppStoreFixture.product)
            #expect(order.json["transactions"]?[0]?["transactionId"]?.string == "70")
            #expect(try await server.get("/v1/purchases/70").status == 200)
            let events = try await server.get("/v1/events").json["events"]?.array
            #expect(events?.first?["cause"]?["kind"]?.string == "appStore")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An unknown order, an App Store that fails and a server without a key have errors of their own")
    func failures() async throws {
        try await with { server, fixture in
            #expect(try await server.get("/v1/orders/M000000000").errorCode == "order-unknown")
            fixture.replaceResponses { _ in AppStoreServerHTTPResponse(status: 500) }
            let failed = try await server.get("/v1/orders/MQ4B3L1KD9")
            #expect(failed.status == 502)
            #expect(failed.errorCode == "app-store-failed")
            for text in ["a%20b", "M-1", "M%C3%A9"] {
                #expect(try await server.get("/v1/orders/" + text).errorCode == "order-unknown")
            }
        }
        try await TestServer.with { server async throws in
            let unconfigured = try await server.get("/v1/orders/MQ4B3L1KD9")
            #expect(unconfigured.status == 501)
            #expect(unconfigured.errorCode == "app-store-unconfigured")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order is looked up in the apps that have a key, and one that fails doesn't hide the others")
    func severalApps() async throws {
        let period = AppStoreFixture.period("70", from: "2024-11-20T00:00:00Z").with { $0.environment = .production }
        let fixture = AppStoreFixture(purchases: [period])
        fixture.fake.addOrder("MQ4B3L1KD9", transactions: ["70"], app: "com.example.app")
        var configuration = try fixture.configuration()
        let key = try #require(configuration.key)
        configuration.key = nil
        var app = AppConfiguration(bundleIdentifier: "com.example.app")
        app.storeKey = key
        // The App Store rejects requests about it, because the key is another team's.
        var foreign = AppConfiguration(bundleIdentifier: "com.example.another")
        foreign.storeKey = key
        let keyless = AppConfiguration(bundleIdentifier: "com.example.keyless")
        try await TestServer.with {
            $0.appStore = configuration
            $0.apps = [keyless, foreign, app]
        } _: { server async throws in
            #expect(try await server.get("/v1/orders/MQ4B3L1KD9").status == 200)
            #expect(try await server.get("/v1/orders/M000000000").errorCode == "app-store-failed")
            let unconfigured = try await server.get("/v1/orders/MQ4B3L1KD9?bundle-id=com.example.keyless")
            #expect(unconfigured.errorCode == "app-store-unconfigured")
            #expect(unconfigured.text.contains("com.example.keyless"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A text that is too long for an order number is an error of the request, without asking the App Store")
    func tooLong() async throws {
        try await with { server, fixture in
            let long = try await server.get("/v1/orders/" + String(repeating: "M", count: 65))
            #expect(long.status == 400)
            #expect(long.errorCode == "path-malformed")
            #expect(fixture.fake.requests.isEmpty)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app that isn't served in production has no orders")
    func environments() async throws {
        let fixture = AppStoreFixture()
        let configuration = try fixture.configuration()
        try await TestServer.with {
            $0.appStore = configuration
            $0.bundleIdentifiers = ["com.example.app"]
            $0.environments = [.sandbox]
        } _: { server async throws in
            #expect(try await server.get("/v1/orders/MQ4B3L1KD9").errorCode == "environment-not-served")
            #expect(fixture.fake.requests.isEmpty)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order is waited for no longer than other responses")
    func patience() async throws {
        let fixture = AppStoreFixture(isImpatient: true, repeats: true)
        fixture.replaceResponses { _ in AppStoreServerHTTPResponse(status: 500) }
        let configuration = try fixture.configuration()
        try await TestServer.with {
            $0.appStore = configuration
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            let late = try await server.get("/v1/orders/MQ4B3L1KD9")
            #expect(late.errorCode == "app-store-failed")
            #expect(late.text.contains("in time"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An order is waited for also if other responses never wait")
    func noPatience() async throws {
        var configuration = try AppStoreFixture().configuration()
        configuration.patience = .zero
        try await TestServer.with { [configuration] in
            $0.appStore = configuration
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            #expect(try await server.get("/v1/orders/M000000001").errorCode == "order-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests that wait for the App Store about orders take no place of others, and few may wait")
    func places() async throws {
        let fixture = AppStoreFixture()
        let configuration = try fixture.configuration()
        fixture.hold()
        try await TestServer.with {
            $0.appStore = configuration
            $0.bundleIdentifiers = ["com.example.app"]
            $0.limits.maxRequests = 4
        } _: { server async throws in
            func has(_ count: Int) -> Bool { server.metrics.text().contains("appreceipt_app_store_lookups \(count)\n") }
            async let first = server.get("/v1/orders/M000000001")
            async let second = server.get("/v1/orders/M000000002")
            await waitUntil { has(2) }
            let third = try await server.get("/v1/orders/M000000003")
            #expect(third.status == 503)
            #expect(third.text.contains("wait for the App Store"))
            #expect(third.headers["retry-after"] == "1")
            #expect(server.log.text.contains("\"limit\": lookups"))
            #expect(server.metrics.text().contains("appreceipt_requests_in_progress 0\n"))
            fixture.answer()
            #expect(try await first.errorCode == "order-unknown")
            #expect(try await second.errorCode == "order-unknown")
            #expect(has(0))
        }
    }
}
#endif
