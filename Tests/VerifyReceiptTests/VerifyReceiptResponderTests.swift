import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("VerifyReceiptResponder")
struct VerifyReceiptResponderTests {
    @Test("A genuine receipt gets status 0 and its data, and the same response again")
    func answersGenuine() throws {
        let responder = try VerifyReceiptResponder.standard()
        let first = try responder.response(to: TestReceipt())
        #expect(first.status == .valid)
        #expect(first.failure == nil)
        #expect(first.json.names == ["status", "environment", "receipt"])
        #expect(try responder.response(to: TestReceipt()).body == first.body)
    }

    /// A rejected request: its body, and the expected status and code.
    struct Rejection: Sendable, CustomTestStringConvertible {
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

    static let rejections = [
        Rejection("not JSON", .requestUnreadable, .requestMalformed) { Array("receipt-data=MII".utf8) },
        Rejection("an empty body", .requestUnreadable, .requestMalformed) { [] },
        Rejection("no receipt", .receiptMalformed, .receiptDataMissing) { Array("{}".utf8) },
        Rejection("an empty receipt", .receiptMalformed, .inputEmpty) { Array(#"{"receipt-data": ""}"#.utf8) },
        Rejection("a word", .receiptMalformed, .inputUnrecognized) { Array(#"{"receipt-data": "hello"}"#.utf8) },
        Rejection("signed data", .receiptMalformed, .inputSignedData) {
            Array(#"{"receipt-data": "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"}"#.utf8)
        },
        Rejection("a truncated receipt", .receiptMalformed, .encodingTruncated) {
            request(Array(try TestReceipt().signed().dropLast(9)))
        },
        Rejection("an attribute that occurs twice", .receiptMalformed, .attributeDuplicate) {
            request(try TestReceipt().with { $0.overrides[3] = [[0x0C, 0x00], [0x0C, 0x00]] }.signed())
        },
        Rejection("no creation date", .notAuthenticated, .creationDateMissing) {
            request(try TestReceipt().with { $0.overrides[12] = [] }.signed())
        },
        Rejection("another root", .notAuthenticated, .rootNotTrusted) {
            let other = TestPKI.standard.with {
                $0.root.subject = TestName("Another Root")
                $0.root.issuer = $0.root.subject
                $0.intermediate.issuer = $0.root.subject
            }
            return request(try TestReceipt().signed(by: other))
        },
        Rejection("an impostor", .notAuthenticated, .intermediateSignatureInvalid) {
            request(try TestReceipt().signed(by: .impostor))
        },
        Rejection("an expired signer", .notAuthenticated, .signerExpired) {
            request(
                try TestReceipt().signed(by: .standard.with { $0.signer.notAfter = instant("2023-01-01T00:00:00Z") }))
        },
        Rejection("a signature over other bytes", .notAuthenticated, .signatureInvalid) {
            var container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
            container.signers[0].signature = try TestKey.signer.signature(for: [0x31, 0x00], digest: .sha256)
            return request(try container.encoded())
        },
        Rejection("Xcode's certificate", .notAuthenticated, .xcodeNotTrusted) {
            request(try TestReceipt().signedLikeXcode())
        },
    ]

    @Test("The response to a rejected request contains only its status", arguments: rejections)
    func rejects(_ row: Rejection) throws {
        for environments in VerifyReceiptResponder.Environments.allCases {
            let response = try VerifyReceiptResponder.standard(environments).response(to: row.body(), now: requestDate)
            #expect(response.status == row.status)
            #expect(response.failure?.code == row.code)
            #expect(response.containsOnlyStatus)
            #expect(String(decoding: response.body, as: UTF8.self) == "{\"status\":\(row.status)}")
        }
    }

    @Test("Every attack on a receipt's bytes is rejected by a responder for its app and environment")
    func rejectsAttacks() throws {
        let responder = try VerifyReceiptResponder.standard(.sandbox, bundleIdentifiers: ["com.example.app"])
        // The expiration date isn't checked.
        for attack in Attack.independentOfConfiguration where attack.check != .expiration {
            let bytes = try attack.testCase().encoded()
            let text = bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
            let sent = text.map { ["receipt-data": .string($0)] } ?? [:] as AppStoreJSON.Object
            let response = responder.response(to: request(bytes, sent), now: requestDate)
            #expect(response.status != .valid, "\(attack)")
            #expect(response.containsOnlyStatus, "\(attack)")
        }
    }

    // MARK: Shared secret

    @Test("A wrong or missing password is rejected before the receipt is parsed")
    func secret() throws {
        let responder = try VerifyReceiptResponder.standard(secret: SharedSecret("0123456789abcdef0123456789abcdef"))
        let good = try TestReceipt().signed()
        #expect(
            responder.response(to: request(good, ["password": "0123456789abcdef0123456789abcdef"]), now: requestDate)
                .status
                == .valid)
        for receipt in [good, [1, 2, 3]] {
            let missing = responder.response(to: request(receipt), now: requestDate)
            #expect(missing.status == .sharedSecretMismatch)
            #expect(missing.containsOnlyStatus)
            #expect(missing.failure?.code == .sharedSecretMissing)
            let wrong = responder.response(
                to: request(receipt, ["password": "0123456789abcdef0123456789abcdeF"]), now: requestDate)
            #expect(wrong.status == .sharedSecretMismatch)
            #expect(wrong.containsOnlyStatus)
            #expect(wrong.failure?.code == .sharedSecretMismatch)
        }
    }

    @Test("Any password is accepted if no secret is required")
    func noSecret() throws {
        #expect(try VerifyReceiptResponder.standard().response(to: TestReceipt(), ["password": "any"]).status == .valid)
    }

    // MARK: Checks that Apple's endpoint omits or leaves to the caller

    @Test("An expired volume purchase is answered with its expiration date")
    func expirationIsNotChecked() throws {
        let response = try VerifyReceiptResponder.standard().response(
            to: TestReceipt().with {
                $0.environment = .productionVPP
                $0.expirationDate = instant("2024-07-02T16:00:00Z")
            })
        #expect(response.status == .valid)
        #expect(response.json["environment"] == "Production")
        #expect(response.json["receipt"]?["receipt_type"] == "ProductionVPP")
        #expect(response.json["receipt"]?["expiration_date_ms"] == "1719936000000")
    }

    @Test("The app is compared byte by byte if the responder requires it, and another app isn't authenticated")
    func bundleIdentifiers() throws {
        func response(_ bundles: AcceptedValues<String>, _ receipt: TestReceipt) throws -> [String] {
            let response = try VerifyReceiptResponder.standard(bundleIdentifiers: bundles).response(to: receipt)
            return [response.status.description] + (response.failure.map { [$0.code.rawValue] } ?? [])
        }
        let receipt = TestReceipt(bundleIdentifier: "com.example.caf\u{E9}")
        #expect(try response(.anyBundle, receipt) == ["0"])
        #expect(try response(["com.example.app", "com.example.caf\u{E9}"], receipt) == ["0"])
        #expect(try response(["com.example.cafe\u{301}"], receipt) == ["21003", "bundle-identifier-mismatch"])
        #expect(try response([], receipt) == ["21003", "bundle-identifier-mismatch"])
        let nameless = receipt.with { $0.overrides[2] = [] }
        #expect(try response(["com.example.app"], nameless) == ["21003", "bundle-identifier-missing"])
        #expect(try response(.anyBundle, nameless) == ["0"])
    }

    @Test("A parsed request gets the same response as its body")
    func parsedRequest() throws {
        let receipt = try TestReceipt().signed()
        let responder = try VerifyReceiptResponder.standard()
        let parsed = VerifyReceiptRequest(receiptData: Data(receipt).base64EncodedString())
        #expect(
            responder.response(to: parsed, now: requestDate).body
                == responder.response(to: request(receipt), now: requestDate).body
        )
    }

    // MARK: Size

    @Test("A receipt with 2,000 purchases is answered")
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
        let response = try VerifyReceiptResponder.standard().response(
            to: request(try receipt.signed()), now: requestDate)
        #expect(response.json["receipt"]?["in_app"]?.array?.count == count)
        #expect(response.json["latest_receipt_info"]?.array?.count == count)
        #expect(response.body.count > 1000 * count)
    }

    @Test("A request that is larger than the verifier's limit is unreadable")
    func limits() throws {
        var limits = ReceiptLimits()
        limits.maxInputBytes = 4000
        let responder = VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors, limits: limits), environments: .both)
        let large = responder.response(to: request(try TestReceipt().signed()), now: requestDate)
        #expect(large.status == .requestUnreadable)
        #expect(large.failure?.code == .requestTooLarge)
    }

    @Test("Truncated and altered requests get a status and don't crash")
    func hostileBytes() throws {
        let responder = try VerifyReceiptResponder.standard()
        let body = request(try TestReceipt().signed())
        let good = responder.response(to: body, now: requestDate).body
        for length in stride(from: 0, to: body.count, by: 97) {
            #expect(responder.response(to: body.prefix(length), now: requestDate).status == .requestUnreadable)
        }
        for position in stride(from: 0, to: body.count, by: 61) {
            var altered = body
            altered[position] ^= 0x02
            let response = responder.response(to: altered, now: requestDate)
            // The root in the receipt is ignored, so altering it has no effect.
            #expect(response.status != .valid || response.body == good, "\(position)")
        }
    }
}
