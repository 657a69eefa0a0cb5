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
    /// What ours skips and OpenSSL reads, so that OpenSSL may refuse more: revocation lists and certificates that nobody
    /// needs count for nothing here.
    private static func hasWhatIsSkipped(_ attack: Attack) -> Bool { attack.name.hasPrefix("a skipped field") }

    @Test("the harmless twins of all attacks are good to OpenSSL as well")
    func twins() throws {
        var compared = 0
        for attack in Attack.all where !Self.hasWhatIsSkipped(attack) {
            let twin = try attack.twin()
            // A certificate of Xcode's is trusted by name, not by a chain.
            guard !twin.signsLikeXcode else { continue }
            compared += 1
            #expect(try OpenSSL.accepts(twin), "\(attack)")
        }
        #expect(compared > 300)
    }

    @Test("content and signature that OpenSSL refuses are refused")
    func attacks() throws {
        var refused = 0
        for attack in Attack.all where [.signature, .signedAttributes, .container].contains(attack.target) {
            let trial = try attack.trial()
            guard !trial.signsLikeXcode else { continue }
            if try !OpenSSL.accepts(trial) { refused += 1 }
            // Whatever OpenSSL says: ours refuses, as the catalogue's own tests hold.
            #expect(try !trial.report().isValid)
        }
        #expect(refused > 40)
    }

    @Test("altered receipts that ours accepts OpenSSL accepts, but for what it reads of the embedded root")
    func alterations() throws {
        let trial = Trial()
        let bytes = try trial.encoded()
        let root = try #require(ReceiptContainer(parsing: bytes[...]).certificates.last).indices
        var accepted = 0
        for position in stride(from: 0, to: bytes.count * 8, by: 211) {
            let altered = Trial.with { $0.bytes = { $0[position / 8] ^= 1 << (position % 8) } }
            guard try altered.report().isValid else { continue }
            accepted += 1
            #expect(try root.contains(position / 8) || OpenSSL.accepts(altered), "bit \(position)")
        }
        #expect(accepted > 10)
    }
}

/// OpenSSL's command.
enum OpenSSL {
    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/openssl" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether it verifies the receipt's container under the trial's roots, at the creation date.
    static func accepts(_ trial: Trial) throws -> Bool {
        guard let input = try? ReceiptInput(trial.encoded()) else { return false }
        return try Places.withTemporaryFolder { folder in
            let receipt = folder.appendingPathComponent("receipt")
            try receipt.write(Array(input.der))
            let roots = folder.appendingPathComponent("roots.pem")
            let pem = try (trial.anchors ?? [trial.pki.root.der()]).map { der in
                "-----BEGIN CERTIFICATE-----\n"
                    + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                    + "\n-----END CERTIFICATE-----\n"
            }
            try roots.write(Array(pem.joined().utf8))
            let container = try? ReceiptContainer(parsing: input.der)
            let date =
                container.flatMap { try? AppReceipt(container: $0).creationDate } ?? trial.receipt.creationDate
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
