import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@testable import appreceipt

@Suite("StoreCustomer")
struct StoreCustomerTests {
    @available(AppStoreServerAPI 1.0, *)
    private func customer(
        _ receipt: TestReceipt, bundleIdentifier: String = "com.example.app",
        environment: AppStoreEnvironment? = nil
    ) throws -> StoreCustomer {
        try StoreCustomer(
            receipt: .success(try receipt.signed()), verifier: ReceiptVerifier(anchors: TestPKI.standard.anchors),
            bundleIdentifier: bundleIdentifier, environment: environment, now: instant("2025-01-01T00:00:00Z"))
    }

    @available(AppStoreServerAPI 1.0, *)
    private func failure(_ body: () throws -> StoreCustomer) -> StoreFailure? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? StoreFailure
        }
    }

    private let receipt = TestReceipt(purchases: [
        TestPurchase("com.example.old", transaction: "1").with { $0.purchaseDate = instant("2024-01-01T00:00:00Z") },
        TestPurchase("com.example.new", transaction: "3").with {
            $0.originalTransactionIdentifier = "2"
            $0.purchaseDate = instant("2024-06-01T00:00:00Z")
        },
        TestPurchase("com.example.older", transaction: "4").with { $0.purchaseDate = instant("2023-01-01T00:00:00Z") },
    ])

    @Test("The customer is the original transaction of the newest purchase, in the receipt's environment")
    @available(AppStoreServerAPI 1.0, *)
    func newest() throws {
        let customer = try customer(receipt)
        #expect(customer.identifier == "2")
        #expect(customer.environments == [.sandbox])
        let production = try self.customer(receipt.with { $0.environment = .production })
        #expect(production.environments == [.production])
    }

    @Test("A receipt of another app, another environment or another root is rejected with its code")
    @available(AppStoreServerAPI 1.0, *)
    func invalid() throws {
        let otherApp = failure { try customer(receipt, bundleIdentifier: "com.example.other") }
        #expect(otherApp?.code == "bundle-identifier-mismatch")
        #expect(otherApp?.exitStatus == 1)
        #expect(otherApp?.message.contains("com.example.other") == true)
        let otherEnvironment = failure { try customer(receipt, environment: .production) }
        #expect(otherEnvironment?.code == "environment-mismatch")
        #expect(otherEnvironment?.message.contains("from sandbox, not from production") == true)
        #expect(otherEnvironment?.remedy == "Leave out --environment, or set it to the receipt's.")
        let apple = failure {
            try StoreCustomer(
                receipt: .success(try receipt.signed()), verifier: ReceiptVerifier(),
                bundleIdentifier: "com.example.app",
                environment: nil, now: Date())
        }
        #expect(apple?.code == "root-not-trusted")
    }

    @Test("A valid receipt without purchases contains no identifier")
    @available(AppStoreServerAPI 1.0, *)
    func withoutPurchases() throws {
        let failure = failure { try customer(TestReceipt()) }
        #expect(failure?.code == "receipt-without-purchases")
        #expect(failure?.exitStatus == 1)
    }
}
