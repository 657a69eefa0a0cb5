import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// Receipts from before iOS 7, together with other evidence.
extension TransactionReceiptResponseTests {
    private static let start = instant("2015-11-18T04:34:41Z")
    private static let identifier = "1000000181298734"

    /// A receipt of a subscription's first week, or of a one-time purchase.
    private static func testCase(isSubscription: Bool = true) -> TransactionReceiptTestCase {
        var testCase = TransactionReceiptTestCase()
        testCase.receipt = TestTransactionReceipt(
            isSubscription ? "com.example.plus" : "com.example.pro", transaction: identifier, at: start,
            expirationDate: isSubscription ? start + 7 * 86_400 : nil)
        testCase.now = .later
        return testCase
    }

    /// A signed transaction of the week with this number. The first week is the receipt's.
    private static func week(_ number: Int, _ change: (inout TestTransaction) -> Void = { _ in }) -> TestTransaction {
        let from = start + Double(number - 1) * 7 * 86_400
        return TestTransaction(
            "com.example.plus", transaction: number == 1 ? identifier : "\(number)", original: identifier, at: from,
            until: from + 7 * 86_400
        ).with {
            $0.signedDate = instant("2024-12-01T00:00:00Z")
            change(&$0)
        }
    }

    private static func response(
        _ testCase: TransactionReceiptTestCase, _ history: CustomerEvidence
    ) async throws -> VerifyReceiptResponse {
        await (try testCase.responder()).response(
            to: request(try testCase.receipt.signed(by: testCase.pki)), evidence: StubHistory(history: history),
            now: testCase.now)
    }

    @Test("An empty history doesn't change the response")
    func emptyHistory() async throws {
        for isSubscription in [false, true] {
            let testCase = Self.testCase(isSubscription: isSubscription)
            let response = try await Self.response(testCase, CustomerEvidence())
            #expect(response.json == (try testCase.response().json))
            #expect(response.status == (isSubscription ? .subscriptionExpired : .valid))
        }
    }

    @Test("A refund of a one-time purchase appears in the receipt and as the latest transaction")
    func refundOfOneTimePurchase() async throws {
        let testCase = Self.testCase(isSubscription: false)
        let types: [SignedProductType] = [.nonConsumable, .consumable, .nonRenewingSubscription]
        for type in types {
            let refund = TestTransaction("com.example.pro", transaction: Self.identifier, at: Self.start).with {
                $0.productType = type
                $0.revocationDate = instant("2015-11-19T00:00:00Z")
                $0.overrides = ["revocationReason": 1]
            }
            let response = try await Self.response(
                testCase, CustomerEvidence(transactions: [try VerifiedFixtures.transaction(refund)]))
            #expect(response.status == .valid)
            #expect(response.json.names == ["status", "environment", "receipt", "latest_receipt_info"])
            let receipt = try #require(response.json["receipt"])
            #expect(response.json["latest_receipt_info"] == receipt)
            #expect(receipt["bid"] == "com.example.app")
            #expect(receipt["cancellation_date"] == "2015-11-19 00:00:00 Etc/GMT")
            #expect(receipt["cancellation_date_ms"] == "1447891200000")
            #expect(receipt["cancellation_date_pst"] == "2015-11-18 16:00:00 America/Los_Angeles")
            #expect(receipt["cancellation_reason"] == "1")
        }
    }

    @Test("A refund in a newer app receipt appears, unless it has another original transaction")
    func refundFromReceipt() async throws {
        func receipt(_ identifier: String) throws -> VerifiedReceipt {
            try VerifiedFixtures.receipt(
                [
                    TestPurchase("com.example.pro", transaction: Self.identifier, at: Self.start),
                    TestPurchase("com.example.pro", transaction: "55", at: Self.start),
                ].map { purchase in
                    purchase.with {
                        guard purchase.transactionIdentifier == identifier else { return }
                        $0.cancellationDate = instant("2015-11-19T00:00:00Z")
                    }
                })
        }
        let testCase = Self.testCase(isSubscription: false)
        let refunded = try await Self.response(testCase, CustomerEvidence(receipts: [receipt(Self.identifier)]))
        #expect(refunded.json["receipt"]?["cancellation_date_ms"] == "1447891200000")
        #expect(refunded.json["latest_receipt_info"]?["cancellation_date_ms"] == "1447891200000")
        let other = try await Self.response(testCase, CustomerEvidence(receipts: [receipt("55")]))
        #expect(other.json == (try testCase.response().json))
    }

    @Test("A refund of a copy of the transaction applies to the transaction")
    func refundOfCopy() async throws {
        let refund = Self.week(1) {
            $0.transactionIdentifier = "77"
            $0.revocationDate = instant("2015-11-19T00:00:00Z")
        }
        let response = try await Self.response(
            Self.testCase(), CustomerEvidence(transactions: [try VerifiedFixtures.transaction(refund)]))
        #expect(response.json["receipt"]?["cancellation_date_ms"] == "1447891200000")
    }

    @Test("A newer period makes an ended subscription active, and is the latest transaction")
    func newerPeriods() async throws {
        var testCase = Self.testCase()
        testCase.now = Self.start + 10 * 86_400
        #expect(try testCase.response().status == .subscriptionExpired)
        let history = CustomerEvidence(transactions: [try VerifiedFixtures.transaction(Self.week(2))])
        let response = try await Self.response(testCase, history)
        #expect(response.status == .valid)
        #expect(response.failure == nil)
        #expect(response.json.names == ["status", "environment", "receipt", "latest_receipt_info", "latest_receipt"])
        #expect(response.json["receipt"] == (try testCase.response().json["receipt"]))
        let latest = try #require(response.json["latest_receipt_info"])
        #expect(latest["transaction_id"] == "2")
        #expect(latest["original_transaction_id"]?.string == Self.identifier)
        #expect(latest["bid"] == "com.example.app")
        #expect(latest["purchase_date"] == "2015-11-25 04:34:41 Etc/GMT")
        #expect(latest["expires_date"] == "1449030881000")
        #expect(latest["expires_date_formatted"] == "2015-12-02 04:34:41 Etc/GMT")
        #expect(latest["expires_date_formatted_pst"] == "2015-12-01 20:34:41 America/Los_Angeles")
        #expect(latest["is_trial_period"] == "false")
        #expect(latest["in_app_ownership_type"] == "PURCHASED")
        #expect(latest["subscription_group_identifier"] == "21000001")
        #expect(latest.object?.members.allSatisfy { $0.value.string != nil } == true)
        let bytes = try testCase.receipt.signed(by: testCase.pki)
        #expect(response.json["latest_receipt"]?.string == Data(bytes).base64EncodedString())
    }

    @Test("A newer period that has ended gets status 21006 and is the latest expired one")
    func newerPeriodThatEnded() async throws {
        let history = CustomerEvidence(
            transactions: try [Self.week(3), Self.week(2)].map(VerifiedFixtures.transaction))
        let response = try await Self.response(Self.testCase(), history)
        #expect(response.status == .subscriptionExpired)
        #expect(response.json.names == ["status", "environment", "receipt", "latest_expired_receipt_info"])
        #expect(response.json["latest_expired_receipt_info"]?["transaction_id"] == "3")
    }

    @Test("Newer periods in an app receipt of the history count")
    func periodsOfReceipt() async throws {
        var testCase = Self.testCase()
        testCase.now = Self.start + 10 * 86_400
        let receipt = try VerifiedFixtures.receipt([
            TestPurchase(
                subscription: "com.example.plus", transaction: "2", original: Self.identifier,
                from: Self.start + 7 * 86_400, to: Self.start + 14 * 86_400),
            TestPurchase(
                subscription: "com.example.secret", transaction: "99", from: Self.start + 8 * 86_400, to: .later),
        ])
        let response = try await Self.response(testCase, CustomerEvidence(receipts: [receipt]))
        #expect(response.status == .valid)
        #expect(response.json["latest_receipt_info"]?["transaction_id"] == "2")
        #expect(!String(decoding: response.body, as: UTF8.self).contains("secret"))
    }

    @Test("The fields of the newest renewal are members of the response, with the status as a number")
    func renewal() async throws {
        let renewals = try [(AutoRenewStatus.off, 2.0), (.on, 1.0)].map { status, day in
            try VerifiedFixtures.renewal(
                TestRenewalInfo("com.example.plus", original: Self.identifier).with {
                    $0.signedDate = instant("2024-07-02T00:00:00Z") + day * 86_400
                    $0.autoRenewStatus = status
                    $0.expirationIntent = .canceled
                    $0.isInBillingRetryPeriod = false
                    $0.autoRenewProductIdentifier = "com.example.yearly"
                })
        }
        let response = try await Self.response(Self.testCase(), CustomerEvidence(renewals: renewals))
        #expect(
            response.json.names == [
                "status", "environment", "receipt", "latest_expired_receipt_info", "auto_renew_status",
                "auto_renew_product_id", "is_in_billing_retry_period", "expiration_intent",
            ])
        #expect(response.json["auto_renew_status"] == 0)
        #expect(response.json["auto_renew_product_id"] == "com.example.yearly")
        #expect(response.json["is_in_billing_retry_period"] == "0")
        #expect(response.json["expiration_intent"] == "1")
    }

    @Test("Evidence of another app, environment or original transaction has no effect")
    func foreignEvidence() async throws {
        let refund = Self.week(1) { $0.revocationDate = instant("2015-11-19T00:00:00Z") }
        let renewal = TestRenewalInfo("com.example.plus", original: Self.identifier)
        let history = CustomerEvidence(
            transactions: try [
                refund.with { $0.bundleIdentifier = "com.example.other" },
                refund.with { $0.environment = .production },
                Self.week(2) {
                    $0.originalTransactionIdentifier = "7"
                    $0.revocationDate = instant("2015-11-19T00:00:00Z")
                },
            ].map(VerifiedFixtures.transaction),
            renewals: try [
                renewal.with { $0.environment = .production }, renewal.with { $0.originalTransactionIdentifier = "7" },
            ].map(VerifiedFixtures.renewal))
        let response = try await Self.response(Self.testCase(), history)
        #expect(response.json == (try Self.testCase().response().json))
    }

    @Test("The response is retryable if a history fails")
    func failingHistory() async throws {
        struct Broken: TransactionHistory {
            func history(
                of originals: Set<String>, app: String, environment: AppStoreEnvironment
            ) async throws -> CustomerEvidence { throw CancellationError() }
        }
        let testCase = Self.testCase()
        let response = await (try testCase.responder()).response(
            to: request(try testCase.receipt.signed(by: testCase.pki)), evidence: Broken(), now: testCase.now)
        #expect(response.json == ["status": 21100, "is-retryable": true, "is_retryable": true])
    }
}
