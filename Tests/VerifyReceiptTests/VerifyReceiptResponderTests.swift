import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("VerifyReceiptResponder")
struct VerifyReceiptResponderTests {
    @Test("a genuine receipt gets status 0 and its data, and the same again")
    func answersGenuine() throws {
        let responder = try VerifyReceiptResponder.standard()
        let first = try responder.answer(TestReceipt())
        #expect(first.status == .valid)
        #expect(first.failure == nil)
        #expect(first.json.names == ["status", "environment", "receipt"])
        #expect(try responder.answer(TestReceipt()).body == first.body)
    }

    /// A request that is refused: its body, the status and the code.
    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: VerifyReceiptStatus
        let code: ReceiptError.Code
        let body: @Sendable () throws -> [UInt8]

        init(
            _ name: String, _ status: VerifyReceiptStatus, _ code: ReceiptError.Code,
            _ body: @escaping @Sendable () throws -> [UInt8]
        ) {
            testDescription = name
            self.status = status
            self.code = code
            self.body = body
        }
    }

    static let refused = [
        Refused("no JSON", .requestUnreadable, .requestMalformed) { Array("receipt-data=MII".utf8) },
        Refused("an empty body", .requestUnreadable, .requestMalformed) { [] },
        Refused("no receipt", .receiptMalformed, .receiptDataMissing) { Array("{}".utf8) },
        Refused("an empty receipt", .receiptMalformed, .inputEmpty) { Array(#"{"receipt-data": ""}"#.utf8) },
        Refused("a word", .receiptMalformed, .inputUnrecognized) { Array(#"{"receipt-data": "hello"}"#.utf8) },
        Refused("signed data", .receiptMalformed, .inputSignedData) {
            Array(#"{"receipt-data": "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"}"#.utf8)
        },
        Refused("a receipt that was cut", .receiptMalformed, .encodingTruncated) {
            request(Array(try TestReceipt().signed().dropLast(9)))
        },
        Refused("an attribute that occurs twice", .receiptMalformed, .attributeDuplicate) {
            request(try TestReceipt().with { $0.overrides[3] = [[0x0C, 0x00], [0x0C, 0x00]] }.signed())
        },
        Refused("no creation date", .notAuthenticated, .creationDateMissing) {
            request(try TestReceipt().with { $0.overrides[12] = [] }.signed())
        },
        Refused("another root", .notAuthenticated, .rootNotTrusted) {
            let other = TestPKI.standard.with {
                $0.root.subject = TestName("Another Root")
                $0.root.issuer = $0.root.subject
                $0.intermediate.issuer = $0.root.subject
            }
            return request(try TestReceipt().signed(by: other))
        },
        Refused("an impostor", .notAuthenticated, .intermediateSignatureInvalid) {
            request(try TestReceipt().signed(by: .impostor))
        },
        Refused("an expired signer", .notAuthenticated, .signerExpired) {
            request(
                try TestReceipt().signed(by: .standard.with { $0.signer.notAfter = instant("2023-01-01T00:00:00Z") }))
        },
        Refused("a signature over something else", .notAuthenticated, .signatureInvalid) {
            var container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
            container.signers[0].signature = try TestKey.signer.signature(over: [0x31, 0x00], .sha256)
            return request(try container.encoded())
        },
        Refused("Xcode's certificate", .notAuthenticated, .xcodeNotTrusted) {
            request(try TestReceipt().signedLikeXcode())
        },
    ]

    @Test("what is refused gets its status and nothing else; the reason is for the operator", arguments: refused)
    func refuses(_ row: Refused) throws {
        for environments in VerifyReceiptResponder.Environments.allCases {
            let response = try VerifyReceiptResponder.standard(environments).answer(row.body(), now: asked)
            #expect(response.status == row.status)
            #expect(response.failure?.code == row.code)
            #expect(response.isBare)
            #expect(String(decoding: response.body, as: UTF8.self) == "{\"status\":\(row.status)}")
        }
    }

    @Test("every attack on a receipt's bytes is refused, by a responder for its app and environment")
    func refusesAttacks() throws {
        let responder = try VerifyReceiptResponder.standard(.sandbox, bundleIdentifiers: ["com.example.app"])
        // Whether a receipt has expired is not judged.
        for attack in Attack.inBytesAlone where attack.stage != .expiration {
            let bytes = try attack.testCase().encoded()
            let text = bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
            let sent = text.map { ["receipt-data": .string($0)] } ?? [:] as JSONObject
            let response = responder.answer(request(bytes, sent), now: asked)
            #expect(response.status != .valid, "\(attack)")
            #expect(response.isBare, "\(attack)")
        }
    }

    // MARK: Shared secret

    @Test("a wrong or missing password is refused before the receipt is looked at, good or not")
    func secret() throws {
        let responder = try VerifyReceiptResponder.standard(secret: SharedSecret("0123456789abcdef0123456789abcdef"))
        let good = try TestReceipt().signed()
        #expect(
            responder.answer(request(good, ["password": "0123456789abcdef0123456789abcdef"]), now: asked).status
                == .valid)
        for receipt in [good, [1, 2, 3]] {
            let missing = responder.answer(request(receipt), now: asked)
            #expect(missing.status == .sharedSecretMismatch && missing.isBare)
            #expect(missing.failure?.code == .sharedSecretMissing)
            let wrong = responder.answer(request(receipt, ["password": "0123456789abcdef0123456789abcdeF"]), now: asked)
            #expect(wrong.status == .sharedSecretMismatch && wrong.isBare)
            #expect(wrong.failure?.code == .sharedSecretMismatch)
        }
    }

    @Test("where no secret is asked for, any password will do")
    func noSecret() throws {
        #expect(try VerifyReceiptResponder.standard().answer(TestReceipt(), ["password": "any"]).status == .valid)
    }

    // MARK: What Apple does not judge, and what it leaves to the caller

    @Test("a volume purchase that has expired is answered with its expiration date")
    func expirationIsNotJudged() throws {
        let response = try VerifyReceiptResponder.standard().answer(
            TestReceipt().with {
                $0.environment = .productionVPP
                $0.expirationDate = instant("2024-07-02T16:00:00Z")
            })
        #expect(response.status == .valid)
        #expect(response.json["environment"] == "Production")
        #expect(response.json["receipt"]?["receipt_type"] == "ProductionVPP")
        #expect(response.json["receipt"]?["expiration_date_ms"] == "1719936000000")
    }

    @Test("the app is compared only if it is named, byte by byte; another is not authenticated")
    func bundleIdentifiers() throws {
        func answer(_ bundles: VerifyReceiptResponder.BundleIdentifiers, _ receipt: TestReceipt) throws -> [String] {
            let response = try VerifyReceiptResponder.standard(bundleIdentifiers: bundles).answer(receipt)
            return [response.status.description] + (response.failure.map { [$0.code.rawValue] } ?? [])
        }
        let receipt = TestReceipt(bundleIdentifier: "com.example.caf\u{E9}")
        #expect(try answer(.anyBundle, receipt) == ["0"])
        #expect(try answer(["com.example.app", "com.example.caf\u{E9}"], receipt) == ["0"])
        #expect(try answer(["com.example.cafe\u{301}"], receipt) == ["21003", "bundle-identifier-mismatch"])
        #expect(try answer([], receipt) == ["21003", "bundle-identifier-mismatch"])
        let nameless = receipt.with { $0.overrides[2] = [] }
        #expect(try answer(["com.example.app"], nameless) == ["21003", "bundle-identifier-missing"])
        #expect(try answer(.anyBundle, nameless) == ["0"])
    }

    @Test("a request that was read already gets the same answer as its body")
    func readRequest() throws {
        let receipt = try TestReceipt().signed()
        let responder = try VerifyReceiptResponder.standard()
        let read = VerifyReceiptRequest(receiptData: Data(receipt).base64EncodedString())
        #expect(responder.answer(read, now: asked).body == responder.answer(request(receipt), now: asked).body)
    }

    // MARK: Size

    // Quadratic work would take minutes in a debug build.
    @Test("A receipt with 2,000 purchases is answered", .timeLimit(.minutes(1)))
    func manyPurchases() throws {
        let count = 2000
        let receipt = TestReceipt().with { receipt in
            receipt.purchases = (0..<count).map { index in
                let start = instant("2020-01-01T00:00:00Z") + Double(index * 3600)
                return TestPurchase(
                    subscription: "com.example.monthly", transaction: String(1000 + index), original: "1000",
                    from: start, to: start + 3600)
            }
        }
        let response = try VerifyReceiptResponder.standard().answer(request(try receipt.signed()), now: asked)
        #expect(response.json["receipt"]?["in_app"]?.array?.count == count)
        #expect(response.json["latest_receipt_info"]?.array?.count == count)
        #expect(response.body.count > 1000 * count)
    }

    @Test("what is larger than the verifier's limit is unreadable, what is inside it in base64 is too large")
    func limits() throws {
        var limits = ReceiptLimits()
        limits.inputBytes = 4000
        let responder = VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors, limits: limits), environments: .both)
        let large = responder.answer(request(try TestReceipt().signed()), now: asked)
        #expect(large.status == .requestUnreadable)
        #expect(large.failure?.code == .requestTooLarge)
    }

    @Test("bytes without sense end in a status, never in a crash")
    func hostileBytes() throws {
        let responder = try VerifyReceiptResponder.standard()
        let body = request(try TestReceipt().signed())
        let good = responder.answer(body, now: asked).body
        for length in stride(from: 0, to: body.count, by: 97) {
            #expect(responder.answer(body.prefix(length), now: asked).status == .requestUnreadable)
        }
        for position in stride(from: 0, to: body.count, by: 61) {
            var altered = body
            altered[position] ^= 0x02
            let response = responder.answer(altered, now: asked)
            // The root that a receipt carries counts for nothing, whatever stands in it.
            #expect(response.status != .valid || response.body == good, "\(position)")
        }
    }
}
