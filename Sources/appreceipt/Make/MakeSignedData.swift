import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct MakeTransaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction", abstract: "Makes a signed transaction of StoreKit 2.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The app's bundle identifier.", transform: Convert.nonEmpty)
    var bundleID: String

    @OptionGroup(title: "The transaction")
    var transaction: TransactionOptions

    @Option(help: "The product.", transform: Convert.nonEmpty)
    var product: String

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp("The device that it is signed for: its deviceVerificationID.", valueName: "uuid"),
        transform: Convert.uuid)
    var device: UUID?

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("transaction.jws") { environment, date in
            var made = transaction.made(product, bundle: bundleID, environment, date)
            made.device = device.map { ($0, SignedDataOptions.nonce) }
            return made
        }
    }
}

struct MakeRenewalInfo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renewal-info", abstract: "Makes signed renewal information of StoreKit 2.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The product.", transform: Convert.nonEmpty)
    var product: String

    @OptionGroup(title: "The renewal")
    var renewal: RenewalOptions

    @Option(
        name: .customLong("original-id"),
        help: ArgumentHelp("The first transaction of the subscription.", valueName: "identifier"))
    var original = TransactionOptions.firstIdentifier

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("renewal-info.jws") { renewal.made(product, original: original, $0, $1) }
    }
}

struct MakeAppTransaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-transaction", abstract: "Makes a signed app transaction of StoreKit 2.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The app's bundle identifier.", transform: Convert.nonEmpty)
    var bundleID: String

    @Option(help: ArgumentHelp("The app's number in the App Store, as production data has it.", valueName: "number"))
    var appAppleID: UInt64?

    @Option(help: "The app's version.")
    var appVersion = "1"

    @Option(help: "The version that was bought first.")
    var originalAppVersion = "1.0"

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp("The device that it is signed for: its deviceVerificationID.", valueName: "uuid"),
        transform: Convert.uuid)
    var device: UUID?

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("app-transaction.jws") { environment, date in
            TestAppTransaction().with {
                $0.bundleIdentifier = bundleID
                $0.appAppleIdentifier = appAppleID
                $0.appVersion = appVersion
                $0.originalAppVersion = originalAppVersion
                $0.environment = environment
                $0.signedDate = date
                $0.device = device.map { ($0, SignedDataOptions.nonce) }
            }
        }
    }
}

struct MakeNotification: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification", abstract: "Makes a notification of the App Store's server, version 2.",
        discussion: """
            With --product there is a transaction in it, and with --expires too a
            subscription and its renewal information.

            """ + SignedDataOptions.discussion)

    @Option(help: "The app's bundle identifier.", transform: Convert.nonEmpty)
    var bundleID: String

    @Option(help: ArgumentHelp("The app's number in the App Store, as production data has it.", valueName: "number"))
    var appAppleID: UInt64?

    @Option(help: "TEST, SUBSCRIBED, DID_RENEW and so on.")
    var type = NotificationType.test.rawValue

    @Option(help: "INITIAL_BUY and so on.")
    var subtype: String?

    @Option(help: ArgumentHelp("What tells it apart. (default: another one each time)", valueName: "uuid"))
    var uuid: String?

    @Option(help: "The product that it is about.", transform: Convert.nonEmpty)
    var product: String?

    @Option(
        help: ArgumentHelp(
            "The subscription's state: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked. (default: as the dates have it)",
            valueName: "number"))
    var status: Int64?

    @OptionGroup(title: "The transaction")
    var transaction: TransactionOptions

    @OptionGroup(title: "The renewal")
    var renewal: RenewalOptions

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func validate() throws {
        guard product != nil || transaction.expires == nil && transaction.revoked == nil else {
            throw ValidationError("--expires and --revoked are of a transaction: name its --product.")
        }
        guard transaction.expires != nil || renewal.grace == nil && renewal.renewsAs == nil && !renewal.autoRenewOff
        else { throw ValidationError("Only a subscription renews: say when it ends with --expires.") }
        guard signed.environment != .xcode else {
            throw ValidationError("Notifications do not come from Xcode.")
        }
    }

    func run() throws {
        try signed.write("notification.jws") { environment, date in
            var made = TestNotification(
                NotificationType(rawValue: type), subtype.map { NotificationSubtype(rawValue: $0) })
            made.notificationUUID = uuid ?? UUID().uuidString.lowercased()
            made.bundleIdentifier = bundleID
            made.appAppleIdentifier = appAppleID
            made.environment = environment
            made.signedDate = date
            guard let product else { return made }
            var bought = transaction.made(product, bundle: bundleID, environment, date)
            // Apple's REFUND and REVOKE state when.
            if ["REFUND", "REVOKE"].contains(type) { bought.revocationDate = bought.revocationDate ?? date }
            made.signedTransactionInfo = try bought.signed()
            if bought.expirationDate != nil {
                let original = bought.originalTransactionIdentifier ?? bought.transactionIdentifier
                made.signedRenewalInfo = try renewal.made(product, original: original, environment, date).signed()
                made.status = SubscriptionStatus(rawValue: status ?? state(bought, date))
            }
            return made
        }
    }
}

extension MakeNotification {
    /// The state that the dates make when the notification is signed.
    private func state(_ bought: TestTransaction, _ date: Date) -> Int64 {
        if bought.revocationDate != nil { return 5 }
        guard let end = bought.expirationDate, end <= date else { return 1 }
        if let grace = renewal.grace { return grace > date ? 4 : 3 }
        return 2
    }
}

/// What is bought.
struct TransactionOptions: ParsableArguments {
    static let firstIdentifier = "2000000000000001"

    @Option(help: ArgumentHelp("The transaction.", valueName: "identifier"))
    var transactionID = Self.firstIdentifier

    @Option(
        name: .customLong("original-id"),
        help: ArgumentHelp("The first transaction of its line. (default: this one)", valueName: "identifier"))
    var originalID: String?

    @Option(
        help: ArgumentHelp("When it was bought (RFC 3339). (default: a day before it is signed)", valueName: "date"),
        transform: Convert.date)
    var purchased: Date?

    @Option(
        help: ArgumentHelp("When it ends, which makes it a subscription (RFC 3339).", valueName: "date"),
        transform: Convert.date)
    var expires: Date?

    @Option(help: ArgumentHelp("When it was refunded (RFC 3339).", valueName: "date"), transform: Convert.date)
    var revoked: Date?

    func made(
        _ product: String, bundle: String, _ environment: SignedDataEnvironment, _ date: Date
    ) -> TestTransaction {
        TestTransaction(
            product, transaction: transactionID, original: originalID,
            at: purchased ?? date.addingTimeInterval(-86_400),
            until: expires
        ).with {
            $0.bundleIdentifier = bundle
            $0.revocationDate = revoked
            $0.environment = environment
            $0.signedDate = date
        }
    }
}

/// How a subscription goes on.
struct RenewalOptions: ParsableArguments {
    @Flag(help: "The customer has turned renewal off.")
    var autoRenewOff = false

    @Option(
        help: ArgumentHelp("The product that will renew. (default: the same)", valueName: "product"),
        transform: Convert.nonEmpty)
    var renewsAs: String?

    @Option(
        name: .customLong("grace-until"),
        help: ArgumentHelp("Billing failed, and access goes on until then (RFC 3339).", valueName: "date"),
        transform: Convert.date)
    var grace: Date?

    func made(
        _ product: String, original: String, _ environment: SignedDataEnvironment, _ date: Date
    ) -> TestRenewalInfo {
        TestRenewalInfo(product, original: original).with {
            $0.autoRenewProductIdentifier = renewsAs
            $0.autoRenewStatus = autoRenewOff ? .off : .on
            $0.gracePeriodExpirationDate = grace
            $0.isInBillingRetryPeriod = grace == nil ? nil : true
            $0.environment = environment
            $0.signedDate = date
        }
    }
}

/// Who signs, when, and what is wrong with it.
struct SignedDataOptions: ParsableArguments {
    static let discussion = """
        Signatures on curves hold a random number: the same options give other bytes
        each time, which say the same.
        """

    static let nonce = UUID(uuidString: "7EDEA87D-98F0-42D0-9682-49CA81022F73") ?? UUID()

    @Option(help: "production, sandbox or xcode.")
    var environment: ReceiptEnvironment.Base = .sandbox

    @Option(
        help: ArgumentHelp("When it is signed (RFC 3339). (default: 2024-07-02T15:04:05Z)", valueName: "date"),
        transform: Convert.date)
    var signed: Date?

    @Option(
        help: ArgumentHelp(
            "A member of the payload, its value in JSON; null takes one away; data.status is the member of a member. May be repeated.",
            valueName: "name=value"),
        transform: Convert.claim)
    var claim: [Convert.Claim] = []

    @Option(
        help: """
            A forgery: payload (altered after it was signed), signature (altered), impostor (a PKI of the same names), \
            unsigned (alg none).
            """)
    var forge: Forgery?

    @Option(help: "The name of the file.", transform: Convert.fileName)
    var name: String?

    @Option(help: ArgumentHelp("The folder to write to; made if it is not there.", valueName: "dir"))
    var out: String

    enum Forgery: String, ExpressibleByArgument, CaseIterable { case payload, signature, impostor, unsigned }

    func validate() throws { try MadeFiles.checkName(name) }

    /// Signs what is made and writes it.
    func write(
        _ usualName: String, _ make: (SignedDataEnvironment, Date) throws -> some TestClaims
    ) throws {
        let named: SignedDataEnvironment =
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            case .xcode: .xcode
            }
        var claims = try make(named, signed ?? TestReceipt().creationDate)
        for claim in claim {
            let path = claim.name.split(separator: ".", maxSplits: 1).map(String.init)
            guard path.count == 2, let outer = path.first, let inner = path.last,
                var object = (claims.overrides[outer] ?? claims.members[outer])?.object
            else {
                claims.overrides[claim.name] = claim.value
                continue
            }
            object[inner] = claim.value == .null ? nil : claim.value
            claims.overrides[outer] = .object(object)
        }
        let isXcode = environment == .xcode
        var token: TestJWS
        let trust: MadeFiles.Trust
        if isXcode {
            // Made once: trust is by exact match, and each is signed anew.
            let certificate = try TestPKI.xcodeTokens.der()
            token = try TestJWS(claims.members, certificates: [certificate], key: TestPKI.xcodeTokens.key)
            trust = MadeFiles.Trust(xcode: certificate)
        } else {
            token = try TestJWS(claims.members, signedBy: forge == .impostor ? Self.impostor : .signedData)
            trust = try MadeFiles.Trust(
                TestPKI.signedData.root, name: MadeFiles.signedDataRootName, isXcode: false)
        }
        if isXcode, forge == .impostor { token.key = .foreignSigner }
        if forge == .unsigned { token.header["alg"] = "none" }
        try MadeFiles(
            folder: out, name: name ?? usualName, contents: Array(forged(try token.encoded()).utf8) + [0x0A],
            trust: trust
        ).write(shownBy: "signed-data")
    }

    private static let impostor = TestPKI.signedData.with {
        $0.root.key = .foreignSigner
        $0.root.issuerKey = .foreignSigner
        $0.intermediate.issuerKey = .foreignSigner
    }

    private func forged(_ token: String) -> String {
        var parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3 else { return token }
        switch forge {
        case .payload:
            let payload = (try? Base64URL.decode(ArraySlice(parts[1].utf8))) ?? []
            // A blank more, which changes nothing that it says.
            parts[1] = Base64URL.encode(payload + [0x20])
        case .signature:
            var signature = (try? Base64URL.decode(ArraySlice(parts[2].utf8))) ?? []
            if !signature.isEmpty { signature[signature.count - 1] ^= 0x01 }
            parts[2] = Base64URL.encode(signature)
        case .impostor, .unsigned, nil:
            break
        }
        return parts.joined(separator: ".")
    }
}
