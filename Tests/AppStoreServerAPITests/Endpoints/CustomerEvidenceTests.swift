import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Answers about another customer")
struct CustomerEvidenceTests {
    /// A fake with two customers: 1 to 3, and 7 to 9. Each has a subscription with two periods and a refunded purchase.
    @available(AppStoreServerAPI 1.0, *)
    private func store() -> FakeAppStoreServer {
        let store = FakeAppStoreServer(bundleIdentifier: "com.example.app", now: { now })
        for first in [1, 7] {
            let product = "com.example.monthly"
            let subscription = TestTransaction(
                product, transaction: "\(first)", at: now - 4_000_000, until: now - 2_000_000)
            let renewed = TestTransaction(
                product, transaction: "\(first + 1)", original: "\(first)", at: now - 2_000_000, until: now + 600_000)
            let refunded = TestTransaction("com.example.pro", transaction: "\(first + 2)", at: now - 1_000_000).with {
                $0.revocationDate = now - 500_000
            }
            let purchases = [subscription, renewed, refunded].map { transaction in
                transaction.with {
                    $0.environment = .production
                    $0.overrides["appTransactionId"] = .string("70\(first)")
                }
            }
            let renewal = TestRenewalInfo(product, original: "\(first)").with { $0.environment = .production }
            store.add(purchases[0], purchases[1], purchases[2], renewal)
        }
        return store
    }

    @available(AppStoreServerAPI 1.0, *)
    private func endpoints(_ store: FakeAppStoreServer) -> [FakeAppStoreServer.Endpoint?] {
        store.requests.map(\.endpoint)
    }

    @Test("A whole history without the requested identifier is an error, without another request")
    @available(AppStoreServerAPI 1.0, *)
    func history() async throws {
        let store = store()
        let client = try makeClient(of: store)
        for identifier in ["1", "2", "3", "701"] {
            #expect(try await client.history(ofCustomer: identifier).collected().transactions.count == 3)
        }
        store.inject(.otherCustomer, at: .history)
        let error = await failure { try await client.history(ofCustomer: "1").collected() }
        #expect(error?.code == .answerForAnotherTransaction)
        #expect(error?.isRetryable == false)
        store.inject(.otherCustomer, at: .history)
        #expect(
            await failure { try await client.purchases(ofCustomer: "1") }?.code == .answerForAnotherTransaction)
        #expect(!endpoints(store).contains(.transaction))
    }

    @Test(
        "The identifier may be on any page, and without it the iteration ends with an error in place of the last page")
    @available(AppStoreServerAPI 1.0, *)
    func pages() async throws {
        let tokens = try ["5", "6", "1"].map { try signedTransaction($0) }
        let transport = ScriptedTransport { _, number in
            .json([
                "revision": .string("r\(number)"), "hasMore": .boolean(number % 3 < 2),
                "signedTransactions": [.string(tokens[number % 3])],
            ])
        }
        let client = try makeClient(transport)
        #expect(try await client.history(ofCustomer: "1").collected().transactions.count == 3)
        var count = 0
        var caught: AppStoreServerError?
        do {
            for try await _ in client.history(ofCustomer: "2") { count += 1 }
        } catch {
            caught = error as? AppStoreServerError
        }
        #expect(caught?.code == .answerForAnotherTransaction)
        #expect(count == 2)
    }

    @Test("Subscriptions without the identifier of a subscription are an error, and refunds are accepted")
    @available(AppStoreServerAPI 1.0, *)
    func comparison() async throws {
        let store = store()
        let client = try makeClient(of: store)
        var query = HistoryQuery()
        query.isRevoked = true
        for (endpoint, pages) in [
            (.refunds, client.refunds(ofCustomer: "2")), (.history, client.history(ofCustomer: "2", query: query)),
            (.historyV1, client.historyVersion1(ofCustomer: "2")),
        ] as [(FakeAppStoreServer.Endpoint, AppStoreServerPages<HistoryPage>)] {
            #expect(try await pages.collected().transactions.isEmpty == false)
            store.inject(.otherCustomer, at: endpoint)
            #expect(try await pages.collected().transactions.isEmpty == false)
        }
        for (identifier, isAccepted) in [("1", false), ("2", false), ("3", true), ("701", true)] {
            #expect(try await client.subscriptionStatuses(ofCustomer: identifier).subscriptions.count == 1)
            store.inject(.otherCustomer, at: .statuses)
            let error = await failure { try await client.subscriptionStatuses(ofCustomer: identifier) }
            #expect(error?.code == (isAccepted ? nil : .answerForAnotherTransaction))
        }
    }

    @Test("What names the identifier costs no other request")
    @available(AppStoreServerAPI 1.0, *)
    func requests() async throws {
        let store = store()
        let client = try makeClient(of: store)
        _ = try await client.purchases(ofCustomer: "3")
        _ = try await client.subscriptionStatuses(ofCustomer: "1")
        _ = try await client.refunds(ofCustomer: "3").collected()
        #expect(endpoints(store) == [.history, .statuses, .statuses, .refunds])
    }

    @Test("Subscriptions that share nothing with the whole history are another customer's")
    @available(AppStoreServerAPI 1.0, *)
    func statusesOfPurchases() async throws {
        let store = store()
        for identifier in ["1", "3", "701"] {
            store.inject(.otherCustomer, at: .statuses)
            let error = await failure { try await makeClient(of: store).purchases(ofCustomer: identifier) }
            #expect(error?.code == .answerForAnotherTransaction)
        }
        #expect(!endpoints(store).contains(.transaction))
    }

    /// Answers a list of refunds, and the requested transaction.
    @available(AppStoreServerAPI 1.0, *)
    private func transport(
        refunds: [String], transaction: AppStoreServerHTTPResponse
    ) -> ScriptedTransport {
        let list = AppStoreServerHTTPResponse.json([
            "revision": "r", "hasMore": false, "signedTransactions": .array(refunds.map { .string($0) }),
        ])
        return ScriptedTransport { request, _ in request.url.contains("/refund/") ? list : transaction }
    }

    @Test("A part of the purchases is accepted, because different app transactions prove nothing")
    @available(AppStoreServerAPI 1.0, *)
    func unproven() async throws {
        let refund = try signedTransaction("5")
        let other = try signedTransaction("5") { $0.overrides["appTransactionId"] = "70" }
        let shared = try signedTransaction("5") {
            $0.overrides = ["appTransactionId": "71", "inAppOwnershipType": "FAMILY_SHARED"]
        }
        let requested = AppStoreServerHTTPResponse.json([
            "signedTransactionInfo": .string(try signedTransaction("1") { $0.overrides["appTransactionId"] = "71" })
        ])
        for (refunds, transaction, isAccepted) in [
            ([refund], try transactionResponse("1"), true), ([refund], requested, true), ([other], requested, true),
            ([other], try transactionResponse("1"), true), ([shared], requested, true),
            ([other], .apple(4_000_048), true), ([refund], .apple(4_000_048), true),
            ([], requested, true), ([other], .apple(4_000_000), false),
        ] as [([String], AppStoreServerHTTPResponse, Bool)] {
            let transport = transport(refunds: refunds, transaction: transaction)
            let error = await failure {
                try await makeClient(transport, environments: [.production]).refunds(ofCustomer: "1").collected()
            }
            #expect((error == nil) == isAccepted)
        }
    }

    @Test("An App Store that lists purchases for a transaction that it doesn't know contradicts itself")
    @available(AppStoreServerAPI 1.0, *)
    func unknownTransaction() async throws {
        for change in [{ _ in }, { $0.overrides["appTransactionId"] = "70" }] as [(inout TestTransaction) -> Void] {
            let item: JSONValue = [
                "signedTransactionInfo": .string(try signedTransaction("667", original: "667", change)),
                "signedRenewalInfo": .string(try signedRenewalInfo(original: "667")),
            ]
            let refunds = transport(refunds: [try signedTransaction("667", change)], transaction: .apple(4_040_010))
            let statuses = ScriptedTransport { request, _ in
                request.url.contains("/subscriptions/")
                    ? .json(["data": [["lastTransactions": [item]]]]) : .apple(4_040_010)
            }
            let errors = [
                await failure { try await makeClient(refunds).refunds(ofCustomer: "1").collected() },
                await failure { try await makeClient(statuses).subscriptionStatuses(ofCustomer: "1") },
            ]
            #expect(errors.map { $0?.code } == [.answerForAnotherTransaction, .answerForAnotherTransaction])
        }
        let busy = transport(refunds: [try signedTransaction("667")], transaction: .apple(4_040_002))
        let error = await failure { try await makeClient(busy).refunds(ofCustomer: "1").collected() }
        #expect(error?.code.rawValue == "account-not-found-retryable")
    }

    @Test("Purchases of several app transactions are one customer's if the answer has the requested identifier")
    @available(AppStoreServerAPI 1.0, *)
    func severalAppTransactions() async throws {
        let first = try signedTransaction("100", original: "100") { $0.overrides["appTransactionId"] = "71" }
        let second = try signedTransaction("101", original: "100") { $0.overrides["appTransactionId"] = "72" }
        let item: JSONValue = [
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

    @Test(
        "A history whose items with the identifier are rejected is believed only if the transaction connects the rest")
    @available(AppStoreServerAPI 1.0, *)
    func rejectedItem() async throws {
        let forged = try signedTransaction("1") { $0.bundleIdentifier = "com.example.other" }
        for (application, isAccepted) in [("70", true), ("71", false), (nil, false)] {
            let rest = try signedTransaction("5") { $0.overrides["appTransactionId"] = "70" }
            let requested = try signedTransaction("1") {
                $0.overrides["appTransactionId"] = application.map { .string($0) }
            }
            let transport = ScriptedTransport { request, _ in
                request.url.contains("/history/")
                    ? .json(["hasMore": false, "signedTransactions": [.string(forged), .string(rest)]])
                    : .json(["signedTransactionInfo": .string(requested)])
            }
            let error = await failure { try await makeClient(transport).history(ofCustomer: "1").collected() }
            #expect(error?.code == (isAccepted ? nil : .answerForAnotherTransaction))
        }
    }

    @Test("An app transaction is accepted if the App Store knows the requested transaction")
    @available(AppStoreServerAPI 1.0, *)
    func appTransaction() async throws {
        let token = try TestAppTransaction().with { $0.overrides["appTransactionId"] = "70" }.signed()
        for (identifier, application) in [("70", "71"), ("1", "70"), ("1", "71"), ("1", nil)] {
            let known = try application.map { application in
                try signedTransaction("1", in: .sandbox) { $0.overrides["appTransactionId"] = .string(application) }
            }
            let transport = ScriptedTransport { request, _ in
                guard !request.url.contains("/appTransactions/") else {
                    return .json(["signedAppTransactionInfo": .string(token)])
                }
                return known.map { .json(["signedTransactionInfo": .string($0)]) } ?? .apple(4_040_010)
            }
            let client = try makeClient(transport, environments: [.sandbox])
            let error = await failure { try await client.appTransaction(ofCustomer: identifier) }
            #expect(error?.code == (known == nil ? .answerForAnotherTransaction : nil))
        }
    }
}
