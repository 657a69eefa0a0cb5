import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("ReceiptVerifier")
struct ReceiptVerifierTests {
    @Test("A receipt in any legal form passes", arguments: legalForms)
    func legalFormPasses(_ rule: ReceiptVariant) throws { try rule.check() }

    @Test("A creation date in the future is reported and not rejected")
    func futureCreationDate() throws {
        let future = ReceiptTestCase.with { testCase in
            testCase.receipt.creationDate = instant("2025-01-01T00:00:01Z")
        }
        try ReceiptVariant.passes("created a second after now") { $0 = future }.check()
        func message(_ testCase: ReceiptTestCase) throws -> String? {
            try testCase.report().checks.first { $0.check == .certificateChain }?.message
        }
        #expect(try message(future)?.contains("in the future") == true)
        #expect(try message(ReceiptTestCase())?.contains("in the future") == false)
        #expect(try future.verified().creationDate == instant("2025-01-01T00:00:01Z"))
    }

    @Test("Certificates are validated at the creation date, not at the current time")
    func nowHasNoEffect() throws {
        for now in ["1999-01-01T00:00:00Z", "2024-07-02T15:04:05Z", "2099-01-01T00:00:00Z"] {
            try ReceiptVariant.passes("verified at \(now)") { $0.now = instant(now) }.check()
            try ReceiptVariant.rejected("created after the signer had expired, verified at \(now)", .signerExpired) {
                $0.receipt.creationDate = instant("2032-01-01T00:00:01Z")
                $0.now = instant(now)
            }.check()
        }
    }

    @Test("A receipt with thousands of purchases verifies")
    func manyPurchases() throws {
        #if DEBUG
        let count = 2_000
        #else
        let count = 20_000
        #endif
        let start = TestReceipt().creationDate
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.purchases = (0..<count).map {
                TestPurchase("com.example.pro", transaction: "\($0)", at: start - Double($0))
            }
        }
        let verified = try testCase.verified()
        #expect(verified.receipt.purchases.count == count)
        #expect(Set(verified.receipt.purchases.map(\.transactionIdentifier)).count == count)
    }

    @Test("Concurrent tasks that share a verifier get the same results")
    func concurrentUse() async throws {
        let verifier = try ReceiptTestCase().verifier()
        let expectations = ReceiptTestCase().expectations
        let now = ReceiptTestCase().now
        let good = try ReceiptTestCase().encoded()
        let forged = try TestReceipt().signed(by: .impostor)
        let altered = try ReceiptTestCase.with { $0.container = { $0.signers[0].key = .untrusted } }.encoded()
        let sandbox = try ReceiptTestCase.with { $0.receipt.environment = .production }.encoded()
        let cases: [(bytes: [UInt8], code: ReceiptError.Code?)] = [
            (good, nil), (forged, .intermediateSignatureInvalid), (altered, .signatureInvalid),
            (sandbox, .environmentMismatch), ([], .inputEmpty),
        ]
        let wrong = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                let (bytes, code) = cases[index % cases.count]
                group.addTask {
                    let verdict = verifier.errorCode(of: bytes, expectations, now: now)
                    let report = verifier.report(bytes, expecting: expectations, now: now)
                    return verdict != code || report.failure?.code != code
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
    }

    @Test("Any collection of bytes is accepted")
    func collections() throws {
        let bytes = try ReceiptTestCase().encoded()
        let verifier = try ReceiptTestCase().verifier()
        let expectations = ReceiptTestCase().expectations
        let now = ReceiptTestCase().now
        let padded = [0] + bytes + [0]
        #expect(try verifier.verify(Data(bytes), expecting: expectations, now: now).receipt.appVersion == "1")
        #expect(try verifier.verify(padded[1...bytes.count], expecting: expectations, now: now).device == nil)
        #expect(try verifier.verify(ContiguousArray(bytes), expecting: expectations, now: now).environment == .sandbox)
        let text = Data(bytes).base64EncodedString()
        #expect(try verifier.verify(text.utf8, expecting: expectations, now: now).environment == .sandbox)
    }

    @Test("Receipts beyond the limits are rejected")
    func limits() throws {
        let purchase = TestPurchase("com.example.pro", transaction: "1", at: instant("2024-07-01T00:00:00Z"))
        let tables: [ReceiptVariant] = [
            .rejected("more purchases than the limit", .payloadTooManyPurchases) {
                $0.receipt.purchases = [purchase, purchase, purchase]
                $0.limits.maxPurchases = 2
            },
            .passes("as many purchases as the limit") {
                $0.receipt.purchases = [purchase, purchase]
                $0.limits.maxPurchases = 2
            },
            .rejected("more bytes than the limit", .inputTooLarge) { $0.limits.maxInputBytes = 1000 },
        ]
        for rule in tables { try rule.check() }
    }

    // MARK: Legal forms

    private static func manyPurchases(_ count: Int) -> [TestPurchase] {
        (0..<count).map { number in
            TestPurchase(
                subscription: "com.example.month", transaction: "\(100_000 + number)", original: "100000",
                from: instant("2024-01-01T00:00:00Z"), to: instant("2024-02-01T00:00:00Z"))
        }
    }

    static let legalForms: [ReceiptVariant] = [
        .passes("the App Store's form") { _ in },
        .passes("certificates in another order") { $0.container = { $0.certificates.reverse() } },
        .passes("no embedded root") { $0.container = { $0.certificates.removeLast() } },
        .passes("an additional unrelated certificate") {
            $0.container = { $0.certificates.insert(try TestPKI.xcode.der(), at: 0) }
        },
        .passes("six certificates") {
            $0.container = { container in
                for serialNumber in 1...3 {
                    container.certificates.append(
                        try TestPKI.xcode.with { $0.serialNumber = UInt64(serialNumber) }.der())
                }
            }
        },
        .passes("BER with the content in one piece") { $0.container = { $0.encoding = .ber(pieces: 1) } },
        .passes("BER with the content in seven pieces") { $0.container = { $0.encoding = .ber(pieces: 7) } },
        .passes("the payload wrapped in another octet string") {
            $0.container = { $0.content = DERWriter.octetString($0.content) }
        },
        .passes("the payload's attributes in another order") { testCase in
            let members = testCase.receipt.attributes.reversed().map(\.der)
            testCase.container = { $0.content = DERWriter.set(members, sorted: false) }
        },
        .passes("signed attributes") { $0.container = { $0.signers[0].signedAttributes = .init() } },
        .passes("certificates that have expired since") {
            $0.pki = .sha1
            $0.receipt.creationDate = instant("2017-09-04T09:01:20Z")
        },
        .passes("SHA-1") {
            $0.pki = .sha1
            $0.receipt.creationDate = instant("2016-01-01T00:00:00Z")
        },
        .passes("RSA 4096 and SHA-512") { $0.pki = .large },
        .passes("SHA-384 certificates") { testCase in
            testCase.pki.intermediate.digest = .sha384
            testCase.pki.signer.digest = .sha384
        },
        .passes("elliptic root and intermediate") { $0.pki = .elliptic },
        .passes("elliptic root, RSA intermediate") { testCase in
            testCase.pki.root = TestPKI.elliptic.root
            testCase.pki.intermediate.issuerKey = .ellipticRoot
        },
        .passes("P-256 intermediate") { testCase in
            testCase.pki.intermediate.key = .ellipticSigner
            testCase.pki.signer.issuerKey = .ellipticSigner
        },
        .passes("elliptic certificates with SHA-1") { testCase in
            testCase.pki = .elliptic
            testCase.pki.intermediate.digest = .sha1
            testCase.pki.signer.digest = .sha1
        },
        .passes("revocation lists") { $0.container = { $0.revocationLists = [DERWriter.sequence([DERWriter.null])] } },
        .passes("unsigned attributes") {
            $0.container = { container in
                container.signers[0].unsignedAttributes = [
                    TestSigner.SignedAttributes.attribute("1.2.3.4", [DERWriter.null])
                ]
            }
        },
        .passes("2,000 purchases") { $0.receipt.purchases = manyPurchases(2000) },
        .passes("unknown attributes, several of a type") {
            $0.receipt.overrides = [999: [[1], [2]], 30: [[]], 1 << 30: [[0x30]]]
        },
        .passes("production") {
            $0.receipt.environment = .production
            $0.expectations.environments = [.production]
        },
        .passes("base64") { $0.bytes = { $0 = Array(Data($0).base64EncodedString().utf8) } },
        .passes("base64 on many lines") {
            $0.bytes = { $0 = Array(Data($0).base64EncodedString(options: .lineLength64Characters).utf8) }
        },
        .passes("PEM") {
            $0.bytes = { bytes in
                let text = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                bytes = Array("-----BEGIN PKCS7-----\n\(text)\n-----END PKCS7-----\n".utf8)
            }
        },
        .passes("a creation date with an offset") {
            $0.receipt.overrides[12] = [DERWriter.ia5String("2024-07-02T16:04:05+0100")]
        },
        .passes("version 3 of the container") { $0.container = { $0.version = 3 } },
    ]

}
