public import AppReceiptFoundation
public import AppReceiptParsing
import AppReceiptSupport

/// The first purchase or download of the app itself.
///
/// It identifies the customers who paid for an app that later became free.
///
/// In the sandbox, TestFlight included, every receipt contains version 1.0 and 2013-08-01, so every tester looks like
/// one of the first customers. Xcode's receipts contain neither.
///
/// A receipt contains it, and so does a verified app transaction of StoreKit 2 (module AppStoreSignedData).
public struct OriginalAppPurchase: Sendable, Hashable {
    /// The first version bought or downloaded: `CFBundleVersion` on iOS and related platforms,
    /// `CFBundleShortVersionString` on macOS.
    public let version: String?

    /// The date of the first purchase or download (undocumented).
    public let date: Date?

    /// The date of the pre-order, if the app was ordered before its release (undocumented).
    public let preorderDate: Date?

    /// The date the purchase of the app itself was refunded; nil if it wasn't. Only app transactions contain it.
    public let revocationDate: Date?

    /// Whether the purchase of the app itself was refunded.
    public var isRefunded: Bool { revocationDate != nil }

    /// The key of the version that the platform's receipts and app transactions contain; nil for unknown platforms.
    public let versionKey: VersionKey?

    /// The key in Info.plist from which a receipt's version is taken.
    public enum VersionKey: String, Sendable, Hashable {
        /// The build number, on iOS, iPadOS, tvOS, watchOS and visionOS.
        case build = "CFBundleVersion"
        /// The version that customers see, on macOS and Mac Catalyst.
        case marketing = "CFBundleShortVersionString"
    }

    package init(
        version: String?, versionKey: VersionKey?, date: Date?, preorderDate: Date?, revocationDate: Date? = nil
    ) {
        self.version = version
        self.versionKey = versionKey
        self.date = date
        self.preorderDate = preorderDate
        self.revocationDate = revocationDate
    }

    init(_ receipt: AppReceipt) {
        let versionKey: VersionKey? =
            switch receipt.platformCode {
            case 2: .marketing
            case 3: .build
            // A wrong guess about an unknown platform could grant access to paid features.
            default: nil
            }
        self.init(
            version: receipt.originalAppVersion, versionKey: versionKey, date: receipt.originalPurchaseDate,
            preorderDate: receipt.preorderDate)
    }

    /// Returns whether the app was first bought or downloaded in a version before these.
    ///
    /// Versions are compared number by number: `2.10` comes after `2.9`, and `2` equals `2.0`. Both are needed because
    /// receipts contain the build number on iOS and the marketing version on macOS, and the receipt's own platform
    /// decides (attribute 25, undocumented: 3 is iOS and 2 is macOS). If an app is sold once for several platforms, a
    /// receipt's version may be another platform's; prefer the date if such an app numbers them differently. The
    /// evidence doesn't show whether the app was deleted and downloaded again, or whether it was free at the time. The
    /// result is false if the purchase was refunded.
    ///
    /// - Parameters:
    ///   - build: The first build that was free, a `CFBundleVersion`, for receipts from iOS and related platforms:
    ///     `"412"`.
    ///   - version: The first version that was free, a `CFBundleShortVersionString`, for receipts from macOS: `"3.0"`.
    /// - Returns: `nil` if the evidence doesn't contain the version or platform, or if a version isn't numbers
    ///   separated by periods.
    public func precedes(build: String, version: String) -> Bool? {
        guard !isRefunded else { return false }
        guard let versionKey, let original = self.version.flatMap({ DottedVersion($0) }),
            let first = DottedVersion(versionKey == .build ? build : version)
        else { return nil }
        return original < first
    }

    /// Returns whether the app was first bought, ordered or downloaded before a date.
    ///
    /// The evidence doesn't show whether the app was free at that time, or whether another account bought it first. The
    /// result is false if the purchase was refunded.
    ///
    /// - Parameter date: The date of the change from paid to free.
    /// - Returns: `nil` if the evidence contains neither date.
    public func precedes(_ date: Date) -> Bool? {
        guard !isRefunded else { return false }
        guard let first = [self.date, preorderDate].compactMap({ $0 }).min() else { return nil }
        return first < date
    }
}

extension AppReceipt {
    /// The first purchase or download of the app itself, as the receipt claims it. Unverified.
    public var originalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(self) }
}

extension VerifiedReceipt {
    /// The first purchase or download of the app itself.
    public var originalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(receipt) }
}

/// A version of numbers separated by periods, such as `2.10.1`. 2.10 is later than 2.9, and 2 equals 2.0.
///
/// Numbers may have any number of digits. Other versions, such as `2.0b3`, can't be compared.
struct DottedVersion: Comparable {
    /// The numbers' digits, without leading zeros, and without zeros at the end.
    private let numbers: [[UInt8]]

    /// Parses a version.
    ///
    /// - Returns: `nil` if the text isn't numbers of ASCII digits with single periods between them.
    init?(_ description: String) {
        var numbers: [[UInt8]] = []
        for part in Array(description.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy(\.isASCIIDigit) else { return nil }
            numbers.append(Array(part.drop { $0 == UInt8(ascii: "0") }))
        }
        self.numbers = Self.significant(numbers)
    }

    /// Returns the numbers without zeros at the end.
    private static func significant(_ numbers: [[UInt8]]) -> [[UInt8]] {
        Array(numbers.reversed().drop(while: \.isEmpty).reversed())
    }

    /// Compares by the first number that differs.
    static func < (left: DottedVersion, right: DottedVersion) -> Bool {
        for (mine, other) in zip(left.numbers, right.numbers) where mine != other {
            return mine.count == other.count ? mine.lexicographicallyPrecedes(other) : mine.count < other.count
        }
        return left.numbers.count < right.numbers.count
    }
}
