#if Server
import AppReceiptKit
@testable import AppReceiptServer
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import TestSupport
import VerifyReceipt

@Suite("TransactionStore")
struct TransactionStoreTests {
    @Test("Recorded data is known, and isn't new when it is recorded again", arguments: StoreKind.allCases)
    func recorded(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            let renewal = try StoreFixtures.renewal()
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(transaction) == RecordResult(isNew: true))
            #expect(try await store.record(renewal, app: "com.example.app").isNew)
            #expect(try await store.record(receipt).isNew)
            for account in [nil, "somebody"] {
                #expect(try await !store.record(transaction, account: account).isNew)
                #expect(try await !store.record(receipt, account: account).isNew)
            }
            #expect(try await !store.record(renewal, app: "com.example.app").isNew)
            let known = try await store.known(["1"])
            #expect(known.transactions == [transaction])
            #expect(known.renewals == [renewal])
            #expect(known.receipts == [receipt])
            let statistics = try await store.statistics()
            #expect(statistics.transactions == 1)
            #expect(statistics.renewals == 1)
            #expect(statistics.receipts == 1)
            #expect(statistics.originalTransactions == 1)
            #expect(statistics.accountBindings == 1)
            #expect(statistics.skippedRows == 0)
            try await store.check()
        }
    }

    @Test("A file contains the data after the store is closed")
    func reopened() async throws {
        try await withDatabasePath { path async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            let receipt = try StoreFixtures.receipt(["1"])
            let first = try TransactionStore(testing: path)
            try await first.record(transaction, account: "somebody")
            try await first.record(receipt)
            try await first.record(StoreFixtures.notification(1, nil))
            try await first.close()
            try await first.close()

            let second = try TransactionStore(testing: path)
            let known = try await second.known(["1"])
            #expect(known.transactions == [transaction] && known.receipts == [receipt])
            #expect(try await !second.record(transaction, account: "somebody").isNew)
            #expect(try await !second.record(StoreFixtures.notification(1, nil)).isNew)
            // The key of the accounts is stored in the database.
            #expect(try await second.record(receipt, account: "else").replays.count == 1)
            #expect(try await second.record(receipt, account: "somebody").replays.isEmpty)
            try await second.close()
        }
    }

    @Test("Nothing of another app, environment or original is returned", arguments: StoreKind.allCases)
    func separation(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("3").with { $0.environment = .production }))
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("4").with { $0.bundleIdentifier = "com.example.other" }))
            try await store.record(StoreFixtures.receipt(["1"]))
            try await store.record(StoreFixtures.renewal(), app: "com.example.other")
            #expect(try await store.known(["1"]).identifiers == ["2"])
            #expect(try await store.known(["1"]).renewals.isEmpty)
            #expect(try await store.known(["1"], .production).identifiers == ["3"])
            #expect(try await store.known(["1"], .production).receipts.isEmpty)
            let nothing = try await store.known(["2"])
            #expect(nothing.transactions.isEmpty)
            #expect(nothing.renewals.isEmpty)
            #expect(nothing.receipts.isEmpty)
        }
    }

    @Test("Data from Xcode or an unknown environment is never stored")
    func xcode() async throws {
        try await withStore { store async throws in
            for environment in [SignedDataEnvironment.xcode, SignedDataEnvironment(rawValue: "Elsewhere")] {
                let transaction = try StoreFixtures.transaction(
                    StoreFixtures.period("2").with { $0.environment = environment })
                #expect(try await store.record(transaction, account: "somebody") == .notStored)
            }
            let receipt = try StoreFixtures.receipt(["1"]) { $0.environment = .xcode }
            #expect(receipt.receipt.environment == .xcode)
            #expect(try await store.record(receipt, account: "somebody") == .notStored)
            let statistics = try await store.statistics()
            #expect(statistics.transactions == 0)
            #expect(statistics.receipts == 0)
            #expect(statistics.accountBindings == 0)
            #expect(try await store.known(["1"], .xcode).transactions.isEmpty)
        }
    }

    @Test("Of copies of a transaction or renewal, the one signed last is kept, in any order of arrival")
    func copies() async throws {
        let copies = try [
            StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-07-10T00:00:00Z")),
            StoreFixtures.transaction(
                StoreFixtures.period("1", signed: "2024-07-20T00:00:00Z", refund: "2024-07-15T00:00:00Z")),
            StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-07-15T00:00:00Z")),
        ]
        let renewals = try [
            StoreFixtures.renewal(signed: "2024-07-10T00:00:00Z"),
            StoreFixtures.renewal(signed: "2024-07-20T00:00:00Z", status: .off),
            StoreFixtures.renewal(signed: "2024-07-15T00:00:00Z"),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            try await withStore { store async throws in
                for index in order {
                    try await store.record(copies[index])
                    try await store.record(renewals[index], app: "com.example.app")
                }
                #expect(try await store.known(["1"]).transactions == [copies[1]])
                #expect(try await store.known(["1"]).renewals == [renewals[1]])
            }
        }
    }

    @Test("The responder's response contains the store's evidence")
    func responder() async throws {
        try await withStore { store async throws in
            let submitted = try StoreFixtures.receipt([]) {
                $0.purchases = [
                    TestPurchase(
                        subscription: "com.example.plus", transaction: "1", from: instant("2024-05-01T00:00:00Z"),
                        to: instant("2024-06-01T00:00:00Z"))
                ]
            }
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            let responder = VerifyReceiptResponder(
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .both)
            let body = Array("{\"receipt-data\":\"\(Data(submitted.container).base64EncodedString())\"}".utf8)
            let response = await responder.response(to: body, evidence: store)
            let latest = response.json.object?["latest_receipt_info"]?.array?.compactMap(\.object) ?? []
            #expect(latest.map { $0["transaction_id"]?.string } == ["2", "1"])
            guard case .app(let answered) = response.receipt else {
                Issue.record("The receipt is \(String(describing: response.receipt)).")
                return
            }
            try await store.record(answered)
            #expect(try await store.known(["1"]).receipts == [submitted])
            try await store.close()
            #expect(await responder.response(to: body, evidence: store).status == .historyUnavailable)
        }
    }

    @Test("A closed store rejects reads and writes")
    func closed() async throws {
        try await withStore { store async throws in
            let transaction = try StoreFixtures.transaction(StoreFixtures.period("2"))
            let receipt = try StoreFixtures.receipt(["3"])
            try await store.record(transaction)
            try await store.record(receipt)
            try await store.close()
            #expect(await rejection { try await store.record(receipt) } == .closed)
            #expect(await rejection { try await store.record(transaction) } == .closed)
            #expect(await rejection { try await store.record(StoreFixtures.receipt(["1"])) } == .closed)
            #expect(await rejection { try await store.known(["1"]) } == .closed)
            #expect(await rejection { try await store.check() } == .closed)
            #expect(await rejection { try await store.statistics() } == .closed)
        }
    }

    @Test("Descriptions and errors don't name a customer")
    func texts() async throws {
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["7000"])
            try await store.record(receipt, account: "somebody")
            let recorded = try await store.record(receipt, account: "else")
            #expect(!"\(recorded) \(recorded.replays)".contains("7000"))
            for code in StoreError.Code.allCases {
                #expect(StoreError(code).description.hasSuffix("[\(code.rawValue)]"))
                #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
            }
        }
    }

    @Test("Renewal information with an unverified app is stored only for originals that are known in that app")
    func renewalsOfKnownOriginals() async throws {
        try await withStore { store async throws in
            let renewal = try StoreFixtures.renewal("7")
            #expect(try await !store.record(renewal, app: "com.example.app", onlyIfKnown: true).isNew)
            #expect(try await store.statistics().renewals == 0)
            try await store.record(StoreFixtures.receipt(["7"]))
            #expect(try await !store.record(renewal, app: "com.example.other", onlyIfKnown: true).isNew)
            #expect(try await store.record(renewal, app: "com.example.app", onlyIfKnown: true).isNew)
            #expect(try await store.known(["7"]).renewals.count == 1)
        }
    }
}
#endif
