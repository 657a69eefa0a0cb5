import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import SwiftASN1
import TestSupport
import Testing
import VerifyReceipt
import X509

/// A transaction receipt and the configuration that validates it. Unchanged, it is valid.
struct TransactionReceiptTestCase: Sendable {
    var receipt = TestTransactionReceipt("com.example.pro", transaction: "1000000181298734")
    var pki = TestPKI.transactionReceipts
    /// The trusted intermediates; nil for the PKI's own.
    var intermediates: [TestCertificate]?
    /// The trusted root; nil for the PKI's own.
    var root: TestCertificate?
    var environments = VerifyReceiptResponder.Environments.both
    var bundleIdentifiers = AcceptedValues<String>.anyBundle
    var now = requestDate

    /// A receipt with a signature of version 3, and its PKI.
    mutating func useVersion3() {
        receipt.version = 3
        pki = .transactionReceiptsVersion3
    }

    func responder() throws -> VerifyReceiptResponder {
        let trusted = try (intermediates ?? [pki.intermediate]).map { try $0.der() }
        let verifier = ReceiptVerifier(
            anchors: try TrustAnchors(der: [(root ?? pki.root).der()]),
            transactionReceipts: try TransactionReceiptTrust(der: trusted))
        return VerifyReceiptResponder(
            verifier: verifier, environments: environments, bundleIdentifiers: bundleIdentifiers)
    }

    func response() throws -> VerifyReceiptResponse {
        try responder().response(to: request(try receipt.signed(by: pki)), now: now)
    }
}

@Suite("TransactionReceiptTrust")
struct TransactionReceiptTrustTests {
    /// A change of the test case and the expected error code; nil if the receipt stays valid.
    struct ChainRuleTestCase: Sendable, CustomTestStringConvertible {
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

    @Test("A receipt that violates one rule is rejected with its code, and other receipts are valid", arguments: rules)
    func rule(_ rule: ChainRuleTestCase) throws {
        var testCase = TransactionReceiptTestCase()
        try rule.change(&testCase)
        let response = try testCase.response()
        #expect(response.failure?.code == rule.code)
        guard let code = rule.code else {
            #expect(response.status == .valid)
            return
        }
        #expect(response.containsOnlyStatus)
        let isMalformed = [ValidationCheck.input, .container, .payload].contains(code.check)
        #expect(response.status == (isMalformed ? .receiptMalformed : .notAuthenticated))
    }

    @Test("Each signature of a transaction receipt and its certificates is verified once")
    func signatures() throws {
        let testCase = TransactionReceiptTestCase()
        let responder = try testCase.responder()
        let body = request(try testCase.receipt.signed(by: testCase.pki))
        let signatures = VerifiedSignatures.during {
            #expect(responder.response(to: body, now: testCase.now).status == .valid)
        }
        #expect(signatures.count == 3)
        #expect(Set(signatures).count == 3)
    }

    static let rules = validCases + intermediateRules + signerRules + signatureRules + version3Rules

    private static let before = instant("2015-11-18T04:34:40Z")
    private static let after = instant("2015-11-18T04:34:42Z")
    private static let purchase = instant("2015-11-18T04:34:41Z")
    private static let malformedKeyUsage = TestCertificate.Extension("2.5.29.15", critical: true)
    private static let unknownExtension = TestCertificate.Extension("1.2.3.4", critical: true)

    private static let validCases = [
        ChainRuleTestCase("no change", nil),
        ChainRuleTestCase("the first and last second of all certificates", nil) {
            $0.pki.signer.notBefore = purchase
            $0.pki.signer.notAfter = purchase
            $0.pki.intermediate.notAfter = purchase
        },
        ChainRuleTestCase("half a second after the beginning of the last second", nil) {
            $0.receipt["purchase-date-ms"] = "1447821281500"
            $0.pki.signer.notAfter = purchase
        },
        ChainRuleTestCase("an intermediate with a marker of its own", nil) {
            $0.pki.intermediate.markers = ["1.2.840.113635.100.6.2.2"]
        },
        ChainRuleTestCase("an intermediate without key usage", nil) { $0.pki.intermediate.keyUsage = nil },
        ChainRuleTestCase("a signer without key usage", nil) { $0.pki.signer.keyUsage = nil },
        ChainRuleTestCase("several trusted intermediates, the right one last", nil) {
            let impostor = $0.pki.intermediate.with { $0.key = .untrusted }
            $0.intermediates = [TestPKI.standard.intermediate, impostor, $0.pki.intermediate]
        },
    ]

    private static let intermediateRules = [
        ChainRuleTestCase("no trusted intermediate", .transactionReceiptIntermediateMissing) { $0.intermediates = [] },
        ChainRuleTestCase("another trusted intermediate", .transactionReceiptIntermediateMissing) {
            $0.intermediates = [TestPKI.standard.intermediate]
        },
        ChainRuleTestCase("the root as trusted intermediate", .transactionReceiptIntermediateMissing) {
            $0.intermediates = [$0.pki.root]
        },
        ChainRuleTestCase("the root issued the signer", .chainTooShort) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = $0.pki.root.key
            $0.intermediates = [$0.pki.root]
        },
        ChainRuleTestCase("an intermediate that another root issued", .rootNotTrusted) {
            $0.root = TestPKI.standard.root.with { $0.subject = TestName("Other") }
        },
        ChainRuleTestCase("an intermediate that an impostor with the root's name issued", .intermediateSignatureInvalid)
        {
            $0.pki.intermediate.issuerKey = .untrusted
        },
        ChainRuleTestCase("an intermediate of the same name with another key", .signerSignatureInvalid) {
            $0.intermediates = [$0.pki.intermediate.with { $0.key = .untrusted }]
        },
        ChainRuleTestCase("several trusted intermediates, of which one fails later than the others", .signerExpired) {
            let impostor = $0.pki.intermediate.with { $0.key = .untrusted }
            $0.intermediates = [impostor, $0.pki.intermediate]
            $0.pki.signer.notAfter = before
        },
        ChainRuleTestCase("an intermediate that is not yet valid", .intermediateNotYetValid) {
            $0.pki.intermediate.notBefore = after
        },
        ChainRuleTestCase("an expired intermediate", .intermediateExpired) { $0.pki.intermediate.notAfter = before },
        ChainRuleTestCase("an intermediate that isn't a CA", .intermediateNotAuthority) {
            $0.pki.intermediate.isAuthority = false
            $0.pki.intermediate.pathLength = nil
        },
        ChainRuleTestCase("an intermediate that may not issue certificates", .intermediateKeyUsage) {
            $0.pki.intermediate.keyUsage = [.digitalSignature]
        },
        ChainRuleTestCase("an intermediate with a malformed key usage", .certificateMalformed) {
            $0.pki.intermediate.keyUsage = nil
            $0.pki.intermediate.extensions = [malformedKeyUsage]
        },
        ChainRuleTestCase("an intermediate with a key of 1024 bits", .intermediateKeyTooWeak) {
            $0.pki.intermediate.key = .weak
            $0.pki.signer.issuerKey = .weak
        },
        ChainRuleTestCase("an intermediate with an unknown critical extension", .intermediateCriticalExtension) {
            $0.pki.intermediate.extensions = [unknownExtension]
        },
        ChainRuleTestCase("an intermediate with two algorithms", .intermediateAlgorithmFieldsDisagree) {
            $0.pki.intermediate.innerAlgorithm = TestAlgorithm(key: .rsa, digest: .sha256)
        },
        ChainRuleTestCase("an expired root", .anchorExpired) { $0.pki.root.notAfter = before },
        ChainRuleTestCase("a root that was not yet valid", .anchorNotYetValid) { $0.pki.root.notBefore = after },
    ]

    private static let signerRules = [
        ChainRuleTestCase("an empty certificate", .certificateMalformed) { $0.receipt.certificate = [0x30, 0x00] },
        ChainRuleTestCase("a signer with the name of its issuer", .signerSelfSigned) {
            $0.pki.signer.subject = $0.pki.intermediate.subject
        },
        ChainRuleTestCase("a signer that an impostor with the issuer's name issued", .signerSignatureInvalid) {
            $0.pki.signer.issuerKey = .untrusted
        },
        ChainRuleTestCase("a signer that is not yet valid", .signerNotYetValid) { $0.pki.signer.notBefore = after },
        ChainRuleTestCase("an expired signer", .signerExpired) { $0.pki.signer.notAfter = before },
        ChainRuleTestCase("a signer with two algorithms", .signerAlgorithmFieldsDisagree) {
            $0.pki.signer.innerAlgorithm = TestAlgorithm(key: .rsa, digest: .sha256)
        },
        ChainRuleTestCase("a signer with MD5", .signerAlgorithmUnsupported) {
            $0.pki.signer.algorithm = TestAlgorithm("1.2.840.113549.1.1.4")
        },
        ChainRuleTestCase("a signer that is a CA", .signerIsAuthority) { $0.pki.signer.isAuthority = true },
        ChainRuleTestCase("a signer that may not sign", .signerKeyUsage) {
            $0.pki.signer.keyUsage = [.keyEncipherment]
        },
        ChainRuleTestCase("an empty key usage", .signerKeyUsage) { $0.pki.signer.keyUsage = [] },
        ChainRuleTestCase("a signer with a malformed key usage", .certificateMalformed) {
            $0.pki.signer.keyUsage = nil
            $0.pki.signer.extensions = [malformedKeyUsage]
        },
        ChainRuleTestCase("a signer with an unknown critical extension", .signerCriticalExtension) {
            $0.pki.signer.extensions = [unknownExtension]
        },
        ChainRuleTestCase("a signer without a marker", .transactionReceiptMarkerMissing) { $0.pki.signer.markers = [] },
        ChainRuleTestCase("the marker of app receipts", .transactionReceiptMarkerMissing) {
            $0.pki.signer.markers = [TestCertificate.signerMarker]
        },
        ChainRuleTestCase("a key of 1023 bits", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 1023)
        },
        ChainRuleTestCase("a key of 8193 bits", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 8193)
        },
        ChainRuleTestCase("a small exponent", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = PublicKeyInfos.rsa(bits: 1024, exponent: 3)
        },
        ChainRuleTestCase("a key on a curve", .transactionReceiptKeyUnfit) {
            $0.pki.signer.publicKeyInfo = try TestKey.ellipticSigner.publicKeyInfo
        },
    ]

    private static let signatureRules = [
        ChainRuleTestCase(
            "a signer with RSA 2048, whose signatures of 256 bytes don't fit",
            .transactionReceiptSignatureMalformed
        ) {
            $0.pki.signer.key = .signer
        },
        ChainRuleTestCase("another version of the signature", .transactionReceiptVersionUnsupported) {
            $0.receipt.version = 4
        },
        ChainRuleTestCase("version 3 with a signature of version 2", .transactionReceiptSignatureMalformed) {
            $0.receipt.version = 3
        },
        ChainRuleTestCase("trailing bytes after the certificate", .transactionReceiptSignatureMalformed) {
            $0.receipt.trailingBytes = [0]
        },
        ChainRuleTestCase("a certificate with a wrong length field", .transactionReceiptSignatureMalformed) {
            $0.receipt.certificateLength = 800
        },
        ChainRuleTestCase("a signature with another key", .signatureInvalid) {
            $0.pki.signer.publicKeyInfo = try TestKey.weak.publicKeyInfo
        },
        ChainRuleTestCase("a longer key than the signature", .signatureInvalid) {
            $0.pki.signer.publicKeyInfo = try TestKey.signer.publicKeyInfo
        },
        ChainRuleTestCase("a signature that doesn't cover the version", .signatureInvalid) {
            $0.receipt.signedMessage = TestTransactionReceipt.propertyList($0.receipt.purchaseInfo)
        },
        ChainRuleTestCase("a signature over another purchase", .signatureInvalid) { testCase in
            let message = [2] + TestTransactionReceipt.propertyList(testCase.receipt.purchaseInfo)
            testCase.receipt.signedMessage = message
            testCase.receipt["product-id"] = "com.example.everything"
        },
        ChainRuleTestCase("a malformed purchase date", .transactionReceiptDateMalformed) {
            $0.receipt["purchase-date-ms"] = "yesterday"
        },
    ]

    /// The key sizes match in all of them, so only the version and the marker differ.
    private static let version3Rules = [
        ChainRuleTestCase("version 3", nil) { $0.useVersion3() },
        ChainRuleTestCase("version 3 with the signer of version 2", .transactionReceiptMarkerMissing) {
            $0.useVersion3()
            $0.pki.signer.markers = [TestCertificate.transactionSignerMarker]
        },
        ChainRuleTestCase("version 3 with a signer without a marker", .transactionReceiptMarkerMissing) {
            $0.useVersion3()
            $0.pki.signer.markers = []
        },
        ChainRuleTestCase("version 3 with the intermediate of version 2", .intermediateMarkerMissing) {
            $0.useVersion3()
            $0.pki.intermediate.markers = []
        },
        ChainRuleTestCase("version 3 with an unknown intermediate", .transactionReceiptIntermediateMissing) {
            $0.useVersion3()
            $0.intermediates = [TestPKI.transactionReceipts.intermediate]
        },
        ChainRuleTestCase("version 3 with a short key", .signerKeyTooWeak) {
            $0.useVersion3()
            $0.pki.signer.publicKeyInfo = try TestKey.transactionSigner.publicKeyInfo
        },
        ChainRuleTestCase("version 3 with a key on a curve", .transactionReceiptKeyUnfit) {
            $0.useVersion3()
            $0.pki.signer.publicKeyInfo = try TestKey.ellipticSigner.publicKeyInfo
        },
        ChainRuleTestCase("a signature of version 3 that covers version 2", .signatureInvalid) {
            $0.useVersion3()
            $0.receipt.signedMessage = [2] + TestTransactionReceipt.propertyList($0.receipt.purchaseInfo)
        },
        ChainRuleTestCase("a signature of version 3 over another purchase", .signatureInvalid) { testCase in
            testCase.useVersion3()
            testCase.receipt.signedMessage = [3] + TestTransactionReceipt.propertyList(testCase.receipt.purchaseInfo)
            testCase.receipt["product-id"] = "com.example.everything"
        },
        ChainRuleTestCase("version 3 with an expired signer", .signerExpired) {
            $0.useVersion3()
            $0.pki.signer.notAfter = before
        },
    ]

    @Test("The intermediate and signer of transaction receipts aren't trusted for app receipts")
    func rejectsAppReceipts() throws {
        let testCase = TransactionReceiptTestCase()
        let receipt = TestReceipt().with { $0.creationDate = Self.purchase }
        let pkis = [testCase.pki, testCase.pki.with { $0.signer.markers.append(TestCertificate.signerMarker) }]
        for pki in pkis {
            let response = try testCase.responder().response(to: request(try receipt.signed(by: pki)), now: requestDate)
            #expect(response.status == .notAuthenticated)
            #expect(response.failure?.code == .intermediateMarkerMissing)
        }
    }

    @Test("Intermediates are DER or PEM, with several in one text, and must be certificates")
    func forms() throws {
        let intermediate = TestPKI.transactionReceipts.intermediate
        let pem = try TestPKI.standard.intermediate.pem() + intermediate.pem()
        for file in [try intermediate.der(), Array(pem.utf8)] {
            let verifier = ReceiptVerifier(
                anchors: try TestPKI.transactionReceipts.anchors,
                transactionReceipts: try TransactionReceiptTrust(files: [file]))
            let responder = VerifyReceiptResponder(verifier: verifier, environments: .both)
            let receipt = try TransactionReceiptTestCase().receipt.signed()
            #expect(responder.response(to: request(receipt), now: requestDate).status == .valid)
        }
        let trust = try TransactionReceiptTrust(pem: pem)
        #expect(trust == (try TransactionReceiptTrust(files: [Array(pem.utf8)])))
        let certificates = try trust.certificates.suffix(2).map { try Certificate(derEncoded: $0) }
        #expect(trust == (try TransactionReceiptTrust(certificates)))
        for file in [[], [0x30, 0x00], Array("certificate".utf8)] as [[UInt8]] {
            let error = captured { () throws(ReceiptError) in try TransactionReceiptTrust(files: [file]) }
            #expect(error?.code == .trustAnchorMalformed)
        }
        let error = captured { () throws(ReceiptError) in try TransactionReceiptTrust(pem: "certificate") }
        #expect(error?.code == .trustAnchorMalformed)
    }

    @Test("A receipt with an altered byte in the signed text is rejected")
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
            #expect(responder.response(to: request(receipt), now: requestDate).status != .valid, "\(position)")
        }
    }

    @Test("An altered byte anywhere is rejected or doesn't change the receipt in the response")
    func alterationsAnywhere() throws {
        let testCase = TransactionReceiptTestCase()
        let responder = try testCase.responder()
        let text = try testCase.receipt.signed(by: testCase.pki)
        let good = responder.response(to: request(text), now: requestDate)
        var generator = SeededGenerator(seed: 7)
        for position in stride(from: 0, to: text.count, by: 5) {
            var altered = text
            altered[position] ^= UInt8.random(in: 1...255, using: &generator)
            let response = responder.response(to: request(altered), now: requestDate)
            #expect(response.status != .valid || response.json["receipt"] == good.json["receipt"], "\(position)")
        }
    }
}
