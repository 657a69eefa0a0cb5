#if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS
import Foundation
#endif

extension AppLaunchValidation {
    /// The version of the app that the receipt must be for.
    ///
    /// A receipt contains `CFBundleShortVersionString` of a Mac app, and `CFBundleVersion` of an app for another
    /// system.
    public enum AppVersion: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The version of the running app on a Mac, any version on other systems and for a receipt outside of the
        /// running app.
        ///
        /// The App Store replaces a Mac app together with the receipt in it. On other systems, the receipt may still
        /// contain the previous version after an update.
        case automatic
        /// This version. Pass it as a constant, because anyone can edit Info.plist.
        case exactly(String)
        /// Any version.
        case any

        /// Creates a version from a literal.
        public init(stringLiteral value: String) { self = .exactly(value) }

        /// Returns the version that a receipt must contain, nil for any.
        ///
        /// - Parameters:
        ///   - location: The location of the receipt.
        ///   - running: The version of the running app on a Mac; nil on other systems.
        func expected(at location: ReceiptLocation, running: String? = Self.ofRunningMacApp) -> String? {
            switch self {
            case .automatic: location == .mainBundle ? running : nil
            case .exactly(let version): version
            case .any: nil
            }
        }

        #if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS
        static var ofRunningMacApp: String? {
            Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        }
        #else
        static var ofRunningMacApp: String? { nil }
        #endif
    }
}
