#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB
import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An app in one environment: what lines are numbered in.
struct AppScope: Sendable, Hashable {
    let app: String
    let environment: String

    /// - Returns: nil where nothing is stored: Xcode's data anybody can make, and what names no app or no known environment
    ///   nobody could ask for.
    init?(app: String?, _ environment: ReceiptEnvironment.Base?) {
        guard let app, app.isStorable, let environment, environment != .xcode else { return nil }
        self.app = app
        self.environment = environment.rawValue
    }
}

/// A row of `transactions`.
struct TransactionRow: Sendable, Hashable {
    let scope: AppScope
    let identifier: String
    let line: String
    let signed: Int64
    let token: String
    /// Whether the token states a revocation. It decides which rows are read first and proves nothing.
    let isRevoked: Bool

    /// What a verified transaction is stored as; nil if it is not stored.
    init?(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        guard let scope = AppScope(app: claims.bundleIdentifier, transaction.environment),
            let identifier = claims.transactionIdentifier, identifier.isStorable,
            let line = transaction.original, line.isStorable,
            let signed = transaction.signedDate.milliseconds
        else { return nil }
        self.scope = scope
        self.identifier = identifier
        self.line = line
        self.signed = signed
        token = transaction.token
        isRevoked = claims.revocationDate != nil
    }

    static let columns = "identifier, line, signed, token, revoked"

    /// What stands in the database, whatever it is; nil if it has not even the form.
    init?(_ row: Row, _ scope: AppScope) {
        guard let identifier = String.fromDatabaseValue(row[0]), let line = String.fromDatabaseValue(row[1]),
            let signed = Int64.fromDatabaseValue(row[2]), let token = String.fromDatabaseValue(row[3]),
            let revoked = Int64.fromDatabaseValue(row[4])
        else { return nil }
        self.scope = scope
        self.identifier = identifier
        self.line = line
        self.signed = signed
        self.token = token
        isRevoked = revoked != 0
    }

    /// The transaction that the token proves, if the columns that identify it agree.
    func proven(by evidence: StoredEvidenceVerifier) -> VerifiedTransaction? {
        guard let transaction = evidence.transaction(token), let row = TransactionRow(transaction),
            row.scope == scope, row.identifier == identifier, row.line == line, row.signed == signed
        else { return nil }
        return transaction
    }
}

/// A row of `renewals`.
struct RenewalRow: Sendable, Hashable {
    let scope: AppScope
    let line: String
    let signed: Int64
    let token: String

    /// What verified renewal information is stored as; nil if it is not stored. It names no app itself.
    init?(_ renewal: VerifiedRenewalInfo, app: String) {
        guard let scope = AppScope(app: app, renewal.environment),
            let line = renewal.claims.originalTransactionIdentifier,
            line.isStorable, let signed = renewal.signedDate.milliseconds
        else { return nil }
        self.scope = scope
        self.line = line
        self.signed = signed
        token = renewal.token
    }

    static let columns = "line, signed, token"

    /// What stands in the database, whatever it is; nil if it has not even the form.
    init?(_ row: Row, _ scope: AppScope) {
        guard let line = String.fromDatabaseValue(row[0]), let signed = Int64.fromDatabaseValue(row[1]),
            let token = String.fromDatabaseValue(row[2])
        else { return nil }
        self.scope = scope
        self.line = line
        self.signed = signed
        self.token = token
    }

    /// The renewal information that the token proves, if it is what the other columns say. The app it cannot prove: numbers
    /// of lines do not repeat from app to app.
    func proven(by evidence: StoredEvidenceVerifier) -> VerifiedRenewalInfo? {
        guard let renewal = evidence.renewal(token), RenewalRow(renewal, app: scope.app) == self else { return nil }
        return renewal
    }
}

/// A row of `receipts`. The container is stored without what isn't signed.
struct ReceiptRow: Sendable, Hashable {
    let scope: AppScope
    let created: Int64
    let der: [UInt8]

    /// What a receipt is stored as; nil if it is not stored.
    init?(_ verified: VerifiedReceipt) {
        guard let scope = AppScope(app: verified.receipt.bundleIdentifier, verified.environment),
            let created = verified.creationDate.milliseconds
        else { return nil }
        self.scope = scope
        self.created = created
        der = verified.strippedContainer()
    }

    static let columns = "app, environment, created, der"

    /// What stands in the database, whatever it is; nil if it has not even the form, or is of another app.
    ///
    /// - Parameter column: the first one of it.
    init?(_ row: Row, _ scope: AppScope, from column: Int = 0) {
        guard String.fromDatabaseValue(row[column]) == scope.app,
            String.fromDatabaseValue(row[column + 1]) == scope.environment,
            let created = Int64.fromDatabaseValue(row[column + 2]), let der = Data.fromDatabaseValue(row[column + 3])
        else { return nil }
        self.scope = scope
        self.created = created
        self.der = Array(der)
    }

    /// The receipt that the bytes prove, if the other columns agree with it.
    func proven(by evidence: StoredEvidenceVerifier) -> VerifiedReceipt? {
        guard let receipt = evidence.receipt(der),
            AppScope(app: receipt.receipt.bundleIdentifier, receipt.environment) == scope,
            receipt.creationDate.milliseconds == created
        else { return nil }
        return receipt
    }
}

extension String {
    /// Whether SQLite stores all of it: what follows a zero would be left out, and the rest taken for something else.
    var isStorable: Bool { !utf8.contains(0) }
}

extension Date {
    /// Milliseconds since 1970, as the database has dates; nil for dates that no number of them reaches.
    var milliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) }
}
#endif
