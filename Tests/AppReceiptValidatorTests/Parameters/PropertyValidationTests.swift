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

    @Test("a text matches itself, and nil matches what is absent")
    func matches() throws {
        try Validation.string(\.bundleIdentifier, expected: "com.example.app").validateProperty(of: receipt)
        try Validation.string(\.originalAppVersion, expected: nil).validateProperty(of: receipt)
        let path: KeyPath<Receipt, String?> = \.appVersion
        try Validation.string(path, expected: "1").validateProperty(of: receipt)
    }

    @Test("anything else is a mismatch")
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

    @Test("bundle identifier, build on iOS and version on macOS are those of Info.plist")
    func bundle() throws {
        try Places.withTemporaryFolder { folder in
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

    @Test("a test's own bundle is not the receipt's")
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
