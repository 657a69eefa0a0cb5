import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

@Suite("TransactionHistory")
struct TransactionHistoryTests {
    private let body: [UInt8] = (try? request(Made.receipt([Made.period(1)]).signed())) ?? []

    @Test("An empty history gives the receipt's own answer")
    func empty() async throws {
        let responder = try VerifyReceiptResponder.standard()
        let with = await responder.answer(body, history: InMemoryTransactionHistory(), now: .later)
        #expect(with.json == responder.answer(body, now: .later).json)
        #expect(with.status == .valid)
    }

    @Test("A history is asked for the originals of the receipt, its app and its environment")
    func asked() async throws {
        let receipt = Made.receipt([
            Made.period(1), Made.period(2), Made.period(4, of: 4),
            TestPurchase("com.example.pro", transaction: "30", at: Verified.start).with {
                $0.originalTransactionIdentifier = "7"
            },
        ]).with {
            $0.environment = .production
            $0.bundleIdentifier = "com.example.garden"
        }
        let history = Recording()
        let responder = try VerifyReceiptResponder.standard()
        #expect(await responder.answer(request(try receipt.signed()), history: history, now: .later).status == .valid)
        #expect(
            history.questions.withLock { $0 } == [
                ValidationRequest(originals: ["1", "4", "7"], app: "com.example.garden", environment: .production)
            ])
    }

    @Test("A history isn't asked for a receipt that is refused, or contains no purchases")
    func notAsked() async throws {
        let history = Recording()
        let apple = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
        #expect(await apple.answer(body, history: history, now: .later).status == .notAuthenticated)
        let production = try VerifyReceiptResponder.standard(.production)
        #expect(await production.answer(body, history: history, now: .later).status == .sandboxReceiptInProduction)
        let other = try VerifyReceiptResponder.standard(bundleIdentifiers: ["com.example.other"])
        #expect(await other.answer(body, history: history, now: .later).status == .notAuthenticated)
        let empty = request(try Made.receipt([]).signed())
        let responder = try VerifyReceiptResponder.standard()
        #expect(await responder.answer(empty, history: history, now: .later).status == .valid)
        let nameless = request(try Made.receipt([Made.period(1)]).with { $0.overrides[2] = [] }.signed())
        #expect(await responder.answer(nameless, history: history, now: .later).status == .valid)
        #expect(history.questions.withLock { $0 }.isEmpty)
    }

    @Test("A history that fails makes the answer one to retry; a refused receipt is refused all the same")
    func failure() async throws {
        let response = await (try VerifyReceiptResponder.standard()).answer(body, history: Broken(), now: .later)
        #expect(response.status == .historyUnavailable)
        #expect(response.json == ["status": 21100, "is-retryable": true])
        #expect(response.receipt == nil)
        let apple = VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both)
        #expect(await apple.answer(body, history: Broken(), now: .later).status == .notAuthenticated)
    }

    private struct ValidationRequest: Sendable, Hashable {
        let originals: Set<String>
        let app: String
        let environment: ReceiptEnvironment.Base
    }

    /// A history that knows nothing and remembers what it was asked.
    private final class Recording: TransactionHistory {
        let questions = LockedValueBox<[ValidationRequest]>([])

        func history(
            of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
        ) async throws -> CustomerHistory {
            questions.withLock {
                $0.append(ValidationRequest(originals: originals, app: app, environment: environment))
            }
            return CustomerHistory()
        }
    }

    private struct Broken: TransactionHistory {
        struct Unreachable: Error {}

        func history(
            of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
        ) async throws -> CustomerHistory { throw Unreachable() }
    }
}
