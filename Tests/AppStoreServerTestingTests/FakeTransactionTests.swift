import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Transactions of the fake App Store server")
struct FakeTransactionTests {
    @available(AppStoreServerAPI 1.0, *)
    private func client() -> FakeStoreClient {
        let client = FakeStoreClient()
        let start = client.now
        client.store.add(
            TestTransaction("plus", transaction: "2", original: "1", at: start, until: start + 60),
            TestTransaction("pro", transaction: "3"),
            TestTransaction("shared", transaction: "4").with { $0.ownership = .familyShared },
            TestRenewalInfo("plus", original: "1"), TestAppTransaction())
        client.store.add(TestTransaction("pro", transaction: "9"))
        return client
    }

    @Test("A transaction is found by its identifier or that of its original, and signed now")
    @available(AppStoreServerAPI 1.0, *)
    func info() async throws {
        let client = client()
        for identifier in ["2", "1"] {
            let claims = try await client.send(.get, "/v1/transactions/\(identifier)").claims("signedTransactionInfo")
            #expect(claims["transactionId"] == "2")
            #expect(claims["signedDate"] == 1_719_932_645_000)
            #expect(claims["appTransactionId"] == "704000000000000001")
        }
        client.advance(by: 1.5)
        let later = try await client.send(.get, "/v1/transactions/2").claims("signedTransactionInfo")
        #expect(later["signedDate"] == 1_719_932_646_500)
    }

    @Test(
        "Other identifiers are rejected with their codes",
        arguments: [
            ("/v1/transactions/5", 4_040_010), ("/v1/transactions/x", 4_000_006), ("/v1/transactions/%31a", 4_000_006),
            ("/v1/transactions/704000000000000001", 4_000_048), ("/v1/transactions/appTransactions/5", 4_040_010),
            ("/v1/transactions/appTransactions/9", 4_040_019), ("/v1/transactions/appTransactions/x", 4_000_006),
        ] as [(String, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func unknown(_ path: String, _ code: Int64) async throws {
        #expect(try await client().code(.get, path) == code)
    }

    @Test("Any identifier of the customer leads to the app transaction")
    @available(AppStoreServerAPI 1.0, *)
    func appTransaction() async throws {
        let client = client()
        for identifier in ["1", "2", "3", "704000000000000001"] {
            let response = try await client.send(.get, "/v1/transactions/appTransactions/\(identifier)")
            let claims = try response.claims("signedAppTransactionInfo")
            #expect(claims["originalApplicationVersion"] == "1.0")
            #expect(claims["receiptCreationDate"] == 1_719_932_645_000)
            #expect(claims["appAppleId"] == nil)
        }
    }

    @Test("Production has orders, and an unknown order has status 1")
    @available(AppStoreServerAPI 1.0, *)
    func orders() async throws {
        let client = client().with { $0.environment = .production }
        client.store.add(
            TestTransaction("pro", transaction: "21").with { $0.environment = .production },
            TestAppTransaction().with { $0.environment = .production })
        client.store.addOrder("MK5TTTVWJH", transactions: ["21"], app: "com.example.app")
        let response = try await client.send(.get, "/v1/lookup/MK5TTTVWJH")
        #expect(response["status"] == 0)
        #expect(try response.transactions == ["21"])
        let unknown = try await client.send(.get, "/v1/lookup/M2")
        #expect(unknown.status == 200)
        #expect(unknown["status"] == 1)
        #expect(unknown["signedTransactions"] == [])
        client.store.addOrder("M3", transactions: ["99"], app: "com.example.app")
        #expect(try await client.send(.get, "/v1/lookup/M3")["status"] == 1, "None of its transactions is known")
        let sandbox = try await client.with { $0.environment = .sandbox }.send(.get, "/v1/lookup/MK5TTTVWJH")
        #expect(sandbox["status"] == 1)
        let app = try await client.send(.get, "/v1/transactions/appTransactions/21").claims("signedAppTransactionInfo")
        #expect(app["appAppleId"] == 1_234_567_890)
    }

    @Test("A finished transaction is recorded once")
    @available(AppStoreServerAPI 1.0, *)
    func finish() async throws {
        let client = client()
        for _ in 1...2 {
            let response = try await client.send(.post, "/v1/transactions/3/finish")
            #expect(response.status == 200)
            #expect(response.raw.body.isEmpty)
        }
        #expect(client.store.finishedTransactions() == ["3"])
        #expect(try await client.code(.post, "/v1/transactions/5/finish") == 4_040_010)
    }

    @Test("An account token is in the transactions and renewal information of the original from then on")
    @available(AppStoreServerAPI 1.0, *)
    func accountToken() async throws {
        let client = client()
        let token = "7EDEA87D-98F0-42D0-9682-49CA81022F73"
        let before = try #require(try await client.send(.get, "/v2/history/1")["revision"]?.string)
        let response = try await client.send(
            .put, "/v1/transactions/1/appAccountToken", ["appAccountToken": .string(token)])
        #expect(response.status == 200)
        #expect(response.raw.body.isEmpty)
        let claims = try await client.send(.get, "/v1/transactions/2").claims("signedTransactionInfo")
        #expect(claims["appAccountToken"]?.string == token.lowercased())
        #expect(try await client.send(.get, "/v2/history/1?revision=\(before)").transactions == ["2"])
        let status = try await client.send(.get, "/v1/subscriptions/1")
        let item = status["data"]?.array?.first?.object?["lastTransactions"]?.array?.first?.object
        let renewal = try FakeStoreResponse.claims(of: #require(item?["signedRenewalInfo"]?.string))
        #expect(renewal["appAccountToken"]?.string == token.lowercased())
        let other = try await client.send(.get, "/v1/transactions/3").claims("signedTransactionInfo")
        #expect(other["appAccountToken"] == nil)
        client.store.add(TestTransaction("plus", transaction: "12", original: "1", until: client.now + 120))
        let renewed = try await client.send(.get, "/v1/transactions/12").claims("signedTransactionInfo")
        #expect(renewed["appAccountToken"]?.string == token.lowercased())
    }

    @Test(
        "Account tokens are rejected with their codes",
        arguments: [
            ("2", "7EDEA87D-98F0-42D0-9682-49CA81022F73", 4_000_187), ("1", "x", 4_000_183), ("1", "", 4_000_183),
            ("4", "7EDEA87D-98F0-42D0-9682-49CA81022F73", 4_000_185),
            ("5", "7EDEA87D-98F0-42D0-9682-49CA81022F73", 4_040_010),
        ] as [(String, String, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func accountTokenErrors(_ identifier: String, _ token: String, _ code: Int64) async throws {
        let path = "/v1/transactions/\(identifier)/appAccountToken"
        #expect(try await client().code(.put, path, ["appAccountToken": .string(token)]) == code)
        #expect(try await client().code(.put, "/v1/transactions/1/appAccountToken") == 4_000_000)
    }

    @Test("An added transaction replaces the one with its identifier, and customers with a common identifier are one")
    @available(AppStoreServerAPI 1.0, *)
    func merge() async throws {
        let client = client()
        client.store.add(TestTransaction("pro", transaction: "9").with { $0.quantity = 3 })
        let claims = try await client.send(.get, "/v1/transactions/9").claims("signedTransactionInfo")
        #expect(claims["quantity"] == 3)
        #expect(try await client.send(.get, "/v2/history/9").transactions == ["9"])
        client.store.add(TestTransaction("pro", transaction: "9"), TestTransaction("pro", transaction: "3"))
        #expect(try await client.send(.get, "/v2/history/2").transactions.sorted() == ["2", "3", "4", "9"])
    }

    @Test("Apps and environments have separate customers")
    @available(AppStoreServerAPI 1.0, *)
    func scopes() async throws {
        let client = client()
        client.store.add(TestTransaction("pro", transaction: "3").with { $0.bundleIdentifier = "com.example.other" })
        let other = client.with { $0.bundleIdentifier = "com.example.other" }
        let claims = try await other.send(.get, "/v1/transactions/3").claims("signedTransactionInfo")
        #expect(claims["bundleId"] == "com.example.other")
        #expect(try await other.code(.get, "/v1/transactions/2") == 4_040_010)
        #expect(try await client.with { $0.environment = .production }.code(.get, "/v1/transactions/3") == 4_040_010)
    }

    @Test(
        "The host or the path names the environment",
        arguments: [
            ("https://api.storekit.apple.com", "Production"), ("https://api.storekit.itunes.apple.com", "Production"),
            ("https://api.storekit-sandbox.apple.com", "Sandbox"), ("http://127.0.0.1:8080", "Production"),
            ("https://api.storekit-sandbox.itunes.apple.com", "Sandbox"), ("http://127.0.0.1:8080/sandbox", "Sandbox"),
            ("", "Production"), ("/sandbox", "Sandbox"),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func environments(_ base: String, _ environment: String) async throws {
        let client = client()
        let response = try await client.store.send(
            AppStoreServerHTTPRequest(method: .get, url: base + "/inApps/v1/transactions/2?a=b%20c&a=d+e#f"))
        #expect(response.status == 401)
        let request = try #require(client.store.requests.last)
        #expect(request.environment.rawValue == environment)
        #expect(request.path == "/inApps/v1/transactions/2")
        #expect(request.query == ["a": ["b c", "d e"]])
        #expect(request.endpoint == .transaction)
    }

    @Test("An unknown path is 404 and another method 405, without an error of the API")
    @available(AppStoreServerAPI 1.0, *)
    func unknownPaths() async throws {
        let client = client()
        #expect(try await client.send(.get, "/v1/messaging/image/list").status == 404)
        #expect(try await client.send(.post, "/v1/transactions/2").status == 405)
        #expect(client.store.requests.map(\.endpoint) == [nil, nil])
    }
}
