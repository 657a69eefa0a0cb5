import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("PurchaseCopies")
struct PurchaseCopiesTests {
    @Test("A restored copy is upgraded or refunded with its siblings, even if the dates of one have milliseconds")
    func restored() throws {
        let restored = try Evidence.receipt(
            created: "2024-06-10", .period("plus", "9", "2024-06-01", "2024-08-01", original: "2"))
        #expect(restored.state("plus", at: "2024-07-15") == .active)
        for fraction in ["", ".123", ".999"] {
            let (start, end) = ("2024-06-01T00:00:00\(fraction)Z", "2024-08-01T00:00:00\(fraction)Z")
            let upgraded = try Evidence.period("plus", "3", start, end, original: "2") {
                $0.overrides = ["isUpgraded": true]
            }
            let refunded = try Evidence.period("plus", "3", start, end, original: "2") {
                $0.revocationDate = moment("2024-07-01")
            }
            for (evidence, state) in [(upgraded, Entitlement.State.upgraded), (refunded, .refunded)] {
                for evidence in [restored + evidence, evidence + restored] {
                    #expect(evidence.state("plus", at: "2024-07-15") == state)
                    #expect(evidence.entitlements(at: "2024-07-15").transactions.count == 2)
                }
            }
        }
    }

    @Test("A newer token of one copy doesn't clear the revocation of another")
    func notCleared() throws {
        let refunded = try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-06-15") {
            $0.revocationDate = moment("2024-06-10")
        }
        let copy = try Evidence.kept("pro", "2", "2024-06-05", original: "1", signed: "2024-07-15")
        #expect((refunded + copy).state("pro", at: "2024-07-20") == .refunded)
        let cleared = try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-06-20")
        #expect((refunded + copy + cleared).state("pro", at: "2024-07-20") == .owned)
    }

    @Test("The transaction of an entitlement is the revoked one, or otherwise the last copy")
    func transactions() throws {
        let original = try Evidence.kept("pro", "1", "2024-06-01")
        let copy = try Evidence.kept("pro", "2", "2024-06-05", original: "1")
        #expect((original + copy).entitlements(at: "2024-07-01")["pro"]?.transactionIdentifier == "2")
        let refunded = try Evidence.kept("pro", "1", "2024-06-01", signed: "2024-06-20") {
            $0.revocationDate = moment("2024-06-20")
        }
        // The copy inherits the date.
        #expect((refunded + copy).entitlements(at: "2024-07-01")["pro"]?.until == moment("2024-06-20"))
    }

    @Test("A transaction remains a copy if only one of the copies was extended")
    func extended() throws {
        let before = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-01")
        let extended = try Evidence.period("plus", "1", "2024-06-01", "2024-07-15", signed: "2024-06-20") {
            $0.revocationDate = moment("2024-06-20")
        }
        let copy = try Evidence.receipt(created: "2024-06-10", .period("plus", "2", "2024-06-01", "2024-07-01"))
        #expect((before + copy).state("plus", at: "2024-06-25") == .active)
        #expect((extended + copy).state("plus", at: "2024-06-25") == .refunded)
        for evidence in [before + extended + copy, copy + extended + before] {
            #expect(evidence.state("plus", at: "2024-06-25") == .refunded)
        }
    }

    @Test("Copies of copies are copies")
    func chains() throws {
        let refunded = try Evidence.period("plus", "1", "2024-06-01", "2024-07-01", signed: "2024-06-20") {
            $0.revocationDate = moment("2024-06-20")
        }
        // Its expiration date was extended, then shortened.
        let link =
            try Evidence.period("plus", "2", "2024-06-01", "2024-07-15", signed: "2024-06-02")
            + .period("plus", "2", "2024-06-01", "2024-07-01", signed: "2024-06-10")
        let last = try Evidence.period("plus", "3", "2024-06-01", "2024-07-15", signed: "2024-06-11")
        for evidence in [refunded + link + last, last + link + refunded] {
            #expect(evidence.state("plus", at: "2024-06-25") == .refunded)
            let entitlements = evidence.entitlements(at: "2024-07-10")
            #expect(entitlements.active.isEmpty)
            #expect(
                entitlements.transactions.map(\.cancellationDate) == Array(repeating: moment("2024-06-20"), count: 3))
        }
        #expect((refunded + last).state("plus", at: "2024-06-25") == .refunded)
    }

    @Test(
        "Transactions that buy seats share a period without being copies",
        arguments: [
            ["multiSeatInfo": .object(["invitationManagement": "APPLE"])],
            ["additionalTransactionReason": "SEAT_ADDITION"],
        ] as [[String: AppStoreJSON]])
    func seats(_ members: [String: AppStoreJSON]) throws {
        func seats(_ transaction: String, revoked: Bool = false) throws -> Evidence {
            try .period("team", transaction, "2024-06-01", "2024-07-01") {
                $0.overrides = members
                if revoked { $0.revocationDate = moment("2024-06-10") }
            }
        }
        let one = try seats("1") + seats("2", revoked: true)
        #expect(one.state("team", at: "2024-06-15") == .active)
        #expect(one.entitlements(at: "2024-06-15")["team"]?.transactionIdentifier == "1")
        let none = try seats("1", revoked: true) + seats("2", revoked: true)
        #expect(none.state("team", at: "2024-06-15") == .refunded)
        // A transaction without these members isn't a copy of one that has them.
        let mixed = try seats("1", revoked: true) + .period("team", "3", "2024-06-01", "2024-07-01")
        #expect(mixed.state("team", at: "2024-06-15") == .active)
    }

    @Test("The quantity of a period with several transactions is the number of seats that aren't revoked")
    func quantities() throws {
        func seats(
            _ transaction: String, _ quantity: Int64, from start: String, revoked: Int64? = nil, refunded: String? = nil
        ) throws -> Evidence {
            try .period("team", transaction, start, "2024-07-01") { made in
                made.quantity = quantity
                var info: AppStoreJSON.Object = ["invitationManagement": "DEVELOPER"]
                info["revokedSeatQuantity"] = revoked.map { .number(AppStoreJSON.Number($0)) }
                made.overrides["multiSeatInfo"] = .object(info)
                if made.transactionIdentifier != "1" { made.overrides["additionalTransactionReason"] = "SEAT_ADDITION" }
                made.revocationDate = refunded.map(moment)
            }
        }
        let evidence =
            try seats("1", 10, from: "2024-06-01", revoked: 3) + seats("2", 5, from: "2024-06-10")
            + seats("3", 2, from: "2024-06-12", refunded: "2024-06-20")
        for evidence in [evidence, evidence.reversed] {
            for (date, quantity) in [("2024-06-05", 7), ("2024-06-10", 12), ("2024-06-15", 14), ("2024-06-25", 12)] {
                let team = try #require(evidence.entitlements(at: date)["team"])
                #expect(team.state == .active, "\(date)")
                #expect(team.quantity == quantity, "\(date)")
                #expect(team.since == moment("2024-06-01"), "\(date)")
            }
        }
        // The first transaction may lack the members for seats.
        let plain =
            try Evidence.period("team", "1", "2024-06-01", "2024-07-01") { $0.quantity = 4 }
            + seats("2", 5, from: "2024-06-10")
        #expect(plain.entitlements(at: "2024-06-15")["team"]?.quantity == 9)
        let refunded =
            try seats("1", 10, from: "2024-06-01", refunded: "2024-06-15")
            + seats("2", 5, from: "2024-06-10", refunded: "2024-06-16")
        let team = try #require(refunded.entitlements(at: "2024-06-20")["team"])
        #expect(team.state == .refunded)
        #expect(team.quantity == 15)
    }
}
