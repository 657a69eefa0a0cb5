import AppReceiptKit
import AppReceiptTesting
import Dispatch
import Foundation
import Testing

/// Every single alteration of a receipt: each bit, each length, each octet put in. In release all of them, in debug,
/// where each costs many times as much, a sample.
@Suite("Alterations of a receipt")
struct AlterationTests {
    /// A receipt as the App Store writes it: production, four purchases, a device, three certificates.
    private struct Subject {
        let bytes: [UInt8]
        let container: ReceiptContainer
        let verified: VerifiedReceipt
        let verifier: ReceiptVerifier
        let expectations: Expectations
        let now: Date

        init(_ change: (inout ReceiptTestCase) -> Void = { _ in }) throws {
            let testCase = ReceiptTestCase.with { testCase in
                change(&testCase)
                let start = testCase.receipt.creationDate
                testCase.receipt.environment = .production
                testCase.expectations.environments = [.production]
                testCase.receipt.device = DeviceIdentifier(bytes: [2, 0, 0, 0, 0, 1])
                testCase.expectations.devices = .oneOf([testCase.receipt.device].compactMap { $0 })
                testCase.receipt.purchases =
                    (1...3).map { number in
                        TestPurchase(
                            subscription: "com.example.monthly", transaction: "\(number)", original: "1",
                            from: start + Double(number - 4) * 86_400, to: start + Double(number - 3) * 86_400)
                    } + [TestPurchase("com.example.pro", transaction: "9", at: start)]
            }
            bytes = try testCase.encoded()
            container = try ReceiptContainer(parsing: bytes[...])
            verified = try testCase.verified()
            verifier = try testCase.verifier()
            expectations = testCase.expectations
            now = testCase.now
        }

        /// Whether altered bytes are accepted; if they are, they must say the same, signed by the same.
        func isAccepted(_ altered: [UInt8]) -> Bool {
            guard let result = try? verifier.verify(altered, expecting: expectations, now: now) else { return false }
            let same = try? ReceiptContainer(parsing: altered[...])
            let isSame =
                result == verified && same?.content == container.content && same?.signer == container.signer
                && same?.certificates.prefix(2) == container.certificates.prefix(2)
            if !isSame { Issue.record("accepted, and not the same") }
            return true
        }

        /// The positions for which `alter` gives something that is accepted.
        func accepted(_ positions: [Int], _ alter: @Sendable (inout [UInt8], Int) -> Void) -> [Int] {
            let found = Found()
            DispatchQueue.concurrentPerform(iterations: positions.count) { index in
                var altered = bytes
                alter(&altered, positions[index])
                if isAccepted(altered) { found.insert(positions[index]) }
            }
            return found.sorted
        }
    }

    private final class Found: @unchecked Sendable {
        private let lock = NSLock()
        private var positions: [Int] = []

        func insert(_ position: Int) { lock.withLock { positions.append(position) } }
        var sorted: [Int] { lock.withLock { positions.sorted() } }
    }

    #if DEBUG
    /// One in so many is tried.
    private static let sample = 13
    #else
    private static let sample = 1
    #endif

    private static func positions(_ count: Int) -> [Int] { Array(stride(from: 0, to: count, by: sample)) }

    @Test(
        "a changed bit is refused, but for the embedded root, which counts for nothing, and a version that is legal too"
    )
    func everyBit() throws {
        let subject = try Subject()
        let accepted = subject.accepted(Self.positions(subject.bytes.count * 8)) { $0[$1 / 8] ^= 1 << ($1 % 8) }
        let root = try #require(subject.container.certificates.last)
        // SignedData's version: 1 in PKCS #7; CMS has 3 and 5 as well, which are one bit away.
        let version = try #require(subject.bytes.firstRange(of: [0x02, 0x01, 0x01, 0x31])).lowerBound + 2
        let legalVersions = [version * 8 + 1, version * 8 + 2]
        let others = accepted.filter { !root.indices.contains($0 / 8) && !legalVersions.contains($0) }
        #expect(others == [])
        // The test would hold for a verifier that refuses everything: some bits of the root must be harmless.
        #expect(accepted.count > 4000 / Self.sample)
        #if !DEBUG
        #expect(Set(accepted).isSuperset(of: legalVersions))
        #endif
    }

    @Test(
        "under SHA-1 a changed bit of the signer's part is refused, but for one that names the same algorithm otherwise"
    )
    func everyBitOfSignerUnderSHA1() throws {
        let subject = try Subject { testCase in
            testCase.pki = .sha1
            testCase.receipt.creationDate = instant("2017-07-02T15:04:05Z")
            testCase.container = { $0.signers[0].signatureAlgorithm = .rsaEncryption }
        }
        let bytes = subject.bytes
        let end = try #require(subject.container.certificates.last).endIndex
        let altered = { (position: Int) in
            var altered = bytes
            altered[position / 8] ^= 1 << (position % 8)
            return altered
        }
        // From the certificates to the end: all that the signer says.
        let accepted = (end * 8..<bytes.count * 8).filter { position in
            (try? subject.verifier.verify(altered(position), expecting: subject.expectations, now: subject.now))?
                .receipt == subject.verified.receipt
        }
        // 1.2.840.113549.1.1.1, whose last arc becomes 5: RSA with SHA-1, which is what it was.
        #expect(accepted.count == 1)
        let container = try ReceiptContainer(parsing: altered(try #require(accepted.first))[...])
        #expect(container.signer.signatureAlgorithm.objectIdentifier.last == 5)
        #expect(container.signer.signature == subject.container.signer.signature)
        #expect(container.content == subject.container.content)
    }

    @Test("a receipt that was cut anywhere is refused")
    func everyTruncation() throws {
        let subject = try Subject()
        #expect(subject.isAccepted(subject.bytes))
        let accepted = subject.accepted(Self.positions(subject.bytes.count)) { $0.removeSubrange($1...) }
        #expect(accepted == [])
    }

    @Test("a receipt with an octet taken out anywhere is refused")
    func everyDeletion() throws {
        let subject = try Subject()
        let accepted = subject.accepted(Self.positions(subject.bytes.count)) { $0.remove(at: $1) }
        #expect(accepted == [])
    }

    @Test("a receipt with an octet put in anywhere, whichever octet, is refused")
    func everyInsertion() throws {
        let subject = try Subject()
        let count = (subject.bytes.count + 1) * 256
        let accepted = subject.accepted(Self.positions(count)) {
            $0.insert(UInt8($1 % 256), at: $1 / 256)
        }
        #expect(accepted == [])
    }
}
