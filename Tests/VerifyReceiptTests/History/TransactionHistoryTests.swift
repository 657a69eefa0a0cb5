import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("TransactionHistory")
struct TransactionHistoryTests {
    private let body: [UInt8] = (try? request(ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed())) ?? []

    @Test("An empty history doesn't change the response")
    func empty() async throws {
        let responder = try VerifyReceiptResponder.standard()
        let with = await responder.response(to: body, evidence: InMemoryTransactionHistory(), now: .later)
        #expect(with.json == responder.response(to: body, now: .later).json)
        #expect(with.status == .valid)
    }

    @Test("A history is queried for the original transactions, app and environment of the receipt")
    func queried() async throws {
        let receipt = ReceiptFixtures.receipt([
            ReceiptFixtures.period(1), ReceiptFixtures.period(2), ReceiptFixtures.period(4, of: 4),
            TestPurchase("com.example.pro", transaction: "30", at: VerifiedFixtures.start).with {
                $0.originalTransactionIdentifier = "7"
            },
        ]).with {
            $0.environment = .production
            $0.bundleIdentifier = "com.example.garden"
        }
        let history = Recording()
        let responder = try VerifyReceiptResponder.standard()
        #expect(
            await responder.response(to: request(try receipt.signed()), evidence: history, now: .later).status == .valid
        )
        #expect(
            history.queries.withLock { $0 } == [
                Query(originals: ["1", "4", "7"], app: "com.example.garden", environment: .production)
            ])
    }

    @Test("A history isn't queried for a receipt that is rejected or doesn't contain purchases")
    func notQueried() async throws {
        let history = Recording()
        let apple = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
        #expect(await apple.response(to: body, evidence: history, now: .later).status == .notAuthenticated)
        let production = try VerifyReceiptResponder.standard(.production)
        #expect(
            await production.response(to: body, evidence: history, now: .later).status == .sandboxReceiptInProduction)
        let other = try VerifyReceiptResponder.standard(bundleIdentifiers: ["com.example.other"])
        #expect(await other.response(to: body, evidence: history, now: .later).status == .notAuthenticated)
        let empty = request(try ReceiptFixtures.receipt([]).signed())
        let responder = try VerifyReceiptResponder.standard()
        #expect(await responder.response(to: empty, evidence: history, now: .later).status == .valid)
        let nameless = request(
            try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).with { $0.overrides[2] = [] }.signed())
        #expect(await responder.response(to: nameless, evidence: history, now: .later).status == .valid)
        #expect(history.queries.withLock { $0 }.isEmpty)
    }

    @Test("The response is retryable if a history fails, but a rejected receipt is still rejected")
    func failure() async throws {
        let response = await (try VerifyReceiptResponder.standard()).response(to: body, evidence: Broken(), now: .later)
        #expect(response.status == .historyUnavailable)
        #expect(response.json == ["status": 21100, "is-retryable": true, "is_retryable": true])
        #expect(response.receipt != nil)
        let apple = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
        #expect(await apple.response(to: body, evidence: Broken(), now: .later).status == .notAuthenticated)
    }

    private struct Query: Sendable, Hashable {
        let originals: Set<String>
        let app: String
        let environment: AppStoreEnvironment
    }

    /// An empty history that records the queries.
    private final class Recording: TransactionHistory {
        let queries = LockedValueBox<[Query]>([])

        func history(
            of originals: Set<String>, app: String, environment: AppStoreEnvironment
        ) async throws -> CustomerEvidence {
            queries.withLock {
                $0.append(Query(originals: originals, app: app, environment: environment))
            }
            return CustomerEvidence()
        }
    }

    private struct Broken: TransactionHistory {
        struct Unreachable: Error {}

        func history(
            of originals: Set<String>, app: String, environment: AppStoreEnvironment
        ) async throws -> CustomerEvidence { throw Unreachable() }
    }
}
