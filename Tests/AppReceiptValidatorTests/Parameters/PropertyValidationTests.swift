import AppReceiptValidator
import Foundation
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

    @Test("the main bundle's own values are compared by key path")
    func mainBundle() throws {
        for (validation, path, value) in [
            (Validation.bundleIdMatchingMainBundle, \Receipt.bundleIdentifier, Bundle.main.bundleIdentifier),
            (
                .appVersionMatchingMainBundleIOS, \.appVersion,
                Bundle.main.infoDictionary?["CFBundleVersion"] as? String
            ),
            (
                .appVersionMatchingMainBundleMacOS, \.appVersion,
                Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
            ),
        ] {
            guard case .string(let comparedPath, let expected) = validation else {
                Issue.record("\(validation)")
                continue
            }
            #expect(comparedPath == path)
            #expect(expected == value)
        }
        // A test's own bundle identifier is not the receipt's.
        #expect(throws: AppReceiptValidator.Error.propertyValueMismatch) {
            try Validation.bundleIdMatchingMainBundle.validateProperty(of: receipt)
        }
    }
}
