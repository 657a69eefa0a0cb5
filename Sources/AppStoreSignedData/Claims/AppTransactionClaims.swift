public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport

/// The claims of a signed app transaction: the customer's purchase of the app itself. Source: Apple, AppTransaction.
public struct AppTransactionClaims: SignedClaims {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The app.
    public let bundleIdentifier: String?
    /// The app's App Store identifier, if the data contains it.
    public let appAppleIdentifier: UInt64?
    /// The customer's purchase of the app, across devices.
    public let appTransactionIdentifier: String?
    /// The app's version on the device.
    public let appVersion: String?
    /// The App Store identifier of that version.
    public let versionExternalIdentifier: UInt64?
    /// The originally purchased version: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public let originalAppVersion: String?
    /// The date of the original purchase.
    public let originalPurchaseDate: Date?
    /// The date of a pre-order.
    public let preorderDate: Date?
    /// The platform of the original purchase.
    public let originalPlatform: OriginalPlatform?
    /// The store in which the customer acquired the app.
    public let storeType: StoreType?
    /// The date the purchase of the app itself was refunded.
    public let revocationDate: Date?
    /// The date the device requested the data.
    public let requestDate: Date?
    /// The environment, `receiptType` in the data.
    public let environment: SignedDataEnvironment?
    /// The date this copy was signed, `receiptCreationDate` in the data.
    public let signedDate: Date?
    /// The verification of the device that requested the data; nil if it is absent or malformed.
    public let deviceVerification: DeviceVerification?

    /// A store in which customers acquire apps.
    public struct StoreType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The text in the data.
        public let rawValue: String
        /// Creates a value with any text, known or unknown.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text in the data.
        public var description: String { rawValue }

        /// The App Store.
        public static let consumer = Self(rawValue: "consumer")
        /// The store of schools and universities.
        public static let education = Self(rawValue: "education")
        /// The store of companies.
        public static let enterprise = Self(rawValue: "enterprise")
    }
}

extension AppTransactionClaims: ReadableClaims {
    static var kind: SignedDataKind { .appTransaction }

    init(_ members: AppStoreJSON.Object) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // Members that decisions depend on.
        bundleIdentifier = try claims.string("bundleId")
        appAppleIdentifier = try claims.identifier("appAppleId")
        appVersion = try claims.string("applicationVersion")
        originalAppVersion = try claims.string("originalApplicationVersion")
        originalPurchaseDate = try claims.date("originalPurchaseDate")
        revocationDate = try claims.date("revocationDate")
        environment = try claims.value("receiptType")
        signedDate = try claims.date("receiptCreationDate")
        // Other members: nil if they can't be read.
        appTransactionIdentifier = try? claims.string("appTransactionId")
        versionExternalIdentifier = try? claims.identifier("versionExternalIdentifier")
        preorderDate = try? claims.date("preorderDate")
        originalPlatform = try? claims.value("originalPlatform")
        storeType = try? claims.value("storeType")
        requestDate = try? claims.date("requestDate")
        // An expected device is compared in a check of its own, which rejects a malformed value.
        deviceVerification = DeviceVerification(claims)
    }

    static func matches(_ members: AppStoreJSON.Object) -> Bool {
        members["receiptType"] != nil || members["receiptCreationDate"] != nil
    }
}

extension AppTransactionClaims: CustomStringConvertible {
    /// The app, without data about the customer.
    public var description: String { "AppTransactionClaims(\(bundleIdentifier ?? "no bundle identifier"))" }
}

/// The platform of an app's original purchase.
public struct OriginalPlatform: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// iPhone and iPad.
    public static let iOS = Self(rawValue: "iOS")
    /// Mac.
    public static let macOS = Self(rawValue: "macOS")
    /// Apple TV.
    public static let tvOS = Self(rawValue: "tvOS")
    /// Apple Vision.
    public static let visionOS = Self(rawValue: "visionOS")
}
