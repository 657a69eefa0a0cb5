import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite("JSON of receipt reports")
struct ReceiptReportJSONTests {
    private static let now = instant("2024-07-03T00:00:00Z")

    /// A receipt with a value for every attribute that has a meaning, and texts that need escapes.
    private static func rich() -> TestReceipt {
        TestReceipt().with { receipt in
            receipt.creationDate = instant("2024-07-02T15:04:05Z")
            receipt.originalPurchaseDate = instant("2013-08-01T07:00:00Z")
            receipt.expirationDate = instant("4001-01-01T00:00:00Z")
            receipt.preorderDate = instant("2012-12-31T23:59:59Z")
            receipt.appStoreIdentifier = .max
            receipt.developerIdentifier = 987_654_321
            receipt.downloadIdentifier = 0
            receipt.versionExternalIdentifier = 861_234_567
            receipt.appVersion = "1.0 \"é\" \\ \u{202E}\u{7F}\n😀/"
            receipt.originalAppVersion = ""
            receipt.opaqueValue = [UInt8](0...255)
            let start = instant("2024-06-02T15:04:05Z")
            receipt.purchases = [
                TestPurchase(
                    subscription: "monthly", transaction: "2", original: "1", from: start, to: start + 2_592_000,
                    isTrial: true),
                TestPurchase("pro", transaction: "3", at: start).with {
                    $0.cancellationDate = start + 60
                    $0.productStoreIdentifier = 1_111_111_111
                },
            ]
        }
    }

    /// The JSON that Foundation's encoder makes of a value, with or without raw attributes.
    private static func encoded(_ value: some Encodable, attributes: Bool) throws -> AppStoreJSON {
        let encoder = JSONEncoder()
        encoder.userInfo[.omitsReceiptAttributes] = !attributes
        return try AppStoreJSON(parsing: Array(encoder.encode(value))[...])
    }

    /// Receipts that are valid, invalid and unreadable.
    private static func inputs() throws -> [[UInt8]] {
        let valid = try rich().signed()
        return [
            valid, try TestReceipt().signed(), try rich().with { $0.bundleIdentifier = "com.example.other" }.signed(),
            Array("MIIB".utf8),
        ]
    }

    private static func check(_ report: ReceiptReport, attributes: Bool) throws {
        let text = report.json(attributes: attributes)
        let written = try AppStoreJSON(parsing: text[...])
        #expect(written.object?["products"] == (try encoded(report.entitlements?.all ?? [], attributes: attributes)))
        #expect(written.object?["checks"] == (try encoded(report.checks, attributes: attributes)))
        #expect(written.object?["receipt"] == (try encoded(report.receipt, attributes: attributes)))
        // The same escapes and numbers as every other document, and the same document on several lines.
        #expect(written.text() == text)
        #expect(written.text(isPretty: true) == report.json(attributes: attributes, isPretty: true))
    }

    @Test("The members of a report are written like the encoded values", arguments: [false, true])
    func writtenLikeEncoded(attributes: Bool) throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        for bytes in try Self.inputs() {
            try Self.check(
                verifier.report(bytes, expecting: expectations, now: Self.now), attributes: attributes)
        }
    }

    @Test(
        "The members of reports on genuine receipts are written like the encoded values",
        .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
    func genuine() throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: GenuineReceipts.folder, includingPropertiesForKeys: nil)
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        for file in files {
            let report = ReceiptVerifier().report(
                Array(try Data(contentsOf: file)), expecting: expectations, now: Self.now)
            for attributes in [false, true] { try Self.check(report, attributes: attributes) }
        }
        #expect(!files.isEmpty)
    }

    @Test("The verdict comes first, and products come before checks")
    func order() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        let report = verifier.report(try Self.rich().signed(), expecting: expectations, now: Self.now)
        let object = try #require(AppStoreJSON(parsing: report.json()[...]).object)
        #expect(
            object.members.map(\.name) == ["verdict", "environment", "failure", "products", "checks", "receipt"])
    }

    @Test("Unverified contents are written like the encoded receipt", arguments: [false, true])
    func unverifiedLikeEncoded(attributes: Bool) throws {
        let bytes = try Self.rich().signed()
        let report = UnverifiedReport(
            Result<[UInt8], ReceiptError>.success(bytes), certificates: false, remedy: { $1 })
        var written = try #require(AppStoreJSON(parsing: report.json(attributes: attributes)[...]).object)
        #expect(written["verified"] == false)
        written["verified"] = nil
        #expect(.object(written) == (try Self.encoded(AppReceipt(parsing: bytes), attributes: attributes)))
    }
}
