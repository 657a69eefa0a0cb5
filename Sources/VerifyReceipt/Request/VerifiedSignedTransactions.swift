import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

/// Verified tokens of StoreKit 2 that a request contains in place of a receipt, or beside one.
///
/// They are of one app and environment. That they are of one customer isn't proved, as for any evidence in a request.
public struct VerifiedSignedTransactions: Sendable, Hashable {
    /// The transactions, in the order of the request.
    public let transactions: [VerifiedTransaction]
    /// The renewal information beside them.
    public let renewals: [VerifiedRenewalInfo]
    /// The newest app transaction; nil if there is none.
    public let appTransaction: VerifiedAppTransaction?
    /// The app.
    public let bundleIdentifier: String
    /// The environment.
    public let environment: AppStoreEnvironment?

    /// Verifies tokens.
    ///
    /// - Throws: The first failure of a token; `signed-transactions-mixed` or `signed-transaction-missing`.
    init(_ tokens: [String], by verifier: SignedDataVerifier) throws(ReceiptError) {
        let anything = SignedDataExpectations(
            bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
        var (transactions, renewals): ([VerifiedTransaction], [VerifiedRenewalInfo]) = ([], [])
        var appTransaction: VerifiedAppTransaction?
        for token in tokens {
            switch try verifier.report(token, expecting: anything, now: .distantFuture).result.get() {
            case .transaction(let transaction): transactions.append(transaction)
            case .renewalInfo(let renewal): renewals.append(renewal)
            case .appTransaction(let other):
                if appTransaction.map({ $0.signedDate < other.signedDate }) ?? true { appTransaction = other }
            case .notification, .realtimeRequest:
                throw ReceiptError(.tokenKindMismatch, "A token in the request isn't a transaction.")
            }
        }
        let apps =
            transactions.map(\.claims.bundleIdentifier) + [appTransaction].compactMap { $0?.claims.bundleIdentifier }
        let environments =
            transactions.map(\.environment) + renewals.map(\.environment)
            + [appTransaction].compactMap { $0?.environment }
        guard let first = apps.first, !environments.isEmpty else { throw ReceiptError(.signedTransactionMissing) }
        guard let bundleIdentifier = first else { throw ReceiptError(.bundleIdentifierMissing) }
        guard apps.allSatisfy({ $0.map { ExactString($0) } == ExactString(bundleIdentifier) }),
            environments.allSatisfy({ $0 == environments[0] })
        else { throw ReceiptError(.signedTransactionsMixed) }
        self.transactions = transactions
        self.renewals = renewals
        self.appTransaction = appTransaction
        self.bundleIdentifier = bundleIdentifier
        environment = environments[0]
    }

    /// The evidence of purchases.
    public var evidence: CustomerEvidence { CustomerEvidence(transactions: transactions, renewals: renewals) }

    /// Returns each transaction once, as the tokens alone state it.
    ///
    /// - Parameter known: Transactions that are left out.
    func claimed(besides known: [AppStoreTransaction] = []) -> [AppStoreTransaction] {
        let identifiers = Set(known.compactMap(\.transactionIdentifier))
        return PurchaseLedger(evidence, app: bundleIdentifier, environment: environment).transactions.filter {
            $0.transactionIdentifier.map { !identifiers.contains($0) } ?? false
        }
    }

    /// When the newest token was signed.
    var newestSignedDate: Date {
        let dates = transactions.map(\.signedDate) + renewals.map(\.signedDate)
        return ([appTransaction?.signedDate].compactMap(\.self) + dates).max() ?? .distantPast
    }

    /// The newest transaction; nil without any.
    var newestTransaction: VerifiedTransaction? { transactions.max { $1.isNewer(than: $0) } }

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
