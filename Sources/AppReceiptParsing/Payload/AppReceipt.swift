#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the bytes of a receipt say.
///
/// Anybody can make bytes that say anything: a parsed receipt proves nothing. What Apple signed is a
/// `VerifiedReceipt`, which only the `ReceiptVerifier` of AppReceiptKit makes.
///
/// A property is nil where the receipt lacks the attribute, writes it empty, or writes it in a way that does not
/// decode; ``attributes`` keeps the bytes in every case. Numbers in parentheses are attribute types. Those that Apple
/// does not document carry the meaning that comparison of genuine receipts suggests, and may change at any time.
/// Source: Apple, Receipt Fields.
public struct AppReceipt: Sendable, Hashable {
    /// Production, sandbox or Xcode (0, undocumented). The only thing that tells a sandbox receipt from a real one.
    public internal(set) var environment: ReceiptEnvironment?

    /// The app's identifier in the App Store (1, undocumented); 0 in the sandbox.
    public internal(set) var appStoreIdentifier: UInt64?

    /// The app's bundle identifier (2).
    public internal(set) var bundleIdentifier: String?

    /// The octets of attribute 2, tag and length included: the device hash is computed over these.
    public internal(set) var bundleIdentifierBytes: [UInt8]?

    /// The app's version (3): `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public internal(set) var appVersion: String?

    /// An opaque value that goes into the device hash (4).
    public internal(set) var opaqueValue: [UInt8]?

    /// SHA-1 over device identifier, opaque value and bundle identifier bytes (5).
    public internal(set) var deviceHash: [UInt8]?

    /// A date that production receipts hold, at or shortly before the creation date (8, undocumented).
    public internal(set) var transactionDate: Date?

    /// Four characters that seem to name the store's software version (9, undocumented).
    public internal(set) var fulfillmentToolVersion: UInt64?

    /// The app's age rating, such as `4+` (10, undocumented).
    public internal(set) var ageRating: String?

    /// A number that seems to identify the developer (11, undocumented); 0 in the sandbox.
    public internal(set) var developerIdentifier: UInt64?

    /// When the receipt was made (12). Certificates are judged at this date.
    public internal(set) var creationDate: Date?

    /// A number that seems to be the version of the operating system that asked for the receipt, 170200 for 17.2
    /// (13, undocumented).
    public internal(set) var operatingSystemVersion: UInt64?

    /// A number that seems to stand for the device's model (14, undocumented).
    public internal(set) var deviceModelCode: UInt64?

    /// The identifier of the download (15, undocumented); 0 in the sandbox.
    public internal(set) var downloadIdentifier: UInt64?

    /// The identifier of the app's version in the App Store (16, undocumented); 0 in the sandbox.
    public internal(set) var versionExternalIdentifier: UInt64?

    /// When the app was first bought or downloaded (18, undocumented); a constant in the sandbox.
    public internal(set) var originalPurchaseDate: Date?

    /// The version of the app that was first bought (19); `1.0` in the sandbox.
    public internal(set) var originalAppVersion: String?

    /// When the receipt expires (21): volume purchases only, and a date beyond every other from Xcode.
    public internal(set) var expirationDate: Date?

    /// A date that volume purchases are said to hold (22, undocumented).
    public internal(set) var volumePurchaseDate: Date?

    /// A name that volume purchases are said to hold (23, undocumented).
    public internal(set) var volumePurchaseClientName: String?

    /// A number that seems to stand for the platform: 3 on iOS, 2 on macOS (25, undocumented).
    public internal(set) var platformCode: UInt64?

    /// When the app was ordered, if that was before its release (32, undocumented).
    public internal(set) var preorderDate: Date?

    /// The in-app purchases (17), in the order of the receipt, which means nothing.
    public internal(set) var purchases: [InAppPurchase]

    /// Every attribute of the receipt, purchases and unknown ones included, in the order of the bytes.
    public internal(set) var attributes: AttributeList

    /// Opaque octets (6, undocumented).
    public var reserved6: [UInt8]? { attributes.octets(ofType: 6) }

    /// Opaque octets (7, undocumented).
    public var reserved7: [UInt8]? { attributes.octets(ofType: 7) }

    /// A text that has been empty in every receipt seen (20, undocumented).
    public var reserved20: String? { attributes.text(ofType: 20) }
}

extension AppReceipt: CustomStringConvertible {
    /// One line that names the app and nothing of its customer.
    public var description: String {
        "AppReceipt(\(bundleIdentifier ?? "no bundle identifier") \(appVersion ?? "without version"), "
            + "\(environment?.rawValue ?? "no environment"), \(purchases.count) purchases)"
    }
}
