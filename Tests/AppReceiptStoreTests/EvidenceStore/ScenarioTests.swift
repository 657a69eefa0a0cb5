#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Foundation
import Scenarios
import StoreTestSupport
import Testing
import VerifyReceipt

@Suite("Scenarios in the store")
struct ScenarioTests {
    private static let trust = StoreTrust(
        receipts: SignedScenario.receipts, signedData: SignedScenario.signedData)

    @Test(
        "A response with the store's evidence has the same cancellations in any order of arrival",
        arguments: StoreEngine.allCases, Scenario.all)
    func answers(_ engine: StoreEngine, _ scenario: Scenario) async throws {
        let signed = try SignedScenario(scenario)
        guard let submitted = signed.submitted else {
            #expect(scenario.cancellations.isEmpty)
            return
        }
        let responder = VerifyReceiptResponder(verifier: SignedScenario.receipts, environments: .both)
        for order in signed.orders {
            try await engine.withStore(Self.trust) { store async throws in
                for item in order { try await Self.record(item, in: store) }
                for excludes in [false, true] {
                    let request: AppStoreJSON = [
                        "receipt-data": .string(Data(submitted).base64EncodedString()),
                        "exclude-old-transactions": .boolean(excludes),
                    ]
                    let response = await responder.response(to: request.text(), evidence: store, now: scenario.date)
                    #expect(response.status == .valid)
                    #expect(
                        ResponseCheck(response.json, excludesOldTransactions: excludes)
                            .differences(from: scenario.cancellations).isEmpty)
                }
            }
        }
    }

    @Test(
        "The store's evidence has the same entitlements in any order of arrival", arguments: StoreEngine.allCases,
        Scenario.all)
    func entitlements(_ engine: StoreEngine, _ scenario: Scenario) async throws {
        let signed = try SignedScenario(scenario)
        for order in signed.orders {
            try await engine.withStore(Self.trust) { store async throws in
                for item in order { try await Self.record(item, in: store) }
                let app = Scenario.Evidence.app
                let originals = Set(order.flatMap(\.originals))
                var entitlements: [Entitlement] = []
                for environment in [AppStoreEnvironment.production, .sandbox] {
                    let history = try await store.history(of: originals, app: app, environment: environment)
                    entitlements +=
                        Entitlements(PurchaseLedger(history, app: app, environment: environment), at: scenario.date).all
                }
                #expect(entitlements.byName == scenario.products)
            }
        }
    }

    private static func record(_ item: SignedScenario.Item, in store: any EvidenceStore) async throws {
        switch item {
        case .receipt(_, let receipt): try await store.record(receipt)
        case .transaction(_, let transaction): try await store.record(transaction)
        case .renewal(_, let renewal): try await store.record(renewal, app: .trusted(Scenario.Evidence.app))
        case .notification(_, let notification): try await store.record(notification)
        }
    }
}

extension SignedScenario.Item {
    /// The original transactions in the evidence.
    fileprivate var originals: Set<String> {
        switch self {
        case .receipt(_, let receipt): receipt.originals
        case .transaction(_, let transaction): Set([transaction.original].compactMap { $0 })
        case .renewal(_, let renewal): Set([renewal.claims.originalTransactionIdentifier].compactMap { $0 })
        case .notification(_, let notification): Set([notification.original].compactMap { $0 })
        }
    }
}
#endif
