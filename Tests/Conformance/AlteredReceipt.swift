import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Dispatch

/// A production receipt in the App Store's form, with four purchases and a device, and a verifier that accepts it.
struct AlteredReceipt: Sendable {
    /// The unaltered bytes.
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
            testCase.expectations.devices = .only([testCase.receipt.device].compactMap { $0 })
            testCase.receipt.purchases =
                (1...3).map { number in
                    TestPurchase(
                        subscription: "com.example.monthly", transaction: "\(number)", original: "1",
                        from: start + Double(number - 4) * 86_400, to: start + Double(number - 3) * 86_400)
                } + [TestPurchase("com.example.pro", transaction: "9", at: start)]
        }
        bytes = try testCase.encoded()
        container = try ReceiptContainer(parsing: bytes)
        verified = try testCase.verified()
        verifier = try testCase.verifier()
        expectations = testCase.expectations
        now = testCase.now
    }

    /// The result of verifying altered bytes.
    enum Verdict {
        case rejected
        /// The contents and the signer are unchanged.
        case unchanged
        /// The alteration is a forgery that the verifier accepted.
        case forged
    }

    func verdict(of altered: [UInt8]) -> Verdict {
        guard let result = try? verifier.verify(altered, expecting: expectations, now: now) else { return .rejected }
        let container = try? ReceiptContainer(parsing: altered)
        let isUnchanged =
            result == verified && container?.content == self.container.content
            && container?.signer == self.container.signer
            && container?.certificates.prefix(2) == self.container.certificates.prefix(2)
        return isUnchanged ? .unchanged : .forged
    }

    /// Verifies the receipt with one alteration at a time, on all cores.
    ///
    /// - Returns: The number of alterations, and the positions at which the altered receipt is accepted, in ascending
    ///   order.
    func results(at positions: [Int], _ alter: @Sendable (inout [UInt8], Int) -> Void) -> AlterationResults {
        let found = LockedValueBox(AlterationResults(tried: positions.count))
        DispatchQueue.concurrentPerform(iterations: positions.count) { index in
            var altered = bytes
            alter(&altered, positions[index])
            switch verdict(of: altered) {
            case .rejected: break
            case .unchanged: found.withLock { $0.accepted.append(positions[index]) }
            case .forged: found.withLock { $0.forged.append(positions[index]) }
            }
        }
        return found.withLock { results in
            results.accepted.sort()
            results.forged.sort()
            return results
        }
    }
}
