import AppReceiptParsing
import AppReceiptTesting
import Foundation
import SwiftASN1
import Testing

@testable import AppReceiptKit

/// The cache must never change a result. Each test also shows that the cache was in use.
@Suite("ChainCache")
struct ChainCacheTests {
    private let testCase = ReceiptTestCase()

    @Test("A validated chain is cached once, and later receipts pass")
    func isCachedOnce() throws {
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

    @Test("A cached chain isn't validated again")
    func isReused() throws {
        let verifier = try warm()
        let cached = try #require(verifier.chainValidator.cache.chains.first)
        let container = try ReceiptContainer(parsing: testCase.encoded())
        let environment = testCase.receipt.environment
        let chain = try verifier.chainValidator.validate(
            container, environment: environment, at: testCase.receipt.creationDate)
        #expect(chain === cached)
        let cold = try testCase.verifier().chainValidator.validate(
            container, environment: environment, at: testCase.receipt.creationDate)
        #expect(cold !== cached)
        #expect(cold == cached)
    }

    @Test(
        "A cached chain is valid while all of its certificates are valid",
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

    @Test("Another encoding of an elliptic-curve signature doesn't add an entry")
    func malleableSignatures() throws {
        let pki = TestPKI.elliptic
        let elliptic = ReceiptTestCase.with { $0.pki = pki }
        let verifier = try elliptic.verifier()
        #expect(verifier.errorCode(of: try elliptic.encoded(), testCase.expectations) == nil)
        for _ in 0..<3 {
            // The owner of the key can create any number of signatures, and anyone can compute a second one.
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

    /// Returns the certificate with a new signature. ECDSA signatures are random.
    private func reissued(_ certificate: TestCertificate) throws -> [UInt8] {
        let der = try certificate.der()
        let body = try #require(EncodedCertificate(der: der[...])).toBeSigned
        let signature = try TestKey.ellipticIntermediate.signature(for: Array(body), digest: .sha384)
        let parts = try #require(EncodedCertificate(der: der[...]))
        return DERWriter.sequence([
            Array(body), Array(parts.outerAlgorithm.encodedBytes), DERWriter.bitString(signature),
        ])
    }

    @Test("A chain isn't cached if its anchor could be identified as the signer")
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
        "A cached chain is validated again at a date outside of its validity",
        arguments: [
            ("2021-12-31T23:59:59Z", ReceiptError.Code.signerNotYetValid), ("2022-01-01T00:00:00Z", nil),
            ("2032-01-01T00:00:00.999Z", nil), ("2032-01-01T00:00:01Z", .signerExpired),
            ("2019-12-31T23:59:59Z", .anchorNotYetValid), ("2040-01-01T00:00:01Z", .anchorExpired),
        ])
    func otherDates(_ date: String, _ code: ReceiptError.Code?) throws {
        let verifier = try warm()
        let dated = try ReceiptTestCase.with { $0.receipt.creationDate = instant(date) }.encoded()
        #expect(verifier.errorCode(of: dated, testCase.expectations) == code)
        // The result is that of an empty cache, and the valid receipt stays valid.
        #expect(try testCase.verifier().errorCode(of: dated, testCase.expectations) == code)
        #expect(verifier.errorCode(of: try testCase.encoded(), testCase.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.count == 1)
    }

    @Test(
        "A verifier that cached the twin's chain rejects every attack with its code", arguments: Attack.all)
    func attacksOnCachedChains(_ attack: Attack) throws {
        let (attacking, twin) = try (attack.testCase(), attack.twin())
        // One verifier for both. Roots and limits are its configuration.
        let verifier = try attacking.verifier()
        let twinPasses = verifier.errorCode(of: try twin.encoded(), twin.expectations, now: twin.now) == nil
        let cached = verifier.chainValidator.cache.chains
        let bytes = try attacking.encoded()
        let report = verifier.report(bytes, expecting: attacking.expectations, now: attacking.now)
        #expect(report.failure?.code == attack.code)
        #expect(verifier.errorCode(of: bytes, attacking.expectations, now: attacking.now) == attack.code)
        #expect(
            (verifier.errorCode(of: try twin.encoded(), twin.expectations, now: twin.now) == nil) == twinPasses)
        // No chain was evicted, and every new chain ends at one of the verifier's roots.
        #expect(verifier.chainValidator.cache.chains.starts(with: cached))
        let anchors = verifier.chainValidator.anchors.anchors.map(\.certificate)
        for chain in verifier.chainValidator.cache.chains {
            #expect(chain.anchor.map(anchors.contains) == true)
            #expect(chain.signer.subject != chain.signer.issuer)
        }
    }

    @Test("The chains of most twins are cached, so the attacks are tested with a filled cache")
    func twinsAreCached() throws {
        let cached = try Attack.all.filter { attack in
            let twin = try attack.twin()
            let verifier = try twin.verifier()
            _ = verifier.errorCode(of: try twin.encoded(), twin.expectations, now: twin.now)
            return !verifier.chainValidator.cache.chains.isEmpty
        }
        #expect(cached.count > Attack.all.count * 9 / 10)
    }

    @Test("Additional certificates in the container don't add entries")
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

    @Test("A malformed certificate beside a cached chain is rejected")
    func malformedBeside() throws {
        let bytes = try ReceiptTestCase.with {
            $0.container = { $0.certificates.append(DERWriter.sequence([DERWriter.null])) }
        }.encoded()
        #expect(try warm().errorCode(of: bytes, testCase.expectations) == .certificateMalformed)
    }

    @Test("Other orders, duplicates and a missing root don't add entries")
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

    @Test("An altered certificate with the same names and numbers isn't in the cache")
    func alteredCertificates() throws {
        let verifier = try warm()
        let container = try ReceiptContainer(parsing: try testCase.encoded())
        for certificate in container.certificates.prefix(2) {
            // The last bytes are the certificate's signature, so it stays readable, with the same names.
            let bytes = try ReceiptTestCase.with { $0.bytes = { $0[certificate.endIndex - 1] ^= 1 } }.encoded()
            let code = verifier.errorCode(of: bytes, testCase.expectations)
            #expect(code == .signerSignatureInvalid || code == .intermediateSignatureInvalid)
            #expect(try testCase.verifier().errorCode(of: bytes, testCase.expectations) == code)
        }
        #expect(verifier.chainValidator.cache.chains.count == 1)
    }

    @Test("Copies of a verifier share a cache, and other verifiers don't")
    func separateVerifiers() throws {
        let verifier = try warm()
        let stranger = ReceiptVerifier(anchors: .apple)
        #expect(try stranger.errorCode(of: testCase.encoded(), testCase.expectations) == .rootNotTrusted)
        #expect(stranger.chainValidator.cache.chains.isEmpty)
        let copy = verifier
        #expect(copy.chainValidator.cache.chains.count == 1)
    }

    @Test("Xcode's certificates aren't cached")
    func xcode() throws {
        let testCase = try ReceiptTestCase.with { testCase in
            testCase.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
            testCase.isSignedByXcode = true
            testCase.receipt.environment = .xcode
            testCase.expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.xcode])
        }
        let verifier = try testCase.verifier()
        #expect(verifier.errorCode(of: try testCase.encoded(), testCase.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.isEmpty)
    }

    @Test("The cache is limited, and the oldest chain is evicted")
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

    @Test("A chain that is too large passes and isn't cached")
    func large() throws {
        let large = ReceiptTestCase.with { testCase in
            testCase.limits.maxCertificateBytes = 64 << 10
            testCase.pki.intermediate.extensions = [
                TestCertificate.Extension(
                    "1.2.3.4", value: DERWriter.octetString([UInt8](repeating: 0, count: 33 << 10)))
            ]
        }
        let verifier = try large.verifier()
        #expect(verifier.errorCode(of: try large.encoded(), large.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.isEmpty)
    }

    @Test("Cached certificates are copies and don't retain the receipt")
    func copies() throws {
        for chain in try warm().chainValidator.cache.chains {
            for certificate in [chain.signer, chain.intermediate].compactMap({ $0 }) {
                // The start of a slice of the receipt would be the certificate's offset.
                #expect(certificate.der.startIndex == 0)
                #expect(certificate.toBeSigned.startIndex < certificate.der.endIndex)
            }
        }
    }

    @Test("The first valid candidate is the result, whatever is in the cache")
    func deterministic() throws {
        // A root and its successor with the same name and key. The first one expired early.
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

    /// Creates a verifier that has cached the standard chain.
    private func warm() throws -> ReceiptVerifier {
        let verifier = try testCase.verifier()
        #expect(try verifier.errorCode(of: testCase.encoded(), testCase.expectations) == nil)
        #expect(verifier.chainValidator.cache.chains.count == 1)
        return verifier
    }
}
