import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("KnownReceipt")
struct KnownReceiptTests {
    private static let start = instant("2024-06-01T00:00:00Z")
    private let now = instant("2025-01-01T00:00:00Z")
    private let open = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)

    private static func period(_ transaction: Int, of line: Int = 1, refund: Date? = nil) -> TestPurchase {
        let from = start.addingTimeInterval(Double(transaction - 1) * 30 * 86_400)
        return TestPurchase(
            subscription: "com.example.plus", transaction: "\(transaction)", original: "\(line)", from: from,
            to: from.addingTimeInterval(30 * 86_400)
        ).with { $0.cancellationDate = refund }
    }

    private static func receipt(_ purchases: [TestPurchase], made: String = "2024-07-02T15:04:05Z") -> TestReceipt {
        TestReceipt().with {
            $0.creationDate = instant(made)
            $0.purchases = purchases
        }
    }

    private func known(_ receipt: TestReceipt) throws -> KnownReceipt {
        try KnownReceipt(
            verifying: receipt.signed(), with: ReceiptVerifier(anchors: TestPKI.standard.anchors), expecting: open,
            now: now)
    }

    private func signed(_ transaction: TestTransaction) throws -> VerifiedTransaction {
        try SignedDataVerifier(anchors: TestPKI.signedData.anchors).verifyTransaction(
            transaction.signed(),
            expecting: SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp), now: now)
    }

    private struct Given: TransactionHistory {
        let history: CustomerHistory
        func history(of: Set<String>, app: String, environment: ReceiptEnvironment.Base) async throws -> CustomerHistory
        {
            history
        }
    }

    private func answer(_ submitted: TestReceipt, _ history: CustomerHistory) async throws -> VerifyReceiptResponse {
        try await VerifyReceiptResponder.standard().answer(
            request(try submitted.signed()), history: Given(history: history), now: now)
    }

    private func latest(_ response: VerifyReceiptResponse) -> [JSONValue] {
        response.json["latest_receipt_info"]?.array ?? []
    }

    @Test("its bytes are the container of what was verified, whatever form it came in; what is not genuine is none")
    func bytes() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let der = try TestReceipt().signed()
        let text = Array(Data(der).base64EncodedString().utf8)
        let known = try KnownReceipt(verifying: text, with: verifier, expecting: open, now: now)
        #expect(Array(known.der) == der)
        #expect(known == (try KnownReceipt(verifying: der, with: verifier, expecting: open, now: .distantPast)))
        #expect(!"\(known)".contains("704"))
        let forged = try TestReceipt().signed(by: .impostor)
        #expect(
            captured { () throws(ReceiptError) in
                try KnownReceipt(verifying: forged, with: verifier, expecting: open, now: now)
            }?.code == .intermediateSignatureInvalid)
    }

    @Test("transactions of other receipts are in the answer, and the newest receipt is the latest one")
    func merged() async throws {
        let submitted = Self.receipt([Self.period(1)])
        let newer = try known(Self.receipt([Self.period(1), Self.period(3)], made: "2024-09-01T00:00:00Z"))
        let older = try known(Self.receipt([Self.period(1), Self.period(2)], made: "2024-06-20T00:00:00Z"))
        let response = try await answer(submitted, CustomerHistory(receipts: [older, newer]))
        #expect(latest(response).map { $0["transaction_id"]?.string } == ["3", "2", "1"])
        #expect(response.json["latest_receipt"]?.string == Data(newer.der).base64EncodedString())
        #expect(response.json["receipt"]?["in_app"]?.array?.count == 1)
        #expect(response.json["pending_renewal_info"] == nil)
        let alone = try await answer(submitted, CustomerHistory(receipts: [older]))
        #expect(alone.json["latest_receipt"]?.string == Data(try submitted.signed()).base64EncodedString())
    }

    @Test("nothing of a line is told that the submitted receipt does not hold")
    func otherLines() async throws {
        let other = try known(
            Self.receipt([Self.period(1), Self.period(9, of: 9)], made: "2024-09-01T00:00:00Z"))
        let response = try await answer(Self.receipt([Self.period(1)]), CustomerHistory(receipts: [other]))
        #expect(latest(response).map { $0["transaction_id"]?.string } == ["1"])
    }

    @Test(
        "a newer receipt with another line is not given out as the latest one; its periods of the same lines are told")
    func latestOfOtherLines() async throws {
        let once = TestPurchase("secret.item", transaction: "30", at: Self.start)
        let made = "2024-09-01T00:00:00Z"
        let submitted = Self.receipt([Self.period(1), Self.period(4, of: 4)])
        let newer = try [
            [Self.period(1), Self.period(2), Self.period(9, of: 9)], [Self.period(1), Self.period(2), once],
        ].map { try known(Self.receipt($0, made: made)) }
        let sent = Data(try submitted.signed()).base64EncodedString()
        for other in newer {
            let response = try await answer(submitted, CustomerHistory(receipts: [other]))
            #expect(response.json["latest_receipt"]?.string == sent)
            #expect(latest(response).map { $0["transaction_id"]?.string } == ["4", "2", "1"])
        }
        // One that holds less is given out, even where a newer one is not; also to who sent one of what was bought once.
        let subset = try known(Self.receipt([Self.period(1), Self.period(2)], made: "2024-08-01T00:00:00Z"))
        let response = try await answer(submitted, CustomerHistory(receipts: newer + [subset]))
        #expect(response.json["latest_receipt"]?.string == Data(subset.der).base64EncodedString())
        let owner = try await answer(Self.receipt([Self.period(1), once]), CustomerHistory(receipts: [newer[1]]))
        #expect(owner.json["latest_receipt"]?.string == Data(newer[1].der).base64EncodedString())
    }

    @Test("receipts of another app, environment or customer are passed over, whatever a history gives")
    func foreign() async throws {
        let receipt = Self.receipt([Self.period(1), Self.period(2)], made: "2024-09-01T00:00:00Z")
        let others = try [
            receipt.with { $0.bundleIdentifier = "com.example.other" }, receipt.with { $0.environment = .production },
            Self.receipt([Self.period(5, of: 5)], made: "2024-09-01T00:00:00Z"),
        ].map(known)
        let submitted = Self.receipt([Self.period(1)])
        let response = try await answer(submitted, CustomerHistory(receipts: others))
        #expect(response.json == (try await answer(submitted, CustomerHistory()).json))
    }

    @Test("receipts of Xcode say nothing of each other: its numbers repeat")
    func xcode() async throws {
        let verifier = ReceiptVerifier(
            anchors: .apple, xcode: try XcodeTrust(certificates: [TestPKI.xcode.der()]))
        let responder = VerifyReceiptResponder(verifier: verifier, environments: .sandbox)
        let submitted = try Self.receipt([Self.period(1)]).signedLikeXcode()
        let other = try KnownReceipt(
            verifying: Self.receipt([Self.period(1), Self.period(2, of: 1)], made: "2024-09-01T00:00:00Z")
                .signedLikeXcode(), with: verifier, expecting: open, now: now)
        let with = await responder.answer(
            request(submitted), history: Given(history: CustomerHistory(receipts: [other])), now: now)
        #expect(with.json == responder.answer(request(submitted), now: now).json)
        #expect(with.status == .valid && with.receipt?.receipt.environment == .xcode)
    }

    /// Who says what of a refund, and what the answer says: the last one that was signed counts, but for receipts that are
    /// silent of a refund that a token told.
    struct Refund: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var own: Date?
        var other: (made: String, refund: Date?)?
        var token: (signed: String, refund: Date?)?
        let expected: String?
    }

    private static let refund = instant("2024-06-15T00:00:00Z")
    private static let refundText = "2024-06-15 00:00:00 Etc/GMT"

    static let refundCases = [
        Refund(
            testDescription: "a newer receipt refunds", other: ("2024-09-01T00:00:00Z", refund), expected: refundText),
        Refund(
            testDescription: "a newer receipt takes the refund back", own: refund, other: ("2024-09-01T00:00:00Z", nil),
            expected: nil),
        Refund(
            testDescription: "an older receipt does not", own: refund, other: ("2024-06-20T00:00:00Z", nil),
            expected: refundText),
        Refund(
            testDescription: "a transaction signed after both receipts refunds", other: ("2024-09-01T00:00:00Z", nil),
            token: ("2024-10-01T00:00:00Z", refund), expected: refundText),
        Refund(
            testDescription: "so does one signed between the two", other: ("2024-09-01T00:00:00Z", nil),
            token: ("2024-08-01T00:00:00Z", refund), expected: refundText),
        Refund(
            testDescription: "and one signed before both", other: ("2024-09-01T00:00:00Z", nil),
            token: ("2024-06-16T00:00:00Z", refund), expected: refundText),
        Refund(
            testDescription: "a receipt signed after it that names another date counts",
            other: ("2024-09-01T00:00:00Z", refund), token: ("2024-08-01T00:00:00Z", instant("2024-07-09T00:00:00Z")),
            expected: refundText),
        Refund(
            testDescription: "a transaction signed last takes the refund back", own: refund,
            other: ("2024-09-01T00:00:00Z", refund), token: ("2024-10-01T00:00:00Z", nil), expected: nil),
        Refund(
            testDescription: "nor does its silence", other: ("2024-09-01T00:00:00Z", refund),
            token: ("2024-08-01T00:00:00Z", nil), expected: refundText),
    ]

    @Test(
        "whether a transaction was refunded says what was signed last; silence takes back no refund of a token",
        arguments: refundCases)
    func lastSigned(_ refund: Refund) async throws {
        var history = CustomerHistory()
        if let other = refund.other {
            history.receipts = [try known(Self.receipt([Self.period(1, refund: other.refund)], made: other.made))]
        }
        if let token = refund.token {
            let purchase = Self.period(1)
            history.transactions = [
                try signed(
                    TestTransaction(
                        "com.example.plus", transaction: "1", at: purchase.purchaseDate, until: purchase.expirationDate
                    ).with {
                        $0.signedDate = instant(token.signed)
                        $0.revocationDate = token.refund
                    })
            ]
        }
        let response = try await answer(Self.receipt([Self.period(1, refund: refund.own)]), history)
        #expect(latest(response).count == 1)
        #expect(latest(response).first?["cancellation_date"]?.string == refund.expected)
        #expect((latest(response).first?["in_app_ownership_type"] != nil) == (refund.token != nil))
    }

    @Test("the submitted receipt is no other receipt: in the history it changes nothing, also if it lists things twice")
    func itself() async throws {
        let twice = Self.receipt([Self.period(1), Self.period(1, refund: Self.refund), Self.period(2)])
        let history = CustomerHistory(receipts: [try known(twice)])
        #expect(try await answer(twice, history).json == (try await answer(twice, CustomerHistory()).json))
    }

    @Test("an answer carries the receipt that it is about, a refusal none")
    func response() async throws {
        let receipt = Self.receipt([Self.period(1)])
        #expect(try await answer(receipt, CustomerHistory()).receipt == (try known(receipt)))
        #expect(try VerifyReceiptResponder.standard().answer(receipt).receipt == (try known(receipt)))
        #expect(try VerifyReceiptResponder.standard(.production).answer(receipt).receipt == nil)
    }

    @Test("in memory the newest receipt of each line is kept, in whatever order they come")
    func inMemory() throws {
        let old = try known(Self.receipt([Self.period(1), Self.period(2, of: 2)]))
        let new = try known(Self.receipt([Self.period(1)], made: "2024-09-01T00:00:00Z"))
        for order in [[old, new], [new, old]] {
            let history = InMemoryTransactionHistory()
            for receipt in order { history.add(receipt) }
            func receipts(_ lines: Set<String>, _ app: String = "com.example.app") -> [KnownReceipt] {
                history.history(of: lines, app: app, environment: .sandbox).receipts
            }
            #expect(receipts(["1"]) == [new])
            #expect(receipts(["2"]) == [old])
            #expect(receipts(["1", "2"]) == [new, old])
            #expect(receipts(["3"]).isEmpty && receipts(["1"], "com.example.other").isEmpty)
        }
    }
}
