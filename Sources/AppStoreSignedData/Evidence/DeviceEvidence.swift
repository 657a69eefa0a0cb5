public import AppReceiptFoundation
public import AppReceiptKit

/// The verified evidence about the customer of this device: the data of StoreKit 2, and the receipt.
///
/// In an app, `DeviceEvidence.current(receipt:expecting:)` reads every transaction, the status of every subscription
/// and the app transaction, and verifies their tokens. StoreKit verifies them too, but an attacker who controls the
/// process can replace its answers; tokens are verified here under Apple's pinned roots.
///
/// What couldn't be read or verified is in ``omitted`` and has no effect, so that one damaged token doesn't lock the
/// customer out.
///
/// The evidence doesn't contain finished consumables, unless the app's Info.plist has the key
/// `SKIncludeConsumableInAppPurchaseHistory` and the system is iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2 or
/// newer. Source: Apple, StoreKit, `Transaction.all`, `Product.SubscriptionInfo.status(for:)` and
/// `AppTransaction.shared`.
public struct DeviceEvidence: Sendable {
    /// The receipt; nil if none was passed.
    public let receipt: VerifiedReceipt?

    /// The transactions, including those that were refunded. The latest of each subscription occurs twice, because its
    /// status contains it too.
    public private(set) var transactions: [VerifiedTransaction] = []

    /// The renewal information of each subscription.
    public private(set) var renewals: [VerifiedRenewalInfo] = []

    /// The app transaction; nil if it couldn't be read or verified, and before macOS 13, iOS 16, tvOS 16 and watchOS 9.
    public private(set) var appTransaction: VerifiedAppTransaction?

    /// The data that couldn't be read or verified.
    public private(set) var omitted: [Omission] = []

    /// A part of the evidence that couldn't be read or verified.
    public struct Omission: Sendable {
        /// The kind of data.
        public enum Part: String, Sendable, Hashable {
            /// A transaction.
            case transaction
            /// The status of a subscription: its latest transaction or its renewal information.
            case subscriptionStatus = "subscription-status"
            /// The app transaction.
            case appTransaction = "app-transaction"
        }

        /// The kind of data.
        public let part: Part

        /// A `ReceiptError` if the token wasn't valid, otherwise the error of StoreKit.
        public let error: any Error
    }

    /// Reads and verifies the evidence of a source.
    ///
    /// Waits for the App Store if the device has no recent copy of a subscription's status or of the app transaction.
    /// For the latter, the system may ask the customer to sign in. Doesn't throw: see ``omitted``.
    ///
    /// - Parameters:
    ///   - source: Returns the tokens. An app omits it; a test passes one of its own.
    ///   - receipt: The verified receipt, for purchases that were made before the app used StoreKit 2.
    ///   - expectations: The app, environments and device that the tokens must be for. App transactions from production
    ///     require the app's App Store identifier.
    ///   - verifier: The verifier. Default: one that trusts Apple's roots.
    ///   - now: The current time, used only to determine whether a token comes from the future.
    /// - Returns: The evidence that is valid.
    public static func current(
        from source: some DeviceEvidenceSource, receipt: VerifiedReceipt? = nil,
        expecting expectations: SignedDataExpectations, verifier: SignedDataVerifier = SignedDataVerifier(),
        now: Date = Date()
    ) async -> DeviceEvidence {
        var evidence = DeviceEvidence(receipt: receipt)
        for token in await source.transactionTokens() {
            evidence.attempt(.transaction) {
                $0.transactions.append(try verifier.verifyTransaction(token, expecting: expectations, now: now))
            }
        }
        for group in Set(evidence.transactions.compactMap(\.claims.subscriptionGroupIdentifier)).sorted() {
            do {
                for status in try await source.statusTokens(ofSubscriptionGroup: group) {
                    evidence.attempt(.subscriptionStatus) {
                        $0.transactions.append(
                            try verifier.verifyTransaction(status.transaction, expecting: expectations, now: now))
                    }
                    evidence.attempt(.subscriptionStatus) {
                        $0.renewals.append(
                            try verifier.verifyRenewalInfo(status.renewalInfo, expecting: expectations, now: now))
                    }
                }
            } catch {
                evidence.omitted.append(Omission(part: .subscriptionStatus, error: error))
            }
        }
        do {
            if let token = try await source.appTransactionToken() {
                evidence.appTransaction = try verifier.verifyAppTransaction(token, expecting: expectations, now: now)
            }
        } catch {
            evidence.omitted.append(Omission(part: .appTransaction, error: error))
        }
        return evidence
    }

    private init(receipt: VerifiedReceipt?) { self.receipt = receipt }

    private mutating func attempt(_ part: Omission.Part, verify: (inout Self) throws -> Void) {
        do {
            try verify(&self)
        } catch {
            omitted.append(Omission(part: part, error: error))
        }
    }

    /// Derives what the customer owns from all of the evidence.
    ///
    /// An app runs in one environment. It is that of the app transaction, otherwise of the receipt or of the
    /// transaction that was signed last. Evidence of another environment has no effect.
    ///
    /// - Parameter date: The date for which the entitlements are derived. Default: the current time, but not before the
    ///   newest evidence was signed, because an earlier clock is wrong.
    /// - Returns: The entitlements. They are empty if there is no evidence.
    public func entitlements(at date: Date? = nil) -> Entitlements {
        let latest = transactions.max { $0.signedDate < $1.signedDate }
        let environment = appTransaction?.environment ?? receipt?.environment ?? latest?.environment
        let bundleIdentifier =
            appTransaction?.claims.bundleIdentifier ?? receipt?.receipt.bundleIdentifier
            ?? latest?.claims.bundleIdentifier
        return Entitlements(
            bundleIdentifier: bundleIdentifier ?? "", environment: environment ?? .production,
            receipts: receipt.map { [$0] } ?? [], transactions: transactions, renewals: renewals, at: date)
    }
}
