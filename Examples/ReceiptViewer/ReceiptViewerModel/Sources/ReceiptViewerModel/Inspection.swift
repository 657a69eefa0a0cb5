import Foundation

/// What a window shows about a receipt or token.
public struct Inspection: Sendable, Equatable {
    /// The kind of data, such as "Receipt".
    public let kind: String

    /// Whether the data is valid, and why.
    public let verdict: Verdict

    /// What the customer owns; empty if the data isn't valid.
    public let products: [Entitlement]

    /// The result of each check.
    public let checks: [CheckResult]

    /// The purchases in a receipt, newest first.
    public let purchases: [InAppPurchase]

    /// The attributes of a receipt, or the claims of a token.
    public let attributes: [Attribute]

    /// Whether the data is valid, and why.
    public struct Verdict: Sendable, Equatable {
        /// Whether every requested check passed.
        public let isValid: Bool

        /// A sentence about the first failure, or the app and environment of valid data.
        public let summary: String

        /// What to do about a failure; nil if the data is valid.
        public let remedy: String?
    }

    /// An attribute of a receipt, or a claim of a token.
    public struct Attribute: Sendable, Hashable, Identifiable {
        /// The position in the list.
        public let id: Int

        /// The type of a receipt's attribute; nil for a claim.
        public let type: Int?

        /// The name; nil for an attribute that Apple doesn't document.
        public let name: String?

        /// The value as text.
        public let value: String
    }
}

extension Inspection {
    /// Shows a report on a receipt.
    init(_ report: ReceiptReport) {
        self.init(
            report, kind: "Receipt", app: report.receipt?.bundleIdentifier, entitlements: report.entitlements,
            purchases: report.receipt?.purchases ?? [], attributes: report.receipt.map(Attribute.all) ?? [])
    }

    /// Shows a report on signed data.
    init(_ report: SignedDataReport) {
        let kind =
            switch report.kind {
            case .transaction: "Transaction"
            case .renewalInfo: "Renewal information"
            case .appTransaction: "App transaction"
            case .notification: "Notification"
            case .realtimeRequest: "Realtime request"
            case nil: "Unrecognized token"
            }
        self.init(
            report, kind: kind, app: report.payload?["bundleId"]?.string, entitlements: report.entitlements,
            purchases: [], attributes: Attribute.all(in: report))
    }

    private init<Value, Contents>(
        _ report: ValidationReport<Value, Contents>, kind: String, app: String?, entitlements: Entitlements?,
        purchases: [InAppPurchase], attributes: [Attribute]
    ) {
        self.kind = kind
        verdict = Verdict(report, app: app)
        products = entitlements?.all ?? []
        checks = report.checks
        self.purchases = purchases.sorted { ($0.purchaseDate ?? .distantPast) > ($1.purchaseDate ?? .distantPast) }
        self.attributes = attributes
    }
}

extension Inspection.Verdict {
    init<Value, Contents>(_ report: ValidationReport<Value, Contents>, app: String?) {
        isValid = report.isValid
        remedy = report.firstFailure?.remedy
        if let failure = report.firstFailure {
            summary = failure.message
        } else {
            let signer = report.certificates.first { $0.role == .anchor || $0.role == .xcode }
            let origin = [app, report.provenEnvironment?.rawValue].compactMap { $0 }.joined(separator: ", ")
            summary = "For \(origin). Signed under \(signer?.commonName ?? "a trusted root")."
        }
    }
}
