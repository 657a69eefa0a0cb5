import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import ArgumentParser

/// `appreceipt purchases`
struct Purchases: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what a customer owns, from receipts and signed data together.",
        discussion: """
            Each INPUT is a file, an .app bundle, - for standard input, or the data itself: receipts (DER, base64, \
            PEM), transaction receipts (property lists), tokens (JWS), verifyReceipt requests and responses, \
            notifications, responses of the App Store Server API. An input may contain several, one after another or \
            in a mail with quoted lines. All must be for one customer and one app. Everything \
            is verified first; what can't be verified is listed as rejected and never used.

            The order of the inputs has no effect, except that the first one determines the app if --bundle-id isn't \
            given. Newer evidence wins, and a refund stays a refund until newer evidence \
            of the same transaction reverses it. Production and sandbox never mix.

            States: owned, active, gracePeriod, billingRetry, renewalUnknown, expired, upgraded, notStarted, refunded, \
            revoked.

            With --format json: {"at", "products": [{"productIdentifier", "environment", "kind", "isActive", "state", \
            "since", "until", "asOf", "reason", "nextStep", "originalTransactionIdentifier", "transactionIdentifier", \
            "willRenew", "renewsAs", "quantity", "refundedPercentage", "ownership", "commitment", "items"}], \
            "rejected": [{"input", "code", "message", "remedy", "documentation"}]}.

            Examples:
              appreceipt purchases receipt transaction.jws renewal.jws
              appreceipt purchases receipt --product com.example.pro
              appreceipt purchases - < mail.txt
              appreceipt purchases *.jws --at 2024-07-15T00:00:00Z --format json

            Exit status: 0 if nothing was rejected; with --product, 0 if one of the products is active in production, \
            or in an environment given with --environment. Otherwise 1; 64 wrong usage, 66 unreadable file.
            """)

    @Argument(
        help: "Receipts and signed data: files, .app bundles, - for standard input, or the data itself.",
        completion: .file())
    var input: [String]

    @Option(
        help: .id(
            "A product that must be active for exit status 0. May be repeated: at least one of them must be active."))
    var product: [String] = []

    @Option(
        help: .date(
            "The date to evaluate, such as 2024-07-15T00:00:00Z. All inputs are used, whenever they were signed. "
                + "(default: now)"),
        transform: ArgumentConversion.date)
    var at: Date?

    @OptionGroup(title: "Expectations")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func validate() throws {
        guard input.filter({ $0 == "-" }).count < 2 else {
            throw ValidationError("Standard input can be read only once. Pass - only once.")
        }
    }

    func run() throws {
        let verifiers = try trust.verifiers()
        var evidence = PurchaseEvidence(
            receipts: verifiers.receipts, signedData: verifiers.signedData, expected: expected, date: at)
        for argument in input { evidence.add(try InputReader.data(argument), from: argument) }
        let entitlements = evidence.entitlements()
        switch format {
        case .json:
            var writer = JSONWriter(isPretty: true)
            writer.element {
                $0.member("at", evidence.entitlementDate)
                $0.openArray("products")
                for entitlement in entitlements { $0.element { entitlement.write(to: &$0) } }
                $0.closeArray()
                $0.openArray("rejected")
                for rejection in evidence.rejected {
                    $0.element {
                        $0.member("input", rejection.input)
                        rejection.writeReason(to: &$0)
                    }
                }
                $0.closeArray()
            }
            try JSONOutput.write(writer.bytes)
        case .text:
            let text = EntitlementText(terminal: .output)
            try Terminal.write(
                lines: text.products(entitlements, requested: product, isVerified: evidence.isAnyVerified)
                    + evidence.newestReceipts.flatMap { text.volumePurchase($0, at: evidence.entitlementDate) }
                    + text.reasons(entitlements) + Rejection.lines(evidence.rejected, terminal: .output))
        }
        let notes = evidence.notes(on: entitlements) + (format == .text ? verdict(entitlements) : [])
        for note in notes { Terminal.note(note) }
        guard isSuccess(entitlements, rejected: evidence.rejected) else { throw ExitCode(1) }
    }

    /// The environments in which a product must be active.
    private var requiredEnvironments: [AppStoreEnvironment] {
        expected.app.environment.isEmpty ? [.production] : expected.app.environment
    }

    /// Returns sentences that explain the exit status for the products of `--product`.
    private func verdict(_ entitlements: [Entitlement]) -> [String] {
        product.map { product in
            let active = entitlements.filter { $0.isActive && $0.isFor(product: product) }.map(\.environment)
            let required = requiredEnvironments.map(\.rawValue).joined(separator: " or ")
            if active.contains(where: requiredEnvironments.contains) { return "\(product) is active in \(required)." }
            guard let other = active.first else { return "\(product) isn't active in \(required)." }
            return
                "\(product) isn't active in \(required), but in \(other.rawValue): add --environment \(other.rawValue)."
        }
    }

    private func isSuccess(_ entitlements: [Entitlement], rejected: [Rejection]) -> Bool {
        guard !product.isEmpty else { return rejected.isEmpty }
        return entitlements.contains { entitlement in
            entitlement.isActive && product.contains(where: entitlement.isFor)
                && requiredEnvironments.contains(entitlement.environment)
        }
    }
}
