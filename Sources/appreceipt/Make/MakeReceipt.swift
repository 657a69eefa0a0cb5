import AppReceiptFoundation
import AppReceiptKit
import AppReceiptTesting
import ArgumentParser

/// `appreceipt make receipt`
struct MakeReceipt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Makes a test receipt and its root certificate.",
        discussion: """
            The keys are public: the receipt is for tests and trusted only where its root is passed. The same options \
            always produce the same bytes.

            Examples:
              appreceipt make --bundle-id com.example.app --purchase pro --out out
              appreceipt make --bundle-id com.example.app --subscription monthly:6:trial --out out
              appreceipt make --bundle-id com.example.app --device-id 02:00:00:00:00:01 --out out
              appreceipt make --bundle-id com.example.app --environment xcode --out out

            Exit status: 0 made, 64 wrong usage, 73 unwritable output.
            """)

    @Option(help: "The app's bundle identifier.", transform: ArgumentConversion.nonEmpty)
    var bundleID: String

    @Option(help: "The app's version.")
    var appVersion = "1"

    @Option(help: "The app version that was bought first.")
    var originalAppVersion = "1.0"

    @Option(help: "production, sandbox or xcode.")
    var environment: AppStoreEnvironment = .sandbox

    @Flag(help: "A volume purchase.")
    var volumePurchase = false

    @Option(help: "ios or macos.")
    var platform: Platform = .ios

    @Option(
        help: .date("The creation date (RFC 3339). (default: 2024-07-02T15:04:05Z, with sha1 2017-07-02T15:04:05Z)"),
        transform: ArgumentConversion.date)
    var created: Date?

    @Option(
        help: .date("The expiration date (RFC 3339), which volume purchases have."),
        transform: ArgumentConversion.date)
    var expires: Date?

    @Option(
        name: .customLong("device-id"),
        help: "The device that the receipt is for: a UUID, a MAC address, 12 or 32 hex digits, or base64.",
        transform: ArgumentConversion.device)
    var device: DeviceIdentifier?

    @Option(help: .product("A non-consumable that was bought. May be repeated."))
    var purchase: [String] = []

    @Option(help: .product("A consumable that was bought. May be repeated."))
    var consumable: [String] = []

    @Option(
        help: ArgumentHelp(
            "A monthly subscription with a number of periods up to the creation date, the first optionally a trial. "
                + "May be repeated.",
            valueName: "product[:periods[:trial]]"),
        transform: Subscription.init(text:))
    var subscription: [Subscription] = []

    @Option(help: .number("The number of the first transaction. The others are numbered consecutively."))
    var firstTransaction: UInt64 = 550_000_000_000_001

    @Option(help: "sha1, sha256, sha384 or sha512.")
    var digest: TestDigest = .sha256

    @Option(help: "The form of the file: der, ber, base64 or pem. (default: der; from Xcode ber)")
    var form: Form?

    @Flag(help: "Add signed attributes, which are legal but not in Apple's receipts.")
    var signedAttributes = false

    @Option(
        help: """
            A forgery: content (altered after signing), signature (altered), impostor (a PKI with the same names), \
            developer (a valid chain, but a developer's certificate).
            """)
    var forge: Forgery?

    @Option(
        help: "The name of the receipt's file; .receipt is appended if it has no extension. (default: receipt)",
        transform: ArgumentConversion.fileName)
    var name: String?

    @Option(help: .folder("The output folder, created if necessary."), completion: .directory)
    var out: String

    func validate() throws {
        try TestFiles.checkName(name)
        guard environment == .xcode else { return }
        let conflicts = [
            ("--forge \(forge?.rawValue ?? "")", forge == .impostor || forge == .developer),
            ("--form der", form == .der), ("--digest", digest != .sha256), ("--volume-purchase", volumePurchase),
            ("--platform macos", platform == .macos),
        ]
        if let conflict = conflicts.first(where: \.1) {
            throw ValidationError("\(conflict.0) can't be combined with --environment xcode.")
        }
    }

    private var creationDate: Date {
        // The signer of the SHA-1 PKI expired in 2023.
        created ?? Date(rfc3339: digest == .sha1 ? "2017-07-02T15:04:05Z" : "2024-07-02T15:04:05Z")
            ?? TestReceipt().creationDate
    }

    func run() throws {
        let receipt = testReceipt()
        let bytes = try container(for: receipt).encoded()
        let trust: TestFiles.Trust = environment == .xcode ? .xcode(try TestPKI.xcode.der()) : try .root(pki.root)
        try TestFiles(
            folder: out, name: TestFiles.fileName(name, default: "receipt", extension: "receipt"),
            contents: encoded(altered(bytes, of: receipt)), trust: trust
        )
        .write(shownBy: "validate")
        try warnIfNotValid(receipt, trusting: trust.contents)
    }

    /// Warns about a receipt that is invalid without --forge, because its dates are outside of the certificates'
    /// validity.
    private func warnIfNotValid(_ receipt: TestReceipt, trusting certificate: [UInt8]) throws {
        guard forge == nil else { return }
        let verifier =
            environment == .xcode
            ? ReceiptVerifier(xcode: try XcodeTrust(files: [certificate]))
            : ReceiptVerifier(anchors: try TrustAnchors(files: [certificate]))
        let report = verifier.report(
            try container(for: receipt).encoded(),
            expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment))
        if let failure = report.firstFailure { Terminal.note("Note: the receipt isn't valid. \(failure.message)") }
    }

    private var pki: TestPKI { digest == .sha1 ? .sha1 : .standard }

    private func testReceipt() -> TestReceipt {
        var receipt = TestReceipt(bundleIdentifier: bundleID)
        receipt.environment = receiptEnvironment
        receipt.appVersion = appVersion
        receipt.originalAppVersion = originalAppVersion
        receipt.creationDate = creationDate
        receipt.expirationDate = expires
        receipt.platformCode = platform == .ios ? 3 : 2
        receipt.device = device
        if environment == .production {
            receipt.appStoreIdentifier = 6_400_000_001
            receipt.developerIdentifier = 280_000_001
            receipt.downloadIdentifier = 502_000_000_000_000_001
            receipt.versionExternalIdentifier = 880_000_001
            receipt.originalPurchaseDate = creationDate.addingTimeInterval(-400 * 86_400)
        }
        var following = firstTransaction
        func nextTransaction() -> String {
            defer { following &+= 1 }
            return String(following)
        }
        let day: TimeInterval = 86_400
        for (index, product) in purchase.enumerated() {
            receipt.purchases.append(
                TestPurchase(
                    product, transaction: nextTransaction(),
                    at: creationDate.addingTimeInterval(-day * Double(index + 1))))
        }
        for product in consumable {
            receipt.purchases.append(
                TestPurchase(product, transaction: nextTransaction(), at: creationDate, type: .consumable))
        }
        for subscription in self.subscription {
            let first = nextTransaction()
            for period in 0..<subscription.periods {
                // The last period began ten days before the creation date.
                let start = creationDate.addingTimeInterval(
                    -day * (10 + 30 * Double(subscription.periods - 1 - period)))
                receipt.purchases.append(
                    TestPurchase(
                        subscription: subscription.product, transaction: period == 0 ? first : nextTransaction(),
                        original: first, from: start, to: start.addingTimeInterval(30 * day),
                        isTrial: subscription.hasTrial && period == 0))
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

    /// Returns the bytes, altered as --forge requests.
    private func altered(_ bytes: [UInt8], of receipt: TestReceipt) -> [UInt8] {
        var bytes = bytes
        switch forge {
        case .content:
            // Alter the last letter of the bundle identifier, which is signed.
            let attribute = receipt.attributes.first { $0.type == 2 }
            let pattern = attribute.map { Array($0.value) } ?? []
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
    struct Subscription {
        let product: String
        let periods: Int
        let hasTrial: Bool

        init(text: String) throws {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard let product = parts.first, !product.isEmpty, parts.count <= 3 else {
                throw ValidationError("Expected product[:periods[:trial]], for example monthly:6:trial.")
            }
            guard let periods = parts.count > 1 ? Int(parts[1]) : 1, (1...1000).contains(periods) else {
                throw ValidationError("The number of periods must be between 1 and 1000.")
            }
            guard parts.count < 3 || parts[2] == "trial" else {
                throw ValidationError("The third part must be 'trial'.")
            }
            self.product = product
            self.periods = periods
            hasTrial = parts.count == 3
        }
    }
}
