// Simulators can't start a process.
#if os(Linux) || os(macOS)
import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

/// Compares results with OpenSSL's command, if it is installed: OpenSSL must accept every receipt that the verifier
/// accepts.
@Suite(
    "ReceiptVerifier: OpenSSL as an oracle",
    .enabled(if: OpenSSL.path != nil, "SKIPPED: install the openssl command to compare results"))
struct OpenSSLOracleTests {
    /// The forms that the verifier accepts and OpenSSL rejects, with the reasons.
    private static let differences: [(name: String, reason: String)] = [
        ("a skipped field", "the verifier ignores unused revocation lists and certificates"),
        (
            "attributes in another order",
            "RFC 5652, 5.4: the signature is over their DER encoding, whatever their order in the container"
        ),
    ]

    @Test("OpenSSL accepts the harmless twins that the verifier accepts")
    func twins() throws {
        var seen: Set<[UInt8]> = []
        var compared = 0
        for attack in Attack.all where !Self.differences.contains(where: { attack.name.hasPrefix($0.name) }) {
            let twin = try attack.twin()
            let bytes = try twin.encoded()
            // OpenSSL can't trust an Xcode certificate without a chain.
            guard !twin.isSignedByXcode, seen.insert(bytes).inserted else { continue }
            guard try twin.report().isValid else { continue }
            compared += 1
            #expect(try OpenSSL.accepts(twin), "\(attack)")
        }
        #expect(compared >= 10)
    }

    @Test("OpenSSL accepts every form of receipt that the verifier accepts", arguments: shapes)
    func everyShape(_ rule: ReceiptVariant) throws {
        let testCase = try ReceiptTestCase.with(rule.change)
        #expect(try testCase.report().isValid)
        #expect(try OpenSSL.accepts(testCase))
        // Both reject altered content, so neither accepts everything.
        let altered = try ReceiptTestCase.with { altered in
            try rule.change(&altered)
            let change = altered.container
            altered.container = { container in
                try change(&container)
                let signed = try container.encoded()
                container.signers[0].signature = Array(try ReceiptContainer(parsing: signed).signer.signature)
                container.content[container.content.count - 1] ^= 1
            }
        }
        #expect(try !altered.report().isValid)
        #expect(try !OpenSSL.accepts(altered))
    }

    static let shapes: [ReceiptVariant] = [
        .passes("DER") { _ in },
        .passes("SHA-1") {
            $0.pki = .sha1
            $0.receipt.creationDate = instant("2017-01-01T00:00:00Z")
        },
        .passes("RSA 4096 and SHA-512") { $0.pki = .large }, .passes("an elliptic chain") { $0.pki = .elliptic },
        .passes("no key usage") {
            $0.pki.intermediate.keyUsage = nil
            $0.pki.signer.keyUsage = nil
        },
        .passes("BER in one piece") { $0.container = { $0.encoding = .ber(pieces: 1) } },
        .passes("BER in seven pieces") { $0.container = { $0.encoding = .ber(pieces: 7) } },
        .passes("a key identifier") { $0.container = { $0.signers[0].usesSubjectKeyIdentifier = true } },
        .passes("rsaEncryption") { $0.container = { $0.signers[0].signatureAlgorithm = .rsaEncryption } },
        .passes("signed attributes") {
            $0.container = { $0.signers[0].signedAttributes = TestSigner.SignedAttributes() }
        },
        .passes("certificates in another order") { $0.container = { $0.certificates.reverse() } },
        .passes("no root") { $0.container = { $0.certificates.removeLast() } },
        .passes("a hundred purchases") { testCase in
            testCase.receipt.purchases = (1...100).map {
                TestPurchase("pro", transaction: "\($0)", at: testCase.receipt.creationDate)
            }
        },
    ]

    @Test("OpenSSL accepts the altered bits that the verifier accepts outside of the embedded root")
    func alterations() throws {
        let bytes = try ReceiptTestCase().encoded()
        // The version of SignedData may be 1, 3 and 5.
        let version = try #require(bytes.firstRange(of: [0x02, 0x01, 0x01, 0x31])).lowerBound + 2
        for (bit, isAccepted) in [(0, false), (1, true), (2, true), (3, false), (7, false)] {
            let altered = ReceiptTestCase.with { $0.bytes = { $0[version] ^= 1 << bit } }
            #expect(try altered.report().isValid == isAccepted)
            if isAccepted { #expect(try OpenSSL.accepts(altered)) }
        }
        // Both reject alterations of the signed content and the signature.
        let content = try #require(ReceiptContainer(parsing: bytes).contentOffset)
        for position in [content + 40, bytes.count - 1] {
            let altered = ReceiptTestCase.with { $0.bytes = { $0[position] ^= 1 } }
            #expect(try !altered.report().isValid)
            #expect(try !OpenSSL.accepts(altered))
        }
    }
}

/// The openssl command.
enum OpenSSL {
    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/openssl" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether OpenSSL verifies the receipt's container under the test case's roots, at the creation date.
    static func accepts(_ testCase: ReceiptTestCase) throws -> Bool {
        guard let input = try? ReceiptInput(testCase.encoded()) else { return false }
        return try TestDirectories.withTemporaryFolder { folder in
            let receipt = folder.appendingPathComponent("receipt")
            try receipt.write(Array(input.containerBytes))
            let roots = folder.appendingPathComponent("roots.pem")
            let pem = try (testCase.anchors ?? [testCase.pki.root.der()]).map { der in
                "-----BEGIN CERTIFICATE-----\n"
                    + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                    + "\n-----END CERTIFICATE-----\n"
            }
            try roots.write(Array(pem.joined().utf8))
            let container = try? ReceiptContainer(parsing: input.containerBytes)
            let date =
                container.flatMap { try? AppReceipt(container: $0).creationDate } ?? testCase.receipt.creationDate
            return try run([
                "cms", "-verify", "-inform", "DER", "-binary", "-in", receipt.path, "-CAfile", roots.path,
                "-purpose", "any", "-auth_level", "0", "-attime", "\(Int(date.timeIntervalSince1970))",
                "-out", "/dev/null",
            ])
        }
    }

    private static func run(_ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = path.map { URL(fileURLWithPath: $0) }
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
#endif
