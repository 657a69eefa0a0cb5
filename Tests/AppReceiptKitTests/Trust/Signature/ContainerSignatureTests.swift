import AppReceiptKit
import AppReceiptTesting
import Testing

/// Valid signatures of containers (rule 7 of THREAT_MODEL.md). The catalog of attacks contains the invalid ones.
@Suite("ContainerSignature")
struct ContainerSignatureTests {
    @Test("Every accepted digest passes with either identifier of the algorithm", arguments: TestDigest.allCases)
    func acceptedDigestsPass(_ digest: TestDigest) throws {
        for algorithm in [TestAlgorithm.rsaEncryption, TestAlgorithm(key: .rsa, digest: digest)] {
            try ReceiptVariant.passes("\(digest), \(algorithm.objectIdentifier)") {
                $0.container = { container in
                    container.signers[0].digest = digest
                    container.signers[0].digestAlgorithm = TestAlgorithm(digest.objectIdentifier)
                    container.signers[0].signatureAlgorithm = algorithm
                }
            }.check()
        }
    }

    @Test("A signature that only resembles an invalid one passes", arguments: twins)
    func twinPasses(_ rule: ReceiptVariant) throws { try rule.check() }

    private static let sha256 = TestDigest.sha256.objectIdentifier
    private static func passes(
        _ name: String, _ change: @escaping @Sendable (inout TestContainer) throws -> Void
    ) -> ReceiptVariant {
        .passes(name) { $0.container = change }
    }

    static let twins: [ReceiptVariant] = [
        passes("digests without parameters") {
            $0.signers[0].digestAlgorithm.parameters = .absent
            $0.digestAlgorithms = [TestAlgorithm(sha256, parameters: .absent)]
        },
        passes("one digest with NULL, the other without") {
            $0.digestAlgorithms = [TestAlgorithm(sha256, parameters: .absent)]
        },
        passes("the digest listed twice") {
            $0.digestAlgorithms = [TestAlgorithm(sha256), TestAlgorithm(sha256, parameters: .absent)]
        },
        passes("a signature algorithm without parameters") { $0.signers[0].signatureAlgorithm.parameters = .absent },
        passes("the correct signature, set explicitly") { container in
            container.signers[0].signature = try TestKey.signer.signature(for: container.content, digest: .sha256)
        },
    ]
}
