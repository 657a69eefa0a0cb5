import AppReceiptKit
import AppReceiptTesting
import Foundation

/// Distinct receipts of one size, signed with one chain.
struct ReceiptSeries {
    let receipts: [[UInt8]]
    let root: [UInt8]
    /// The content of the first receipt, for the hash benchmarks.
    let content: [UInt8]
    /// The expected totals of each receipt.
    let totals: [Totals]

    /// - Parameters:
    ///   - count: The number of receipts, fewer than 64 only if each has megabytes.
    ///   - encoded: Changes the encoding.
    init(
        purchases: Int, count: Int = 64, pki: TestPKI,
        productIdentifier: String = "com.example.app.subscription.monthly",
        created: Date, encoded: (inout TestContainer) -> Void = { _ in }, text: ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        var receipts: [[UInt8]] = []
        for number in 0..<count {
            let receipt = TestReceipt(bundleIdentifier: "com.example.app.benchmarks").with { receipt in
                receipt.environment = .production
                receipt.creationDate = created
                receipt.originalPurchaseDate = created - 300_000_000
                receipt.appStoreIdentifier = 1_234_567_890
                receipt.developerIdentifier = 987_654_321
                receipt.downloadIdentifier = 500_000_000_000_000 + UInt64(number)
                receipt.versionExternalIdentifier = 861_234_567
                receipt.opaqueValue = (0..<16).map { UInt8(truncatingIfNeeded: $0 * 31 + number) }
                receipt.purchases = (0..<purchases).map { index in
                    Self.purchase(index, of: number, productIdentifier, before: created)
                }
            }
            var container = try TestContainer(content: receipt.payload, signedBy: pki)
            encoded(&container)
            receipts.append(text(try container.encoded()))
        }
        self.receipts = receipts
        root = try pki.root.der()
        content = Array(try ReceiptContainer(parsing: receipts[0]).content)
        totals = try receipts.map { Totals(try AppReceipt(parsing: $0)) }
    }

    /// A period of one of several subscriptions in turn. Every tenth is refunded.
    private static func purchase(
        _ index: Int, of number: Int, _ productIdentifier: String, before created: Date
    ) -> TestPurchase {
        let transaction = 400_000_000_000_000 + number * 1_000_000 + index
        let start = created - Double(index + 1) * 2_592_000
        return TestPurchase(
            subscription: "\(productIdentifier).\(index % 7)", transaction: "\(transaction)",
            original: "\(transaction - index % 7)", from: start, to: start + 2_592_000, isTrial: index == 0
        ).with { purchase in
            purchase.originalPurchaseDate = start - 31_536_000
            purchase.cancellationDate = index % 10 == 9 ? start + 1000 : nil
            purchase.productStoreIdentifier = 1_111_111_111
        }
    }
}

extension TestPKI {
    /// Certificates of the size of Apple's, with padding for the extensions that aren't read.
    static func sizedLikeApple(_ pki: TestPKI) -> TestPKI {
        pki.with { pki in
            pki.signer.extensions.append(filler(330))
            pki.intermediate.extensions.append(filler(90))
            pki.root.extensions.append(filler(260))
        }
    }

    private static func filler(_ count: Int) -> TestCertificate.Extension {
        TestCertificate.Extension("1.3.6.1.4.1.1", value: [UInt8](repeating: 0x20, count: count))
    }
}
