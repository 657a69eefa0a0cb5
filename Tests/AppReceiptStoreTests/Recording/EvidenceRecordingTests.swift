#if Server
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("EvidenceRecording")
struct EvidenceRecordingTests {
    private func recording(
        _ evidence: CustomerEvidence, account: String? = nil, app: RenewalApp? = nil,
        from source: EvidenceSource = .client,
        _ prepare: (inout EvidenceRecording) throws -> Void = { _ in }
    ) throws -> EvidenceRecording {
        var recording = EvidenceRecording(
            EvidenceSubmission(evidence: evidence, account: account.map { .test($0) }, app: app, source: source),
            accounts: try Accounts(key: Accounts.newKey, areHashed: false), verifier: .trusting(), limits: .default)
        for purchase in recording.purchases { recording.changes[purchase] = StoredPurchase(original: purchase) }
        try prepare(&recording)
        recording.run()
        return recording
    }

    @Test("Of copies in one write, each that replaces the last is a row, and one that is stored isn't")
    func transactions() throws {
        let made = try ["2024-12-01T00:00:00Z", "2024-12-03T00:00:00Z", "2024-12-02T00:00:00Z"].map {
            try StoreFixtures.transaction(StoreFixtures.period("1", signed: $0))
        }
        let evidence = CustomerEvidence(transactions: made)
        let first = try recording(evidence)
        #expect(first.transactions.map(\.token) == made[..<2].map(\.token))
        #expect(first.result.newCount == 2 && first.result.isStored)
        let second = try recording(evidence) { recording in
            for row in first.transactions { recording.stored.transactions[row.key] = row }
        }
        #expect(second.transactions.isEmpty && second.result == .known && second.changes.originals.isEmpty)
    }

    @Test("Renewal information of a claimed app is stored if there is other evidence, also in the same write")
    func renewals() throws {
        let renewal = try StoreFixtures.renewal()
        let alone = CustomerEvidence(renewals: [renewal])
        #expect(try recording(alone).result == .notStored)
        let claimed = RenewalApp.claimed("com.example.app")
        #expect(try recording(alone, app: claimed).result == .notStored)
        #expect(try recording(alone, app: claimed) { $0.stored.originals = [try .test()] }.tokens.count == 1)
        #expect(try recording(alone, app: .trusted("com.example.app")).tokens.count == 1)
        let both = CustomerEvidence(
            transactions: [try StoreFixtures.transaction(StoreFixtures.period("1"))], renewals: [renewal])
        #expect(try recording(both, app: claimed).tokens.count == 1)
    }

    @Test("The purchases in receipts are bound to the account, and those of another one are replays")
    func receipts() throws {
        let receipt = try StoreFixtures.receipt(["1", "2"])
        let result = try recording(CustomerEvidence(receipts: [receipt]), account: "ann") { recording in
            recording.newReceipts = [0]
            recording.changes[try .test("2")].binding = AccountBinding(account: "ben")
        }
        #expect(result.result.isNew && result.result.replayedOriginals == ["2"])
        #expect(result.changes.boundPurchases.map(\.binding) == [AccountBinding(account: "ann")])
        #expect(Set(result.changes.originals) == [try .test("1"), try .test("2")])
    }

    @Test("Only the account of a transaction receipt is stored")
    func transactionReceipts() throws {
        let receipt = try StoreFixtures.transactionReceipt("1")
        let result = try recording(CustomerEvidence(transactionReceipts: [receipt]), account: "ann")
        #expect(result.result == .notStored)
        #expect(result.changes.boundPurchases.count == 1 && result.changes.originals.isEmpty)
    }

    @Test("A notification that is known isn't new, but its contents are merged")
    func notifications() throws {
        let notification = try StoreFixtures.notification(1, StoreFixtures.period("1"))
        let evidence = CustomerEvidence(notifications: [notification, notification])
        let first = try recording(evidence, from: .forwarded(body: [1]))
        #expect(first.notifications.count == 1 && first.transactions.count == 1 && first.result.newCount == 1)
        #expect(first.forwarded.map(\.body) == [[1]])
        let identifiers = Set(first.notifications.map(\.identifier))
        let second = try recording(evidence, from: .forwarded(body: nil)) { $0.stored.notifications = identifiers }
        #expect(second.notifications.isEmpty && second.forwarded.isEmpty && second.transactions.count == 1)
    }

    @Test("A notification doesn't bring back a purchase that was forgotten since, unless an account submits it")
    func forgotten() throws {
        let evidence = CustomerEvidence(notifications: [try StoreFixtures.notification(1, StoreFixtures.period("1"))])
        func forget(_ recording: inout EvidenceRecording) throws {
            recording.changes[try .test()].state = .forgotten(at: .max)
        }
        #expect(try recording(evidence, forget).result == .notStored)
        #expect(try recording(evidence, account: "ann", forget).result.isNew)
    }

    @Test("What the App Store answered is the cause of changes, except for notifications")
    func causes() throws {
        let transaction = try StoreFixtures.transaction(StoreFixtures.period("1", token: StoreFixtures.alice))
        func cause(_ evidence: CustomerEvidence, _ source: EvidenceSource) throws -> [EventCause.Kind] {
            try recording(evidence, from: source) { recording in
                recording.changes[try .test()].state = PurchaseState([.test("active")], due: nil)
            }.changes.events(at: 1).map(\.cause.kind)
        }
        #expect(try cause(CustomerEvidence(transactions: [transaction]), .client) == [.transaction])
        #expect(try cause(CustomerEvidence(transactions: [transaction]), .appStore) == [.appStore])
        let notification = try StoreFixtures.notification(1, StoreFixtures.period("1", token: StoreFixtures.alice))
        #expect(try cause(CustomerEvidence(notifications: [notification]), .appStore) == [.notification])
    }
}
#endif
