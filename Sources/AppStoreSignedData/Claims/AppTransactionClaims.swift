import AppReceiptKit
public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a signed app transaction says of the customer's purchase of the app itself. Source: Apple, AppTransaction.
public struct AppTransactionClaims: SignedClaims {
    /// Every member as it was written, known or not.
    public let members: JSONObject

    /// The app.
    public let bundleIdentifier: String?
    /// The app's number in the App Store, where it is named.
    public let appAppleIdentifier: UInt64?
    /// The customer's purchase of the app, across devices.
    public let appTransactionIdentifier: String?
    /// The app's version on the device.
    public let appVersion: String?
    /// The App Store's number of that version.
    public let versionExternalIdentifier: UInt64?
    /// The version that was bought first: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public let originalAppVersion: String?
    /// When the app was bought first.
    public let originalPurchaseDate: Date?
    /// When it was ordered before it could be had.
    public let preorderDate: Date?
    /// The platform on which it was bought first.
    public let originalPlatform: OriginalPlatform?
    /// `receiptType` in the data.
    public let environment: SignedDataEnvironment?
    /// `receiptCreationDate` in the data.
    public let signedDate: Date?
    /// The verification of the device that requested the data; nil if it is absent or malformed.
    public let deviceVerification: DeviceVerification?

    /// What kind of data it is.
    public static var kind: SignedDataKind { .appTransaction }
}

extension AppTransactionClaims: ReadableClaims {
    init(_ members: JSONObject) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // What a decision hangs on.
        bundleIdentifier = try claims.text("bundleId")
        appAppleIdentifier = try claims.identifier("appAppleId")
        appVersion = try claims.text("applicationVersion")
        originalAppVersion = try claims.text("originalApplicationVersion")
        originalPurchaseDate = try claims.date("originalPurchaseDate")
        environment = try claims.open("receiptType")
        signedDate = try claims.date("receiptCreationDate")
        // What none does: nil if it cannot be read.
        appTransactionIdentifier = try? claims.text("appTransactionId")
        versionExternalIdentifier = try? claims.identifier("versionExternalIdentifier")
        preorderDate = try? claims.date("preorderDate")
        originalPlatform = try? claims.open("originalPlatform")
        // An expected device is compared in a check of its own, which rejects a malformed value.
        deviceVerification = DeviceVerification(claims)
    }

    static func areEvident(in members: JSONObject) -> Bool {
        members["receiptType"] != nil || members["receiptCreationDate"] != nil
    }
}

extension AppTransactionClaims: CustomStringConvertible {
    /// One line that names the app and nothing of its customer.
    public var description: String { "AppTransactionClaims(\(bundleIdentifier ?? "no bundle identifier"))" }
}
