import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("TransactionHistory")
struct TransactionHistoryTests {
    private let signed = SignedDataVerifier(anchors: (try? TestPKI.signedData.anchors) ?? .apple)
    private let expectations = SignedDataExpectations(
        bundleIdentifier: "com.example.app", environments: [.sandbox, .production], appAppleIdentifier: .anyApp)
    private let now = instant("2025-01-01T00:00:00Z")

    private func verified(_ transaction: TestTransaction) throws -> VerifiedTransaction {
        try signed.verifyTransaction(transaction.signed(), expecting: expectations, now: now)
    }

    private func period(_ number: Int, signed: String = "2024-12-01T00:00:00Z") -> TestTransaction {
        let start = instant("2024-06-01T00:00:00Z").addingTimeInterval(Double(number - 1) * 30 * 86_400)
        return TestTransaction(
            "com.example.plus", transaction: "\(number)", original: "1", at: start,
            until: start.addingTimeInterval(30 * 86_400)
        ).with { $0.signedDate = instant(signed) }
    }

    /// A receipt that knows the first period.
    private func request() throws -> [UInt8] {
        let first = period(1)
        let receipt = TestReceipt().with {
            $0.purchases = [
                TestPurchase(
                    subscription: "com.example.plus", transaction: "1", from: first.purchaseDate,
                    to: first.expirationDate ?? first.purchaseDate)
            ]
        }
        return Array("{\"receipt-data\":\"\(Data(try receipt.signed()).base64EncodedString())\"}".utf8)
    }

    private func responder() throws -> VerifyReceiptResponder {
        VerifyReceiptResponder(verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .both)
    }

    @Test("What a history knows is in the answer: renewals, refunds, and how subscriptions go on")
    func answer() async throws {
        let history = InMemoryTransactionHistory()
        history.add(try verified(period(2)))
        history.add(
            try verified(
                period(1).with {
                    $0.revocationDate = instant("2024-08-01T00:00:00Z"); $0.overrides = ["revocationReason": 1]
                }))
        let renewal = TestRenewalInfo("com.example.plus", original: "1").with {
            $0.autoRenewStatus = .off
            $0.expirationIntent = .billingError
            $0.isInBillingRetryPeriod = true
            $0.gracePeriodExpirationDate = instant("2024-08-05T00:00:00Z")
        }
        history.add(
            try signed.verifyRenewalInfo(renewal.signed(), expecting: expectations, now: now), app: "com.example.app")
        let response = await (try responder()).answer(try request(), history: history, now: now)
        #expect(response.status == .valid)
        let answer = try #require(response.json.object)
        let latest = try #require(answer["latest_receipt_info"]?.array).compactMap(\.object)
        #expect(latest.map { $0["transaction_id"]?.string } == ["2", "1"])
        #expect(latest[1]["cancellation_reason"] == "1")
        #expect(latest[1]["cancellation_date_ms"]?.string == "1722470400000")
        #expect(latest[0]["in_app_ownership_type"] == "PURCHASED")
        #expect(latest[0]["subscription_group_identifier"] == "21000001")
        // What the receipt says stays as it was signed.
        #expect(answer["receipt"]?.object?["in_app"]?.array?.first?.object?["cancellation_date"] == nil)
        let pending = try #require(answer["pending_renewal_info"]?.array?.first?.object)
        #expect(pending["auto_renew_status"] == "0")
        #expect(pending["expiration_intent"] == "2")
        #expect(pending["is_in_billing_retry_period"] == "1")
        #expect(pending["grace_period_expires_date_ms"]?.string == "1722816000000")
        #expect(
            answer.members.map(\.name) == [
                "status", "environment", "receipt", "latest_receipt_info", "latest_receipt", "pending_renewal_info",
            ])
    }

    @Test("An empty history gives the receipt's own answer")
    func empty() async throws {
        let responder = try responder()
        let with = await responder.answer(try request(), history: InMemoryTransactionHistory(), now: now)
        #expect(with.json == responder.answer(try request(), now: now).json)
    }

    @Test("Of copies of a transaction or renewal the one that was signed last counts, in whatever order they come")
    func copies() throws {
        let copies = try [
            verified(period(1, signed: "2024-07-10T00:00:00Z")),
            verified(
                period(1, signed: "2024-07-20T00:00:00Z").with { $0.revocationDate = instant("2024-07-15T00:00:00Z") }),
            verified(period(1, signed: "2024-07-15T00:00:00Z")),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let history = InMemoryTransactionHistory()
            for index in order { history.add(copies[index]) }
            let known = history.history(of: ["1"], app: "com.example.app", environment: .sandbox)
            #expect(known.transactions.map(\.claims.revocationDate) == [instant("2024-07-15T00:00:00Z")])
        }
    }

    @Test("Nothing of another app, environment or line is given out")
    func separation() throws {
        let history = InMemoryTransactionHistory()
        history.add(try verified(period(1)))
        history.add(
            try verified(
                period(1).with {
                    $0.environment = .production; $0.transactionIdentifier = "7"
                }))
        func known(_ lines: Set<String>, _ app: String, _ environment: ReceiptEnvironment.Base) -> [String?] {
            history.history(of: lines, app: app, environment: environment).transactions.map(
                \.claims.transactionIdentifier)
        }
        #expect(known(["1"], "com.example.app", .sandbox) == ["1"])
        #expect(known(["1"], "com.example.app", .production) == ["7"])
        #expect(known(["1"], "com.example.other", .sandbox).isEmpty)
        #expect(known(["2"], "com.example.app", .sandbox).isEmpty)
    }

    @Test("A notification brings its transaction and renewal information")
    func notification() throws {
        let made = try TestNotification(.didRenew).with {
            $0.signedTransactionInfo = try period(2).signed()
            $0.signedRenewalInfo = try TestRenewalInfo("com.example.plus", original: "1").signed()
        }
        let history = InMemoryTransactionHistory()
        history.add(try signed.verifyNotification(made.signed(), expecting: expectations, now: now))
        let known = history.history(of: ["1"], app: "com.example.app", environment: .sandbox)
        #expect(known.transactions.count == 1 && known.renewals.count == 1)
    }

    @Test("A receipt that was signed after a refund and is silent of it does not take it away; a later token does")
    func newerReceipt() async throws {
        let history = InMemoryTransactionHistory()
        let responder = try responder()
        // The receipt was signed 2024-07-02: receipts can lag, and a refund that is missed costs more than one that is kept.
        history.add(
            try verified(
                period(1, signed: "2024-06-20T00:00:00Z").with {
                    $0.revocationDate = instant("2024-06-19T00:00:00Z"); $0.overrides = ["revocationReason": 1]
                }))
        let refunded = await responder.answer(try request(), history: history, now: now)
        let first = try #require(refunded.json.object?["latest_receipt_info"]?.array?.first?.object)
        #expect(first["cancellation_date"] == "2024-06-19 00:00:00 Etc/GMT" && first["cancellation_reason"] == "1")
        history.add(try verified(period(1, signed: "2024-06-21T00:00:00Z")))
        let response = await responder.answer(try request(), history: history, now: now)
        let latest = try #require(response.json.object?["latest_receipt_info"]?.array?.first?.object)
        #expect(latest["cancellation_date"] == nil && latest["cancellation_reason"] == nil)
        #expect(latest["subscription_group_identifier"] == "21000001")
    }

    @Test("A transaction that a receipt lists twice is there once, refunded if one of the sources that count says so")
    func duplicates() async throws {
        let first = period(1)
        let receipt = TestReceipt().with {
            let purchase = TestPurchase(
                subscription: "com.example.plus", transaction: "1", from: first.purchaseDate,
                to: first.expirationDate ?? first.purchaseDate)
            $0.purchases = [purchase, purchase.with { $0.cancellationDate = instant("2024-06-15T00:00:00Z") }]
        }
        let body = Array("{\"receipt-data\":\"\(Data(try receipt.signed()).base64EncodedString())\"}".utf8)
        for (signed, refund, expected) in [
            ("2024-12-01T00:00:00Z", instant("2024-11-01T00:00:00Z"), "2024-11-01 00:00:00 Etc/GMT"),
            ("2024-06-20T00:00:00Z", nil, "2024-06-15 00:00:00 Etc/GMT"),
        ] {
            let history = InMemoryTransactionHistory()
            history.add(try verified(period(1, signed: signed).with { $0.revocationDate = refund }))
            let response = await (try responder()).answer(body, history: history, now: now)
            let latest = try #require(response.json.object?["latest_receipt_info"]?.array).compactMap(\.object)
            #expect(latest.count == 1)
            #expect(latest.first?["cancellation_date"]?.string == expected)
        }
    }

    @Test("Whatever a history gives, nothing of another app, environment or line is in the answer")
    func foreignHistory() async throws {
        var expectations = self.expectations
        expectations.bundleIdentifier = .anyBundle
        let others = try [
            period(2).with { $0.bundleIdentifier = "com.example.other" },
            period(3).with { $0.environment = .production },
            period(4).with { $0.originalTransactionIdentifier = "777" }, period(5),
        ].map { try signed.verifyTransaction($0.signed(), expecting: expectations, now: now) }
        let response = await (try responder()).answer(
            try request(), history: Careless(given: CustomerHistory(transactions: others)), now: now)
        let latest = response.json.object?["latest_receipt_info"]?.array?.compactMap(\.object) ?? []
        #expect(latest.map { $0["transaction_id"]?.string } == ["5", "1"])
    }

    private struct Careless: TransactionHistory {
        let given: CustomerHistory
        func history(of: Set<String>, app: String, environment: ReceiptEnvironment.Base) async throws -> CustomerHistory
        {
            given
        }
    }

    @Test("A history that fails makes the answer one that can be asked for again; a refused receipt does not ask it")
    func failure() async throws {
        let response = await (try responder()).answer(try request(), history: Broken(), now: now)
        #expect(response.status == .historyUnavailable)
        #expect(response.json.object?["is-retryable"] == true)
        #expect(response.json.object?["receipt"] == nil)
        let apple = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
        #expect(await apple.answer(try request(), history: Broken(), now: now).status == .notAuthenticated)
    }

    private struct Broken: TransactionHistory {
        struct Unreachable: Error {}
        func history(of: Set<String>, app: String, environment: ReceiptEnvironment.Base) async throws -> CustomerHistory
        {
            throw Unreachable()
        }
    }
}
