import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import Foundation
import Testing

@Suite("Answers are for what was asked")
struct VerificationTests {
    @Test("A transaction must have the requested identifier, as transaction or original transaction")
    @available(AppStoreServerAPI 1.0, *)
    func transaction() async throws {
        let token = AppStoreJSON.string(try signedTransaction("2", original: "1"))
        let client = try makeClient(ScriptedTransport(.json(["signedTransactionInfo": token])))
        #expect(try await client.transaction("2").claims.originalTransactionIdentifier == "1")
        #expect(try await client.transaction("1").claims.transactionIdentifier == "2")
        let error = await failure { try await client.transaction("3") }
        #expect(error?.code == .answerForAnotherTransaction)
        #expect(error?.isRetryable == false)
    }

    @Test("A genuine transaction of another app, environment or kind is rejected")
    @available(AppStoreServerAPI 1.0, *)
    func otherData() async throws {
        let tokens: [(String, ReceiptError.Code)] = [
            (try signedTransaction("1") { $0.bundleIdentifier = "com.example.other" }, .bundleIdentifierMismatch),
            (try signedTransaction("1", in: .sandbox), .environmentMismatch),
            (try signedTransaction("1", in: .xcode), .environmentMismatch),
            (try signedRenewalInfo(original: "1"), .tokenKindMismatch),
        ]
        for (token, code) in tokens {
            let client = try makeClient(ScriptedTransport(.json(["signedTransactionInfo": .string(token)])))
            let error = await failure { try await client.transaction("1") }
            #expect(error?.code == .verificationFailed)
            #expect(error?.receiptError?.code == code)
        }
    }

    @Test("App transactions of production are for the app's App Store identifier, or rejected without one")
    @available(AppStoreServerAPI 1.0, *)
    func appAppleIdentifier() async throws {
        let token = try TestAppTransaction().with {
            $0.environment = .production
            $0.appAppleIdentifier = 1_234_567_890
        }.signed()
        let transport = ScriptedTransport(.json(["signedAppTransactionInfo": .string(token)]))
        _ = try await makeClient(transport).appTransaction(ofCustomer: "704000000000000001")
        var client = try makeClient(transport, appAppleIdentifier: nil)
        client.appAppleIdentifier = .anyApp
        _ = try await client.appTransaction(ofCustomer: "704000000000000001")
        for identifier in [nil, 7] as [UInt64?] {
            let client = try makeClient(transport, appAppleIdentifier: identifier)
            #expect(
                await failure { try await client.appTransaction(ofCustomer: "704000000000000001") }?.code
                    == .verificationFailed)
        }
    }

    /// A response with one subscription.
    @available(AppStoreServerAPI 1.0, *)
    private func statuses(item: String?, transaction: String, renewal: String) throws -> AppStoreServerHTTPResponse {
        let token = try signedTransaction("2", original: transaction)
        var entry: AppStoreJSON.Object = [
            "status": 1, "signedTransactionInfo": .string(token),
            "signedRenewalInfo": .string(try signedRenewalInfo(original: renewal)),
        ]
        entry["originalTransactionId"] = item.map { .string($0) }
        return .json([
            "environment": "Sandbox", "bundleId": "com.example.lie", "appAppleId": 7,
            "data": [["subscriptionGroupIdentifier": "g1", "lastTransactions": [.object(entry)]]],
        ])
    }

    @Test("A subscription is verified, and members without signature are separate")
    @available(AppStoreServerAPI 1.0, *)
    func subscription() async throws {
        let client = try makeClient(ScriptedTransport(try statuses(item: "1", transaction: "1", renewal: "1")))
        let statuses = try await client.subscriptionStatuses(ofCustomer: "1")
        let subscription = try #require(statuses.subscriptions.first)
        #expect(subscription.originalTransactionIdentifier == "1")
        #expect(subscription.transaction.claims.transactionIdentifier == "2")
        #expect(subscription.renewalInfo.claims.autoRenewStatus == .on)
        #expect(subscription.unverified.status == .active)
        #expect(subscription.unverified.subscriptionGroupIdentifier == "g1")
        #expect(statuses.environment == .production)
        #expect(statuses.unverified.environment == .sandbox)
        #expect(statuses.unverified.bundleIdentifier == "com.example.lie")
        #expect(statuses.unverified.appAppleIdentifier == 7)
        #expect(statuses.rejected.isEmpty)
    }

    @Test(
        "A subscription whose parts are of different original transactions is rejected",
        arguments: [("9", "1", "1"), ("1", "9", "1"), ("1", "1", "9"), (nil, "1", "9")] as [(String?, String, String)])
    @available(AppStoreServerAPI 1.0, *)
    func mixedSubscription(_ item: String?, _ transaction: String, _ renewal: String) async throws {
        let response = try statuses(item: item, transaction: transaction, renewal: renewal)
        let statuses = try await makeClient(ScriptedTransport(response)).subscriptionStatuses(ofCustomer: "1")
        #expect(statuses.subscriptions.isEmpty)
        #expect(statuses.rejected.map(\.error.code) == [.answerForAnotherTransaction])
    }

    @Test("An extension of another subscription or request is an error")
    @available(AppStoreServerAPI 1.0, *)
    func extensions() async throws {
        let request = AppStoreServerClient.RenewalExtensionRequest(days: 1, reason: .other, requestIdentifier: "R1")
        let other = try makeClient(ScriptedTransport(.json(["originalTransactionId": "9", "success": true])))
        #expect(
            await failure { try await other.extendSubscription("1", by: request) }?.code == .answerForAnotherTransaction
        )
        let client = try makeClient(ScriptedTransport(.json(["requestIdentifier": "R9"])))
        let mass = await failure {
            try await client.extendAllSubscriptions(ofProduct: "a", by: request, in: .production)
        }
        #expect(mass?.code == .answerForAnotherRequest)
        let status = await failure {
            try await client.extensionStatus(ofProduct: "a", requestIdentifier: "R1", in: .production)
        }
        #expect(status?.code == .answerForAnotherRequest)
    }

    @Test("A test notification must be a test")
    @available(AppStoreServerAPI 1.0, *)
    func testNotification() async throws {
        let payload = try TestNotification(type: .refund).signed()
        let client = try makeClient(ScriptedTransport(.json(["signedPayload": .string(payload)])))
        let error = await failure { try await client.testNotificationStatus("t", in: .sandbox) }
        #expect(error?.code == .answerForAnotherRequest)
    }
}
