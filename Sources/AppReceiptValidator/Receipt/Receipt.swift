import AppReceiptKit
public import Foundation

/// What a receipt says. A property is nil where the receipt says nothing.
public struct Receipt: Equatable, Sendable {
    /// The app's bundle identifier.
    public internal(set) var bundleIdentifier: String?
    /// The bytes of the bundle identifier over which the hash is computed.
    public internal(set) var bundleIdData: Data?
    /// The app's version: `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public internal(set) var appVersion: String?
    /// A value that goes into the hash.
    public internal(set) var opaqueValue: Data?
    /// The hash over device identifier, opaque value and bundle identifier.
    public internal(set) var sha1Hash: Data?
    /// The version that was bought first.
    public internal(set) var originalAppVersion: String?
    /// When the receipt was made.
    public internal(set) var receiptCreationDate: Date?
    /// When the receipt expires: volume purchases only.
    public internal(set) var expirationDate: Date?
    /// The in-app purchases.
    public internal(set) var inAppPurchaseReceipts: [InAppPurchaseReceipt] = []

    /// A receipt that says nothing.
    public init() {}

    /// A receipt that says this.
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

    /// A receipt that says this, with bytes as base64 and dates as receipts write them; what does not decode is nil.
    ///
    /// With nil for all of them both initialisers fit, and mean the same.
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
    /// Swift source that makes an equal receipt.
    public var description: String {
        SourceText.call(
            "Receipt",
            [
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

extension Date {
    init?(receipt text: String?) {
        guard let date = text.flatMap(ReceiptDate.date(from:)) else { return nil }
        self = date
    }

    /// To the millisecond, as descriptions write dates; what is finer, which no receipt has, would not come back.
    var inMilliseconds: Date {
        // Nearly all dates are whole seconds.
        guard timeIntervalSince1970 != timeIntervalSince1970.rounded() else { return self }
        return ReceiptDate.date(from: ReceiptDate.string(from: self)) ?? self
    }
}
