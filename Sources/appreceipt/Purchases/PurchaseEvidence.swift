import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The verified inputs of a command, and those that were rejected.
struct PurchaseEvidence {
    let receipts: ReceiptVerifier
    let signedData: SignedDataVerifier
    let expected: ExpectationOptions
    /// The date at which a volume purchase must not be expired, and from which entitlements are derived.
    let date: Date
    /// Whether evidence that was signed later moves the date: a clock that is earlier than the date of signing is
    /// wrong.
    let isDateOpen: Bool

    private(set) var rejected: [Rejection] = []
    /// The steps that found receipts and tokens, and the content that was ignored.
    private var notes: [String] = []
    private var evidence = CustomerEvidence()
    private var appTransactions: [VerifiedAppTransaction] = []
    /// The app of all inputs: that of `--bundle-id`, otherwise that of the first verified input.
    private var bundleIdentifier: String?

    /// - Parameter date: The date of the entitlements; nil for the current time.
    init(receipts: ReceiptVerifier, signedData: SignedDataVerifier, expected: ExpectationOptions, date: Date?) {
        self.receipts = receipts
        self.signedData = signedData
        self.expected = expected
        self.date = date ?? Date()
        isDateOpen = date == nil
        bundleIdentifier = expected.app.bundleID
    }

    /// Verifies what an input contains.
    ///
    /// - Parameter source: The bytes, or why they aren't available.
    mutating func add(_ source: Result<[UInt8], ReceiptError>, from argument: String) {
        let name = Terminal.truncated(argument, to: 80)
        do throws(ReceiptError) {
            let input = EvidenceInput(try source.get())
            // A part of the evidence could grant what the rest revokes.
            guard !input.isTruncated else {
                throw ReceiptError(
                    .inputTooLarge, "The input contains more than \(EvidenceInput.maxItems) receipts and tokens.")
            }
            notes += InputReader.notes(on: input, from: name)
            for (index, item) in input.items.enumerated() {
                let part = input.items.count == 1 ? name : "\(name) (\(index + 1) of \(input.items.count))"
                do throws(ReceiptError) {
                    try add(item)
                } catch {
                    reject(part, because: error)
                }
            }
        } catch {
            reject(name, because: error)
        }
    }

    private mutating func reject(_ input: String, because error: ReceiptError) {
        rejected.append(
            Rejection(input: input, code: error.code.rawValue, message: error.message, remedy: error.remedy))
    }

    private mutating func add(_ item: EvidenceInput.Item) throws(ReceiptError) {
        switch item {
        case .receipt(let bytes):
            let report = receipts.report(bytes, expecting: expected.expectations, now: date)
            let receipt = try Self.verified(report)
            try accept(
                bundleIdentifier: receipt.bundleIdentifier, environment: receipt.environment,
                isNamed: receipt.isEnvironmentNamed)
            evidence.receipts.append(receipt)
        case .transactionReceipt(let list):
            let report = receipts.reportTransactionReceipt(list, expecting: expected.expectations, now: date)
            let receipt = try Self.verified(report)
            try accept(
                bundleIdentifier: receipt.bundleIdentifier, environment: receipt.environment,
                isNamed: receipt.receipt.environmentName != nil)
            evidence.transactionReceipts.append(receipt)
        case .token(let token):
            try add(token: token)
        }
    }

    /// Returns the verified value of a report. The message of an error contains the actual and expected values.
    private static func verified<Value, Contents>(
        _ report: ValidationReport<Value, Contents>
    ) throws(ReceiptError) -> Value {
        switch report.result {
        case .success(let value): return value
        case .failure(let error): throw ReceiptError(error.code, report.firstFailure?.message ?? error.message)
        }
    }

    private mutating func add(token: String) throws(ReceiptError) {
        let expectations = expected.signedDataExpectations
        switch SignedDataKind(ofToken: token, limits: signedData.limits) {
        case .transaction, nil:
            try add(signedData.verifyTransaction(token, expecting: expectations))
        case .renewalInfo:
            try add(signedData.verifyRenewalInfo(token, expecting: expectations))
        case .appTransaction:
            let transaction = try signedData.verifyAppTransaction(token, expecting: expectations)
            try accept(
                bundleIdentifier: transaction.claims.bundleIdentifier, environment: transaction.environment,
                isNamed: true)
            appTransactions.append(transaction)
        case .realtimeRequest:
            // It proves no purchase and has no bundle identifier.
            _ = try signedData.verifyRealtimeRequest(token, expecting: expectations)
        case .notification:
            let notification = try signedData.verifyNotification(token, expecting: expectations)
            if let transaction = notification.transaction { try add(transaction) }
            if let renewal = notification.renewalInfo { try add(renewal) }
            evidence.notifications.append(notification)
        }
    }

    private mutating func add(_ transaction: VerifiedTransaction) throws(ReceiptError) {
        try accept(
            bundleIdentifier: transaction.claims.bundleIdentifier, environment: transaction.environment,
            isNamed: transaction.claims.environment != nil)
        evidence.transactions.append(transaction)
    }

    private mutating func add(_ renewal: VerifiedRenewalInfo) throws(ReceiptError) {
        try checkEnvironment(renewal.environment, isNamed: renewal.claims.environment != nil)
        evidence.renewals.append(renewal)
    }

    /// Evidence of an unknown environment or of another app has no effect, so it is rejected visibly.
    private mutating func accept(
        bundleIdentifier: String?, environment: AppStoreEnvironment?, isNamed: Bool
    ) throws(ReceiptError) {
        try checkEnvironment(environment, isNamed: isNamed)
        guard let bundleIdentifier else { throw ReceiptError(.bundleIdentifierMissing) }
        if let app = self.bundleIdentifier, !app.utf8.elementsEqual(bundleIdentifier.utf8) {
            let origin =
                expected.app.bundleID == nil ? ", the app of the first input. Pass --bundle-id to choose the app" : ""
            throw ReceiptError(
                .bundleIdentifierMismatch, "The data is for \"\(bundleIdentifier)\", not for \"\(app)\"\(origin).")
        }
        self.bundleIdentifier = bundleIdentifier
    }

    private func checkEnvironment(_ environment: AppStoreEnvironment?, isNamed: Bool) throws(ReceiptError) {
        guard environment == nil else { return }
        throw ReceiptError(isNamed ? .environmentUnknown : .environmentMissing)
    }

    /// Returns sentences about what was decoded, and what had no effect.
    func notes(on entitlements: [Entitlement]) -> [String] {
        var notes = notes
        if !rejected.isEmpty {
            notes.append("\(rejected.count) rejected: refunds and renewals may be missing.")
        }
        let originals = Set(entitlements.compactMap(\.originalTransactionIdentifier))
        if evidence.renewals.contains(where: { !originals.contains($0.original ?? "") }) {
            notes.append(
                "Renewal information without a transaction or receipt of its original transaction has no effect.")
        }
        // The newest copy of each environment counts.
        for environment in AppStoreEnvironment.allCases {
            let newest = appTransactions.filter { $0.environment == environment }
                .max { $0.signedDate < $1.signedDate }
            if let date = newest?.originalAppPurchase.revocationDate {
                notes.append(SignedDataSummary.refundOfApp(date))
            }
        }
        if !evidence.transactions.isEmpty || !evidence.renewals.isEmpty, expected.comparesReceiptsOnly {
            notes.append("Versions and devices were compared with receipts only: transactions don't contain them.")
        }
        return notes
    }

    /// Whether anything was verified.
    var isAnyVerified: Bool { !evidence.isEmpty }

    /// The date for which entitlements are derived.
    var entitlementDate: Date {
        guard isDateOpen else { return date }
        return max(date, evidence.newestSignedDate ?? date)
    }

    /// The newest verified receipt of each environment, production first.
    var newestReceipts: [VerifiedReceipt] {
        AppStoreEnvironment.allCases.compactMap { environment in
            evidence.receipts.filter { $0.environment == environment }.max { $0.creationDate < $1.creationDate }
        }
    }

    /// Returns the entitlements from the verified inputs, production first.
    func entitlements() -> [Entitlement] {
        guard let bundleIdentifier else { return [] }
        return AppStoreEnvironment.allCases.flatMap { environment in
            Entitlements(
                of: evidence, bundleIdentifier: bundleIdentifier, environment: environment, at: entitlementDate
            ).all
        }
    }
}
