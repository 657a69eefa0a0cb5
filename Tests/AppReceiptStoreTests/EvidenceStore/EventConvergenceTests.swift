#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@Suite("Convergence of events")
struct EventConvergenceTests {
    private static let products = ["com.example.plus", "com.example.yearly"]
    private static let start = instant("2024-01-01T00:00:00Z")
    private static let now = instant("2024-09-15T00:00:00Z")
    private static let day: Double = 86_400

    /// A random history of one subscription and two consumables.
    private static func history(_ random: inout SeededGenerator) throws -> [CustomerEvidence] {
        var history: [CustomerEvidence] = []
        var end = start
        for number in 1...Int.random(in: 1...6, using: &random) {
            let begin = end + [0, 0, 20 * day].randomElement(using: &random, or: 0)
            end = begin + 30 * day
            let period = TestTransaction(
                products.randomElement(using: &random, or: products[0]), transaction: "\(number)", original: "1",
                at: begin, until: end
            ).with {
                $0.signedDate = begin + 1
                $0.originalPurchaseDate = start
                if Bool.random(using: &random) { $0.overrides["transactionReason"] = "RENEWAL" }
            }
            history.append(CustomerEvidence(transactions: [try StoreFixtures.transaction(period)]))
            for revocation in 1...3 where Int.random(in: 0..<6, using: &random) == 0 {
                let revoked = period.with {
                    $0.signedDate = begin + Double(revocation) * day
                    $0.revocationDate = revocation == 2 ? nil : begin + day / 2
                    if revocation == 3 { $0.overrides["revocationType"] = "FAMILY_REVOKE" }
                }
                history.append(CustomerEvidence(transactions: [try StoreFixtures.transaction(revoked)]))
            }
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let signed = start + Double(Int.random(in: 1...250, using: &random)) * day
            let (status, grace) = (Bool.random(using: &random), Bool.random(using: &random))
            let renewal = TestRenewalInfo("com.example.plus", original: "1").with {
                $0.signedDate = signed
                $0.autoRenewStatus = status ? .on : .off
                if grace { $0.gracePeriodExpirationDate = signed + 10 * day }
                if !status { $0.overrides["expirationIntent"] = 1 }
            }
            let verified = try SignedDataVerifier(anchors: TestPKI.signedData.anchors).verifyRenewalInfo(
                renewal.signed(),
                expecting: SignedDataExpectations(
                    bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp))
            history.append(CustomerEvidence(renewals: [verified]))
        }
        for identifier in ["8", "9"] {
            let bought = TestTransaction("com.example.coins", transaction: identifier, at: start).with {
                $0.productType = .consumable
                $0.signedDate = start + 1
                $0.quantity = 3
            }
            let later = bought.with {
                $0.signedDate = start + 2 * day
                if Bool.random(using: &random) { $0.revocationDate = start + day }
            }
            let first = bought.with { if Bool.random(using: &random) { $0.overrides["type"] = .null } }
            for made in [first, later] {
                history.append(CustomerEvidence(transactions: [try StoreFixtures.transaction(made)]))
            }
        }
        return history
    }

    /// What a consumer of events acts on.
    private static func members(_ entitlement: AppStoreJSON.Object) -> [AppStoreJSON?] {
        [
            "productIdentifier", "state", "isActive", "since", "until", "originalTransactionIdentifier",
            "transactionIdentifier", "quantity", "refundedPercentage",
        ].map { entitlement[$0] }
    }

    @Test(
        "In every order of arrival, the last event of each purchase has its entitlement",
        arguments: 0..<40 as Range<UInt64>)
    func lastEvents(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let history = try Self.history(&random)
        var last: Set<[String: [AppStoreJSON?]]> = []
        for _ in 0..<4 {
            let order = history.shuffled(using: &random)
            try await StoreEngine.sqliteInMemory.withDatabase { database async throws in
                let store = try database.open(clock: { Self.now })
                for evidence in order {
                    _ = try await store.record(
                        evidence, account: nil, app: .trusted("com.example.app"), from: .client)
                }
                var told: [String: [AppStoreJSON?]] = [:]
                for event in try await store.events(after: 0, limit: 1000, apps: nil).events {
                    guard let after = event.after, let original = event.originalTransactionIdentifier,
                        let entitlement = try AppStoreJSON(parsing: Array(after.utf8)[...]).object
                    else { continue }
                    told[original] = Self.members(entitlement)
                }
                let evidence = try await store.known(["1", "8", "9"])
                let ledger = PurchaseLedger(
                    evidence, app: "com.example.app", environment: .sandbox, originals: ["1", "8", "9"])
                let current = PurchaseEntitlements(ledger, now: Self.now).byOriginal.compactMapValues { entitlements in
                    entitlements.last?.json.object.map { Self.members($0) }
                }
                #expect(told == current)
                last.insert(told)
                try await store.close()
            }
        }
        #expect(last.count == 1)
    }
}

extension Array {
    fileprivate func randomElement(using random: inout SeededGenerator, or other: Element) -> Element {
        randomElement(using: &random) ?? other
    }
}
#endif
