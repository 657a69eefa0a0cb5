#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("InspectorSample")
struct InspectorSampleTests {
    private static let history = TestDirectories.package
        .appendingPathComponent("Sources/AppReceiptServer/Inspector/Page/samples/subscription-history.receipt")

    @Test("The sample of a subscription history equals the test kit's receipt")
    func history() throws {
        let made = try Self.subscriptionHistory().signed()
        if ProcessInfo.processInfo.environment["APPRECEIPT_MAKE_SAMPLES"] != nil {
            try Data(made).write(to: Self.history)
        }
        #expect(try Array(Data(contentsOf: Self.history)) == made)
    }

    @Test("The page offers every sample, and nothing else")
    func offered() throws {
        let script = try #require(InspectorPage.files.first { $0.path == "/inspector/samples.js" })
        let text = String(decoding: script.bytes, as: UTF8.self)
        let offered = text.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("  [\"") else { return nil }
            return line.dropFirst(4).split(separator: "\"").first.map { String($0) }
        }
        #expect(Set(offered) == Set(InspectorSample.all.map(\.identifier)))
        #expect(offered.count == InspectorSample.all.count)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every sample but the forgery is valid")
    func verdicts() throws {
        for sample in InspectorSample.all {
            let response = try InspectorClient(Inspector()).examine(["sample": .string(sample.identifier)])
            #expect((response.code == nil) == (sample.identifier != "forged"), "\(sample.identifier)")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The bytes of a sample aren't valid as an input")
    func samplesAsInput() throws {
        let sample = try #require(InspectorSample.all.first { $0.identifier == "production-subscriptions" })
        let input = AppStoreJSON.string(Data(sample.bytes).base64EncodedString())
        #expect(try InspectorClient(Inspector()).examine(["input": input]).code == "root-not-trusted")
    }

    /// Creates a receipt with every kind of period: a trial, an introductory price, an offer, an upgrade, a refund, a
    /// pause.
    private static func subscriptionHistory() throws -> TestReceipt {
        var receipt = TestReceipt(bundleIdentifier: "com.example.garden")
        receipt.environment = .production
        receipt.appVersion = "412"
        receipt.originalAppVersion = "268"
        receipt.appStoreIdentifier = 6_400_000_001
        receipt.downloadIdentifier = 502_000_000_000_000_002
        receipt.originalPurchaseDate = receipt.creationDate.addingTimeInterval(-700 * day)
        receipt.purchases = plus(receipt.creationDate) + weather(receipt.creationDate) + single(receipt.creationDate)
        return receipt
    }

    private static let day: TimeInterval = 86_400

    private static func period(
        _ product: String, _ number: Int, original: Int, from start: Double, to end: Double, _ made: Date
    ) -> TestPurchase {
        TestPurchase(
            subscription: "com.example.garden.\(product)", transaction: String(560_000_000_000_000 + number),
            original: number == original ? nil : String(560_000_000_000_000 + original),
            from: made.addingTimeInterval(start * day), to: made.addingTimeInterval(end * day))
    }

    /// A trial, three months at the introductory price, paid months, a pause, a month with an offer, then an upgrade.
    private static func plus(_ made: Date) -> [TestPurchase] {
        var purchases: [TestPurchase] = []
        var number = 1
        func add(
            _ product: String, _ start: Double, _ end: Double, _ change: (inout TestPurchase) -> Void = { _ in }
        ) {
            purchases.append(period(product, number, original: 1, from: start, to: end, made).with(change))
            number += 1
        }
        add("plus.monthly", -600, -593) { $0.isTrialPeriod = true }
        for month in 0..<3 {
            let start = -593 + Double(month) * 30
            add("plus.monthly", start, start + 30) { $0.isInIntroductoryOfferPeriod = true }
        }
        for month in 0..<5 {
            let start = -503 + Double(month) * 30
            add("plus.monthly", start, start + 30)
        }
        // A pause of two months, then a return with an offer.
        add("plus.monthly", -290, -260) { $0.promotionalOfferIdentifier = "come-back" }
        add("plus.monthly", -260, -230)
        add("plus.monthly", -230, -200) { $0.cancellationDate = made.addingTimeInterval(-215 * day) }
        add("pro.yearly", -215, 150)
        return purchases
    }

    /// Six months, of which the last was refunded.
    private static func weather(_ made: Date) -> [TestPurchase] {
        (0..<6).map { month in
            let start = -200 + Double(month) * 30
            return period("weather", 100 + month, original: 100, from: start, to: start + 30, made).with { purchase in
                if month == 5 { purchase.cancellationDate = made.addingTimeInterval(-35 * day) }
            }
        }
    }

    private static func single(_ made: Date) -> [TestPurchase] {
        [
            TestPurchase(
                "com.example.garden.lifetime-tools", transaction: "560000000000200",
                at: made.addingTimeInterval(-420 * day)),
            TestPurchase(
                "com.example.garden.seeds100", transaction: "560000000000201",
                at: made.addingTimeInterval(-2 * day), type: .consumable
            ).with { $0.quantity = 3 },
            TestPurchase(
                "com.example.garden.soil-sensor", transaction: "560000000000202",
                at: made.addingTimeInterval(-330 * day)
            ).with { $0.cancellationDate = made.addingTimeInterval(-320 * day) },
        ]
    }
}
#endif
