import AppReceiptSupport
import AppReceiptTesting
import Dispatch
import Foundation
import Testing

@testable import AppReceiptKit

/// One verifier for everybody, also under the thread sanitizer (scripts/test-threads.sh).
@Suite("Shared use")
struct SharedUseTests {
    /// Good and bad receipts of several chains, with what must come of them.
    private static func cases() throws -> [(bytes: [UInt8], code: ReceiptError.Code?)] {
        let late = ReceiptTestCase.with { $0.receipt.creationDate = instant("2032-01-01T00:00:01Z") }
        return [
            (try ReceiptTestCase().encoded(), nil),
            (try ReceiptTestCase.with { $0.container = { $0.certificates.reverse() } }.encoded(), nil),
            (try late.encoded(), .signerExpired),
            (try TestReceipt().signed(by: .impostor), .intermediateSignatureInvalid),
            (
                try ReceiptTestCase.with { $0.container = { $0.signers[0].key = .stranger } }.encoded(),
                .signatureInvalid
            ),
            (try ReceiptTestCase.with { $0.pki.signer.markers = [] }.encoded(), .signerMarkerMissing),
            ([], .inputEmpty),
        ]
    }

    @Test("threads that share a verifier get the same verdicts as one alone")
    func threads() throws {
        let cases = try Self.cases()
        let verifier = try ReceiptTestCase().verifier()
        let expectations = ReceiptTestCase().expectations
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 280) { index in
            let (bytes, code) = cases[index % cases.count]
            if verifier.refusal(of: bytes, expectations) != code { wrong.increment() }
        }
        #expect(wrong.value == 0)
    }

    @Test("threads that bring more chains than are remembered get the right verdicts")
    func manyChains() throws {
        let receipts = try (1...ChainCache.maxChains + 8).map { number in
            try ReceiptTestCase.with { $0.pki.signer.serialNumber = UInt64(number) }.encoded()
        }
        let bad = try ReceiptTestCase.with { $0.pki.signer.markers = [] }.encoded()
        let verifier = try ReceiptTestCase().verifier()
        let expectations = ReceiptTestCase().expectations
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 4 * receipts.count) { index in
            let isBad = index % 9 == 8
            let code = verifier.refusal(of: isBad ? bad : receipts[index * 7 % receipts.count], expectations)
            if code != (isBad ? .signerMarkerMissing : nil) { wrong.increment() }
        }
        #expect(wrong.value == 0)
        #expect(verifier.chainValidator.cache.chains.count == ChainCache.maxChains)
    }

    @Test("verifiers, roots and identifiers may be made on many threads at once")
    func firstUse() throws {
        let bytes = try ReceiptTestCase().encoded()
        let root = try TestPKI.standard.root.der()
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            let anchors = index % 2 == 0 ? .apple : (try? TrustAnchors(certificates: [root]))
            let verifier = anchors.map { ReceiptVerifier(anchors: $0) }
            let code = verifier?.refusal(of: bytes, ReceiptTestCase().expectations)
            if code != (index % 2 == 0 ? .rootNotTrusted : nil) { wrong.increment() }
        }
        #expect(wrong.value == 0)
    }

    @Test("a lock lets one thread at a time through")
    func lock() {
        let total = LockedValueBox(0)
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in total.withLock { $0 += 1 } }
        #expect(total.withLock { $0 } == 1000)
    }

    private final class Counter: Sendable {
        private let count = LockedValueBox(0)
        func increment() { count.withLock { $0 += 1 } }
        var value: Int { count.withLock { $0 } }
    }
}
