import AppReceiptSupport
import AppReceiptTesting
import Dispatch
import Foundation
import Testing

@testable import AppReceiptKit

/// Concurrent use of one verifier. scripts/test-threads.sh also runs it under the thread sanitizer.
@Suite("Shared use")
struct SharedUseTests {
    /// Valid and invalid receipts of several chains, with their expected codes.
    private static func cases() throws -> [(bytes: [UInt8], code: ReceiptError.Code?)] {
        let late = ReceiptTestCase.with { $0.receipt.creationDate = instant("2032-01-01T00:00:01Z") }
        return [
            (try ReceiptTestCase().encoded(), nil),
            (try ReceiptTestCase.with { $0.container = { $0.certificates.reverse() } }.encoded(), nil),
            (try late.encoded(), .signerExpired),
            (try TestReceipt().signed(by: .impostor), .intermediateSignatureInvalid),
            (
                try ReceiptTestCase.with { $0.container = { $0.signers[0].key = .untrusted } }.encoded(),
                .signatureInvalid
            ),
            (try ReceiptTestCase.with { $0.pki.signer.markers = [] }.encoded(), .signerMarkerMissing),
            ([], .inputEmpty),
        ]
    }

    @Test("Threads that share a verifier get the same results as a single thread")
    func threads() throws {
        let cases = try Self.cases()
        let verifier = try ReceiptTestCase().verifier()
        let expectations = ReceiptTestCase().expectations
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 280) { index in
            let (bytes, code) = cases[index % cases.count]
            if verifier.errorCode(of: bytes, expectations) != code { wrong.increment() }
        }
        #expect(wrong.value == 0)
    }

    @Test("Threads with more chains than the cache's limit get the correct results")
    func manyChains() throws {
        let receipts = try (1...ChainCache.maxChains + 8).map { number in
            try ReceiptTestCase.with { $0.pki.signer.serialNumber = UInt64(number) }.encoded()
        }
        let unmarked = try ReceiptTestCase.with { $0.pki.signer.markers = [] }.encoded()
        let verifier = try ReceiptTestCase().verifier()
        let expectations = ReceiptTestCase().expectations
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 4 * receipts.count) { index in
            let isUnmarked = index % 9 == 8
            let code = verifier.errorCode(
                of: isUnmarked ? unmarked : receipts[index * 7 % receipts.count], expectations)
            if code != (isUnmarked ? .signerMarkerMissing : nil) { wrong.increment() }
        }
        #expect(wrong.value == 0)
        #expect(verifier.chainValidator.cache.chains.count == ChainCache.maxChains)
    }

    @Test("Verifiers and anchors can be created on several threads at the same time")
    func firstUse() throws {
        let bytes = try ReceiptTestCase().encoded()
        let root = try TestPKI.standard.root.der()
        let wrong = Counter()
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            let anchors = index % 2 == 0 ? .apple : (try? TrustAnchors(der: [root]))
            let verifier = anchors.map { ReceiptVerifier(anchors: $0) }
            let code = verifier?.errorCode(of: bytes, ReceiptTestCase().expectations)
            if code != (index % 2 == 0 ? .rootNotTrusted : nil) { wrong.increment() }
        }
        #expect(wrong.value == 0)
    }

    @Test("Only one thread at a time holds a lock")
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
