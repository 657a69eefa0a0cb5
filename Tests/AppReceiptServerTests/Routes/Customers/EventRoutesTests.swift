#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("EventRoutes")
struct EventRoutesTests {
    private func token(
        _ transaction: String, refunded: Bool = false, app: String = "com.example.app",
        environment: SignedDataEnvironment = .sandbox
    ) throws -> [UInt8] {
        Array(
            try TestTransaction("com.example.pro", transaction: transaction).with {
                $0.bundleIdentifier = app
                $0.environment = environment
                $0.revocationDate = refunded ? instant("2024-08-01T00:00:00Z") : nil
                if refunded { $0.signedDate = instant("2024-12-01T00:00:00Z") }
            }.signed().utf8)
    }

    private func types(_ response: ServerResponse) -> [String?]? {
        response.json["events"]?.array?.map { $0["type"]?.string }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Events continue after the cursor, and a cursor exists even where nothing is stored")
    func cursors() async throws {
        try await TestServer.with { server async throws in
            let empty = try await server.get("/v1/events")
            #expect(types(empty) == [])
            let beginning = try #require(empty.json["next"]?.string)
            _ = try await server.post("/v1/signed-data/verify", token("77"))
            let first = try await server.get("/v1/events?after=\(beginning)")
            #expect(types(first) == ["activated"])
            let event = try #require(first.json["events"]?[0])
            #expect(event["before"] == .null)
            #expect(event["after"]?["state"]?.string == "owned")
            #expect(event["originalTransactionIdentifier"]?.string == "77")
            #expect(event["cause"]?["kind"]?.string == "transaction")
            let next = try #require(first.json["next"]?.string)
            _ = try await server.post("/v1/signed-data/verify", token("77", refunded: true))
            _ = try await server.post("/v1/signed-data/verify", token("77", refunded: true))
            let second = try await server.get("/v1/events?after=\(next)")
            #expect(types(second) == ["refunded"])
            #expect(second.json["events"]?[0]?["before"] == event["after"])
            #expect(types(try await server.get("/v1/events?limit=1")) == ["activated"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("With Accept: application/x-ndjson each line is an event")
    func lines() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/signed-data/verify", token("77"))
            _ = try await server.post("/v1/signed-data/verify", token("78"))
            let response = try await server.get("/v1/events", headers: ["Accept": "application/x-ndjson"])
            #expect(response.headers["content-type"] == "application/x-ndjson")
            let events = try response.text.split(separator: "\n").map { try AppStoreJSON(parsing: Array($0.utf8)[...]) }
            #expect(events.map { $0["originalTransactionIdentifier"]?.string } == ["77", "78"])
            #expect(events.allSatisfy { $0["cursor"]?.string != nil })
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Events of other apps and environments are skipped")
    func scopes() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/signed-data/verify", token("77"))
            _ = try await server.post("/v1/signed-data/verify", token("78", app: "com.example.other"))
            _ = try await server.post("/v1/signed-data/verify", token("79", environment: .production))
            func events(_ query: String) async throws -> [String?]? {
                try await server.get("/v1/events?" + query).json["events"]?.array?
                    .map { $0["originalTransactionIdentifier"]?.string }
            }
            #expect(try await events("bundle-id=com.example.other") == ["78"])
            #expect(try await events("environment=production") == ["79"])
            #expect(try await events("environment=sandbox&environment=production") == ["77", "78", "79"])
            #expect(try await events("environment=sandbox&bundle-id=com.example.app") == ["77"])
            let next = try await server.get("/v1/events?environment=production&limit=1").json["next"]?.string
            #expect(try await events("after=\(next ?? "")&environment=production") == [])
            #expect(try await server.get("/v1/events?environment=moon").errorCode == "option-malformed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request that waits gets the event that happens meanwhile")
    func waits() async throws {
        try await TestServer.with { server async throws in
            async let waiting = server.get("/v1/events?wait=20")
            _ = try await server.post("/v1/signed-data/verify", token("77"))
            #expect(types(try await waiting) == ["activated"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Malformed options are errors",
        arguments: [
            ("after=", "cursor-malformed"), ("after", "cursor-malformed"), ("after=1&after=2", "option-repeated"),
            ("after=x", "cursor-malformed"), ("after=-1", "cursor-malformed"), ("after=+1", "cursor-malformed"),
            ("after=%2B1", "cursor-malformed"), ("after=-0", "cursor-malformed"), ("after=007", "cursor-malformed"),
            ("after=0x1", "cursor-malformed"), ("after=9223372036854775808", "cursor-malformed"),
            ("wait=61", "option-malformed"), ("limit=1001", "option-malformed"), ("limit=0", "option-malformed"),
            ("cursor=1", "option-unknown"),
        ])
    func malformed(query: String, code: String) async throws {
        try await TestServer.with { server async throws in
            let response = try await server.get("/v1/events?" + query)
            #expect(response.status == 400)
            #expect(response.errorCode == code)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A cursor that the database never had is an error, also if the request waits")
    func beyondEnd() async throws {
        try await TestServer.with { server async throws in
            let empty = try await server.get("/v1/events").json["next"]?.string ?? ""
            #expect(try await server.get("/v1/events?after=\(empty)").status == 200)
            _ = try await server.post("/v1/signed-data/verify", token("77"))
            #expect(try await server.get("/v1/events?after=1").status == 200)
            for query in ["after=2", "after=999999&wait=20"] {
                let response = try await server.get("/v1/events?" + query)
                #expect(response.status == 400)
                #expect(response.errorCode == "cursor-malformed")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app that isn't served is an error of each route")
    func notServed() async throws {
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            for path in ["events", "accounts/42/entitlements", "purchases/77", "orders/M000000000"] {
                let response = try await server.get("/v1/\(path)?bundle-id=com.example.nope")
                #expect(response.status == 400)
                #expect(response.errorCode == "bundle-not-served")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request whose client goes away ends its wait, and leaves its place")
    func clientGone() async throws {
        try await TestServer.with {
            $0.limits.maxConnections = 4
        } _: { server async throws in
            let client = ClientPresence()
            let page = try await ClientPresence.$current.withValue(client) {
                async let waiting = server.get("/v1/events?wait=60")
                await waitUntil { server.metrics.text().contains("appreceipt_waiting_requests 1\n") }
                client.leave()
                return try await waiting
            }
            #expect(page.status == 200)
            #expect(types(page) == [])
            #expect(server.metrics.text().contains("appreceipt_waiting_requests 0\n"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A token that waits in half of the places leaves the others to other tokens")
    func share() async throws {
        try await TestServer.with {
            $0.limits.maxConnections = 8
            $0.tokens = ["a", "b"].map { AccessToken(SharedSecret($0), name: $0) }
        } _: { server async throws in
            let (first, second) = (["Authorization": "Bearer a"], ["Authorization": "Bearer b"])
            async let waiting = server.get("/v1/events?wait=20", headers: first)
            await waitUntil { server.metrics.text().contains("appreceipt_waiting_requests 1\n") }
            #expect(try await server.get("/v1/events?wait=20", headers: first).status == 503)
            async let other = server.get("/v1/events?wait=20", headers: second)
            await waitUntil { server.metrics.text().contains("appreceipt_waiting_requests 2\n") }
            _ = try await server.post("/v1/signed-data/verify", token("77"), headers: first)
            #expect(types(try await waiting) == ["activated"])
            #expect(types(try await other) == ["activated"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests that wait beyond the limit are rejected, and those that don't wait are served")
    func manyWaiting() async throws {
        try await TestServer.with {
            $0.limits.maxConnections = 4
        } _: { server async throws in
            async let waiting = server.get("/v1/events?wait=20")
            await waitUntil { server.metrics.text().contains("appreceipt_waiting_requests 1\n") }
            let rejected = try await server.get("/v1/events?wait=20")
            #expect(rejected.status == 503)
            #expect(rejected.headers["retry-after"] != nil)
            #expect(rejected.text.contains("Too many requests wait for events."))
            #expect(server.log.text.contains("\"limit\": waiting"))
            #expect(try await server.get("/v1/events").status == 200)
            _ = try await server.post("/v1/signed-data/verify", token("77"))
            #expect(types(try await waiting) == ["activated"])
            #expect(server.metrics.text().contains("appreceipt_waiting_requests 0\n"))
            #expect(types(try await server.get("/v1/events?wait=20")) == ["activated"])
        }
    }
}
#endif
