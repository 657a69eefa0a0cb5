import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// Answers from a receipt and other evidence together, except for cancellations.
extension AppReceiptResponseTests {
    private static func response(
        _ receipt: TestReceipt, _ history: CustomerEvidence, excludesOld: Bool = false
    ) async throws -> VerifyReceiptResponse {
        try await VerifyReceiptResponder.standard().response(
            to: receipt, history, ["exclude-old-transactions": .boolean(excludesOld)])
    }

    private static func base64(_ receipt: TestReceipt) throws -> String {
        Data(try receipt.signed()).base64EncodedString()
    }

    @Test("Transactions of other receipts are listed, and the newest receipt is the latest one")
    func otherReceipts() async throws {
        let submitted = ReceiptFixtures.receipt([ReceiptFixtures.period(1)])
        let newer = try VerifiedFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(3)], created: "2024-09-01T00:00:00Z")
        let older = try VerifiedFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2)], created: "2024-06-20T00:00:00Z")
        let response = try await Self.response(submitted, CustomerEvidence(receipts: [older, newer]))
        #expect(response.latest.transactions == ["3", "2", "1"])
        #expect(response.json["latest_receipt"]?.string == Data(newer.strippedContainer()).base64EncodedString())
        #expect(response.inApp.count == 1)
        #expect(response.json["pending_renewal_info"] == nil)
        let alone = try await Self.response(submitted, CustomerEvidence(receipts: [older]))
        #expect(alone.json["latest_receipt"]?.string == (try Self.base64(submitted)))
    }

    @Test("Signed transactions and renewal information are listed")
    func signedData() async throws {
        let history = CustomerEvidence(
            transactions: [try VerifiedFixtures.transaction(ReceiptFixtures.transaction(2))],
            renewals: [
                try VerifiedFixtures.renewal(
                    TestRenewalInfo("com.example.plus", original: "1").with {
                        $0.autoRenewStatus = .off
                        $0.expirationIntent = .billingError
                        $0.isInBillingRetryPeriod = true
                        $0.gracePeriodExpirationDate = instant("2024-08-05T00:00:00Z")
                    })
            ])
        let response = try await Self.response(ReceiptFixtures.receipt([ReceiptFixtures.period(1)]), history)
        #expect(
            response.json.names == [
                "status", "environment", "receipt", "latest_receipt_info", "latest_receipt", "pending_renewal_info",
            ])
        #expect(response.latest.transactions == ["2", "1"])
        #expect(response.latest[0]["in_app_ownership_type"] == "PURCHASED")
        #expect(response.latest[0]["subscription_group_identifier"] == "21000001")
        // The elements of in_app contain only the receipt's fields.
        #expect(response.inApp.transactions == ["1"])
        #expect(response.inApp[0]["in_app_ownership_type"] == nil)
        let pending = try #require(response.json["pending_renewal_info"]?[0])
        #expect(pending["auto_renew_status"] == "0")
        #expect(pending["expiration_intent"] == "2")
        #expect(pending["is_in_billing_retry_period"] == "1")
        #expect(pending["grace_period_expires_date_ms"] == "1722816000000")
        let newest = try await Self.response(
            ReceiptFixtures.receipt([ReceiptFixtures.period(1)]), history, excludesOld: true)
        #expect(newest.latest.transactions == ["2"])
        #expect(newest.inApp.transactions == ["1"])
    }

    @Test("The newest renewal information of each original transaction is listed, in any order of evidence")
    func newestRenewal() async throws {
        func renewal(_ original: String, _ signed: String, _ status: AutoRenewStatus) throws -> VerifiedRenewalInfo {
            try VerifiedFixtures.renewal(
                TestRenewalInfo("com.example.plus", original: original).with {
                    $0.signedDate = instant(signed)
                    $0.autoRenewStatus = status
                })
        }
        let receipt = ReceiptFixtures.receipt([ReceiptFixtures.period(1), ReceiptFixtures.period(4, of: 4)])
        var renewals = try [
            renewal("1", "2024-08-01T00:00:00Z", .on), renewal("1", "2024-08-02T00:00:00Z", .off),
            renewal("4", "2024-07-01T00:00:00Z", .on), renewal("9", "2024-09-01T00:00:00Z", .on),
        ]
        for _ in 0..<2 {
            let response = try await Self.response(receipt, CustomerEvidence(renewals: renewals))
            let pending = response.json["pending_renewal_info"]?.array ?? []
            let states = pending.map { [$0["original_transaction_id"]?.string, $0["auto_renew_status"]?.string] }
            #expect(Set(states) == [["1", "0"], ["4", "1"]])
            #expect(states.count == 2)
            renewals.reverse()
        }
    }

    @Test("A newer token without the type of its introductory offer doesn't deny the trial that the receipt states")
    func trial() async throws {
        let period = ReceiptFixtures.period(1).with { $0.isTrialPeriod = true }
        let token = ReceiptFixtures.transaction(1).with { $0.overrides["offerType"] = 1 }
        let history = CustomerEvidence(transactions: [try VerifiedFixtures.transaction(token)])
        let response = try await Self.response(ReceiptFixtures.receipt([period]), history)
        #expect(response.latest.map { $0["is_trial_period"] } == ["true"])
    }

    @Test("A newer receipt doesn't cut the milliseconds of a token's dates")
    func milliseconds() async throws {
        let token = ReceiptFixtures.transaction(1, revoked: "2024-06-10T00:00:00.321Z").with {
            $0.purchaseDate += 0.123
            $0.originalPurchaseDate = $0.purchaseDate
            $0.expirationDate? += 0.456
            $0.signedDate = instant("2024-06-15T00:00:00Z")
        }
        let history = CustomerEvidence(transactions: [try VerifiedFixtures.transaction(token)])
        let period = ReceiptFixtures.period(1, canceled: "2024-06-10T00:00:00Z")
        let response = try await Self.response(ReceiptFixtures.receipt([period]), history)
        let element = try #require(response.latest.first)
        for (name, part) in [
            ("purchase_date_ms", "123"), ("original_purchase_date_ms", "123"), ("expires_date_ms", "456"),
            ("cancellation_date_ms", "321"),
        ] {
            #expect(element[name]?.string?.suffix(3) == part[...], "\(name)")
        }
    }

    @Test("Evidence for original transactions that the submitted receipt doesn't contain isn't disclosed")
    func otherOriginals() async throws {
        let other = try VerifiedFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(9, of: 9)], created: "2024-09-01T00:00:00Z")
        let refunded = try VerifiedFixtures.receipt(
            [
                ReceiptFixtures.period(1), ReceiptFixtures.period(8, of: 8, canceled: "2024-08-01T00:00:00Z"),
                TestPurchase("secret.item", transaction: "30", at: VerifiedFixtures.start).with {
                    $0.cancellationDate = instant("2024-08-01T00:00:00Z")
                },
            ], created: "2024-10-01T00:00:00Z")
        let token = try VerifiedFixtures.transaction(
            ReceiptFixtures.transaction(7, of: 7, revoked: "2024-10-01T00:00:00Z"))
        let receipt = ReceiptFixtures.receipt([ReceiptFixtures.period(1)])
        let history = CustomerEvidence(receipts: [other, refunded], transactions: [token])
        for excludesOld in [false, true] {
            let response = try await Self.response(receipt, history, excludesOld: excludesOld)
            #expect(response.latest.transactions == ["1"])
            #expect(response.latest.cancellations == [nil])
            #expect(response.inApp.cancellations == [nil])
            #expect(response.json["latest_receipt"]?.string == (try Self.base64(receipt)))
            #expect(!String(decoding: response.body, as: UTF8.self).contains("secret"))
        }
        // The response to a receipt without purchases doesn't contain evidence of a history.
        let empty = try await Self.response(ReceiptFixtures.receipt([]), history)
        #expect(empty.json.names == ["status", "environment", "receipt"])
    }

    @Test(
        "A newer receipt with another original transaction isn't returned, but its periods of the same ones are listed")
    func latestOfOtherOriginals() async throws {
        let once = TestPurchase("secret.item", transaction: "30", at: VerifiedFixtures.start)
        let created = "2024-09-01T00:00:00Z"
        let submitted = ReceiptFixtures.receipt([ReceiptFixtures.period(1), ReceiptFixtures.period(4, of: 4)])
        let newer = try [
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2), ReceiptFixtures.period(9, of: 9)],
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2), once],
        ].map { try VerifiedFixtures.receipt($0, created: created) }
        for other in newer {
            let response = try await Self.response(submitted, CustomerEvidence(receipts: [other]))
            #expect(response.json["latest_receipt"]?.string == (try Self.base64(submitted)))
            #expect(response.latest.transactions == ["4", "2", "1"])
        }
        // An older receipt without other purchases is returned instead. The owner of the one-time purchase gets the
        // newer one.
        let subset = try VerifiedFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2)], created: "2024-08-01T00:00:00Z")
        let response = try await Self.response(submitted, CustomerEvidence(receipts: newer + [subset]))
        #expect(response.json["latest_receipt"]?.string == Data(subset.strippedContainer()).base64EncodedString())
        let owner = try await Self.response(
            ReceiptFixtures.receipt([ReceiptFixtures.period(1), once]), CustomerEvidence(receipts: [newer[1]]))
        #expect(owner.json["latest_receipt"]?.string == Data(newer[1].strippedContainer()).base64EncodedString())
    }

    @Test("A receipt from a history is returned without its unsigned bytes, and the submitted one as it was sent")
    func paddedReceipts() async throws {
        let submitted = ReceiptFixtures.receipt([ReceiptFixtures.period(1)])
        let newer = ReceiptFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2)], created: "2024-09-01T00:00:00Z")
        let padded = try VerifiedFixtures.receipt(container: Padding.added(to: newer))
        #expect(padded.container.count > 900_000)
        let response = try await Self.response(submitted, CustomerEvidence(receipts: [padded]))
        let latest = try #require(response.json["latest_receipt"]?.string.flatMap { Data(base64Encoded: $0) })
        #expect(Array(latest) == (try VerifiedFixtures.receipt(newer).strippedContainer()))
        #expect(latest.count < 6_000)
        let own = try Padding.added(to: submitted, bytes: 5_000)
        let echoed = try await VerifyReceiptResponder.standard().response(
            to: request(own), evidence: StubHistory(history: CustomerEvidence()), now: .later)
        #expect(echoed.json["latest_receipt"]?.string == Data(own).base64EncodedString())
    }

    @Test("Evidence of another app, environment or customer has no effect, even if a history returns it")
    func foreignEvidence() async throws {
        let receipt = ReceiptFixtures.receipt(
            [ReceiptFixtures.period(1), ReceiptFixtures.period(2)], created: "2024-09-01T00:00:00Z")
        let revoked = ReceiptFixtures.transaction(1, revoked: "2024-08-01T00:00:00Z")
        let renewal = TestRenewalInfo("com.example.plus", original: "1")
        let history = CustomerEvidence(
            receipts: try [
                receipt.with { $0.bundleIdentifier = "com.example.other" },
                receipt.with { $0.environment = .production }, receipt.with { $0.environment = .xcode },
                ReceiptFixtures.receipt([ReceiptFixtures.period(5, of: 5)], created: "2024-09-01T00:00:00Z"),
            ].map(VerifiedFixtures.receipt),
            transactions: try [
                revoked.with { $0.bundleIdentifier = "com.example.other" },
                revoked.with { $0.environment = .production },
                revoked.with { $0.environment = .xcode }, revoked.with { $0.originalTransactionIdentifier = "777" },
            ].map(VerifiedFixtures.transaction),
            renewals: try [
                renewal.with { $0.environment = .production },
                renewal.with { $0.originalTransactionIdentifier = "777" },
            ].map(VerifiedFixtures.renewal))
        let submitted = ReceiptFixtures.receipt([ReceiptFixtures.period(1)])
        let response = try await Self.response(submitted, history)
        #expect(response.json == (try await Self.response(submitted, CustomerEvidence())).json)
    }

    @Test("Receipts from Xcode have no effect on each other, because their identifiers repeat")
    func xcode() async throws {
        let verifier = ReceiptVerifier(
            anchors: .apple, xcode: try XcodeTrust(der: [TestPKI.xcode.der()]))
        let responder = VerifyReceiptResponder(verifier: verifier, environments: .sandbox)
        let submitted = try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).with { $0.environment = .xcode }
            .signedLikeXcode()
        let other = try VerifiedFixtures.receipt(
            ReceiptFixtures.receipt(
                [ReceiptFixtures.period(1), ReceiptFixtures.period(2)], created: "2024-09-01T00:00:00Z"
            )
            .with { $0.environment = .xcode })
        let with = await responder.response(
            to: request(submitted), evidence: StubHistory(history: CustomerEvidence(receipts: [other])), now: .later)
        #expect(with.json == responder.response(to: request(submitted), now: .later).json)
        #expect(with.status == .valid)
        #expect(with.receipt?.environment == .xcode)
    }

    @Test("A transaction that a receipt lists twice is twice in in_app and once in latest_receipt_info")
    func listedTwice() async throws {
        let twice = ReceiptFixtures.receipt([
            ReceiptFixtures.period(1), ReceiptFixtures.period(1, canceled: "2024-06-15T00:00:00Z"),
            ReceiptFixtures.period(2),
            ReceiptFixtures.period(2),
        ])
        let alone = try VerifyReceiptResponder.standard().response(to: request(twice.signed()), now: .later)
        #expect(alone.inApp.transactions.sorted { ($0 ?? "") < ($1 ?? "") } == ["1", "1", "2", "2"])
        #expect(alone.latest.transactions == ["2", "1"])
        #expect(alone.latest.cancellations == [nil, "2024-06-15 00:00:00 Etc/GMT"])
        // The submitted receipt in the history has no effect.
        let history = CustomerEvidence(receipts: [try VerifiedFixtures.receipt(twice)])
        #expect(try await Self.response(twice, history).json == alone.json)
    }
}
