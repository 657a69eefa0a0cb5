import AppReceiptTesting
import Foundation
import ReceiptViewerModel
import Testing

@MainActor
@Suite("The license")
struct LicenseTests {
    private let pro = "com.example.garden.pro"
    private let monthly = "com.example.garden.monthly"

    /// Tokens in place of StoreKit's.
    private struct Device: DeviceEvidenceSource {
        struct Offline: Error {}

        var transactions: [String] = []

        func transactionTokens() async -> [String] { transactions }
        func statusTokens(ofSubscriptionGroup identifier: String) async -> [SubscriptionStatusTokens] { [] }
        func appTransactionToken() async throws -> String? { throw Offline() }
    }

    /// Stores a receipt when the customer presses the button.
    private struct NewReceipt: ReceiptRefreshing {
        let receipt: [UInt8]
        let url: URL

        func perform() async throws { try Data(receipt).write(to: url) }
    }

    private func receipt(of products: String...) throws -> [UInt8] {
        let receipt = TestReceipt(
            bundleIdentifier: "com.example.garden",
            purchases: products.enumerated().map { TestPurchase($1, transaction: "\($0 + 1)") })
        return try receipt.signed()
    }

    private func transaction(_ product: String, until end: Date? = nil) throws -> String {
        try TestTransaction(product, transaction: "9", at: Date(timeIntervalSince1970: 1_719_900_000), until: end)
            .with { $0.bundleIdentifier = "com.example.garden" }
            .signed()
    }

    /// A license whose receipt is in a temporary file.
    private func withLicense(
        receipt: [UInt8]?, refreshed: [UInt8] = [], _ device: some DeviceEvidenceSource = Device(),
        _ body: (License) async throws -> Void
    ) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        if let receipt { try Data(receipt).write(to: url) }
        let launch = AppLaunchValidation(
            bundleIdentifier: LicenseConfiguration.bundleIdentifier, environments: [.sandbox],
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), location: ReceiptLocation(url),
            devices: .anyDevice, refresher: ReceiptRefresher(request: NewReceipt(receipt: refreshed, url: url)))
        let configuration = LicenseConfiguration(
            launch: launch, signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors),
            environments: [.sandbox], device: nil)
        try await body(License(configuration, source: device))
    }

    @Test("A purchase in the receipt unlocks before StoreKit was asked, and afterwards")
    func receiptAlone() async throws {
        try await withLicense(receipt: receipt(of: pro)) { license in
            #expect(license.hasPro)
            #expect(license.evidence == nil)
            await license.update()
            #expect(license.hasPro)
            let comparison = try #require(license.comparisons.first)
            #expect(comparison.id == pro)
            #expect(comparison.receipt?.state == .owned)
            #expect(comparison.storeKit == nil)
            #expect(comparison.together?.state == .owned)
        }
    }

    @Test("A transaction of StoreKit 2 unlocks without a receipt")
    func storeKitAlone() async throws {
        let device = Device(transactions: [try transaction(monthly, until: .distantFuture)])
        try await withLicense(receipt: nil, device) { license in
            #expect(!license.hasPro)
            await license.update()
            #expect(license.hasPro)
            #expect(license.contains(transaction: 9) && !license.contains(transaction: 1))
            let comparison = try #require(license.comparisons.last)
            #expect(comparison.receipt == nil)
            #expect(comparison.storeKit?.state == .active)
            #expect(comparison.together?.state == .active)
        }
    }

    /// Answers the first request after the others.
    private actor SlowDevice: DeviceEvidenceSource {
        private let tokens: [String]
        private let pause: AsyncStream<Never>
        private(set) var requests = 0

        init(tokens: [String], pause: AsyncStream<Never>) {
            self.tokens = tokens
            self.pause = pause
        }

        func transactionTokens() async -> [String] {
            requests += 1
            guard requests == 1 else { return tokens }
            for await _ in pause {}
            return []
        }

        func statusTokens(ofSubscriptionGroup identifier: String) async -> [SubscriptionStatusTokens] { [] }
        func appTransactionToken() async -> String? { nil }
    }

    @Test("An answer that is late doesn't replace a newer one")
    func lateAnswer() async throws {
        let (pause, end) = AsyncStream<Never>.makeStream()
        let device = SlowDevice(tokens: [try transaction(pro)], pause: pause)
        try await withLicense(receipt: nil, device) { license in
            async let late: Void = license.update()
            while await device.requests == 0 { await Task.yield() }
            await license.update()
            #expect(license.hasPro)
            end.finish()
            await late
            #expect(license.hasPro)
        }
    }

    @Test("Without evidence, everything is locked")
    func locked() async throws {
        try await withLicense(receipt: nil) { license in
            await license.update()
            #expect(!license.hasPro)
            #expect(license.comparisons.map(\.id) == LicenseConfiguration.proProducts)
            #expect(license.comparisons.allSatisfy { $0.together == nil })
        }
    }

    @Test("A refresh unlocks what the new receipt contains")
    func refresh() async throws {
        try await withLicense(receipt: nil, refreshed: receipt(of: pro)) { license in
            #expect(!license.hasPro)
            await license.refreshReceipt()
            #expect(license.hasPro)
            #expect(!license.isBusy)
        }
    }

    @Test("A failed restore is a problem until a restore succeeds")
    func restore() async throws {
        try await withLicense(receipt: receipt(of: pro)) { license in
            await license.restorePurchases { throw Device.Offline() }
            #expect(license.problems.contains { $0.hasPrefix("Restore: ") })
            #expect(license.hasPro)
            await license.restorePurchases {}
            #expect(!license.problems.contains { $0.hasPrefix("Restore: ") })
        }
    }

    @Test("A damaged receipt and omitted evidence are problems")
    func problems() async throws {
        try await withLicense(receipt: [0x30, 0x00], Device(transactions: ["damaged"])) { license in
            await license.update()
            #expect(license.problems.count == 3)
            #expect(license.problems.contains { $0.hasPrefix("Receipt: ") })
            #expect(license.problems.contains { $0.hasPrefix("StoreKit 2, transaction: ") })
            #expect(license.problems.contains { $0.hasPrefix("StoreKit 2, app-transaction: ") })
        }
    }

    #if DEBUG
    @Test("Only a certificate configures the trust of Xcode")
    func debugging() throws {
        _ = try LicenseConfiguration.debugging(certificate: Data(TestPKI.xcode.der()))
        let error = #expect(throws: ReceiptError.self) {
            _ = try LicenseConfiguration.debugging(certificate: Data("Hello".utf8))
        }
        #expect(error?.code == .trustAnchorMalformed)
    }
    #endif
}
