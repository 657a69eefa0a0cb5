import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import Foundation
import Testing

@Suite("Purchases of a customer")
struct CustomerTests {
    /// Answers histories and statuses.
    @available(AppStoreServerAPI 1.0, *)
    private func transport(
        history: [String], statuses: AppStoreServerHTTPResponse
    ) -> ScriptedTransport {
        let page = AppStoreServerHTTPResponse.json([
            "revision": "r1", "hasMore": false, "signedTransactions": .array(history.map { .string($0) }),
        ])
        return ScriptedTransport { request, _ in
            guard request.url.contains("sandbox") else { return .apple(4_040_010) }
            return request.url.contains("/history/") ? page : statuses
        }
    }

    @available(AppStoreServerAPI 1.0, *)
    private func statuses(original: String) throws -> AppStoreServerHTTPResponse {
        let item: AppStoreJSON = [
            "status": 1, "originalTransactionId": .string(original),
            "signedTransactionInfo": .string(try signedTransaction("2", original: original, in: .sandbox)),
            "signedRenewalInfo": .string(try signedRenewalInfo(original: original, in: .sandbox)),
        ]
        return .json(["data": [["lastTransactions": [item]]]])
    }

    @Test("History and subscriptions of one environment give the entitlements")
    @available(AppStoreServerAPI 1.0, *)
    func entitlements() async throws {
        let transport = transport(
            history: [
                try signedTransaction("9", in: .sandbox), try signedTransaction("2", original: "1", in: .sandbox),
            ], statuses: try statuses(original: "1"))
        let customer = try await makeClient(transport).purchases(ofCustomer: "1")
        #expect(customer.environment == .sandbox)
        #expect(customer.transactions.count == 3)
        #expect(customer.renewals.count == 1)
        #expect(customer.rejected.isEmpty)
        #expect(customer.history.cursor?.description == "sandbox:r1")
        #expect(customer.entitlements.isActive("com.example.pro"))
        let subscription = try #require(customer.entitlements["com.example.monthly"])
        #expect(subscription.state == .active)
        #expect(subscription.willRenew == true)
        #expect(customer.entitlements(at: instant("2026-01-01T00:00:00Z"))["com.example.monthly"]?.isActive == false)
        #expect(
            transport.log == [
                "GET production/inApps/v2/history/1", "GET sandbox/inApps/v2/history/1",
                "GET sandbox/inApps/v1/subscriptions/1",
            ])
    }

    @Test("A customer without subscriptions, for whom statuses aren't found, is complete")
    @available(AppStoreServerAPI 1.0, *)
    func withoutSubscriptions() async throws {
        let transport = transport(
            history: [try signedTransaction("9", in: .sandbox)], statuses: .apple(4_040_005))
        let customer = try await makeClient(transport).purchases(ofCustomer: "9")
        #expect(customer.entitlements.isActive("com.example.pro"))
        #expect(customer.subscriptions.isEmpty)
    }

    @Test("Statuses that aren't found although the history has a subscription, or fail otherwise, are an error")
    @available(AppStoreServerAPI 1.0, *)
    func incomplete() async throws {
        let subscription = [try signedTransaction("2", original: "1", in: .sandbox)]
        let missing = transport(history: subscription, statuses: .apple(4_040_005))
        let error = await failure { try await makeClient(missing).purchases(ofCustomer: "1") }
        #expect(error?.code == .originalTransactionIdentifierNotFound)
        let failing = transport(history: [], statuses: .badGateway)
        #expect(await failure { try await makeClient(failing).purchases(ofCustomer: "1") }?.code == .serverError)
    }

    @Test("Rejected items are listed, and give nothing")
    @available(AppStoreServerAPI 1.0, *)
    func rejected() async throws {
        let foreign = try signedTransaction("9", in: .sandbox) { $0.bundleIdentifier = "com.example.other" }
        let transport = transport(history: [foreign], statuses: .json(["data": []]))
        let customer = try await makeClient(transport).purchases(ofCustomer: "9")
        #expect(customer.rejected.count == 1)
        #expect(customer.entitlements.all.isEmpty)
    }

    @Test("Purchases of several app transactions are one customer's")
    @available(AppStoreServerAPI 1.0, *)
    func severalAppTransactions() async throws {
        let first = try signedTransaction("100", original: "100") { $0.overrides["appTransactionId"] = "71" }
        let second = try signedTransaction("101", original: "100") { $0.overrides["appTransactionId"] = "72" }
        let item: AppStoreJSON = [
            "signedTransactionInfo": .string(second),
            "signedRenewalInfo": .string(try signedRenewalInfo(original: "100")),
        ]
        let client = try makeClient(
            ScriptedTransport { request, _ in
                request.url.contains("/subscriptions/")
                    ? .json(["data": [["lastTransactions": [item]]]])
                    : .json(["hasMore": false, "signedTransactions": [.string(first), .string(second)]])
            })
        #expect(try await client.history(ofCustomer: "100").collected().transactions.count == 2)
        #expect(try await client.refunds(ofCustomer: "100").collected().transactions.count == 2)
        #expect(try await client.subscriptionStatuses(ofCustomer: "100").subscriptions.count == 1)
        #expect(try await client.purchases(ofCustomer: "100").transactions.count == 3)
    }
}
