import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreKit
import Testing

extension PlatformTests {
    @Suite("StoreKitSource")
    struct StoreKitSourceTests {
        private let customer = CustomerScript.shared

        private func evidence() async throws -> DeviceEvidence {
            await DeviceEvidence.current(
                expecting: SignedDataExpectations(bundleIdentifier: "com.example.app", environments: [.sandbox]),
                verifier: SignedDataVerifier(anchors: try TestPKI.signedData.anchors))
        }

        @Test("All transactions, the statuses of their subscription groups and the app transaction are read")
        func everything() async throws {
            let start = TestReceipt().creationDate
            let plus = TestTransaction("plus", transaction: "1", at: start, until: start + 86_400).with {
                $0.subscriptionGroupIdentifier = "20001"
            }
            let pro = try TestTransaction("pro", transaction: "2").signed()
            customer.prepare(
                transactions: [try plus.signed(), pro],
                statuses: ["20001": [(try plus.signed(), try TestRenewalInfo("plus", original: "1").signed())]],
                appTransaction: try TestAppTransaction().signed())
            let evidence = try await evidence()
            #expect(evidence.omitted.isEmpty, "\(evidence.omitted)")
            #expect(evidence.transactions.map(\.claims.transactionIdentifier) == ["1", "2", "1"])
            #expect(evidence.renewals.map(\.claims.originalTransactionIdentifier) == ["1"])
            #expect(evidence.appTransaction?.claims.bundleIdentifier == "com.example.app")
            let active = evidence.entitlements(at: start + 1).active.map(\.productIdentifier)
            #expect(active == ["plus", "pro"])
        }

        @Test("StoreKit's errors are omissions, and the transactions count without them")
        func errors() async throws {
            let plus = TestTransaction("plus", transaction: "1").with { $0.subscriptionGroupIdentifier = "20001" }
            customer.prepare(transactions: [try plus.signed()], statuses: [:], appTransaction: nil)
            let evidence = try await evidence()
            #expect(evidence.omitted.map(\.part) == [.subscriptionStatus, .appTransaction])
            #expect(evidence.omitted.allSatisfy { $0.error is CustomerScript.NotPrepared })
            #expect(evidence.transactions.count == 1)
        }
    }
}
