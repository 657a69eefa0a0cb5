public import Observation

/// What this customer may use. All paid features depend on it.
@MainActor
@Observable
public final class License {
    /// The latest result of validating the receipt.
    public private(set) var outcome: AppLaunchValidation.Outcome

    /// The latest evidence from StoreKit 2, together with the receipt; nil until StoreKit was asked.
    public private(set) var evidence: DeviceEvidence?

    /// Whether a refresh or restore is in progress.
    public private(set) var isBusy = false

    private var restoreError: (any Error)?

    /// The number of times StoreKit was asked, so that an answer that is late doesn't replace a newer one.
    private var requests = 0

    private let configuration: LicenseConfiguration
    private let source: any DeviceEvidenceSource

    /// Validates the receipt. Call ``update()`` to also read the evidence from StoreKit 2.
    ///
    /// - Parameters:
    ///   - configuration: How to verify.
    ///   - source: Returns the tokens of StoreKit 2.
    public init(_ configuration: LicenseConfiguration, source: some DeviceEvidenceSource) {
        self.configuration = configuration
        self.source = source
        outcome = configuration.launch.validate()
    }

    /// Whether the pro features are unlocked. They stay locked without verified evidence.
    public var hasPro: Bool { entitlements?.current(ofAny: Set(LicenseConfiguration.proProducts)) != nil }

    /// What the customer owns according to all evidence; nil if there is no valid receipt and StoreKit wasn't asked
    /// yet.
    public var entitlements: Entitlements? { evidence?.entitlements() ?? outcome.verified?.entitlements() }

    /// Returns whether the evidence contains a transaction. A transaction that isn't in it must not be finished.
    ///
    /// - Parameter identifier: The transaction's identifier.
    public func contains(transaction identifier: UInt64) -> Bool {
        evidence?.transactions.contains { $0.claims.transactionIdentifier == String(identifier) } ?? false
    }

    /// Validates the receipt and reads StoreKit 2 again, after a purchase and when the app becomes active.
    public func update() async {
        outcome = configuration.launch.validate()
        await readEvidence()
    }

    /// For a button: requests a new receipt, for which the customer may have to sign in, and validates again.
    public func refreshReceipt() async {
        isBusy = true
        defer { isBusy = false }
        outcome = await configuration.launch.refresh()
        await readEvidence()
    }

    /// For a button: restores purchases that are missing, for which the customer has to sign in, and validates again.
    ///
    /// - Parameter synchronize: Asks the App Store for the purchases: `AppStore.sync`.
    public func restorePurchases(_ synchronize: () async throws -> Void) async {
        isBusy = true
        defer { isBusy = false }
        do {
            try await synchronize()
            restoreError = nil
        } catch {
            restoreError = error
        }
        await update()
    }

    private func readEvidence() async {
        requests += 1
        let request = requests
        let read = await DeviceEvidence.current(
            from: source, receipt: outcome.verified, expecting: configuration.expectations,
            verifier: configuration.signedData)
        if request == requests { evidence = read }
    }
}

extension License {
    /// What each kind of evidence shows about the products, in the order of ``LicenseConfiguration/proProducts``.
    public var comparisons: [ProductComparison] {
        let (receipt, all) = (outcome.verified?.entitlements(), entitlements)
        let storeKit = evidence.flatMap { evidence in
            evidence.transactions.last?.environment.map { environment in
                Entitlements(
                    bundleIdentifier: LicenseConfiguration.bundleIdentifier, environment: environment,
                    transactions: evidence.transactions, renewals: evidence.renewals)
            }
        }
        return LicenseConfiguration.proProducts.map { product in
            ProductComparison(
                id: product, receipt: receipt?[product], storeKit: storeKit?[product], together: all?[product])
        }
    }

    /// Sentences about what couldn't be read or verified, for the developer.
    public var problems: [String] {
        var problems: [String] = []
        if let error = outcome.error { problems.append("Receipt: \(error)") }
        if let error = outcome.refreshError { problems.append("Refresh: \(error)") }
        if let restoreError { problems.append("Restore: \(restoreError)") }
        return problems + (evidence?.omitted ?? []).map { "StoreKit 2, \($0.part.rawValue): \($0.error)" }
    }
}
