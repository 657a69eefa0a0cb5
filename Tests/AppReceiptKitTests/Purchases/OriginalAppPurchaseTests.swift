import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("OriginalAppPurchase")
struct OriginalAppPurchaseTests {
    @Test("in the sandbox every customer came with version 1.0 in August 2013, and so before any later version")
    func sandboxConstants() throws {
        let original = try Self.original { _ in }
        #expect(original.version == "1.0")
        #expect(original.date == instant("2013-08-01T07:00:00Z"))
        #expect(original.preorderDate == nil)
        #expect(original.versionKey == .build)
        #expect(original.wasBefore(build: try Self.version("2"), version: try Self.version("2")) == true)
        #expect(original.wasBefore(build: try Self.version("1"), version: try Self.version("1.0.0")) == false)
        #expect(original.wasBefore(day("2024-01-01")) == true)
    }

    @Test("it says what the receipt says, on the verified side and the other")
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

    @Test("Xcode's receipts say nothing, and nothing can be told from them")
    func xcode() throws {
        let verified = try Trial().likeXcode().verified()
        let original = verified.originalAppPurchase
        #expect(original == verified.receipt.unverifiedOriginalAppPurchase)
        #expect(original.version == nil && original.date == nil)
        #expect(original.preorderDate == nil && original.versionKey == nil)
        #expect(original.wasBefore(build: try Self.version("9"), version: try Self.version("9")) == nil)
        #expect(original.wasBefore(day("2024-01-01")) == nil)
    }

    @Test(
        "the build is compared on iOS, the version that customers see on macOS",
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
            original.wasBefore(build: try Self.version(row.build), version: try Self.version(row.version)) == row.4)
    }

    @Test("the names of the two versions are the keys in Info.plist")
    func versionKeys() {
        #expect(OriginalAppPurchase.VersionKey.build.rawValue == "CFBundleVersion")
        #expect(OriginalAppPurchase.VersionKey.marketing.rawValue == "CFBundleShortVersionString")
    }

    @Test(
        "without a platform or a version that can be compared it cannot be told",
        arguments: [
            [25: []], [25: [DERWriter.utf8String("3")]], [19: []], [19: [DERWriter.utf8String("")]],
            [19: [DERWriter.utf8String("1.0b3")]], [19: [DERWriter.utf8String("1A123")]],
            [19: [DERWriter.utf8String("1.")]], [19: [DERWriter.utf8String(" 1")]], [19: [DERWriter.integer(1)]],
            [19: [], 25: []],
        ] as [[Int: [[UInt8]]]])
    func versionUnknown(_ overrides: [Int: [[UInt8]]]) throws {
        let original = try Self.original { $0.overrides = overrides }
        #expect(original.wasBefore(build: try Self.version("9"), version: try Self.version("9")) == nil)
        #expect(original.wasBefore(build: try Self.version("0"), version: try Self.version("0")) == nil)
        #expect(original.wasBefore(day("2024-01-01")) == true)
    }

    @Test("a version that cannot be compared is told all the same")
    func versionIsKept() throws {
        #expect(try Self.original { $0.originalAppVersion = "1.0b3" }.version == "1.0b3")
    }

    @Test("bought or downloaded at the first moment that no longer counts is not before it")
    func dateIsCompared() throws {
        let original = try Self.original { $0.originalPurchaseDate = instant("2022-03-04T05:06:07Z") }
        #expect(original.wasBefore(instant("2022-03-04T05:06:06Z")) == false)
        #expect(original.wasBefore(instant("2022-03-04T05:06:07Z")) == false)
        #expect(original.wasBefore(instant("2022-03-04T05:06:08Z")) == true)
        #expect(original.wasBefore(.distantPast) == false)
        #expect(original.wasBefore(.distantFuture) == true)
    }

    @Test("an order before the release counts from the day of the order")
    func preorderIsCompared() throws {
        let original = try Self.original { receipt in
            receipt.originalPurchaseDate = day("2022-03-04")
            receipt.preorderDate = day("2022-01-10")
        }
        #expect(original.date == day("2022-03-04"))
        #expect(original.wasBefore(day("2022-01-10")) == false)
        #expect(original.wasBefore(instant("2022-01-10T00:00:01Z")) == true)
        #expect(original.wasBefore(day("2022-02-01")) == true)
    }

    @Test("the earlier of purchase and order counts, and either of them alone is enough")
    func eitherDate() throws {
        let orderedLater = try Self.original { receipt in
            receipt.originalPurchaseDate = day("2022-01-10")
            receipt.preorderDate = day("2022-03-04")
        }
        #expect(orderedLater.wasBefore(day("2022-02-01")) == true)
        let onlyOrdered = try Self.original { receipt in
            receipt.overrides[18] = []
            receipt.preorderDate = day("2022-01-10")
        }
        #expect(onlyOrdered.date == nil)
        #expect(onlyOrdered.wasBefore(day("2022-02-01")) == true)
        #expect(onlyOrdered.wasBefore(day("2022-01-10")) == false)
    }

    @Test(
        "without a date it cannot be told",
        arguments: [
            [], [DERWriter.ia5String("")], [DERWriter.ia5String("2013-08-01")], [DERWriter.integer(2013)],
        ] as [[[UInt8]]])
    func dateUnknown(_ override: [[UInt8]]) throws {
        let original = try Self.original { $0.overrides[18] = override }
        #expect(original.date == nil)
        #expect(original.wasBefore(.distantFuture) == nil)
        #expect(original.wasBefore(.distantPast) == nil)
        #expect(original.wasBefore(build: try Self.version("2"), version: try Self.version("2")) == true)
    }

    private static func version(_ text: String) throws -> DottedVersion { try #require(DottedVersion(text)) }

    /// What was verified, which must be what the bytes say.
    private static func original(_ change: (inout TestReceipt) -> Void) throws -> OriginalAppPurchase {
        let trial = Trial.with { trial in
            change(&trial.receipt)
            trial.expectations.environments = .anyEnvironment
        }
        let verified = try trial.verified().originalAppPurchase
        #expect(try AppReceipt(parsing: trial.encoded()).unverifiedOriginalAppPurchase == verified)
        return verified
    }
}
