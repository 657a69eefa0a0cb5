import AppReceiptKit
public import Foundation

/// The contents of a receipt. A property is nil if the receipt doesn't contain it.
public struct Receipt: Equatable, Sendable {
    /// The app's bundle identifier.
    public internal(set) var bundleIdentifier: String?
    /// The encoded bundle identifier, an input of the hash.
    public internal(set) var bundleIdData: Data?
    /// The app's version: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public internal(set) var appVersion: String?
    /// An opaque value, an input of the hash.
    public internal(set) var opaqueValue: Data?
    /// The SHA-1 hash of the device identifier, the opaque value and the encoded bundle identifier.
    public internal(set) var sha1Hash: Data?
    /// The version of the app that was originally purchased.
    public internal(set) var originalAppVersion: String?
    /// The date the receipt was created.
    public internal(set) var receiptCreationDate: Date?
    /// The date the receipt expires. Only receipts of volume purchases expire.
    public internal(set) var expirationDate: Date?
    /// The in-app purchases.
    public internal(set) var inAppPurchaseReceipts: [InAppPurchaseReceipt] = []

    /// Creates an empty receipt.
    public init() {}

    /// Creates a receipt from typed values.
    public init(
        bundleIdentifier: String?, bundleIdData: Data?, appVersion: String?, opaqueValue: Data?, sha1Hash: Data?,
        originalAppVersion: String?, receiptCreationDate: Date?, expirationDate: Date?,
        inAppPurchaseReceipts: [InAppPurchaseReceipt]
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleIdData = bundleIdData
        self.appVersion = appVersion
        self.opaqueValue = opaqueValue
        self.sha1Hash = sha1Hash
        self.originalAppVersion = originalAppVersion
        self.receiptCreationDate = receiptCreationDate
        self.expirationDate = expirationDate
        self.inAppPurchaseReceipts = inAppPurchaseReceipts
    }

    /// Creates a receipt from strings: bytes as base64, dates as receipts encode them.
    ///
    /// A string that doesn't decode results in nil. If all values are nil, the initializer with typed values is called.
    @_disfavoredOverload
    public init(
        bundleIdentifier: String?, bundleIdData: String?, appVersion: String?, opaqueValue: String?, sha1Hash: String?,
        originalAppVersion: String?, receiptCreationDate: String?, expirationDate: String?,
        inAppPurchaseReceipts: [InAppPurchaseReceipt]
    ) {
        self.init(
            bundleIdentifier: bundleIdentifier, bundleIdData: Data(base64: bundleIdData), appVersion: appVersion,
            opaqueValue: Data(base64: opaqueValue), sha1Hash: Data(base64: sha1Hash),
            originalAppVersion: originalAppVersion, receiptCreationDate: Date(receipt: receiptCreationDate),
            expirationDate: Date(receipt: expirationDate), inAppPurchaseReceipts: inAppPurchaseReceipts)
    }
}

extension Receipt: CustomStringConvertible, CustomDebugStringConvertible {
    /// Swift source code that creates an equal receipt.
    public var description: String {
        SourceText.call(
            "Receipt",
            with: [
                ("bundleIdentifier", SourceText.literal(bundleIdentifier)),
                ("bundleIdData", SourceText.literal(bundleIdData)),
                ("appVersion", SourceText.literal(appVersion)),
                ("opaqueValue", SourceText.literal(opaqueValue)),
                ("sha1Hash", SourceText.literal(sha1Hash)),
                ("originalAppVersion", SourceText.literal(originalAppVersion)),
                ("receiptCreationDate", SourceText.literal(receiptCreationDate)),
                ("expirationDate", SourceText.literal(expirationDate)),
                ("inAppPurchaseReceipts", SourceText.list(inAppPurchaseReceipts.map(\.description))),
            ])
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension Receipt {
    init(_ receipt: AppReceipt) {
        self.init(
            bundleIdentifier: receipt.bundleIdentifier, bundleIdData: receipt.bundleIdentifierBytes.map { Data($0) },
            appVersion: receipt.appVersion, opaqueValue: receipt.opaqueValue.map { Data($0) },
            sha1Hash: receipt.deviceHash.map { Data($0) }, originalAppVersion: receipt.originalAppVersion,
            receiptCreationDate: receipt.creationDate?.inMilliseconds,
            expirationDate: receipt.expirationDate?.inMilliseconds,
            inAppPurchaseReceipts: receipt.purchases.map { InAppPurchaseReceipt($0) })
    }
}

extension Data {
    init?(base64 text: String?) {
        guard let text else { return nil }
        self.init(base64Encoded: text)
    }
}
