#if Server
import AppReceiptKit
import AppReceiptServer
import Foundation
import Scenarios
import Testing
import VerifyReceipt
import AppReceiptSupport

@Suite("Scenarios in the store")
struct ScenarioTests {
    @Test(
        "A response with the store's evidence has the same cancellations in any order of arrival",
        arguments: Scenario.oneTimePurchases + Scenario.subscriptions)
    func answers(_ scenario: Scenario) async throws {
        let signed = try SignedScenario(scenario)
        guard let submitted = signed.submitted else {
            #expect(scenario.cancellations.isEmpty)
            return
        }
        let responder = VerifyReceiptResponder(verifier: SignedScenario.receipts, environments: .both)
        for order in signed.orders {
            let store = try TransactionStore(
                path: nil, receipts: SignedScenario.receipts, signedData: SignedScenario.signedData)
            for item in order {
                switch item {
                case .receipt(_, let receipt): try await store.record(receipt)
                case .transaction(_, let transaction): try await store.record(transaction)
                case .renewal(_, let renewal): try await store.record(renewal, app: Scenario.Evidence.app)
                case .notification(_, let notification): try await store.record(notification)
                }
            }
            for excludes in [false, true] {
                let request: JSONValue = [
                    "receipt-data": .string(Data(submitted).base64EncodedString()),
                    "exclude-old-transactions": .boolean(excludes),
                ]
                let response = await responder.respond(to: request.text(), history: store, now: scenario.date)
                #expect(response.status == .valid)
                #expect(
                    ResponseCheck(response.json, excludesOldTransactions: excludes)
                        .differences(from: scenario.cancellations).isEmpty)
            }
            try await store.close()
        }
    }
}
#endif
