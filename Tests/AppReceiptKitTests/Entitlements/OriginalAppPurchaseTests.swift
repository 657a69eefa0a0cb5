import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("OriginalAppPurchase")
struct OriginalAppPurchaseTests {
    @Test("In the sandbox, every customer first bought version 1.0 in August 2013")
    func sandboxConstants() throws {
        let original = try Self.original { _ in }
        #expect(original.version == "1.0")
        #expect(original.date == instant("2013-08-01T07:00:00Z"))
        #expect(original.preorderDate == nil)
        #expect(original.versionKey == .build)
        #expect(original.precedes(build: "2", version: "2") == true)
        #expect(original.precedes(build: "1", version: "1.0.0") == false)
        #expect(original.precedes(day("2024-01-01")) == true)
    }

    @Test("The values are the receipt's, verified and unverified")
    func values() throws {
        let original = try Self.original { receipt in
            receipt.environment = .production
            receipt.platformCode = 2
            receipt.originalAppVersion = "3.2.1"
            receipt.originalPurchaseDate = instant("2022-03-04T05:06:07Z")
            receipt.preorderDate = instant("2022-02-03T04:05:06Z")
        }
        #expect(original.version == "3.2.1")
        #expect(original.date == instant("2022-03-04T05:06:07Z"))
        #expect(original.preorderDate == instant("2022-02-03T04:05:06Z"))
        #expect(original.versionKey == .marketing)
    }

    @Test("Xcode's receipts lack the values, so every result is nil")
    func xcode() throws {
        let verified = try ReceiptTestCase().likeXcode().verified()
        let original = verified.originalAppPurchase
        #expect(original == verified.receipt.originalAppPurchase)
        #expect(original.version == nil)
        #expect(original.date == nil)
        #expect(original.preorderDate == nil)
        #expect(original.versionKey == nil)
        #expect(original.precedes(build: "9", version: "9") == nil)
        #expect(original.precedes(day("2024-01-01")) == nil)
    }

    @Test(
        "The build is compared on iOS, the marketing version on macOS",
        arguments: [
            // Platform, original version, first build and first version that no longer count.
            (UInt64(3), "99", "100", "2.0", true), (3, "100", "100", "200", false), (3, "101", "100", "200", false),
            (3, "1.9", "1.10", "1.0", true), (3, "100.0", "100", "200", false), (3, "99.99", "100.0", "1", true),
            (2, "1.9", "1", "2.0", true), (2, "2.0", "100", "2", false), (2, "1.10", "100", "1.9", false),
            (2, "1.9", "1", "1.10", true), (2, "2.0.1", "100", "2.0", false),
        ])
    func platformDecides(_ row: (platform: UInt64, original: String, build: String, version: String, Bool)) throws {
        let original = try Self.original { receipt in
            receipt.platformCode = row.platform
            receipt.originalAppVersion = row.original
        }
        #expect(original.versionKey == (row.platform == 2 ? .marketing : .build))
        #expect(
            original.precedes(build: row.build, version: row.version) == row.4)
    }

    @Test("The raw values of the version keys are the keys in Info.plist")
    func versionKeys() {
        #expect(OriginalAppPurchase.VersionKey.build.rawValue == "CFBundleVersion")
        #expect(OriginalAppPurchase.VersionKey.marketing.rawValue == "CFBundleShortVersionString")
    }

    @Test(
        "Without a platform or a comparable version, the result is nil",
        arguments: [
            [25: []], [25: [DERWriter.utf8String("3")]], [19: []], [19: [DERWriter.utf8String("")]],
            [19: [DERWriter.utf8String("1.0b3")]], [19: [DERWriter.utf8String("1A123")]],
            [19: [DERWriter.utf8String("1.")]], [19: [DERWriter.utf8String(" 1")]], [19: [DERWriter.integer(1)]],
            [19: [], 25: []],
        ] as [[Int: [[UInt8]]]])
    func versionUnknown(_ overrides: [Int: [[UInt8]]]) throws {
        let original = try Self.original { $0.overrides = overrides }
        #expect(original.precedes(build: "9", version: "9") == nil)
        #expect(original.precedes(build: "0", version: "0") == nil)
        #expect(original.precedes(day("2024-01-01")) == true)
    }

    @Test("A version that isn't comparable is reported unchanged")
    func versionIsKept() throws {
        #expect(try Self.original { $0.originalAppVersion = "1.0b3" }.version == "1.0b3")
    }

    @Test("A purchase at the given date is not before it")
    func dateIsCompared() throws {
        let original = try Self.original { $0.originalPurchaseDate = instant("2022-03-04T05:06:07Z") }
        #expect(original.precedes(instant("2022-03-04T05:06:06Z")) == false)
        #expect(original.precedes(instant("2022-03-04T05:06:07Z")) == false)
        #expect(original.precedes(instant("2022-03-04T05:06:08Z")) == true)
        #expect(original.precedes(.distantPast) == false)
        #expect(original.precedes(.distantFuture) == true)
    }

    @Test("A pre-order counts from the date of the order")
    func preorderIsCompared() throws {
        let original = try Self.original { receipt in
            receipt.originalPurchaseDate = day("2022-03-04")
            receipt.preorderDate = day("2022-01-10")
        }
        #expect(original.date == day("2022-03-04"))
        #expect(original.precedes(day("2022-01-10")) == false)
        #expect(original.precedes(instant("2022-01-10T00:00:01Z")) == true)
        #expect(original.precedes(day("2022-02-01")) == true)
    }

    @Test("The earlier of the dates of purchase and pre-order counts")
    func eitherDate() throws {
        let orderedLater = try Self.original { receipt in
            receipt.originalPurchaseDate = day("2022-01-10")
            receipt.preorderDate = day("2022-03-04")
        }
        #expect(orderedLater.precedes(day("2022-02-01")) == true)
        let onlyOrdered = try Self.original { receipt in
            receipt.overrides[18] = []
            receipt.preorderDate = day("2022-01-10")
        }
        #expect(onlyOrdered.date == nil)
        #expect(onlyOrdered.precedes(day("2022-02-01")) == true)
        #expect(onlyOrdered.precedes(day("2022-01-10")) == false)
    }

    @Test(
        "Without a date, the result is nil",
        arguments: [
            [], [DERWriter.ia5String("")], [DERWriter.ia5String("2013-08-01")], [DERWriter.integer(2013)],
        ] as [[[UInt8]]])
    func dateUnknown(_ override: [[UInt8]]) throws {
        let original = try Self.original { $0.overrides[18] = override }
        #expect(original.date == nil)
        #expect(original.precedes(.distantFuture) == nil)
        #expect(original.precedes(.distantPast) == nil)
        #expect(original.precedes(build: "2", version: "2") == true)
    }

    /// The verified value, which must equal the unverified one.
    private static func original(_ change: (inout TestReceipt) -> Void) throws -> OriginalAppPurchase {
        let testCase = ReceiptTestCase.with { testCase in
            change(&testCase.receipt)
            testCase.expectations.environments = .anyEnvironment
        }
        let verified = try testCase.verified().originalAppPurchase
        #expect(try AppReceipt(parsing: testCase.encoded()).originalAppPurchase == verified)
        return verified
    }
}
