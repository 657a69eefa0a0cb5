import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import VerifyReceipt

/// Signed transactions beside other evidence: stored receipts, transaction receipts, and texts that aren't any.
extension SignedTransactionsTests {
    @Test("A stored receipt of the same customer adds no other purchase to a token alone")
    func storedReceiptWithOthers() async throws {
        let purchases = ["11", "12"].map { TestPurchase("com.example.\($0)", transaction: $0) }
        let history = InMemoryTransactionHistory()
        history.add(try ReceiptFixtures.receipt(purchases).verified())
        let response = await (try Self.responder()).response(
            to: Self.body(.string(try Self.pro.signed())), evidence: history, now: requestDate)
        let transactions = response.json["latest_receipt_info"]?.array?.map { $0["transaction_id"] }
        #expect(transactions == ["11"])
    }

    @Test("Two transactions of Xcode with the same identifier are two elements everywhere")
    func sameIdentifierInXcode() throws {
        let tokens = try ["com.example.pro", "com.example.tools"].map { product in
            try TestTransaction(product, transaction: "0").with { $0.environment = .xcode }.signedLikeXcode()
        }
        let responder = VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .sandbox,
            signedData: SignedDataVerifier(xcode: try XcodeTrust(der: [TestPKI.xcodeTokens.der()])))
        let json = try Self.response(to: .array(tokens.map { .string($0) }), by: responder).json
        #expect(json["receipt"]?["in_app"]?.array?.count == 2)
        #expect(json["latest_receipt_info"]?.array?.count == 2)
    }

    @Test("A refund in a token counts beside a transaction receipt, in whichever member they are")
    func besideTransactionReceipt() throws {
        let pki = TestPKI.transactionReceipts
        let verifier = ReceiptVerifier(
            anchors: try TrustAnchors(der: [TestPKI.standard, pki].map { try $0.root.der() }),
            transactionReceipts: try TransactionReceiptTrust(der: [pki.intermediate.der()]))
        let responder = VerifyReceiptResponder(
            verifier: verifier, environments: .both,
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors))
        let start = instant("2015-11-18T04:34:41Z")
        let receipt = Data(try TestTransactionReceipt("com.example.pro", transaction: "11", at: start).signed())
            .base64EncodedString()
        let refund = try TestTransaction("com.example.pro", transaction: "11", at: start).with {
            $0.revocationDate = instant("2015-11-19T00:00:00Z")
        }.signed()
        let own = responder.response(
            to: AppStoreJSON.object(["receipt-data": .string(receipt), "jws": .string(refund)]).text(),
            now: requestDate)
        #expect(own.status == .valid)
        #expect(own.json["receipt"]?["bid"] == "com.example.app")
        #expect(own.json["receipt"]?["cancellation_date_ms"] == "1447891200000")
        #expect(own.signedTransactions?.transactions.map(\.token) == [refund])
        #expect(own.hint == nil)
        let forged = responder.response(
            to: AppStoreJSON.object(
                ["receipt-data": .string(receipt), "jws": .string(try Self.pro.signed(by: Self.impostor))]
            ).text(), now: requestDate)
        #expect(forged.json["receipt"]?["cancellation_date_ms"] == nil)
        #expect(forged.signedTransactions == nil)
        #expect(forged.hint?.contains("root-not-trusted") == true)
        let other = responder.response(
            to: AppStoreJSON.object(["receipt-data": .string(refund), "transactionReceipt": .string(receipt)]).text(),
            now: requestDate)
        #expect(other.json["latest_receipt_info"]?.array?.map { $0["cancellation_date_ms"] } == ["1447891200000"])
        #expect(other.hint?.contains("A receipt isn't used") == true)
    }

    @Test("A member with a known name and another text, such as a session's token, has no effect")
    func otherTexts() throws {
        let (token, session) = (try Self.pro.signed(), "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl")
        for text in ["session-123", session] {
            let members: AppStoreJSON = ["receipt-data": .string(token), "token": .string(text)]
            let response = try Self.responder().response(to: members.text(), now: requestDate)
            #expect(response.status == .valid, "\(text)")
            #expect(response.hint == nil, "\(response.hint ?? "none")")
            let alone = try Self.responder().response(
                to: AppStoreJSON.object(["token": .string(text)]).text(), now: requestDate)
            #expect(alone.failure?.code == .receiptDataMissing)
            #expect(alone.hint?.contains("jwsRepresentation") == true)
            #expect(try Self.response(to: .string(session)).status == .receiptMalformed)
        }
    }

    @Test("A receipt in an array is read, and the hint says so")
    func receiptInArray() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let response = try Self.response(to: [.string(receipt)])
        #expect(response.status == .valid)
        #expect(response.hint == "There is a receipt in an array. Send it as 'receipt-data'.")
    }

    @Test(
        "A token that names no environment has the status of an unknown one",
        arguments: zip([VerifyReceiptResponder.Environments.production, .sandbox, .both], [21007, 21003, 21003]))
    func missingEnvironment(environments: VerifyReceiptResponder.Environments, status: Int) throws {
        let token = try Self.pro.with { $0.overrides["environment"] = .null }.signed()
        let response = try Self.response(to: .string(token), by: try Self.responder(environments))
        #expect(response.status.rawValue == status)
        #expect(response.failure?.code == .environmentMissing)
    }

    @Test("Tokens beside a token count if they are genuine and of its app and environment, and the hint says why not")
    func besideToken() throws {
        let token = try Self.pro.signed()
        func response(_ other: String) throws -> VerifyReceiptResponse {
            try Self.responder().response(
                to: AppStoreJSON.object(["receipt-data": .string(token), "jws": .string(other)]).text(),
                now: requestDate)
        }
        let both = try response(Self.period.signed())
        #expect(both.json["receipt"]?["in_app"]?.array?.count == 2)
        #expect(both.hint == nil)
        for (other, code) in [
            (try Self.period.signed(by: Self.impostor), "root-not-trusted"),
            (try Self.period.with { $0.environment = .production }.signed(), "signed-transactions-mixed"),
            (try Self.period.with { $0.bundleIdentifier = "com.example.other" }.signed(), "signed-transactions-mixed"),
        ] {
            let alone = try response(other)
            #expect(alone.json["receipt"]?["in_app"]?.array?.map { $0["transaction_id"] } == ["11"])
            #expect(alone.hint?.contains("A token isn't used: \(code)") == true, "\(alone.hint ?? "none")")
        }
    }

    @Test("JSON that can't be read as a value is searched as text, however it is spaced")
    func unreadableJSON() throws {
        let token = try Self.pro.signed()
        let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        for other in [#""\ud83c""#, deep, #"{"a":1,"a":2}"#] {
            for space in ["", " "] {
                let body = #"{"receipt-data":\#(space)"","jws":\#(space)"\#(token)","other":\#(space)\#(other)}"#
                let response = try Self.responder().response(to: Array(body.utf8), now: requestDate)
                #expect(response.status == .valid, "\(other)")
                #expect(response.hint?.contains("Send it as 'receipt-data'.") == true)
            }
        }
    }

    @Test("A damaged receipt in receipt-data is an error, in every form, whatever else is in the request")
    func damagedReceipt() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let damaged = receipt.map { $0 == "+" ? " " : "\($0)" }.joined()
        let twice = Data(receipt.utf8).base64EncodedString()
        let token = AppStoreJSON.string(try Self.pro.signed())
        let forms: [(AppStoreJSON, ReceiptError.Code)] = [
            (.string(damaged), .inputBase64Malformed), ([.string(damaged)], .inputBase64Malformed),
            ([token, .string(damaged)], .inputBase64Malformed), (.string(twice), .inputBase64Twice),
        ]
        for (receiptData, code) in forms {
            let body = AppStoreJSON.object(["receipt-data": receiptData, "jws": token]).text()
            #expect(try Self.responder().response(to: body, now: requestDate).failure?.code == code)
            let strict = try VerifyReceiptResponder.standard().response(to: body, now: requestDate)
            #expect(!strict.isAboutSetting, "\(strict.hint ?? "none")")
        }
    }

    @Test("A session's token beside a genuine one has no effect, also in an array and in JSON that can't be parsed")
    func sessionTokens() throws {
        let session = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl"
        let token = try Self.pro.signed()
        let array = try Self.response(to: [.string(token), .string(session)])
        #expect(array.status == .valid)
        let body = #"{"receipt-data":"","jws":"\#(token)","token":"\#(session)","name":"\ud83c"}"#
        #expect(try Self.responder().response(to: Array(body.utf8), now: requestDate).status == .valid)
    }

    @Test("Renewal information counts beside a transaction in another member")
    func renewalBesideMember() throws {
        let renewal = try TestRenewalInfo("com.example.plus", original: "20").signed()
        let request: AppStoreJSON = [
            "receipt-data": [.string(try Self.pro.signed()), .string(renewal)],
            "jws": .string(try Self.period.signed()),
        ]
        let response = try Self.responder().response(to: request.text(), now: requestDate)
        #expect(response.json["pending_renewal_info"]?.array?.count == 1)
        #expect(response.hint == nil, "\(response.hint ?? "none")")
    }

    @Test("A large request that is rejected isn't searched, but has the hint of its error")
    func hintOfLargeRequest() throws {
        let token = try Self.pro.signed()
        let filler = String(repeating: "x", count: 300_000)
        let request: AppStoreJSON = ["jws": .string(token), "filler": .string(filler)]
        let response = try VerifyReceiptResponder.standard().response(to: request.text(), now: requestDate)
        #expect(!response.isAboutSetting)
        #expect(response.hint?.hasPrefix("There is no receipt.") == true)
    }
}
