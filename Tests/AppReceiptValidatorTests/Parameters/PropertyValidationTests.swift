import AppReceiptTesting
import AppReceiptValidator
import Foundation
import TestSupport
import Testing

@Suite("AppReceiptValidator.Parameters.PropertyValidation")
struct PropertyValidationTests {
    typealias Validation = AppReceiptValidator.Parameters.PropertyValidation

    private var receipt: Receipt {
        Receipt(
            bundleIdentifier: "com.example.app", bundleIdData: nil, appVersion: "1", opaqueValue: nil, sha1Hash: nil,
            originalAppVersion: nil, receiptCreationDate: nil, expirationDate: nil, inAppPurchaseReceipts: [])
    }

    @Test("A string matches itself, and nil matches an absent property")
    func matches() throws {
        try Validation.string(\.bundleIdentifier, expected: "com.example.app").validateProperty(of: receipt)
        try Validation.string(\.originalAppVersion, expected: nil).validateProperty(of: receipt)
        let path: KeyPath<Receipt, String?> = \.appVersion
        try Validation.string(path, expected: "1").validateProperty(of: receipt)
    }

    @Test("Another value is a mismatch")
    func mismatches() {
        for validation in [
            Validation.string(\.bundleIdentifier, expected: "com.example.App"),
            .string(\.bundleIdentifier, expected: nil), .string(\.originalAppVersion, expected: ""),
            .string(\.appVersion, expected: "1.0"),
        ] {
            #expect(throws: AppReceiptValidator.Error.propertyValueMismatch) {
                try validation.validateProperty(of: receipt)
            }
        }
    }

    @Test("Canonically equivalent strings of different bytes are a mismatch")
    func normalization() throws {
        let composed = "1.0 \u{E9}"
        let decomposed = "1.0 e\u{301}"
        #expect(composed == decomposed, "Swift treats the NFC and NFD forms as equal.")
        for (actual, expected) in [(composed, decomposed), (decomposed, composed)] {
            let receipt = Receipt(
                bundleIdentifier: nil, bundleIdData: nil, appVersion: actual, opaqueValue: nil, sha1Hash: nil,
                originalAppVersion: nil, receiptCreationDate: nil, expirationDate: nil, inAppPurchaseReceipts: [])
            try Validation.string(\.appVersion, expected: actual).validateProperty(of: receipt)
            #expect(throws: AppReceiptValidator.Error.propertyValueMismatch) {
                try Validation.string(\.appVersion, expected: expected).validateProperty(of: receipt)
            }
            let fixture = ReceiptFixture.with { $0.receipt.appVersion = actual }
            let mismatch = try fixture.result { $0.propertyValidations = [.string(\.appVersion, expected: expected)] }
            #expect(mismatch.error == .propertyValueMismatch)
            let match = try fixture.result { $0.propertyValidations = [.string(\.appVersion, expected: actual)] }
            #expect(match.error == nil)
        }
    }

    @Test("The bundle identifier and the versions are those of Info.plist")
    func bundle() throws {
        try TestDirectories.withTemporaryFolder { folder in
            let list = """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>
                <key>CFBundleIdentifier</key><string>com.example.app</string>
                <key>CFBundleVersion</key><string>120</string>
                <key>CFBundleShortVersionString</key><string>3.1</string>
                </dict></plist>
                """
            let url = folder.appendingPathComponent("Garden.bundle")
            try url.appendingPathComponent("Contents/Info.plist").write(Array(list.utf8))
            let bundle = try #require(Bundle(url: url))
            for (validation, path, value) in [
                (Validation.bundleId(matching: bundle), \Receipt.bundleIdentifier, "com.example.app"),
                (.appVersionIOS(matching: bundle), \.appVersion, "120"),
                (.appVersionMacOS(matching: bundle), \.appVersion, "3.1"),
            ] {
                guard case .string(let comparedPath, let expected) = validation else {
                    Issue.record("\(validation)")
                    continue
                }
                #expect(comparedPath == path)
                #expect(expected == value)
            }
        }
    }

    @Test("The main bundle of a test doesn't match the receipt")
    func mainBundle() {
        for validation in [
            Validation.bundleIdMatchingMainBundle, .appVersionMatchingMainBundleIOS, .appVersionMatchingMainBundleMacOS,
        ] {
            #expect(throws: AppReceiptValidator.Error.propertyValueMismatch) {
                try validation.validateProperty(of: receipt)
            }
        }
    }
}
