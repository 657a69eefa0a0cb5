#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppReceiptKit
import AppStoreSignedData
import VerifyReceipt

/// An inspection of one input: the verifiers, the request and the date.
struct Inspection {
    let receipts: ReceiptVerifier
    let signedData: SignedDataVerifier
    /// The origin of the roots.
    private let trust: Inspector.Trust
    let roots: TrustedRoots
    let request: InspectorRequest
    let now: Date

    init(
        receipts: ReceiptVerifier, signedData: SignedDataVerifier,
        trust: Inspector.Trust, roots: TrustedRoots, request: InspectorRequest, now: Date
    ) {
        self.receipts = receipts
        self.signedData = signedData
        self.trust = trust
        self.roots = roots
        self.request = request
        self.now = now
    }

    /// Returns the origin of the root at which a chain ends, or of all roots if the chain isn't valid.
    func trust(of certificates: [CertificateSummary] = []) -> Inspector.Trust {
        let endsAtApple = certificates.contains { $0.role == .anchor && TrustedRoots.isApples($0) }
        return trust == .configured && endsAtApple ? .apple : trust
    }

    /// Whether the input is a sample.
    var isSample: Bool { trust == .sample }

    /// Creates the document for an input.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - fileName: The name of a sample.
    func response(to input: InspectorInput, fileName: String?) throws -> InspectorResponse {
        var document = JSONDocument()
        document.add(
            "roots", ["names": .string(roots.names), "includesApple": .boolean(roots.includesApple)])
        document.add("now", .date(now))
        document.add("input", input.json(name: fileName))
        switch input.item {
        case .receipt(let source):
            return try ReceiptDocument(inspection: self, input: input, source: source).response(extending: document)
        case .transactionReceipt(let list):
            return TransactionReceiptDocument(inspection: self, input: input, list: list).response(extending: document)
        case .token(let token):
            return try SignedDataDocument(
                inspection: self, token: token, claimed: input.evidence.claimedPurchases
            ).response(extending: document)
        }
    }

    /// Adds the members that the documents of all kinds have.
    func add<Value, Contents>(_ report: ValidationReport<Value, Contents>, to document: inout JSONDocument) {
        document.add("trust", .string(trust(of: report.certificates).rawValue))
        document.add("verdict", .string(report.isValid ? "valid" : "invalid"))
        document.add("isProven", .boolean(report.isSigned))
        document.add("environment", .text(report.provenEnvironment?.rawValue))
        document.add(
            "failure", report.firstFailure.map { failure in AppStoreJSON { failure.writeFailure(to: &$0) } } ?? .null)
        document.add("certificates", .array(report.certificates.map(json)))
        document.add("chain", ChainFacts(report, roots: roots).json)
        document.add("validationDate", .date(report.validationDate))
    }

    func bundleFact(found: String?) -> CheckFact {
        CheckFact(name: "Bundle identifier", found: found, expected: request.expectations.bundleIdentifier.single)
    }

    func environmentFact(found: String?) -> CheckFact {
        let names = request.environments.map(\.rawValue).joined(separator: " or ")
        return CheckFact(name: "Environment", found: found, expected: names.isEmpty ? nil : names)
    }

    /// Encodes a certificate of the chain.
    func json(_ certificate: CertificateSummary) -> AppStoreJSON {
        [
            "role": .string(certificate.role.rawValue), "commonName": .string(certificate.commonName),
            "subject": .string(certificate.subject), "issuer": .string(certificate.issuer),
            "serialNumber": .string(certificate.serialNumber), "notBefore": .date(certificate.notBefore),
            "notAfter": .date(certificate.notAfter), "key": .string(certificate.key),
            "sha256Fingerprint": .string(certificate.sha256Fingerprint),
            "isApples": .boolean(TrustedRoots.isApples(certificate)),
        ]
    }
}

extension Inspection {
    /// Encodes subscriptions with their periods.
    static func json(_ subscriptions: [Subscription], now: Date) -> [AppStoreJSON] {
        subscriptions.map { subscription in
            [
                "original": .string(subscription.original),
                "isActive": .boolean(subscription.periods.contains { $0.isActive(at: now) }),
                "periods": .array(subscription.periods.map(json)),
            ]
        }
    }

    private static func json(_ period: Subscription.Period) -> AppStoreJSON {
        let transaction = period.transaction
        return [
            "start": .date(period.start), "end": .date(period.accessEnd), "expiration": .date(period.expiration),
            "product": .text(transaction.productIdentifier), "transaction": .text(transaction.transactionIdentifier),
            "isTrial": .boolean(transaction.isTrialPeriod == true),
            "isIntroductory": .boolean(transaction.isInIntroductoryOfferPeriod == true),
            "offer": .text(transaction.promotionalOfferIdentifier), "canceled": .date(transaction.cancellationDate),
        ]
    }
}

extension VerifyReceiptResponse {
    /// How the page shows a response: its status, the reason for a rejection, and its body.
    var inspectorJSON: AppStoreJSON {
        let reason: AppStoreJSON =
            failure.map { failure in
                [
                    "code": .string(failure.code.rawValue), "message": .string(failure.message),
                    "remedy": .string(ServerRemedies.remedy(for: failure.code.rawValue, failure.remedy)),
                    "documentation": .string(ErrorDocumentation.link(to: failure.code.rawValue)),
                ]
            } ?? .null
        // Text, because JavaScript would round its numbers.
        return [
            "status": .number(AppStoreJSON.Number(status.rawValue)), "reason": reason,
            "text": .string(String(decoding: json.text(isPretty: true), as: UTF8.self)),
        ]
    }
}
#endif
