#if Server
import AppReceiptFoundation
package import AppReceiptKit
import AppReceiptSupport
package import AppStoreSignedData

/// Verifies stored rows: that Apple signed the data, that its certificates chain to a trusted root, and that the other
/// columns are those of the data.
package struct StoredRowVerifier: Sendable {
    private let verifier: StoredEvidenceVerifier

    /// Why a row doesn't verify.
    package struct Rejection: Error, Sendable, Hashable {
        /// The code of a receipt error, `row-malformed`, or `row-differs` if the columns aren't those of the data.
        package let code: String

        static let malformed = Rejection(code: "row-malformed")
        static let differs = Rejection(code: "row-differs")
    }

    package init(receipts: ReceiptVerifier, signedData: SignedDataVerifier) {
        // Each row is verified once, so nothing is cached.
        self.init(StoredEvidenceVerifier(receipts: receipts, signedData: signedData, maxCachedBytes: 0))
    }

    init(_ verifier: StoredEvidenceVerifier) { self.verifier = verifier }

    /// - Returns: Why the row doesn't verify; nil if it does. Of what isn't signed, only the form is checked.
    package func rejection(of row: StoredRow) -> Rejection? {
        do throws(Rejection) {
            _ = try verified(row)
            return nil
        } catch {
            return error
        }
    }

    /// Verifies a row, and returns its contents.
    func verified(_ row: StoredRow) throws(Rejection) -> VerifiedRow {
        guard row.isWellFormed else { throw .malformed }
        if row.kind.stateTable != nil { return .state(row) }
        if row.kind == .notification {
            return .notification(NotificationRow(row), received: row.integer("received") ?? 0)
        }
        guard
            let scope = AppScope(
                app: row.text("app"), row.text("environment").flatMap { AppStoreEnvironment(rawValue: $0) })
        else { throw .malformed }
        if row.kind == .receipt { return try receipt(row, in: scope) }
        guard let identifier = row.text("original") else { throw .malformed }
        let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: identifier)
        switch row.kind {
        case .tombstone:
            let claims = row.text("claims") ?? ""
            let tombstone = TransactionTombstone(parsing: claims, app: scope.app, environment: scope.environment)
            guard tombstone?.original == identifier else { throw .malformed }
            return .tombstone(original, claims: claims)
        case .purchase:
            return .purchase(StoredPurchase(row, original: original))
        default:
            return try token(row, of: original)
        }
    }

    private func token(_ row: StoredRow, of original: ScopedOriginal) throws(Rejection) -> VerifiedRow {
        guard let signed = row.integer("signed"), let received = row.integer("received"), let token = row.text("token")
        else { throw .malformed }
        do throws(ReceiptError) {
            switch row.kind {
            case .transaction:
                let transaction = try verifier.verifiedTransaction(token)
                let stored = TransactionRow(
                    original: original, identifier: row.text("identifier") ?? "", signed: signed, token: token,
                    isRevoked: row.integer("revoked") != 0, ended: row.integer("ended") ?? 0)
                if TransactionRow(transaction) == stored {
                    return .transaction(stored, transaction, received: received)
                }
            case .renewal:
                let stored = TokenRow(table: .renewals, original: original, signed: signed, token: token)
                if TokenRow(try verifier.verifiedRenewal(token), app: original.scope.app) == stored {
                    return .token(stored, received: received)
                }
            default:
                let stored = TokenRow(table: .statuses, original: original, signed: signed, token: token)
                if TokenRow(try verifier.verifiedNotification(token)) == stored {
                    return .token(stored, received: received)
                }
            }
        } catch {
            throw Rejection(code: error.code.rawValue)
        }
        throw .differs
    }

    private func receipt(_ row: StoredRow, in scope: AppScope) throws(Rejection) -> VerifiedRow {
        guard let received = row.integer("received"), let created = row.integer("created"),
            let digest = row.bytes("digest"), let der = row.bytes("der"), let list = row.text("originals"),
            let elements = (try? AppStoreJSON(parsing: Array(list.utf8)[...]))?.array
        else { throw .malformed }
        let originals = elements.compactMap(\.string)
        let receipt: VerifiedReceipt
        do throws(ReceiptError) {
            receipt = try verifier.verifiedReceipt(der)
        } catch {
            throw Rejection(code: error.code.rawValue)
        }
        let stored = ReceiptRow(digest: Data(digest), scope: scope, created: created, der: der)
        guard let own = ReceiptRow(receipt), own.digest == stored.digest, own.scope == scope, own.created == created,
            originals.count == elements.count, receipt.originals.isSuperset(of: originals)
        else { throw .differs }
        return .receipt(receipt, originals: Set(originals), received: received)
    }
}

/// A row whose signed data verifies.
enum VerifiedRow: Sendable {
    case purchase(StoredPurchase)
    case tombstone(ScopedOriginal, claims: String)
    case transaction(TransactionRow, VerifiedTransaction, received: Int64)
    /// Renewal information, or a notification that states the status of a subscription.
    case token(TokenRow, received: Int64)
    /// A receipt, and the original transactions for which it is stored.
    case receipt(VerifiedReceipt, originals: Set<String>, received: Int64)
    case notification(NotificationRow, received: Int64)
    /// A row of the server's own state.
    case state(StoredRow)
}

extension NotificationRow {
    /// The contents of a row, which isn't signed.
    fileprivate init(_ row: StoredRow) {
        self.init(
            identifier: row.text("identifier") ?? "", signed: row.integer("signed") ?? 0, type: row.text("type"),
            subtype: row.text("subtype"), original: row.text("original"), app: row.text("app"),
            environment: row.text("environment").flatMap { AppStoreEnvironment(rawValue: $0) }, uuid: nil,
            hasRevocation: false)
    }
}

extension StoredPurchase {
    /// The contents of a row, which isn't signed.
    fileprivate init(_ row: StoredRow, original: ScopedOriginal) {
        self.init(
            original: original,
            binding: AccountBinding(
                token: row.text("appAccountToken"), tokenSigned: row.integer("tokenSigned") ?? 0,
                account: row.text("account")),
            state: PurchaseState(
                json: row.text("entitlements"), due: row.integer("due"), forgotten: row.integer("forgotten")))
    }
}
#endif
