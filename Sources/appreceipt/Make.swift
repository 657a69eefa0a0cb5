import AppReceiptKit
import AppReceiptTesting
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a test receipt and the root that signed it.",
        discussion: """
            What it makes is signed with keys that are public: good for tests, trusted by nobody who does not name its \
            root. The same options give the same bytes, always.

            Examples:
              appreceipt make --bundle-id com.example.app --purchase com.example.pro --out receipts
              appreceipt make --bundle-id com.example.app --subscription com.example.monthly:6:trial --out receipts
              appreceipt make --bundle-id com.example.app --platform macos --device-id 02:00:00:00:00:01 --out receipts
              appreceipt make --bundle-id com.example.app --environment xcode --out receipts
            """)

    @Option(help: "The app's bundle identifier.")
    var bundleID: String

    @Option(help: "The app's version.")
    var appVersion = "1"

    @Option(help: "The version that was bought first.")
    var originalAppVersion = "1.0"

    @Option(help: "production, sandbox or xcode.")
    var environment: ReceiptEnvironment.Base = .sandbox

    @Flag(help: "A volume purchase.")
    var volumePurchase = false

    @Option(help: "ios or macos.")
    var platform: Platform = .ios

    @Option(help: ArgumentHelp("When the receipt is made (RFC 3339).", valueName: "date"))
    var created: Timestamp = Timestamp(date: TestReceipt().creationDate)

    @Option(help: ArgumentHelp("When the receipt expires (RFC 3339), as volume purchases do.", valueName: "date"))
    var expires: Timestamp?

    @Option(name: .customLong("device-id"), help: "The device that it is for, in the forms that validate takes.")
    var device: DeviceIdentifier?

    @Option(help: ArgumentHelp("A non-consumable that was bought. May be repeated.", valueName: "product"))
    var purchase: [String] = []

    @Option(help: ArgumentHelp("A consumable that was bought. May be repeated.", valueName: "product"))
    var consumable: [String] = []

    @Option(
        help: ArgumentHelp(
            "A monthly subscription, of so many periods up to the creation date, the first of them a trial if asked. May be repeated.",
            valueName: "product[:periods[:trial]]"))
    var subscription: [Subscription] = []

    @Option(help: "sha1, sha256, sha384 or sha512.")
    var digest: TestDigest = .sha256

    @Option(help: "der, ber, base64 or pem.")
    var form: Form?

    @Flag(help: "With signed attributes, which are legal but which no genuine receipt has.")
    var signedAttributes = false

    @Option(
        help: """
            A forgery: content (altered after it was signed), signature (altered), impostor (a PKI of the same names), \
            developer (the right chain, but a developer's certificate).
            """)
    var forge: Forgery?

    @Option(help: "The name of the receipt's file.")
    var name = "receipt"

    @Option(help: ArgumentHelp("The folder to write to; made if it is not there.", valueName: "dir"))
    var out: String

    func run() throws {
        let receipt = testReceipt()
        let bytes = try container(for: receipt).encoded()
        let file = "\(out)/\(name)"
        let trust: (file: String, option: String, contents: [UInt8])
        if environment == .xcode {
            trust = ("\(out)/xcode-certificate.cer", "--trust-xcode", try TestPKI.xcode.der())
        } else {
            trust = ("\(out)/root.pem", "--root", Array(try pki.root.pem().utf8))
        }
        do {
            try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
            try Data(encoded(forged(bytes, receipt))).write(to: URL(fileURLWithPath: file))
            try Data(trust.contents).write(to: URL(fileURLWithPath: trust.file))
        } catch {
            Terminal.complain("\(out): The files cannot be written there.")
            throw ExitCode(73)
        }
        print("\(file)\n\(trust.file)")
        Terminal.note(
            "To see it: appreceipt validate \(file) \(trust.option) \(trust.file) --bundle-id \(bundleID)")
    }

    private var pki: TestPKI { digest == .sha1 ? .sha1 : .standard }

    private func testReceipt() -> TestReceipt {
        var receipt = TestReceipt(bundleIdentifier: bundleID)
        receipt.environment = receiptEnvironment
        receipt.appVersion = appVersion
        receipt.originalAppVersion = originalAppVersion
        receipt.creationDate = created.date
        receipt.expirationDate = expires?.date
        receipt.platformCode = platform == .ios ? 3 : 2
        receipt.device = device
        if environment == .production {
            receipt.appStoreIdentifier = 6_400_000_001
            receipt.developerIdentifier = 280_000_001
            receipt.downloadIdentifier = 502_000_000_000_000_001
            receipt.versionExternalIdentifier = 880_000_001
            receipt.originalPurchaseDate = created.date.addingTimeInterval(-400 * 86_400)
        }
        var transactions = TransactionNumbers()
        let day: TimeInterval = 86_400
        for (index, product) in purchase.enumerated() {
            receipt.purchases.append(
                TestPurchase(
                    product, transaction: transactions.next(),
                    at: created.date.addingTimeInterval(-day * Double(index + 1))))
        }
        for product in consumable {
            receipt.purchases.append(
                TestPurchase(product, transaction: transactions.next(), at: created.date, type: .consumable))
        }
        for line in subscription {
            let first = transactions.next()
            for period in 0..<line.periods {
                // The last period has run for ten days when the receipt is made.
                let start = created.date.addingTimeInterval(-day * (10 + 30 * Double(line.periods - 1 - period)))
                receipt.purchases.append(
                    TestPurchase(
                        subscription: line.product, transaction: period == 0 ? first : transactions.next(),
                        original: first, from: start, to: start.addingTimeInterval(30 * day),
                        isTrial: line.hasTrial && period == 0))
            }
        }
        return receipt
    }

    private var receiptEnvironment: ReceiptEnvironment {
        switch environment {
        case .production: volumePurchase ? .productionVPP : .production
        case .sandbox: volumePurchase ? .productionVPPSandbox : .productionSandbox
        case .xcode: .xcode
        }
    }

    private func container(for receipt: TestReceipt) throws -> TestContainer {
        var container: TestContainer
        if environment == .xcode {
            container = try TestContainer(content: receipt.payload, signedByXcode: TestPKI.xcode)
        } else {
            container = try TestContainer(content: receipt.payload, signedBy: signingPKI)
            container.encoding = form == .ber ? .ber(pieces: 1) : .der
            container.signers[0].digest = digest
            container.signers[0].digestAlgorithm = TestAlgorithm(digest.objectIdentifier)
        }
        if signedAttributes { container.signers[0].signedAttributes = TestSigner.SignedAttributes() }
        return container
    }

    private var signingPKI: TestPKI {
        switch forge {
        case .impostor:
            return .impostor
        case .developer:
            return pki.with { pki in
                pki.signer.subject = TestName("Developer ID Application: Jane Doe")
                pki.signer.key = .developer
                pki.signer.markers = ["1.2.840.113635.100.6.1.13"]
            }
        case .content, .signature, nil:
            return pki
        }
    }

    /// The bytes with a forger's hand in them.
    private func forged(_ bytes: [UInt8], _ receipt: TestReceipt) -> [UInt8] {
        var bytes = bytes
        switch forge {
        case .content:
            // The last letter of the bundle identifier, inside of the signed content.
            let pattern = Array(receipt.bundleIdentifier.utf8)
            let start = bytes.indices.first { bytes[$0...].starts(with: pattern) }
            if let start, !pattern.isEmpty { bytes[start + pattern.count - 1] ^= 0x01 }
        case .signature:
            bytes[bytes.count - 1] ^= 0x01
        case .impostor, .developer, nil:
            break
        }
        return bytes
    }

    private func encoded(_ bytes: [UInt8]) -> [UInt8] {
        switch form {
        case .base64: Array(Data(bytes).base64EncodedString().utf8) + [0x0A]
        case .pem:
            Array("-----BEGIN PKCS7-----\n\(Data(bytes).base64EncodedString())\n-----END PKCS7-----\n".utf8)
        case .der, .ber, nil: bytes
        }
    }

    enum Platform: String, ExpressibleByArgument, CaseIterable { case ios, macos }
    enum Form: String, ExpressibleByArgument, CaseIterable { case der, ber, base64, pem }
    enum Forgery: String, ExpressibleByArgument, CaseIterable { case content, signature, impostor, developer }

    /// `product[:periods[:trial]]`
    struct Subscription: ExpressibleByArgument {
        let product: String
        let periods: Int
        let hasTrial: Bool

        init?(argument: String) {
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard (1...3).contains(parts.count), !parts[0].isEmpty,
                let periods = parts.count > 1 ? Int(parts[1]) : 1, (1...1000).contains(periods),
                parts.count < 3 || parts[2] == "trial"
            else { return nil }
            product = parts[0]
            self.periods = periods
            hasTrial = parts.count == 3
        }
    }

    /// A date in RFC 3339.
    struct Timestamp: ExpressibleByArgument, CustomStringConvertible {
        let date: Date

        init(date: Date) { self.date = date }

        init?(argument: String) {
            guard let date = ReceiptDate.date(from: argument) else { return nil }
            self.date = date
        }

        var description: String { ReceiptDate.string(from: date) }
    }
}

/// Transaction identifiers, one after another.
private struct TransactionNumbers {
    private var last: UInt64 = 550_000_000_000_000

    mutating func next() -> String {
        last += 1
        return String(last)
    }
}
