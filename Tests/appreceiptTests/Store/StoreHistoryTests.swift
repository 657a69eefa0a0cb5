import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import Foundation
import Testing

@testable import appreceipt

@Suite("appreceipt store history, refunds and order")
struct StoreHistoryTests {
    @available(AppStoreServerAPI 1.0, *)
    private func history(
        _ bench: StoreTestBench, _ identifier: String = "2000000000000001", _ arguments: String...
    ) async throws -> StoreResult {
        let options = try StoreHistory.parse([identifier] + bench.required + arguments)
        let client = try options.options.client(
            environments: options.options.environments, transport: bench.store, clock: bench.clock)
        return try await options.result(forCustomer: identifier, from: client, progress: StoreProgress())
    }

    @Test("The JSON has the claims in Apple's names and order, and only the history is asked")
    @available(AppStoreServerAPI 1.0, *)
    func json() async throws {
        let bench = try StoreTestBench()
        let result = try await history(bench)
        let object = try #require(result.json.object)
        #expect(object.members.map(\.name) == ["products", "transactions", "rejected", "environment", "revision"])
        #expect(
            object["products"]?.array?.compactMap { $0.object?["productIdentifier"]?.string }
                == ["coins", "pass", "plus", "pro", "tools"].map { "com.example.app.\($0)" })
        #expect(object["environment"]?.string == "production")
        #expect(object["rejected"]?.array == [])
        let transactions = try #require(object["transactions"]?.array)
        #expect(
            transactions.map { $0.object?["transactionId"]?.string } == (1...6).map { "200000000000000\($0)" })
        #expect(transactions.first?.object?["bundleId"]?.string == "com.example.app")
        #expect(transactions.first?.object?["purchaseDate"]?.number?.int64 != nil)
        #expect(result.isSuccess)
        #expect(bench.requests == ["history Production"])
    }

    @Test("A history continues from the revision of an earlier result, without products")
    @available(AppStoreServerAPI 1.0, *)
    func continued() async throws {
        let bench = try StoreTestBench()
        let first = try await history(bench, "2000000000000005", "--environment", "production")
        let revision = try #require(first.json.object?["revision"]?.string)
        bench.store.add(
            TestTransaction("com.example.app.pro", transaction: "2000000000000005").with {
                $0.environment = .production
                $0.revocationDate = StoreTestBench.start
            })
        let second = try await history(
            bench, "2000000000000005", "--environment", "production", "--revision", revision)
        #expect(
            second.json.object?["transactions"]?.array?.map { $0.object?["transactionId"]?.string }
                == ["2000000000000005"])
        #expect(second.json.object?["products"] == nil)
        #expect(throws: (any Error).self) {
            try StoreHistory.parse(["1", "--revision", revision] + bench.required)
        }
    }

    @Test("The text shows what the customer owns first, then the transactions")
    @available(AppStoreServerAPI 1.0, *)
    func text() async throws {
        let lines = try await history(try StoreTestBench()).lines
        #expect(lines[0].hasPrefix("com.example.app.coins  owned (consumable)"))
        #expect(lines.contains { $0.hasPrefix("com.example.app.plus") && $0.contains("active") })
        let heading = try #require(lines.firstIndex { $0.contains("Transactions, production (6)") })
        #expect(lines[heading + 2].contains("2000000000000001"))
        #expect(lines.contains { $0.contains("revoked 2024-12-25 00:00") })
    }

    @Test("What can't be verified is rejected with its code and position, and the status isn't 0")
    @available(AppStoreServerAPI 1.0, *)
    func rejected() async throws {
        let cases: [(FakeAppStoreServer.Fault, String)] = [
            (.forgedSignature, "signature-invalid"), (.foreignSigner, "intermediate-signature-invalid"),
            (.otherApp("com.example.other"), "bundle-identifier-mismatch"),
            (.otherEnvironment, "environment-mismatch"),
        ]
        for (fault, code) in cases { try await rejected(fault, code) }
    }

    @available(AppStoreServerAPI 1.0, *)
    private func rejected(_ fault: FakeAppStoreServer.Fault, _ code: String) async throws {
        let bench = try StoreTestBench()
        bench.store.inject(fault, at: .history)
        let result = try await history(bench)
        #expect(!result.isSuccess)
        let object = try #require(result.json.object)
        #expect(object["transactions"]?.array == [])
        let rejected = try #require(object["rejected"]?.array)
        #expect(rejected.map { $0.object?["index"]?.number?.int64 } == [0, 1, 2, 3, 4, 5])
        #expect(rejected[0].object?["code"]?.string == code)
        #expect(rejected[0].object?["documentation"]?.string == "docs/errors.md#\(code)")
        #expect(rejected[0].object?["message"]?.string?.isEmpty == false)
        #expect(rejected[0].object?["remedy"]?.string?.isEmpty == false)
        #expect(result.lines[0] == StoreResult.nothingVerified)
        #expect(result.lines.contains { $0.contains("What to do") })
        #expect(result.notes == ["6 rejected: refunds and renewals may be missing."])
    }

    @Test("Data that was signed more than five minutes from now is shown with a remark on the clock")
    @available(AppStoreServerAPI 1.0, *)
    func signedInFuture() async throws {
        let result = try await history(try StoreTestBench())
        #expect(result.json.object?["transactions"]?.array?.count == 6)
        #expect(result.remark(onSignedDatesAfter: StoreTestBench.start) == nil)
        #expect(result.remark(onSignedDatesAfter: StoreTestBench.start - 300) == nil)
        let remark = try #require(result.remark(onSignedDatesAfter: StoreTestBench.start - 301))
        #expect(remark.contains("2025-01-01T00:00:00Z, in the future"))
    }

    @Test("Data of another environment is rejected with both environments and the options to check")
    @available(AppStoreServerAPI 1.0, *)
    func otherEnvironment() async throws {
        let bench = try StoreTestBench()
        bench.store.inject(.otherEnvironment, at: nil, times: nil)
        let rejected = try await history(bench).json.object?["rejected"]?.array?.first?.object
        #expect(rejected?["message"]?.string == "The data comes from sandbox, not from production.")
        #expect(rejected?["remedy"]?.string == "Check --base-url and --sandbox-base-url.")
        let failure = try #require(await bench.failure { try await bench.client().transaction("2000000000000003") })
        #expect(failure.message.contains("The data comes from sandbox, not from production."))
        #expect(failure.lines.contains("  Check --base-url and --sandbox-base-url."))
    }

    @Test("The sandbox is asked for what production doesn't know, and if production rejects the key")
    @available(AppStoreServerAPI 1.0, *)
    func fallback() async throws {
        let bench = try StoreTestBench()
        bench.store.add(TestTransaction("com.example.app.pro", transaction: "77"))
        #expect(try await history(bench, "77").environment == "sandbox")
        #expect(bench.requests == ["history Production", "history Sandbox"])
        bench.store.setApproved(false, app: "com.example.app")
        #expect(try await history(bench).environment == "sandbox")
    }

    @Test("With --environment, only that environment is asked")
    @available(AppStoreServerAPI 1.0, *)
    func environment() async throws {
        let bench = try StoreTestBench()
        #expect(try await history(bench, "2000000000000001", "--environment", "sandbox").environment == "sandbox")
        #expect(bench.requests == ["history Sandbox"])
    }

    @Test("Refunds don't show what the customer owns")
    @available(AppStoreServerAPI 1.0, *)
    func refunds() async throws {
        let bench = try StoreTestBench()
        let command = try StoreRefunds.parse(["2000000000000001"] + bench.required)
        let result = try await command.result(
            forCustomer: "2000000000000001", from: bench.client(), progress: StoreProgress())
        #expect(result.lines[0].contains("Refunds, production (1)"))
        #expect(!result.lines.contains { $0.contains("Why") || $0.contains("as of") })
        #expect(result.json.object?.members.map(\.name) == ["transactions", "rejected", "environment"])
        #expect(result.json.object?["transactions"]?.array?.count == 1)
    }

    @available(AppStoreServerAPI 1.0, *)
    private func order(_ identifier: String, _ bench: StoreTestBench) async throws -> StoreResult {
        try await StoreOrder.parse([identifier] + bench.required)
            .result(from: bench.client(), progress: StoreProgress())
    }

    @Test("The transactions of an order are shown, and an unknown order isn't a success")
    @available(AppStoreServerAPI 1.0, *)
    func order() async throws {
        let bench = try StoreTestBench()
        let known = try await order("MTEST00001", bench)
        #expect(known.isSuccess)
        #expect(known.json.object?["unverified"]?.object?["status"]?.number?.int64 == 0)
        #expect(known.json.object?.members.first?.name == "products")
        #expect(known.lines[0].hasPrefix("com.example.app.pro  owned"))
        let unknown = try await order("M0", bench)
        #expect(!unknown.isSuccess)
        #expect(unknown.json.object?["unverified"]?.object?["status"]?.number?.int64 == 1)
        #expect(unknown.lines == ["The App Store doesn't know the order in production."])
        #expect(bench.requests == ["order Production", "order Production"])
        // The sandbox, which knows no orders, doesn't hide that production rejected the key.
        bench.store.inject(.empty(status: 401), at: .order, times: nil)
        let rejected = await bench.failure {
            try await order("MTEST00001", bench)
        }
        #expect(rejected?.code == "unauthenticated")
        #expect(bench.requests.allSatisfy { $0 == "order Production" })
    }
}
