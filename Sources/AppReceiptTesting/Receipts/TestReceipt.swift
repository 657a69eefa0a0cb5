public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

/// The contents of a receipt to sign. The defaults are those of a sandbox receipt from 2024, and every part can be
/// changed.
///
/// ```swift
/// let receipt = TestReceipt(purchases: [TestPurchase("com.example.pro", transaction: "1")])
/// #expect(try receipt.verified().entitlements().isActive("com.example.pro"))
/// ```
///
/// To test the code that verifies, sign the receipt and trust the test's root:
/// `ReceiptVerifier(anchors: try TestPKI.standard.anchors)`.
public struct TestReceipt: TestValue, Hashable {
    /// The environment (attribute 0).
    public var environment: ReceiptEnvironment = .productionSandbox
    /// The bundle identifier (attribute 2).
    public var bundleIdentifier: String
    /// The app version (attribute 3).
    public var appVersion = "1"
    /// The original app version (attribute 19).
    public var originalAppVersion = "1.0"
    /// The creation date (attribute 12), at which certificates are validated. Default: 2024-07-02T15:04:05Z.
    public var creationDate = RFC3339.date(year: 2024, month: 7, day: 2, hour: 15, minute: 4, second: 5)
    /// The original purchase date (attribute 18). Default: the sandbox's constant.
    public var originalPurchaseDate = RFC3339.date(year: 2013, month: 8, day: 1, hour: 7, minute: 0, second: 0)
    /// The expiration date of a volume purchase (attribute 21). Xcode's receipts always have one, in the year 4001.
    public var expirationDate: Date?
    /// The app's App Store identifier (attribute 1). 0 in the sandbox, as are the next three.
    public var appStoreIdentifier: UInt64 = 0
    /// The developer identifier (attribute 11).
    public var developerIdentifier: UInt64 = 0
    /// The download identifier (attribute 15).
    public var downloadIdentifier: UInt64 = 0
    /// The external version identifier (attribute 16).
    public var versionExternalIdentifier: UInt64 = 0
    /// The version of the fulfillment tool, as big-endian ASCII. Default: `P302`.
    public var fulfillmentToolVersion: UInt64 = 0x5033_3032
    /// The age rating (attribute 10).
    public var ageRating = "4+"
    /// The operating system version (attribute 13). 170200 is 17.2.
    public var operatingSystemVersion: UInt64 = 170_200
    /// The device model code. Nil for one that fits the platform.
    public var deviceModelCode: UInt64?
    /// The preorder date (attribute 32).
    public var preorderDate: Date?
    /// The date of a volume purchase.
    public var volumePurchaseDate: Date?
    /// The client name of a volume purchase.
    public var volumePurchaseClientName: String?
    /// The platform code: 3 for iOS, 2 for macOS.
    public var platformCode: UInt64 = 3
    /// The opaque value (attribute 4), which is part of the device hash.
    public var opaqueValue: [UInt8] = Array(0x10...0x1F)
    /// The device of the device hash.
    public var device: DeviceIdentifier?
    /// The purchases.
    ///
    /// The encoded receipt contains them in the order of their bytes, as in App Store receipts. Find a purchase by its
    /// product or transaction, not by its position.
    public var purchases: [TestPurchase] = []
    /// Values by attribute type that replace or extend the attributes above. An empty list removes the attribute.
    public var overrides: [Int: [[UInt8]]] = [:]

    /// Creates a sandbox receipt.
    public init(bundleIdentifier: String = "com.example.app", purchases: [TestPurchase] = []) {
        self.bundleIdentifier = bundleIdentifier
        self.purchases = purchases
    }

    /// The attributes, in the order of their types.
    public var attributes: [ReceiptAttribute] {
        let isXcode = environment == .xcode
        let bundleIdentifierBytes = DERWriter.utf8String(bundleIdentifier)
        // Without a device, the hash is 20 bytes that match no device.
        let hash =
            device?.receiptHash(opaqueValue: opaqueValue, bundleIdentifierBytes: bundleIdentifierBytes)
            ?? TestDigest.sha1.digest(of: opaqueValue + bundleIdentifierBytes)
        var list = AttributeListBuilder(overrides: overrides)
        list.add(.environment, value: DERWriter.utf8String(environment.rawValue))
        list.add(.appStoreIdentifier, value: DERWriter.integer(appStoreIdentifier))
        list.add(.bundleIdentifier, value: bundleIdentifierBytes)
        list.add(.appVersion, value: DERWriter.utf8String(appVersion))
        list.add(.opaqueValue, value: opaqueValue, version: isXcode ? 1 : 2)
        list.add(.deviceHash, value: hash)
        if !isXcode {
            list.add(.reserved6, value: TestDigest.sha512.digest(of: opaqueValue))
            list.add(.reserved7, value: TestDigest.sha384.digest(of: opaqueValue))
        }
        list.add(.transactionDate, date: environment.base == .production ? creationDate : nil)
        if !isXcode {
            list.add(.fulfillmentToolVersion, value: DERWriter.integer(fulfillmentToolVersion))
            list.add(.ageRating, value: DERWriter.ia5String(ageRating))
            list.add(.developerIdentifier, value: DERWriter.integer(developerIdentifier))
        }
        list.add(.creationDate, date: creationDate)
        if !isXcode {
            list.add(.operatingSystemVersion, value: DERWriter.integer(operatingSystemVersion))
            list.add(.deviceModelCode, value: DERWriter.integer(deviceModelCode ?? (platformCode == 2 ? 1 : 229)))
            list.add(.downloadIdentifier, value: DERWriter.integer(downloadIdentifier))
            list.add(.versionExternalIdentifier, value: DERWriter.integer(versionExternalIdentifier))
            list.add(.originalPurchaseDate, date: originalPurchaseDate)
            list.add(.originalAppVersion, value: DERWriter.utf8String(originalAppVersion))
            if platformCode == 3 { list.add(.reserved20, value: DERWriter.utf8String("")) }
            list.add(.platformCode, value: DERWriter.integer(platformCode))
        }
        if let volumePurchaseDate { list.add(.volumePurchaseDate, date: volumePurchaseDate) }
        if let volumePurchaseClientName {
            list.add(.volumePurchaseClientName, value: DERWriter.utf8String(volumePurchaseClientName))
        }
        if let preorderDate { list.add(.preorderDate, date: preorderDate) }
        if let expirationDate {
            list.add(.expirationDate, date: expirationDate)
        } else if isXcode {
            list.add(.expirationDate, date: .year(4001))
        }
        for purchase in purchases {
            // The App Store writes each set in DER order, Xcode by type.
            let members = purchase.attributes(likeXcode: isXcode).map(\.der)
            list.add(.purchase, value: DERWriter.set(members, sorted: !isXcode))
        }
        return list.finish()
    }

    /// The payload, which is the set of all attributes.
    public var payload: [UInt8] {
        DERWriter.set(attributes.map(\.der), sorted: environment != .xcode)
    }

    /// Signs the receipt as the App Store does: DER, three certificates, no signed attributes.
    ///
    /// - Parameter pki: The root, intermediate and signer.
    /// - Returns: The receipt in DER.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func signed(by pki: TestPKI = .standard) throws(ReceiptError) -> [UInt8] {
        try TestContainer(content: payload, signedBy: pki).encoded()
    }

    /// Signs and verifies the receipt, for tests of code that requires a verified receipt or entitlements.
    ///
    /// The signature is verified under the root of ``TestPKI/standard``, at the creation date. Any app, environment and
    /// device is accepted.
    ///
    /// - Returns: The verified receipt.
    /// - Throws: The first failure, with its code, for example of a receipt that ``overrides`` make invalid.
    public func verified() throws(ReceiptError) -> VerifiedReceipt {
        try ReceiptVerifier(anchors: try TestPKI.standard.anchors).verify(
            try signed(), expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: creationDate)
    }

    /// Signs the receipt as Xcode does: BER, with a self-signed certificate.
    ///
    /// The environment of the signed receipt is always Xcode. Only a verifier that is configured to trust
    /// ``TestPKI/xcode`` accepts it.
    ///
    /// - Returns: The receipt in BER.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func signedLikeXcode() throws(ReceiptError) -> [UInt8] {
        let receipt = with { $0.environment = .xcode }
        return try TestContainer(content: receipt.payload, signedByXcode: TestPKI.xcode).encoded()
    }
}
