import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import Foundation
import Testing

@testable import appreceipt

@Suite("appreceipt store status and transaction")
struct StoreStatusTests {
    @available(AppStoreServerAPI 1.0, *)
    private func status(_ bench: StoreTestBench) async throws -> StoreResult {
        let command = try StoreStatus.parse(["2000000000000001"] + bench.required)
        return try await command.result(
            forCustomer: "2000000000000001", from: bench.client(), progress: StoreProgress())
    }

    @Test("Products are derived from signed data, and the App Store's status is named unverified")
    @available(AppStoreServerAPI 1.0, *)
    func json() async throws {
        let bench = try StoreTestBench()
        bench.store.setStatus(.revoked, original: "2000000000000001", in: .production)
        let result = try await status(bench)
        let object = try #require(result.json.object)
        #expect(object.members.map(\.name) == ["products", "subscriptions", "rejected", "environment"])
        let product = object["products"]?.array?.first?.object
        #expect(product?["productIdentifier"]?.string == "com.example.app.plus")
        #expect(product?["state"]?.string == "active")
        let subscription = object["subscriptions"]?.array?.first?.object
        #expect(subscription?["originalTransactionId"]?.string == "2000000000000001")
        #expect(subscription?["transaction"]?.object?["transactionId"]?.string == "2000000000000002")
        #expect(subscription?["renewalInfo"]?.object?["autoRenewStatus"]?.number?.int64 == 1)
        #expect(subscription?["unverified"]?.object?["status"]?.number?.int64 == 5)
        #expect(result.isSuccess)
        #expect(bench.requests == ["statuses Production"])
    }

    @Test("The next step after an end that nothing explains is about Apple's unsigned status and the missing claims")
    @available(AppStoreServerAPI 1.0, *)
    func unexplainedEnd() async throws {
        let bench = try StoreTestBench()
        bench.time.withLock { $0 += 30 * 86_400 }
        bench.store.setStatus(.billingRetry, original: "2000000000000001", in: .production)
        let result = try await status(bench)
        let product = try #require(result.json.object?["products"]?.array?.first?.object)
        #expect(product["state"]?.string == "renewalUnknown")
        let step = """
            The App Store's status, which isn't signed, is 3 billing retry, but the signed renewal information has neither \
            isInBillingRetryPeriod nor expirationIntent. Don't grant access, and try again later.
            """
        #expect(product["nextStep"]?.string == step)
        #expect(result.lines.contains("    \(step)"))
    }

    @Test("The text shows what the customer owns first, then each subscription")
    @available(AppStoreServerAPI 1.0, *)
    func text() async throws {
        let lines = try await status(try StoreTestBench()).lines
        #expect(lines[0].hasPrefix("com.example.app.plus  active"))
        let heading = try #require(lines.firstIndex { $0.contains("Subscriptions, production (1)") })
        #expect(lines[heading + 1].contains("unverified status"))
        #expect(lines[heading + 2].hasSuffix("1 active"))
    }

    @Test("A forged subscription is rejected, and gives nothing")
    @available(AppStoreServerAPI 1.0, *)
    func forged() async throws {
        let bench = try StoreTestBench()
        bench.store.inject(.forgedSignature, at: .statuses)
        let result = try await status(bench)
        #expect(!result.isSuccess)
        #expect(result.json.object?["products"]?.array == [])
        #expect(result.lines[0] == StoreResult.nothingVerified)
    }

    @Test("An app transaction has its claims")
    @available(AppStoreServerAPI 1.0, *)
    func appTransaction() async throws {
        let bench = try StoreTestBench()
        let command = try StoreAppTransaction.parse(["2000000000000003"] + bench.required)
        let result = try await command.result(
            forCustomer: "2000000000000003", from: bench.client(), progress: StoreProgress())
        #expect(result.json.object?.members.map(\.name) == ["appTransaction", "environment"])
        #expect(result.json.object?["appTransaction"]?.object?["bundleId"]?.string == "com.example.app")
        #expect(result.lines[0] == "The customer has the app.")
    }

    @Test("A transaction has its claims, and a forged or another one is a failure")
    @available(AppStoreServerAPI 1.0, *)
    func transaction() async throws {
        let bench = try StoreTestBench()
        let client = try bench.client()
        let command = try StoreTransaction.parse(["2000000000000003"] + bench.required)
        let result = try await command.result(
            forCustomer: "2000000000000003", from: client, progress: StoreProgress())
        #expect(result.json.object?.members.map(\.name) == ["products", "transaction", "environment"])
        #expect(result.json.object?["transaction"]?.object?["productId"]?.string == "com.example.app.coins")
        #expect(result.json.object?["environment"]?.string == "production")
        #expect(result.lines[0].hasPrefix("com.example.app.coins  owned (consumable)"))
        for (fault, code) in [
            (FakeAppStoreServer.Fault.forgedSignature, "signature-invalid"),
            (.otherTransaction, "answer-for-another-transaction"),
        ] {
            bench.store.inject(fault, at: .transaction)
            let failure = await bench.failure { try await client.transaction("2000000000000003") }
            #expect(failure?.code == code)
            #expect(failure?.exitStatus == 1)
        }
    }
}
