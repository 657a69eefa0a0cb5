import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

/// Our verdicts beside those of OpenSSL's command, where it is installed: what ours accepts OpenSSL must accept too.
@Suite(
    "ReceiptVerifier, with OpenSSL as an oracle",
    .enabled(if: OpenSSL.path != nil, "SKIPPED: there is no openssl command; install it to compare verdicts"))
struct OpenSSLOracleTests {
    /// Where ours accepts and OpenSSL refuses, each with its reason. Everything else that ours accepts it must accept.
    private static let differences: [(name: String, reason: String)] = [
        ("a skipped field", "revocation lists and certificates that nobody needs count for nothing here"),
        ("attributes in another order", "RFC 5652, 5.4 has them signed in DER, in whatever order they are sent"),
    ]

    @Test("what ours accepts OpenSSL accepts: the harmless twins of all attacks, each once")
    func twins() throws {
        var seen: Set<[UInt8]> = []
        var compared = 0
        for attack in Attack.all where !Self.differences.contains(where: { attack.name.hasPrefix($0.name) }) {
            let twin = try attack.twin()
            let bytes = try twin.encoded()
            // A certificate of Xcode's is trusted by name, not by a chain.
            guard !twin.signsLikeXcode, seen.insert(bytes).inserted else { continue }
            guard try twin.report().isValid else { continue }
            compared += 1
            #expect(try OpenSSL.accepts(twin), "\(attack)")
        }
        #expect(compared >= 10)
    }

    @Test("what ours accepts OpenSSL accepts, over receipts of many shapes", arguments: shapes)
    func everyShape(_ rule: Rule) throws {
        let testCase = try ReceiptTestCase.with(rule.change)
        #expect(try testCase.report().isValid)
        #expect(try OpenSSL.accepts(testCase))
        // And both refuse the same with another content, so that neither accepts everything.
        let altered = try ReceiptTestCase.with { altered in
            try rule.change(&altered)
            let change = altered.container
            altered.container = { container in
                try change(&container)
                let signed = try container.encoded()
                container.signers[0].signature = Array(try ReceiptContainer(parsing: signed[...]).signer.signature)
                container.content[container.content.count - 1] ^= 1
            }
        }
        #expect(try !altered.report().isValid)
        #expect(try !OpenSSL.accepts(altered))
    }

    static let shapes: [Rule] = [
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

    @Test("the altered bits that ours accepts outside of the embedded root OpenSSL accepts too")
    func alterations() throws {
        let bytes = try ReceiptTestCase().encoded()
        // SignedData's version, which may be 1, 3 and 5.
        let version = try #require(bytes.firstRange(of: [0x02, 0x01, 0x01, 0x31])).lowerBound + 2
        for (bit, isAccepted) in [(0, false), (1, true), (2, true), (3, false), (7, false)] {
            let altered = ReceiptTestCase.with { $0.bytes = { $0[version] ^= 1 << bit } }
            #expect(try altered.report().isValid == isAccepted)
            if isAccepted { #expect(try OpenSSL.accepts(altered)) }
        }
        // Elsewhere both refuse: the first octet of what is signed, the last of the signature.
        let content = try #require(ReceiptContainer(parsing: bytes[...]).contentOffset)
        for position in [content + 40, bytes.count - 1] {
            let altered = ReceiptTestCase.with { $0.bytes = { $0[position] ^= 1 } }
            #expect(try !altered.report().isValid)
            #expect(try !OpenSSL.accepts(altered))
        }
    }
}

/// OpenSSL's command.
enum OpenSSL {
    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/openssl" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether it verifies the receipt's container under the testCase's roots, at the creation date.
    static func accepts(_ testCase: ReceiptTestCase) throws -> Bool {
        guard let input = try? ReceiptInput(testCase.encoded()) else { return false }
        return try Places.withTemporaryFolder { folder in
            let receipt = folder.appendingPathComponent("receipt")
            try receipt.write(Array(input.der))
            let roots = folder.appendingPathComponent("roots.pem")
            let pem = try (testCase.anchors ?? [testCase.pki.root.der()]).map { der in
                "-----BEGIN CERTIFICATE-----\n"
                    + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                    + "\n-----END CERTIFICATE-----\n"
            }
            try roots.write(Array(pem.joined().utf8))
            let container = try? ReceiptContainer(parsing: input.der)
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
