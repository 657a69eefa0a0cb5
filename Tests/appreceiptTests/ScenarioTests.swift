import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Scenarios
import Testing
import VerifyReceipt

@Suite("Scenarios on the command line")
struct ScenarioTests {
    static let all = Scenario.all

    @Test("The order of the evidence has no effect on entitlements", arguments: all)
    func entitlements(_ scenario: Scenario) throws {
        for order in try SignedScenario(scenario).orders {
            var receipts: [VerifiedReceipt] = []
            var transactions: [VerifiedTransaction] = []
            var renewals: [VerifiedRenewalInfo] = []
            var notifications: [VerifiedNotification] = []
            for item in order {
                switch item {
                case .receipt(_, let receipt): receipts.append(receipt)
                case .transaction(_, let transaction): transactions.append(transaction)
                case .renewal(_, let renewal): renewals.append(renewal)
                case .notification(_, let notification): notifications.append(notification)
                }
            }
            let entitlements = [AppStoreEnvironment.production, .sandbox].flatMap { environment in
                Entitlements(
                    bundleIdentifier: Scenario.Evidence.app, environment: environment, receipts: receipts,
                    transactions: transactions, renewals: renewals, notifications: notifications, at: scenario.date
                ).all
            }
            #expect(entitlements.byName == scenario.products)
        }
    }

    @Test("A verifyReceipt response has the same cancellations in every order of arrival", arguments: all)
    func answers(_ scenario: Scenario) async throws {
        let signed = try SignedScenario(scenario)
        guard let submitted = signed.submitted else {
            #expect(scenario.cancellations.isEmpty)
            return
        }
        let responder = VerifyReceiptResponder(verifier: SignedScenario.receipts, environments: .both)
        for order in signed.orders {
            let history = InMemoryTransactionHistory()
            for item in order {
                switch item {
                case .receipt(_, let receipt): history.add(receipt)
                case .transaction(_, let transaction): history.add(transaction)
                case .renewal(_, let renewal): history.add(renewal, app: Scenario.Evidence.app)
                case .notification(_, let notification): history.add(notification)
                }
            }
            for excludes in [false, true] {
                let request: AppStoreJSON = [
                    "receipt-data": .string(Data(submitted).base64EncodedString()),
                    "exclude-old-transactions": .boolean(excludes),
                ]
                let response = await responder.response(to: request.text(), evidence: history, now: scenario.date)
                #expect(response.status == .valid)
                #expect(
                    ResponseCheck(response.json, excludesOldTransactions: excludes)
                        .differences(from: scenario.cancellations).isEmpty)
            }
        }
    }

    @Test("The purchases command prints the same entitlements for every order of its inputs", arguments: all)
    func command(_ scenario: Scenario) throws {
        let folder = try TemporaryFolder()
        let roots = [
            try folder.write("receipts.pem", Array(TestPKI.standard.root.pem().utf8)),
            try folder.write("signed-data.pem", Array(TestPKI.signedData.root.pem().utf8)),
        ]
        let signed = try SignedScenario(scenario)
        let date = ReceiptDate.string(from: scenario.date)
        for items in [signed.items, signed.items.reversed()] {
            let inputs = try items.enumerated().map { try folder.write("\($0)", $1.bytes) }
            let result = try CommandLineTool.run(
                ["purchases"] + inputs + ["--bundle-id", Scenario.Evidence.app, "--at", date, "--format", "json"]
                    + roots.flatMap { ["--root", $0] })
            let document = try #require(try AppStoreJSON(parsing: Array(result.output.utf8)[...]).object)
            let products = try #require(document["products"]?.array)
            #expect(products.byName == scenario.products)
            let rejected = try #require(document["rejected"]?.array)
            #expect(result.status == (rejected.isEmpty ? 0 : 1))
        }
    }
}
