public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How the customer first came by the app itself: for apps that went from paid to free and owe their first customers
/// what they paid for.
///
/// In the sandbox, TestFlight included, every receipt says version 1.0 and 2013-08-01, so that every tester looks like
/// one of the first customers. Xcode's receipts say nothing.
public struct OriginalAppPurchase: Sendable, Hashable {
    /// The version that was first bought or downloaded: `CFBundleVersion` on iOS and its relatives,
    /// `CFBundleShortVersionString` on macOS.
    public let version: String?

    /// When it was first bought or downloaded (undocumented).
    public let date: Date?

    /// When it was ordered, if that was before its release (undocumented).
    public let preorderDate: Date?

    /// Which of the two version strings the platform writes; nil for platforms that are not known.
    public let versionKey: VersionKey?

    /// The key in Info.plist that receipts take an app's version from.
    public enum VersionKey: String, Sendable, Hashable {
        /// On iOS, iPadOS, tvOS, watchOS and visionOS the build's number.
        case build = "CFBundleVersion"
        /// On macOS, Mac Catalyst included, the version that customers see.
        case marketing = "CFBundleShortVersionString"
    }

    init(_ receipt: AppReceipt) {
        version = receipt.originalAppVersion
        date = receipt.originalPurchaseDate
        preorderDate = receipt.preorderDate
        versionKey =
            switch receipt.platformCode {
            case 2: .marketing
            case 3: .build
            // Nobody knows what else there is, and a wrong guess would give something away.
            default: nil
            }
    }

    /// Whether the app was first bought or downloaded in a version before these; nil if that cannot be told.
    ///
    /// Both are needed, because receipts hold the build's number on iOS and the marketing version on macOS, and the
    /// receipt's own platform decides (attribute 25, undocumented: 3 is iOS and 2 is macOS; of others it cannot be told).
    /// Where an app is sold once for several platforms the
    /// version may be that of another one; prefer the date if such an app numbers them differently. It cannot be told
    /// that the app was bought, deleted and downloaded anew, or that it was free when it was downloaded.
    ///
    /// - Parameters:
    ///   - build: the first `CFBundleVersion` that no longer counts, for receipts from iOS and its relatives.
    ///   - version: the first `CFBundleShortVersionString` that no longer counts, for receipts from macOS.
    public func wasBefore(build: DottedVersion, version: DottedVersion) -> Bool? {
        guard let versionKey, let original = self.version.flatMap({ DottedVersion($0) }) else { return nil }
        return original < (versionKey == .build ? build : version)
    }

    /// Whether the app was first bought, ordered or downloaded before `date`; nil if the receipt does not say.
    ///
    /// It cannot be told whether the app was free at that time, or first came to the customer through another account.
    ///
    /// - Parameter date: the first moment that no longer counts, such as that of the change from paid to free.
    public func wasBefore(_ date: Date) -> Bool? {
        guard let first = [self.date, preorderDate].compactMap({ $0 }).min() else { return nil }
        return first < date
    }
}

extension VerifiedReceipt {
    /// How the customer first came by the app itself.
    public var originalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(receipt) }
}

extension AppReceipt {
    /// How the customer first came by the app itself, as the bytes state it. Nothing of it is proven.
    public var unverifiedOriginalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(self) }
}
