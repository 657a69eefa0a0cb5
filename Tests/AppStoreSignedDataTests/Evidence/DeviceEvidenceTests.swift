import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("DeviceEvidence")
struct DeviceEvidenceTests {
    /// StoreKit's tokens. An absent app transaction is one that StoreKit fails to return.
    private struct Device: DeviceEvidenceSource {
        struct Offline: Error {}

        var transactions: [String] = []
        var statuses: [String: [SubscriptionStatusTokens]] = [:]
        var appTransaction: Result<String?, Offline> = .success(nil)

        func transactionTokens() async -> [String] { transactions }

        func statusTokens(ofSubscriptionGroup identifier: String) async throws -> [SubscriptionStatusTokens] {
            guard let statuses = statuses[identifier] else { throw Offline() }
            return statuses
        }

        func appTransactionToken() async throws -> String? { try appTransaction.get() }

        func evidence(
            receipt: VerifiedReceipt? = nil,
            environments: AcceptedValues<AppStoreEnvironment> = [.production, .sandbox]
        ) async throws -> DeviceEvidence {
            await DeviceEvidence.current(
                from: self, receipt: receipt,
                expecting: SignedDataExpectations(
                    bundleIdentifier: "com.example.app", environments: environments, appAppleIdentifier: .anyApp),
                verifier: SignedDataVerifier(anchors: try TestPKI.signedData.anchors), now: moment("2024-07-20"))
        }
    }

    private func plus(_ transaction: String, _ start: String, _ end: String) -> TestTransaction {
        TestTransaction("plus", transaction: transaction, original: "1", at: moment(start), until: moment(end)).with {
            $0.subscriptionGroupIdentifier = "20001"
        }
    }

    private func pro(_ environment: SignedDataEnvironment = .sandbox) -> TestTransaction {
        TestTransaction("pro", transaction: "9", at: moment("2024-06-05")).with { $0.environment = environment }
    }

    @Test("Transactions, statuses, the app transaction and the receipt count together")
    func together() async throws {
        let renewal = TestRenewalInfo("plus", original: "1").with {
            $0.gracePeriodExpirationDate = moment("2024-07-25")
            $0.isInBillingRetryPeriod = true
            $0.signedDate = moment("2024-07-18")
        }
        let latest = plus("2", "2024-06-15", "2024-07-15")
        let device = Device(
            transactions: [try plus("1", "2024-05-15", "2024-06-15").signed()],
            statuses: ["20001": [.init(transaction: try latest.signed(), renewalInfo: try renewal.signed())]],
            appTransaction: .success(try TestAppTransaction().signed()))
        let receipt = try TestReceipt(purchases: [TestPurchase("pro", transaction: "7")]).verified()
        let evidence = try await device.evidence(receipt: receipt)
        #expect(evidence.omitted.isEmpty)
        #expect(evidence.transactions.map(\.claims.transactionIdentifier) == ["1", "2"])
        #expect(evidence.renewals.count == 1)
        #expect(evidence.appTransaction != nil)
        let entitlements = evidence.entitlements(at: moment("2024-07-20"))
        #expect(entitlements["plus"]?.state == .gracePeriod)
        #expect(entitlements["plus"]?.until == moment("2024-07-25"))
        #expect(entitlements.isActive("pro"))
    }

    @Test("A refunded transaction revokes what the receipt still contains")
    func refunded() async throws {
        let receipt = try TestReceipt(purchases: [TestPurchase("pro", transaction: "9")]).verified()
        let refunded = pro().with {
            $0.revocationDate = moment("2024-07-01")
            $0.signedDate = moment("2024-07-02")
        }
        let evidence = try await Device(transactions: [try refunded.signed()]).evidence(receipt: receipt)
        #expect(evidence.entitlements(at: moment("2024-07-20"))["pro"]?.state == .refunded)
    }

    @Test("An invalid token and a failed request are omitted with their errors, and the rest counts")
    func omissions() async throws {
        let valid = try plus("1", "2024-07-01", "2024-08-01").signed()
        let foreign = try pro().with { $0.bundleIdentifier = "com.example.other" }.signed()
        var device = Device(transactions: [foreign, valid], appTransaction: .failure(Device.Offline()))
        var evidence = try await device.evidence()
        #expect(evidence.omitted.map(\.part) == [.transaction, .subscriptionStatus, .appTransaction])
        #expect(evidence.omitted.map { ($0.error as? ReceiptError)?.code } == [.bundleIdentifierMismatch, nil, nil])
        #expect(evidence.omitted.dropFirst().allSatisfy { $0.error is Device.Offline })
        #expect(evidence.entitlements(at: moment("2024-07-20")).active.map(\.productIdentifier) == ["plus"])
        device.statuses = ["20001": [.init(transaction: foreign, renewalInfo: "")]]
        device.appTransaction = .success(foreign)
        evidence = try await device.evidence()
        #expect(
            evidence.omitted.map(\.part) == [.transaction, .subscriptionStatus, .subscriptionStatus, .appTransaction])
        #expect(evidence.omitted.allSatisfy { $0.error is ReceiptError })
        #expect(evidence.transactions.count == 1)
        #expect(evidence.renewals.isEmpty)
        #expect(evidence.appTransaction == nil)
    }

    @Test("The app transaction determines the environment, then the receipt, then the newest transaction")
    func environment() async throws {
        let sandbox = try pro().with { $0.signedDate = moment("2024-07-02") }.signed()
        let production = try pro(.production).with { $0.signedDate = moment("2024-07-01") }.signed()
        let receipt = TestReceipt().with { $0.environment = .production }
        let verifiedReceipt = try ReceiptVerifier(anchors: TestPKI.standard.anchors).verify(
            receipt.signed(),
            expecting: Expectations(bundleIdentifier: "com.example.app", environments: .anyEnvironment))
        var device = Device(transactions: [sandbox, production])
        var evidence = try await device.evidence()
        #expect(evidence.entitlements(at: moment("2024-07-20")).environment == .sandbox)
        evidence = try await device.evidence(receipt: verifiedReceipt)
        #expect(evidence.entitlements(at: moment("2024-07-20")).environment == .production)
        device.appTransaction = .success(try TestAppTransaction().signed())
        evidence = try await device.evidence(receipt: verifiedReceipt)
        #expect(evidence.entitlements(at: moment("2024-07-20")).environment == .sandbox)
    }

    @Test("Without evidence, there are no entitlements")
    func nothing() async throws {
        let evidence = try await Device().evidence()
        #expect(evidence.omitted.isEmpty)
        #expect(evidence.entitlements(at: moment("2024-07-20")).all.isEmpty)
    }
}
