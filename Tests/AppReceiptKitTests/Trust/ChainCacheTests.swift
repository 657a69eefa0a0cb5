import AppReceiptParsing
import AppReceiptTesting
import Foundation
import SwiftASN1
import Testing

@testable import AppReceiptKit

/// The cache must never change an answer; each test shows besides that there was something in it.
@Suite("ChainCache")
struct ChainCacheTests {
    private let testCase = ReceiptTestCase()

    @Test("a chain that was judged good is kept once, and receipts after it pass")
    func keptOnce() throws {
        let verifier = try testCase.verifier()
        #expect(verifier.chainValidator.cache.chains.isEmpty)
        for _ in 0..<3 { #expect(try verifier.errorCode(of: testCase.encoded(), testCase.expectations) == nil) }
        #expect(verifier.chainValidator.cache.chains.count == 1)
        let first = verifier.report(try testCase.encoded(), expecting: testCase.expectations, now: testCase.now)
        let second = verifier.report(try testCase.encoded(), expecting: testCase.expectations, now: testCase.now)
        #expect(first.checks == second.checks)
        #expect(first.certificates == second.certificates)
        #expect(first.certificates.map(\.role) == [.signer, .intermediate, .anchor])
    }

    @Test("a receipt of a known chain is judged by what is known, and not anew")
    func isKnown() throws {
        let verifier = try warm()
        let known = try #require(verifier.chainValidator.cache.chains.first)
        let container = try ReceiptContainer(parsing: testCase.encoded()[...])
        let environment = testCase.receipt.environment
        let chain = try verifier.chainValidator.validate(
            container, environment: environment, at: testCase.receipt.creationDate)
        #expect(chain === known)
        let cold = try testCase.verifier().chainValidator.validate(
            container, environment: environment, at: testCase.receipt.creationDate)
        #expect(cold !== known)
        #expect(cold == known)
    }

    @Test(
        "a chain is good no longer than the shortest-lived of its certificates",
        arguments: [
            ("signer", .signerExpired, .signerNotYetValid),
            ("intermediate", .intermediateExpired, .intermediateNotYetValid),
            ("root", .anchorExpired, .anchorNotYetValid),
        ] as [(String, ReceiptError.Code, ReceiptError.Code)])
    func shortestLived(
        _ name: String, _ expired: ReceiptError.Code,
        _ notYetValid: ReceiptError.Code
    ) throws {
        let certificate: WritableKeyPath<TestPKI, TestCertificate> =
            name == "root" ? \.root : name == "signer" ? \.signer : \.intermediate
        let pki = TestPKI.standard.with { pki in
            pki[keyPath: certificate].notBefore = instant("2024-01-01T00:00:00Z")
            pki[keyPath: certificate].notAfter = instant("2025-01-01T00:00:00Z")
        }
        let made = { (date: String) in
            ReceiptTestCase.with { testCase in
                testCase.pki = pki
                testCase.receipt.creationDate = instant(date)
            }
        }
        let verifier = try made("2024-06-01T00:00:00Z").verifier()
        for (date, code) in [
            ("2024-06-01T00:00:00Z", nil), ("2026-01-01T00:00:00Z", expired), ("2023-01-01T00:00:00Z", notYetValid),
            ("2025-01-01T00:00:00Z", nil), ("2025-01-01T00:00:01Z", expired),
        ] as [(String, ReceiptError.Code?)] {
            #expect(verifier.errorCode(of: try made(date).encoded(), testCase.expectations) == code)
            #expect(verifier.chainValidator.cache.chains.count == 1)
        }
    }

    @Test("the other way to write an elliptic signature makes no entry of its own")
    func malleableSignatures() throws {
        let pki = TestPKI.elliptic
        let elliptic = ReceiptTestCase.with { $0.pki = pki }
        let verifier = try elliptic.verifier()
        #expect(verifier.errorCode(of: try elliptic.encoded(), testCase.expectations) == nil)
        for _ in 0..<3 {
            // Whoever holds the key signs the same certificate in as many ways as they like, and anybody in two.
            let again = try ReceiptTestCase.with { testCase in
                testCase.pki = pki
                let signer = try reissued(pki.signer)
                testCase.container = { $0.certificates[0] = signer }
            }.encoded()
            #expect(verifier.errorCode(of: again, testCase.expectations) == nil)
            #expect(verifier.chainValidator.cache.chains.count == 1)
        }
        #expect(verifier.errorCode(of: try elliptic.encoded(), testCase.expectations) == nil)
    }

    /// The certificate with a signature made anew, which ECDSA makes with a random number.
    private func reissued(_ certificate: TestCertificate) throws -> [UInt8] {
        let der = try certificate.der()
        let body = try #require(Certificate(der: der[...])).toBeSigned
        let signature = try TestKey.ellipticIntermediate.signature(over: Array(body), .sha384)
        let parts = try #require(Certificate(der: der[...]))
        return DERWriter.sequence([
            Array(body), Array(parts.outerAlgorithm.encodedBytes), DERWriter.bitString(signature),
        ])
    }

    @Test("an anchor that could be taken for the signer keeps a chain from being known")
    func ambiguousAnchor() throws {
        // Anchor and intermediate certify each other, and the anchor has the signer's serial number.
        let pki = TestPKI.standard.with { pki in
            pki.root.issuer = pki.intermediate.subject
            pki.root.issuerKey = pki.intermediate.key
            pki.root.serialNumber = pki.signer.serialNumber
        }
        let alone = ReceiptTestCase.with { testCase in
            testCase.pki = pki
            testCase.container = { $0.certificates.removeLast() }
        }
        let verifier = try alone.verifier()
        #expect(verifier.errorCode(of: try alone.encoded(), testCase.expectations) == nil)
        let beside = try ReceiptTestCase.with { $0.pki = pki }.encoded()
        #expect(verifier.errorCode(of: beside, testCase.expectations) == .signerCertificateAmbiguous)
    }

    @Test(
        "a chain judged good at one date is judged anew at another",
        arguments: [
            ("2021-12-31T23:59:59Z", ReceiptError.Code.signerNotYetValid), ("2022-01-01T00:00:00Z", nil),
            ("2032-01-01T00:00:00.999Z", nil), ("2032-01-01T00:00:01Z", .signerExpired),
            ("2019-12-31T23:59:59Z", .anchorNotYetValid), ("2040-01-01T00:00:01Z", .anchorExpired),
        ])
    func otherDates(_ date: String, _ code: ReceiptError.Code?) throws {
        let verifier = try warm()
        let dated = try ReceiptTestCase.with { $0.receipt.creationDate = instant(date) }.encoded()
        #expect(verifier.errorCode(of: dated, testCase.expectations) == code)
        // As without a cache, and the good one stays good.
        #expect(try testCase.verifier().errorCode(of: dated, testCase.expectations) == code)
        #expect(verifier.errorCode(of: try testCase.encoded(), testCase.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.count == 1)
    }

    @Test(
        "every attack is rejected with its code by a verifier that knows the chain of its twin", arguments: Attack.all)
    func attacksOnKnownChains(_ attack: Attack) throws {
        let (attacking, twin) = try (attack.testCase(), attack.twin())
        // One verifier for both, as far as they may share one: roots and limits are configuration.
        let verifier = try attacking.verifier()
        let twinPasses = verifier.errorCode(of: try twin.encoded(), twin.expectations, now: twin.now) == nil
        let known = verifier.chainValidator.cache.chains
        let bytes = try attacking.encoded()
        let report = verifier.report(bytes, expecting: attacking.expectations, now: attacking.now)
        #expect(report.failure?.code == attack.code)
        #expect(verifier.errorCode(of: bytes, attacking.expectations, now: attacking.now) == attack.code)
        #expect(
            (verifier.errorCode(of: try twin.encoded(), twin.expectations, now: twin.now) == nil) == twinPasses)
        // Nothing was pushed out, and what came in is vouched for by the verifier's own roots.
        #expect(verifier.chainValidator.cache.chains.starts(with: known))
        let anchors = verifier.chainValidator.anchors.anchors.map(\.certificate)
        for chain in verifier.chainValidator.cache.chains {
            #expect(chain.anchor.map(anchors.contains) == true)
            #expect(chain.signer.subject != chain.signer.issuer)
        }
    }

    @Test("most twins are known again, so that the attacks above meet a full cache")
    func twinsAreKnown() throws {
        let kept = try Attack.all.filter { attack in
            let twin = try attack.twin()
            let verifier = try twin.verifier()
            _ = verifier.errorCode(of: try twin.encoded(), twin.expectations, now: twin.now)
            return !verifier.chainValidator.cache.chains.isEmpty
        }
        #expect(kept.count > Attack.all.count * 9 / 10)
    }

    @Test("certificates beside the chain make no entry of their own, however many they are")
    func decoration() throws {
        let verifier = try warm()
        for number in 0..<40 {
            let decorated = ReceiptTestCase.with { testCase in
                testCase.container = { container in
                    let other = TestPKI.xcode.with { $0.serialNumber = UInt64(100 + number) }
                    container.certificates.insert(try other.der(), at: number % 3)
                }
            }
            #expect(verifier.errorCode(of: try decorated.encoded(), testCase.expectations) == nil)
        }
        #expect(verifier.chainValidator.cache.chains.count == 1)
    }

    @Test("a malformed certificate beside a known chain is rejected as ever")
    func malformedBeside() throws {
        let bytes = try ReceiptTestCase.with {
            $0.container = { $0.certificates.append(DERWriter.sequence([DERWriter.null])) }
        }.encoded()
        #expect(try warm().errorCode(of: bytes, testCase.expectations) == .certificateMalformed)
    }

    @Test("orders, repetitions and a root left out are the same chain")
    func sameChain() throws {
        let verifier = try warm()
        let changes: [@Sendable (inout TestContainer) throws -> Void] = [
            { $0.certificates.reverse() }, { $0.certificates.removeLast() },
            { $0.certificates.append($0.certificates[0]) }, { $0.signers[0].usesSubjectKeyIdentifier = true },
        ]
        for change in changes {
            let bytes = try ReceiptTestCase.with { $0.container = change }.encoded()
            #expect(verifier.errorCode(of: bytes, testCase.expectations) == nil)
        }
        #expect(verifier.chainValidator.cache.chains.count == 1)
    }

    @Test("a known chain is known by its bytes: the same names and numbers with one octet changed are not")
    func alteredCertificates() throws {
        let verifier = try warm()
        let container = try ReceiptContainer(parsing: try testCase.encoded()[...])
        for certificate in container.certificates.prefix(2) {
            // The certificate's own signature is its last octets: it stays readable, with the same names.
            let bytes = try ReceiptTestCase.with { $0.bytes = { $0[certificate.endIndex - 1] ^= 1 } }.encoded()
            let code = verifier.errorCode(of: bytes, testCase.expectations)
            #expect(code == .signerSignatureInvalid || code == .intermediateSignatureInvalid)
            #expect(try testCase.verifier().errorCode(of: bytes, testCase.expectations) == code)
        }
        #expect(verifier.chainValidator.cache.chains.count == 1)
    }

    @Test("verifiers do not share what they know, copies do")
    func separateVerifiers() throws {
        let verifier = try warm()
        let stranger = ReceiptVerifier(anchors: .apple)
        #expect(try stranger.errorCode(of: testCase.encoded(), testCase.expectations) == .rootNotTrusted)
        #expect(stranger.chainValidator.cache.chains.isEmpty)
        let copy = verifier
        #expect(copy.chainValidator.cache.chains.count == 1)
    }

    @Test("a certificate of Xcode's never becomes a known chain")
    func xcode() throws {
        let testCase = try ReceiptTestCase.with { testCase in
            testCase.xcode = try XcodeTrust(certificates: [TestPKI.xcode.der()])
            testCase.signsLikeXcode = true
            testCase.receipt.environment = .xcode
            testCase.expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.xcode])
        }
        let verifier = try testCase.verifier()
        #expect(verifier.errorCode(of: try testCase.encoded(), testCase.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.isEmpty)
    }

    @Test("there are never more chains than the limit; the oldest makes room, and is judged anew")
    func bounded() throws {
        let signers = (1...ChainCache.maxChains + 4).map { number in
            TestPKI.standard.with { $0.signer.serialNumber = UInt64(number) }
        }
        let verifier = try testCase.verifier()
        for pki in signers {
            let bytes = try ReceiptTestCase.with { $0.pki = pki }.encoded()
            #expect(verifier.errorCode(of: bytes, testCase.expectations) == nil)
            #expect(verifier.chainValidator.cache.chains.count <= ChainCache.maxChains)
        }
        #expect(verifier.chainValidator.cache.chains.count == ChainCache.maxChains)
        let numbers = verifier.chainValidator.cache.chains.compactMap(\.signer.serialNumber.last)
        #expect(numbers == (5...ChainCache.maxChains + 4).map { UInt8($0) })
        let first = try ReceiptTestCase.with { $0.pki = signers[0] }.encoded()
        #expect(verifier.errorCode(of: first, testCase.expectations) == nil)
    }

    @Test("a chain larger than any is not kept, and passes all the same")
    func large() throws {
        let large = ReceiptTestCase.with { testCase in
            testCase.limits.certificateBytes = 64 << 10
            testCase.pki.intermediate.extensions = [
                TestCertificate.Extension(
                    "1.2.3.4", value: DERWriter.octetString([UInt8](repeating: 0, count: 33 << 10)))
            ]
        }
        let verifier = try large.verifier()
        #expect(verifier.errorCode(of: try large.encoded(), large.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.isEmpty)
    }

    @Test("nothing of a receipt is kept: certificates are copies, with storage of their own")
    func copies() throws {
        for chain in try warm().chainValidator.cache.chains {
            for certificate in [chain.signer, chain.intermediate].compactMap({ $0 }) {
                // A slice of a receipt starts where the certificate stands in it.
                #expect(certificate.der.startIndex == 0)
                #expect(certificate.toBeSigned.startIndex < certificate.der.endIndex)
            }
        }
    }

    @Test("of two ways the one that the rules try first is told, whatever was seen before")
    func deterministic() throws {
        // A root and its successor, with one name and key; the first expired early.
        let root = TestPKI.standard.root
        let short = root.with { $0.notAfter = instant("2024-01-01T00:00:00Z") }
        let anchors = [try short.der(), try root.der()]
        let dated = { (date: String) in
            ReceiptTestCase.with { testCase in
                testCase.anchors = anchors
                testCase.receipt.creationDate = instant(date)
            }
        }
        let (early, late) = (dated("2023-01-01T00:00:00Z"), dated("2024-07-01T00:00:00Z"))
        let verifier = try early.verifier()
        for testCase in [late, early, late, early] {
            let bytes = try testCase.encoded()
            let warm = verifier.report(bytes, expecting: testCase.expectations, now: testCase.now)
            let cold = try testCase.verifier().report(bytes, expecting: testCase.expectations, now: testCase.now)
            #expect(warm.checks == cold.checks)
            #expect(warm.certificates == cold.certificates)
            #expect(warm.isValid)
        }
    }

    /// A verifier that knows the standard chain.
    private func warm() throws -> ReceiptVerifier {
        let verifier = try testCase.verifier()
        #expect(try verifier.errorCode(of: testCase.encoded(), testCase.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.count == 1)
        return verifier
    }
}
