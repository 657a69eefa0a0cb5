#if Server
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("Replacement of stored rows")
struct RowReplacementTests {
    private static let (old, new) = ("2024-12-01T00:00:00Z", "2024-12-02T00:00:00Z")

    private static func transaction(
        _ signed: String, refund: String? = nil, by pki: TestPKI = .signedData
    ) throws -> (VerifiedTransaction, TransactionRow) {
        let transaction = try StoreFixtures.transaction(
            StoreFixtures.period("1", signed: signed, refund: refund), by: pki)
        return (transaction, try #require(TransactionRow(transaction)))
    }

    private func replaces(
        _ known: TransactionRow?, with new: (transaction: VerifiedTransaction, row: TransactionRow)
    ) -> Bool {
        new.row.replaces(known, with: new.transaction, by: .trusting())
    }

    @Test("The transaction that was signed last is stored, in every order of arrival")
    func transactions() throws {
        let (older, newer) = (try Self.transaction(Self.old), try Self.transaction(Self.new))
        #expect(replaces(nil, with: older))
        #expect(!replaces(older.1, with: older))
        #expect(replaces(older.1, with: newer))
        #expect(!replaces(newer.1, with: older))
    }

    @Test("At equal times, a revocation is stored")
    func ties() throws {
        let (plain, refunded) = (try Self.transaction(Self.old), try Self.transaction(Self.old, refund: Self.old))
        #expect(replaces(plain.1, with: refunded))
        #expect(!replaces(refunded.1, with: plain))
    }

    @Test("A row that claims to be newer and doesn't verify is replaced, but not a revocation of a former root")
    func unverified() throws {
        let new = try Self.transaction(Self.old)
        let forged = TransactionRow(
            original: new.1.original, identifier: "1", signed: .max, token: "a.b.c", isRevoked: true, ended: 0)
        #expect(replaces(forged, with: new))
        #expect(try replaces(Self.transaction(Self.new, by: StoreFixtures.formerPKI).1, with: new))
        #expect(
            try !replaces(Self.transaction(Self.new, refund: Self.old, by: StoreFixtures.formerPKI).1, with: new))
    }

    @Test("The renewal information that was signed last is stored, unless it doesn't verify")
    func renewals() throws {
        func row(_ signed: String) throws -> TokenRow {
            try #require(TokenRow(StoreFixtures.renewal(signed: signed), app: "com.example.app"))
        }
        let (older, newer, verifier) = (try row(Self.old), try row(Self.new), StoredEvidenceVerifier.trusting())
        #expect(older.replaces(nil, by: verifier) && !older.replaces(older, by: verifier))
        #expect(newer.replaces(older, by: verifier) && !older.replaces(newer, by: verifier))
        let forged = TokenRow(table: .renewals, original: older.original, signed: .max, token: older.token)
        #expect(older.replaces(forged, by: verifier))
    }

    @Test("A notification without a UUID is identified by its bytes, and one from Xcode isn't stored")
    func notifications() throws {
        let period = StoreFixtures.period("1")
        let named = try #require(NotificationRow(StoreFixtures.notification(7, period)))
        #expect(named.identifier == named.uuid && named.identifier.hasSuffix("7"))
        #expect(try named.purchase == .test())
        let unnamed = try #require(
            NotificationRow(StoreFixtures.notification(7, period) { $0.overrides["notificationUUID"] = .null }))
        #expect(unnamed.uuid == nil && unnamed.identifier.hasPrefix("token "))
        #expect(try NotificationRow(StoreFixtures.notification(7, nil) { $0.environment = .xcode }) == nil)
    }
}
#endif
