#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import VerifyReceipt

/// The receipts and tokens of one customer in a request. What is rejected never stops the rest.
@available(AppReceiptServer 1.0, *)
struct SubmittedEvidence: Sendable {
    /// The evidence that verifies and is stored, by app and environment.
    private(set) var evidence: [AppScope: CustomerEvidence] = [:]
    /// The other texts, in the order of the request.
    private(set) var rejections: [Rejection] = []

    private var renewals: [(index: Int, renewal: VerifiedRenewalInfo, expected: String?)] = []
    /// The renewal information of which the request has no other evidence.
    private var unproven: [(index: Int, original: ScopedOriginal)] = []
    /// The apps whose evidence isn't rejected.
    private var access = Access.everyApp

    /// No evidence.
    init() {}

    /// A text that isn't evidence, and the reason.
    struct Rejection: Sendable, Hashable {
        /// The position of the text in the request.
        let index: Int
        /// The check that failed; nil if the text wasn't verified.
        let check: ValidationCheck?
        let code: String
        let message: String
        let remedy: String

        func write(to writer: inout JSONWriter) {
            writer.member("index", number: index)
            writer.member("code", code)
            writer.member("message", message)
            writer.member("remedy", remedy)
            writer.member("documentation", ErrorDocumentation.link(to: code))
        }
    }

    /// The purchases of which there is evidence.
    var purchases: Set<ScopedOriginal> {
        evidence.reduce(into: []) { purchases, evidence in
            purchases.formUnion(
                evidence.value.withNestedData.originals.map {
                    ScopedOriginal(scope: evidence.key, originalTransactionIdentifier: $0)
                })
        }
    }

    /// Returns the evidence of an app and environment, and what the notifications in it contain.
    func evidence(in scope: AppScope?) -> CustomerEvidence {
        (scope.flatMap { evidence[$0] } ?? CustomerEvidence()).withNestedData
    }

    /// Writes `rejected`.
    func writeRejected(to writer: inout JSONWriter) {
        writer.openArray("rejected")
        for rejection in rejections { writer.element { rejection.write(to: &$0) } }
        writer.closeArray()
    }

    /// Verifies the receipts and tokens in texts, each of which may contain several.
    ///
    /// - Parameters:
    ///   - texts: The texts.
    ///   - requested: The app and environments of the request.
    ///   - service: What verifies, and for which apps.
    ///   - access: The apps whose evidence isn't rejected. Default: every app.
    ///   - now: The current time.
    /// - Throws: `bundle-not-served` or `environment-not-served` for what is requested of no text in particular.
    init(
        in texts: [String], expecting requested: Expectations, by service: ReceiptService,
        for access: Access = .everyApp, now: Date
    ) throws(APIError) {
        guard !texts.isEmpty else {
            self.init()
            return
        }
        let inputs = texts.map { EvidenceInput(Array($0.utf8)) }
        let items = inputs.enumerated().flatMap { index, input in input.items.map { (index, $0) } }
        try self.init(items, expecting: requested, by: service, for: access, now: now)
        for (index, input) in inputs.enumerated() where input.isTruncated {
            reject(
                ReceiptError(
                    .inputTooLarge, "The text contains more than \(EvidenceInput.maxItems) receipts and tokens."),
                at: index)
        }
        rejections.sort { $0.index < $1.index }
    }

    /// Verifies receipts and tokens, each with the position that rejections name.
    init(
        _ items: [(index: Int, item: EvidenceInput.Item)], expecting requested: Expectations,
        by service: ReceiptService, for access: Access = .everyApp, now: Date
    ) throws(APIError) {
        self.access = access
        try service.checkServed(requested, for: access)
        for (index, item) in items {
            do throws(APIError) {
                switch item {
                case .receipt, .transactionReceipt:
                    try add(receipt: item, at: index, expecting: requested, by: service, now: now)
                case .token(let token): try add(token: token, at: index, expecting: requested, by: service)
                }
            } catch {
                reject(
                    code: error.code, error.message,
                    remedy: "Request an environment in which its app is served, or none.", at: index)
            }
        }
        addRenewals()
        rejections.sort { $0.index < $1.index }
    }

    private mutating func add(
        receipt item: EvidenceInput.Item, at index: Int, expecting requested: Expectations,
        by service: ReceiptService, now: Date
    ) throws(APIError) {
        var expectations = requested
        try service.restrict(&expectations, for: access, claimed: item.claimedBundleIdentifier)
        if case .transactionReceipt(let list) = item {
            let report = service.tracing.verifying {
                service.receipts.reportTransactionReceipt(list, expecting: expectations, now: now)
            }
            add(report, at: index, countedBy: service.metrics) { .transaction($0) }
        } else {
            let report = service.tracing.verifying {
                service.receipts.report(source: item.receipt, expecting: expectations, now: now)
            }
            add(report, at: index, countedBy: service.metrics) { .app($0) }
        }
    }

    private mutating func add<Value, Contents>(
        _ report: ValidationReport<Value, Contents>, at index: Int, countedBy metrics: ServerMetrics,
        receipt: (Value) -> AnyVerifiedReceipt
    ) {
        metrics.countVerdict(kind: "receipt", code: report.failure?.code.rawValue)
        switch report.result {
        case .success(let value):
            let receipt = receipt(value)
            add(receipt.evidence, of: receipt.bundleIdentifier, in: receipt.environment, at: index)
        case .failure(let error): reject(error, report.firstFailure, at: index)
        }
    }

    private mutating func add(
        token: String, at index: Int, expecting requested: Expectations, by service: ReceiptService
    ) throws(APIError) {
        let expectations = try service.expectations(for: token, requested: requested, by: access)
        let report = service.tracing.verifying {
            service.signedData.report(token, as: nil, expecting: expectations)
        }
        service.metrics.countVerdict(kind: "signed-data", code: report.failure?.code.rawValue)
        switch report.result {
        case .success(.renewalInfo(let renewal)):
            renewals.append((index, renewal, expectations.bundleIdentifier.single))
        case .success(let data):
            guard data.transaction != nil || data.notification != nil else {
                return reject(
                    code: .notAPurchase, "This signed data isn't evidence of a purchase.",
                    remedy: "Send transactions, renewal information, notifications and receipts.", at: index)
            }
            var evidence = CustomerEvidence()
            if let notification = data.notification {
                evidence.notifications = [notification]
            } else {
                evidence.add(data)
            }
            let environment = data.transaction?.environment ?? data.notification?.environment
            add(evidence, of: data.bundleIdentifier, in: environment, at: index)
        case .failure(let error): reject(error, report.firstFailure, at: index)
        }
    }

    /// Adds renewal information, which names no app: the request does, or other evidence of the purchase.
    private mutating func addRenewals() {
        for (index, renewal, expected) in renewals {
            let known = evidence.first { scope, evidence in
                scope.environment == renewal.environment
                    && renewal.original.map { evidence.originals.contains($0) } ?? false
            }
            guard let app = known?.key.app ?? expected else {
                reject(
                    code: .appUnspecified, "Renewal information doesn't name its app.",
                    remedy: "Send 'bundle-id', or a transaction of the same purchase beside it.", at: index)
                continue
            }
            add(CustomerEvidence(renewals: [renewal]), of: app, in: renewal.environment, at: index)
            if known == nil, let scope = AppScope(app: app, renewal.environment), access.allows(app),
                let original = renewal.original
            {
                unproven.append((index, ScopedOriginal(scope: scope, originalTransactionIdentifier: original)))
            }
        }
    }

    /// Rejects the renewal information of purchases of which neither the request nor the store has other evidence:
    /// nothing proves its app.
    mutating func rejectUnprovenRenewals(in store: any EvidenceStore) async throws(StoreError) {
        for (index, original) in unproven
        where try await !store.originals(of: original.originalTransactionIdentifier).contains(original) {
            var rest = evidence[original.scope] ?? CustomerEvidence()
            rest.renewals.removeAll { $0.original == original.originalTransactionIdentifier }
            evidence[original.scope] = rest.isEmpty ? nil : rest
            reject(
                code: .appUnspecified,
                "Renewal information doesn't name its app, and nothing else of the purchase is known.",
                remedy: "Send a transaction of the same purchase, or its receipt, beside it.", at: index)
        }
        unproven = []
        rejections.sort { $0.index < $1.index }
    }

    /// Adds verified evidence, or rejects it if it is of no account, or of an app of other clients.
    mutating func add(
        _ other: CustomerEvidence, of app: String?, in environment: AppStoreEnvironment?, at index: Int
    ) {
        guard let scope = AppScope(app: app, environment) else {
            return reject(
                code: .environmentNotServed, "Data from Xcode, and data without an environment, is of no account.",
                remedy: "Validate it at /v1/receipts/validate or /v1/signed-data/verify.", at: index)
        }
        guard access.allows(scope.app) else {
            return reject(
                code: .appNotAllowed, "The client's token isn't for this app.",
                remedy: "Send it with a token for its app.", at: index)
        }
        evidence[scope, default: CustomerEvidence()].add(other)
    }

    private mutating func reject(_ error: ReceiptError, _ check: CheckResult? = nil, at index: Int) {
        let code = error.code.rawValue
        rejections.append(
            Rejection(
                index: index, check: check?.check ?? error.check, code: code, message: check?.message ?? error.message,
                remedy: ServerRemedies.remedy(for: code, error.remedy)))
    }

    private mutating func reject(code: APIError.Code, _ message: String, remedy: String, at index: Int) {
        rejections.append(
            Rejection(index: index, check: nil, code: code.rawValue, message: message, remedy: remedy))
    }
}

/// A verified receipt of either kind.
enum AnyVerifiedReceipt: Sendable {
    case app(VerifiedReceipt)
    case transaction(VerifiedTransactionReceipt)

    /// The environment of the purchases.
    var environment: AppStoreEnvironment? {
        switch self {
        case .app(let receipt): receipt.environment
        case .transaction(let receipt): receipt.environment
        }
    }

    /// The app.
    var bundleIdentifier: String? {
        switch self {
        case .app(let receipt): receipt.bundleIdentifier
        case .transaction(let receipt): receipt.bundleIdentifier
        }
    }

    /// The receipt as a customer's evidence.
    var evidence: CustomerEvidence {
        switch self {
        case .app(let receipt): CustomerEvidence(receipts: [receipt])
        case .transaction(let receipt): CustomerEvidence(transactionReceipts: [receipt])
        }
    }
}
#endif
