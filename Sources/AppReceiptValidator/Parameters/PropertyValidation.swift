package import Foundation

extension AppReceiptValidator.Parameters {
    /// A property of a receipt to compare.
    public enum PropertyValidation {
        /// A text that must be the same as `expected`; nil expects that the receipt has none.
        case string(KeyPath<Receipt, String?>, expected: String?)

        /// The bundle identifier is that of the main bundle. Anybody can edit Info.plist: a constant is safer.
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

        /// The app version is the main bundle's `CFBundleVersion`, which receipts of iOS hold.
        public static var appVersionMatchingMainBundleIOS: PropertyValidation {
            .appVersionIOS(matching: .main)
        }

        /// The app version is the main bundle's `CFBundleShortVersionString`, which receipts of macOS hold.
        public static var appVersionMatchingMainBundleMacOS: PropertyValidation {
            .appVersionMacOS(matching: .main)
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
