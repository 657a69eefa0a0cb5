import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

/// Verified tokens of StoreKit 2 that a request contains in place of a receipt, or beside one.
///
/// They are of one app and environment. That they are of one customer isn't proven, as for any evidence in a request.
public struct VerifiedSignedTransactions: Sendable, Hashable {
    /// The transactions, in the order of the request.
    public private(set) var transactions: [VerifiedTransaction]
    /// The renewal information of their purchases, or of those in a receipt beside them.
    public var renewals: [VerifiedRenewalInfo] {
        // It names no app, so it proves nothing without its transaction (rule 6 of WhatACustomerOwns).
        let proven = originals.union(transactions.compactMap(\.original))
        return submittedRenewals.filter { $0.original.map(proven.contains) ?? false }
    }
    /// The newest app transaction; nil if there is none.
    public private(set) var appTransaction: VerifiedAppTransaction?
    /// The app.
    public let bundleIdentifier: String
    /// The environment.
    public let environment: AppStoreEnvironment?
    /// The original transactions in a receipt beside the tokens.
    private let originals: Set<String>
    private var submittedRenewals: [VerifiedRenewalInfo]

    /// Whether there is renewal information without its transaction or receipt.
    var omitsRenewals: Bool { renewals.count < submittedRenewals.count }

    /// Verifies the tokens of a request without a receipt.
    ///
    /// - Throws: The first failure of a token; `signed-transactions-mixed` or `signed-transaction-missing`.
    init(_ tokens: [String], by verifier: SignedDataVerifier) throws(ReceiptError) {
        var verified: [VerifiedSignedData] = []
        for token in tokens { verified.append(try Self.verified(token, by: verifier)) }
        let apps = verified.filter { $0.renewalInfo == nil }.map(\.bundleIdentifier)
        guard let app = apps.first else { throw ReceiptError(.signedTransactionMissing) }
        guard let bundleIdentifier = app else { throw ReceiptError(.bundleIdentifierMissing) }
        let environment = verified.first?.environment
        guard apps.allSatisfy({ $0.map { ExactString($0) } == ExactString(bundleIdentifier) }),
            verified.allSatisfy({ $0.environment == environment })
        else { throw ReceiptError(.signedTransactionsMixed) }
        self.init(verified, originals: [], bundleIdentifier: bundleIdentifier, environment: environment)
    }

    /// Returns the tokens beside a receipt that are genuine and of its app and environment, or nil if there are none,
    /// and the reason why the first of the others isn't used.
    static func usable(
        _ tokens: [String], beside receipt: VerifyReceiptResponse.Receipt, by verifier: SignedDataVerifier
    ) -> (used: VerifiedSignedTransactions?, unused: ReceiptError?) {
        guard let bundleIdentifier = receipt.bundleIdentifier else { return (nil, nil) }
        var (verified, unused): ([VerifiedSignedData], ReceiptError?) = ([], nil)
        for token in tokens {
            do throws(ReceiptError) {
                let data = try Self.verified(token, by: verifier)
                let isOfApp = data.bundleIdentifier.map { ExactString($0) } == ExactString(bundleIdentifier)
                guard data.environment == receipt.environment, isOfApp || data.renewalInfo != nil else {
                    throw ReceiptError(.signedTransactionsMixed)
                }
                verified.append(data)
            } catch {
                unused = unused ?? error
            }
        }
        let used = Self(
            verified, originals: receipt.originals, bundleIdentifier: bundleIdentifier,
            environment: receipt.environment)
        if used.omitsRenewals { unused = unused ?? ReceiptError(.signedTransactionMissing) }
        return (used.evidence.isEmpty && used.appTransaction == nil ? nil : used, unused)
    }

    /// - Parameter originals: The original transactions in a receipt beside the tokens.
    private init(
        _ verified: [VerifiedSignedData], originals: Set<String>, bundleIdentifier: String,
        environment: AppStoreEnvironment?
    ) {
        transactions = verified.compactMap(\.transaction)
        submittedRenewals = verified.compactMap(\.renewalInfo)
        self.originals = originals
        appTransaction = verified.compactMap(\.appTransaction).max { $0.signedDate < $1.signedDate }
        self.bundleIdentifier = bundleIdentifier
        self.environment = environment
    }

    /// Adds tokens of the same app and environment.
    mutating func add(_ other: VerifiedSignedTransactions) {
        transactions += other.transactions
        submittedRenewals += other.submittedRenewals
        appTransaction = [appTransaction, other.appTransaction].compactMap(\.self).max { $0.signedDate < $1.signedDate }
    }

    private static func verified(
        _ token: String, by verifier: SignedDataVerifier
    ) throws(ReceiptError) -> VerifiedSignedData {
        let anything = SignedDataExpectations(
            bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
        // Like a receipt, a token is genuine whenever it was signed.
        let verified = try verifier.report(token, expecting: anything, now: .distantFuture).result.get()
        switch verified {
        case .transaction, .renewalInfo, .appTransaction: return verified
        case .notification, .realtimeRequest:
            throw ReceiptError(.tokenKindMismatch, "A token in the request isn't a transaction.")
        }
    }

    /// The evidence of purchases.
    public var evidence: CustomerEvidence { CustomerEvidence(transactions: transactions, renewals: renewals) }

    /// Returns each transaction once, as the tokens alone state it.
    ///
    /// - Parameter known: Transactions that are left out.
    func claimed(besides known: [AppStoreTransaction] = []) -> [AppStoreTransaction] {
        let ledger = PurchaseLedger(evidence, app: bundleIdentifier, environment: environment)
        let own = transactions.map { AppStoreTransaction($0) }
        // By position, because Xcode uses the same identifier for several transactions.
        var listed = Set(ledger.positions(of: known).compactMap(\.self))
        return ledger.merged(
            zip(own, ledger.positions(of: own)).filter { _, position in
                position.map { listed.insert($0).inserted } ?? false
            }.map(\.0))
    }

    /// When the newest token was signed.
    var newestSignedDate: Date {
        let dates = transactions.map(\.signedDate) + renewals.map(\.signedDate)
        return ([appTransaction?.signedDate].compactMap(\.self) + dates).max() ?? .distantPast
    }

    /// The newest transaction; nil without any.
    var newestTransaction: VerifiedTransaction? { transactions.max { $1.isNewer(than: $0) } }

    /// Whether a token contains an environment, known or not.
    var isEnvironmentNamed: Bool {
        transactions.contains { $0.claims.environment != nil } || appTransaction?.claims.environment != nil
    }

    /// Whether Xcode's certificate signed them.
    var areSignedByXcode: Bool {
        transactions.allSatisfy { $0.signerCertificate.role == .xcode }
            && appTransaction.map { $0.signerCertificate.role == .xcode } ?? true
    }
}

extension VerifiedSignedTransactions: CustomStringConvertible {
    /// A description without identifiers.
    public var description: String {
        "VerifiedSignedTransactions(\(transactions.count), \(environment?.rawValue ?? "unknown environment"))"
    }
}
