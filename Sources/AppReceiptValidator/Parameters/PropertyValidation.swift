import Foundation

extension AppReceiptValidator.Parameters {
    /// A property of a receipt to compare.
    public enum PropertyValidation {
        /// A text that must be the same as `expected`; nil expects that the receipt has none.
        case string(KeyPath<Receipt, String?>, expected: String?)

        /// The bundle identifier is that of the main bundle. Anybody can edit Info.plist: a constant is safer.
        public static var bundleIdMatchingMainBundle: PropertyValidation {
            .string(\.bundleIdentifier, expected: Bundle.main.bundleIdentifier)
        }

        /// The app version is the main bundle's `CFBundleVersion`, which receipts of iOS hold.
        public static var appVersionMatchingMainBundleIOS: PropertyValidation {
            .string(\.appVersion, expected: Bundle.main.text("CFBundleVersion"))
        }

        /// The app version is the main bundle's `CFBundleShortVersionString`, which receipts of macOS hold.
        public static var appVersionMatchingMainBundleMacOS: PropertyValidation {
            .string(\.appVersion, expected: Bundle.main.text("CFBundleShortVersionString"))
        }

        /// Compares the property.
        ///
        /// - Throws: ``AppReceiptValidator/Error/propertyValueMismatch``.
        public func validateProperty(of receipt: Receipt) throws { try validate(receipt) }

        func validate(_ receipt: Receipt) throws(AppReceiptValidator.Error) {
            switch self {
            case .string(let path, let expected):
                guard receipt[keyPath: path] == expected else { throw .propertyValueMismatch }
            }
        }
    }
}

extension Bundle {
    /// What Info.plist itself says: receipts hold versions that are not localised.
    fileprivate func text(_ key: String) -> String? { infoDictionary?[key] as? String }
}
