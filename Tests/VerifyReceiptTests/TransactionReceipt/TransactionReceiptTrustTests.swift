import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing
import VerifyReceipt

/// A transaction receipt and the configuration that it is validated with: valid unless something is changed.
struct TransactionReceiptTestCase: Sendable {
    var receipt = TestTransactionReceipt("com.example.pro", transaction: "1000000181298734")
    var pki = TestPKI.transactionReceipts
    /// The intermediates that are named; nil for the PKI's own.
    var intermediates: [TestCertificate]?
    /// The root that is trusted; nil for the PKI's own.
    var root: TestCertificate?
    var environments = VerifyReceiptResponder.Environments.both
    var bundleIdentifiers = VerifyReceiptResponder.BundleIdentifiers.anyBundle
    var now = asked

    func responder() throws -> VerifyReceiptResponder {
        let named = try (intermediates ?? [pki.intermediate]).map { try $0.der() }
        return VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TrustAnchors(certificates: [(root ?? pki.root).der()])),
            environments: environments, bundleIdentifiers: bundleIdentifiers,
            transactionReceipts: named.isEmpty ? .disabled : try TransactionReceiptTrust(intermediates: named))
    }

    func response() throws -> VerifyReceiptResponse {
        try responder().answer(request(try receipt.signed(by: pki)), now: now)
    }
}

@Suite("TransactionReceiptTrust")
struct TransactionReceiptTrustTests {
    /// A rule, broken alone, and what must come of it.
    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: ReceiptError.Code?
        let change: @Sendable (inout TransactionReceiptTestCase) throws -> Void

        init(
            _ name: String, _ code: ReceiptError.Code?,
            _ change: @escaping @Sendable (inout TransactionReceiptTestCase) throws -> Void = { _ in }
        ) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    @Test("each rule, broken alone, is refused with its code; what breaks none passes", arguments: rules)
    func rule(_ rule: Rule) throws {
        var testCase = TransactionReceiptTestCase()
        try rule.change(&testCase)
        let response = try testCase.response()
        #expect(response.failure?.code == rule.code)
        guard let code = rule.code else {
            #expect(response.status == .valid)
            return
        }
        #expect(response.isBare)
        let isMalformed = [ReceiptError.Stage.input, .container, .payload].contains(code.stage)
        #expect(response.status == (isMalformed ? .receiptMalformed : .notAuthenticated))
    }

    @Test("Each signature of a transaction receipt and its certificates is verified once")
    func signatures() throws {
        let testCase = TransactionReceiptTestCase()
        let responder = try testCase.responder()
        let body = request(try testCase.receipt.signed(by: testCase.pki))
        let signatures = VerifiedSignatures.during {
            #expect(responder.answer(body, now: testCase.now).status == .valid)
        }
        #expect(signatures.count == 3 && Set(signatures).count == 3)
    }

    static let rules = passing + ofTheIntermediate + ofTheSigner + ofTheSignature

    private static let before = instant("2015-11-18T04:34:40Z")
    private static let after = instant("2015-11-18T04:34:42Z")
    private static let purchase = instant("2015-11-18T04:34:41Z")
    private static let unreadableKeyUsage = TestCertificate.Extension("2.5.29.15", critical: true)
    private static let unknownExtension = TestCertificate.Extension("1.2.3.4", critical: true)

    private static let passing = [
        Rule("nothing", nil),
        Rule("the first and last second of all certificates", nil) {
            $0.pki.signer.notBefore = purchase
            $0.pki.signer.notAfter = purchase
            $0.pki.intermediate.notAfter = purchase
        },
        Rule("half a second after the last one, which is part of it", nil) {
            $0.receipt["purchase-date-ms"] = "1447821281500"
            $0.pki.signer.notAfter = purchase
        },
        Rule("an intermediate with a marker of its own", nil) {
            $0.pki.intermediate.markers = ["1.2.840.113635.100.6.2.2"]
        },
        Rule("an intermediate without key usage", nil) { $0.pki.intermediate.keyUsage = nil },
        Rule("a signer without key usage", nil) { $0.pki.signer.keyUsage = nil },
        Rule("several intermediates named, the right one last", nil) {
            let impostor = $0.pki.intermediate.with { $0.key = .stranger }
            $0.intermediates = [TestPKI.standard.intermediate, impostor, $0.pki.intermediate]
        },
        Rule(
            "a signer with RSA 2048 would sign 256 octets, for which there is no room",
            .transactionReceiptSignatureMalformed
        ) {
            $0.pki.signer.key = .signer
        },
    ]

    private static let ofTheIntermediate = [
        Rule("none is named", .transactionReceiptIntermediateMissing) { $0.intermediates = [] },
        Rule("another is named", .transactionReceiptIntermediateMissing) {
            $0.intermediates = [TestPKI.standard.intermediate]
        },
        Rule("the root itself is named", .transactionReceiptIntermediateMissing) { $0.intermediates = [$0.pki.root] },
        Rule("the root issued the signer", .chainTooShort) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = $0.pki.root.key
            $0.intermediates = [$0.pki.root]
        },
        Rule("another root issued it", .rootNotTrusted) {
            $0.root = TestPKI.standard.root.with { $0.subject = TestName("Other") }
        },
        Rule("somebody of the root's name issued it", .intermediateSignatureInvalid) {
            $0.pki.intermediate.issuerKey = .stranger
        },
        Rule("of the same name with another key", .signerSignatureInvalid) {
            $0.intermediates = [$0.pki.intermediate.with { $0.key = .stranger }]
        },
        Rule("several intermediates named, of which one fails later than the others", .signerExpired) {
            let impostor = $0.pki.intermediate.with { $0.key = .stranger }
            $0.intermediates = [impostor, $0.pki.intermediate]
            $0.pki.signer.notAfter = before
        },
        Rule("not yet valid", .intermediateNotYetValid) { $0.pki.intermediate.notBefore = after },
        Rule("expired", .intermediateExpired) { $0.pki.intermediate.notAfter = before },
        Rule("no authority", .intermediateNotAuthority) {
            $0.pki.intermediate.isAuthority = false
            $0.pki.intermediate.pathLength = nil
        },
        Rule("may not issue certificates", .intermediateKeyUsage) {
            $0.pki.intermediate.keyUsage = [.digitalSignature]
        },
        Rule("a key usage that can't be read", .certificateMalformed) {
            $0.pki.intermediate.keyUsage = nil
            $0.pki.intermediate.extensions = [unreadableKeyUsage]
        },
        Rule("a key of 1024 bits", .intermediateKeyTooWeak) {
            $0.pki.intermediate.key = .weak
            $0.pki.signer.issuerKey = .weak
        },
        Rule("a critical extension that is not understood", .intermediateCriticalExtension) {
            $0.pki.intermediate.extensions = [unknownExtension]
        },
        Rule("two algorithms", .intermediateAlgorithmFieldsDisagree) {
            $0.pki.intermediate.innerAlgorithm = TestAlgorithm(.rsa, .sha256)
        },
        Rule("a root that had expired", .anchorExpired) { $0.pki.root.notAfter = before },
        Rule("a root that was not yet valid", .anchorNotYetValid) { $0.pki.root.notBefore = after },
    ]

    private static let ofTheSigner = [
        Rule("no certificate", .certificateMalformed) { $0.receipt.certificate = [0x30, 0x00] },
        Rule("its own issuer", .signerSelfSigned) {
            $0.pki.signer.subject = $0.pki.intermediate.subject
        },
        Rule("somebody of the issuer's name issued it", .signerSignatureInvalid) {
            $0.pki.signer.issuerKey = .stranger
        },
        Rule("not yet valid", .signerNotYetValid) { $0.pki.signer.notBefore = after },
        Rule("expired", .signerExpired) { $0.pki.signer.notAfter = before },
        Rule("two algorithms", .signerAlgorithmFieldsDisagree) {
            $0.pki.signer.innerAlgorithm = TestAlgorithm(.rsa, .sha256)
        },
        Rule("MD5", .signerAlgorithmUnsupported) { $0.pki.signer.algorithm = TestAlgorithm("1.2.840.113549.1.1.4") },
        Rule("an authority", .signerIsAuthority) { $0.pki.signer.isAuthority = true },
        Rule("may not sign", .signerKeyUsage) { $0.pki.signer.keyUsage = [.keyEncipherment] },
        Rule("an empty key usage", .signerKeyUsage) { $0.pki.signer.keyUsage = [] },
        Rule("a key usage that can't be read", .certificateMalformed) {
            $0.pki.signer.keyUsage = nil
            $0.pki.signer.extensions = [unreadableKeyUsage]
        },
        Rule("a critical extension that is not understood", .signerCriticalExtension) {
            $0.pki.signer.extensions = [unknownExtension]
        },
        Rule("no marker", .transactionReceiptMarkerMissing) { $0.pki.signer.markers = [] },
        Rule("the marker of app receipts", .transactionReceiptMarkerMissing) {
            $0.pki.signer.markers = [TestCertificate.signerMarker]
        },
        Rule("a key of 1023 bits", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 1023)
        },
        Rule("a key of 8193 bits", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193)
        },
        Rule("a small exponent", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 1024, exponent: 3)
        },
        Rule("a key on a curve", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = try TestKey.ellipticSigner.publicKeyInfo
        },
    ]

    private static let ofTheSignature = [
        Rule("another version", .transactionReceiptVersionUnsupported) { $0.receipt.version = 3 },
        Rule("something after the certificate", .transactionReceiptSignatureMalformed) {
            $0.receipt.trailingBytes = [0]
        },
        Rule("a certificate that is longer than it says", .transactionReceiptSignatureMalformed) {
            $0.receipt.certificateLength = 800
        },
        Rule("another key", .signatureInvalid) { $0.pki.signer.publicKeyInfo = try TestKey.weak.publicKeyInfo },
        Rule("a longer key than the signature", .signatureInvalid) {
            $0.pki.signer.publicKeyInfo = try TestKey.signer.publicKeyInfo
        },
        Rule("not over the version", .signatureInvalid) {
            $0.receipt.signedMessage = TestTransactionReceipt.propertyList($0.receipt.purchaseInfo)
        },
        Rule("over another purchase", .signatureInvalid) { testCase in
            let message = [2] + TestTransactionReceipt.propertyList(testCase.receipt.purchaseInfo)
            testCase.receipt.signedMessage = message
            testCase.receipt["product-id"] = "com.example.everything"
        },
        Rule("a purchase date that cannot be read", .transactionReceiptDateMalformed) {
            $0.receipt["purchase-date-ms"] = "yesterday"
        },
    ]

    @Test("its intermediate and signer vouch for no app receipt")
    func opensNothingElse() throws {
        let testCase = TransactionReceiptTestCase()
        let receipt = TestReceipt().with { $0.creationDate = Self.purchase }
        let pkis = [testCase.pki, testCase.pki.with { $0.signer.markers.append(TestCertificate.signerMarker) }]
        for pki in pkis {
            let response = try testCase.responder().answer(request(try receipt.signed(by: pki)), now: asked)
            #expect(response.status == .notAuthenticated)
            #expect(response.failure?.code == .intermediateMarkerMissing)
        }
    }

    @Test("intermediates may be DER or PEM, several in one text, and must be certificates")
    func forms() throws {
        let intermediate = TestPKI.transactionReceipts.intermediate
        let pem = try TestPKI.standard.intermediate.pem() + intermediate.pem()
        for file in [try intermediate.der(), Array(pem.utf8)] {
            let responder = VerifyReceiptResponder(
                verifier: ReceiptVerifier(anchors: try TestPKI.transactionReceipts.anchors), environments: .both,
                transactionReceipts: try TransactionReceiptTrust(intermediates: [file]))
            let receipt = try TransactionReceiptTestCase().receipt.signed()
            #expect(responder.answer(request(receipt), now: asked).status == .valid)
        }
        for file in [[], [0x30, 0x00], Array("certificate".utf8)] as [[UInt8]] {
            let error = captured { () throws(ReceiptError) in try TransactionReceiptTrust(intermediates: [file]) }
            #expect(error?.code == .trustAnchorMalformed)
        }
    }

    @Test("every altered byte of the signed text is refused")
    func alterations() throws {
        let testCase = TransactionReceiptTestCase()
        let responder = try testCase.responder()
        let text = TestTransactionReceipt.propertyList(testCase.receipt.purchaseInfo)
        for position in text.indices {
            var altered = text
            altered[position] ^= 0x01
            let receipt = try testCase.receipt.with {
                $0.signedMessage = [2] + text
                $0.purchaseInfoText = altered
            }.signed(by: testCase.pki)
            #expect(responder.answer(request(receipt), now: asked).status != .valid, "\(position)")
        }
    }

    @Test("an altered byte anywhere is refused, or changes nothing of what is answered but its environment")
    func alterationsAnywhere() throws {
        let testCase = TransactionReceiptTestCase()
        let responder = try testCase.responder()
        let text = try testCase.receipt.signed(by: testCase.pki)
        let good = responder.answer(request(text), now: asked)
        var generator = SeededGenerator(seed: 7)
        for position in stride(from: 0, to: text.count, by: 5) {
            var altered = text
            altered[position] ^= UInt8.random(in: 1...255, using: &generator)
            let response = responder.answer(request(altered), now: asked)
            #expect(response.status != .valid || response.json["receipt"] == good.json["receipt"], "\(position)")
        }
    }
}
