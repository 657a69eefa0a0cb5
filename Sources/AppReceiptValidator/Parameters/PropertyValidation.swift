package import Foundation

extension AppReceiptValidator.Parameters {
    /// A comparison of a receipt's property with an expected value.
    public enum PropertyValidation {
        /// The property must equal `expected` byte for byte, or be absent if `expected` is nil.
        case string(KeyPath<Receipt, String?>, expected: String?)

        /// The bundle identifier must be that of the main bundle.
        ///
        /// Info.plist can be edited, so a constant in the code is safer.
        public static var bundleIdMatchingMainBundle: PropertyValidation {
            .bundleId(matching: .main)
        }

        package static func bundleId(matching bundle: Bundle) -> PropertyValidation {
            .string(\.bundleIdentifier, expected: bundle.bundleIdentifier)
        }

        package static func appVersionIOS(matching bundle: Bundle) -> PropertyValidation {
            .string(\.appVersion, expected: bundle.text("CFBundleVersion"))
        }

        package static func appVersionMacOS(matching bundle: Bundle) -> PropertyValidation {
            .string(\.appVersion, expected: bundle.text("CFBundleShortVersionString"))
        }

        /// The app version must be the main bundle's `CFBundleVersion`, which receipts on iOS contain.
        public static var appVersionMatchingMainBundleIOS: PropertyValidation {
            .appVersionIOS(matching: .main)
        }

        /// The app version must be the main bundle's `CFBundleShortVersionString`, which receipts on macOS contain.
        public static var appVersionMatchingMainBundleMacOS: PropertyValidation {
            .appVersionMacOS(matching: .main)
        }

        /// Compares the property of a receipt.
        ///
        /// - Throws: ``AppReceiptValidator/Error/propertyValueMismatch``.
        public func validateProperty(of receipt: Receipt) throws { try validate(receipt) }

        func validate(_ receipt: Receipt) throws(AppReceiptValidator.Error) {
            switch self {
            case .string(let path, let expected):
                // Bytes: Swift's == treats canonically equivalent strings, such as é in NFC and NFD, as equal.
                guard receipt[keyPath: path].map({ Array($0.utf8) }) == expected.map({ Array($0.utf8) }) else {
                    throw .propertyValueMismatch
                }
            }
        }
    }
}

extension Bundle {
    /// Returns the value in Info.plist itself: versions in receipts aren't localized.
    fileprivate func text(_ key: String) -> String? { infoDictionary?[key] as? String }
}
