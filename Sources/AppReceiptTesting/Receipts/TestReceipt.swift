public import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A receipt to be made. The defaults are those of a sandbox receipt from 2024; everything can be changed.
///
/// ```swift
/// var receipt = TestReceipt(bundleIdentifier: "com.example.app")
/// receipt.purchases = [TestPurchase("com.example.pro", transaction: "1", at: receipt.creationDate)]
/// let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
/// let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
/// let verified = try verifier.verify(try receipt.signed(), expecting: expectations)
/// ```
public struct TestReceipt: Sendable, Hashable {
    /// Attribute 0.
    public var environment: ReceiptEnvironment = .productionSandbox
    /// Attribute 2.
    public var bundleIdentifier: String
    /// Attribute 3.
    public var appVersion = "1"
    /// Attribute 19.
    public var originalAppVersion = "1.0"
    /// Attribute 12, the date at which certificates are validated. Default: 2024-07-02T15:04:05Z.
    public var creationDate = RFC3339.date(year: 2024, month: 7, day: 2, hour: 15, minute: 4, second: 5)
    /// Attribute 18. Default: the sandbox's constant.
    public var originalPurchaseDate = RFC3339.date(year: 2013, month: 8, day: 1, hour: 7, minute: 0, second: 0)
    /// Volume purchases only. Xcode's receipts always have one, in the year 4001.
    public var expirationDate: Date?
    /// Attribute 1; 0 in the sandbox, as are the next three.
    public var appStoreIdentifier: UInt64 = 0
    /// Attribute 11.
    public var developerIdentifier: UInt64 = 0
    /// Attribute 15.
    public var downloadIdentifier: UInt64 = 0
    /// Attribute 16.
    public var versionExternalIdentifier: UInt64 = 0
    /// Big-endian ASCII, `P302`.
    public var fulfillmentToolVersion: UInt64 = 0x5033_3032
    /// Attribute 10.
    public var ageRating = "4+"
    /// Attribute 13; 170200 is 17.2.
    public var operatingSystemVersion: UInt64 = 170_200
    /// Nil for one that fits the platform.
    public var deviceModelCode: UInt64?
    /// Attribute 32.
    public var preorderDate: Date?
    /// Volume purchases only.
    public var volumePurchaseDate: Date?
    /// Volume purchases only.
    public var volumePurchaseClientName: String?
    /// 3 for iOS, 2 for macOS.
    public var platformCode: UInt64 = 3
    /// Attribute 4, which goes into the device hash.
    public var opaqueValue: [UInt8] = Array(0x10...0x1F)
    /// The device that the receipt is made for.
    public var device: DeviceIdentifier?
    /// The purchases. The App Store's receipts contain them in the order of their bytes, and so does
    /// what is made of this: look for one by product or transaction, not by position.
    public var purchases: [TestPurchase] = []
    /// Attributes that replace those of the same type, or come in addition. An empty list of values removes the type.
    public var overrides: [Int: [[UInt8]]] = [:]

    /// A sandbox receipt of this app, without purchases.
    public init(bundleIdentifier: String = "com.example.app") { self.bundleIdentifier = bundleIdentifier }

    /// The same with something changed.
    public func with(_ change: (inout TestReceipt) -> Void) -> TestReceipt {
        var changed = self
        change(&changed)
        return changed
    }

    /// Every attribute, in the order of their types.
    public var attributes: [ReceiptAttribute] {
        let isXcode = environment == .xcode
        let bundleIdentifierBytes = DERWriter.utf8String(bundleIdentifier)
        // Twenty bytes that belong to no device, where none is given.
        let hash =
            device?.hash(opaqueValue: opaqueValue, bundleIdentifierBytes: bundleIdentifierBytes)
            ?? TestDigest.sha1.digest(of: opaqueValue + bundleIdentifierBytes)
        var list = AttributeListBuilder(overrides: overrides)
        list.add(.environment, DERWriter.utf8String(environment.rawValue))
        list.add(.appStoreIdentifier, DERWriter.integer(appStoreIdentifier))
        list.add(.bundleIdentifier, bundleIdentifierBytes)
        list.add(.appVersion, DERWriter.utf8String(appVersion))
        list.add(.opaqueValue, opaqueValue, version: isXcode ? 1 : 2)
        list.add(.deviceHash, hash)
        if !isXcode {
            list.add(.reserved6, TestDigest.sha512.digest(of: opaqueValue))
            list.add(.reserved7, TestDigest.sha384.digest(of: opaqueValue))
        }
        list.add(.transactionDate, date: environment.base == .production ? creationDate : nil)
        if !isXcode {
            list.add(.fulfillmentToolVersion, DERWriter.integer(fulfillmentToolVersion))
            list.add(.ageRating, DERWriter.ia5String(ageRating))
            list.add(.developerIdentifier, DERWriter.integer(developerIdentifier))
        }
        list.add(.creationDate, date: creationDate)
        if !isXcode {
            list.add(.operatingSystemVersion, DERWriter.integer(operatingSystemVersion))
            list.add(.deviceModelCode, DERWriter.integer(deviceModelCode ?? (platformCode == 2 ? 1 : 229)))
            list.add(.downloadIdentifier, DERWriter.integer(downloadIdentifier))
            list.add(.versionExternalIdentifier, DERWriter.integer(versionExternalIdentifier))
            list.add(.originalPurchaseDate, date: originalPurchaseDate)
            list.add(.originalAppVersion, DERWriter.utf8String(originalAppVersion))
            if platformCode == 3 { list.add(.reserved20, DERWriter.utf8String("")) }
            list.add(.platformCode, DERWriter.integer(platformCode))
        }
        if let volumePurchaseDate { list.add(.volumePurchaseDate, date: volumePurchaseDate) }
        if let volumePurchaseClientName {
            list.add(.volumePurchaseClientName, DERWriter.utf8String(volumePurchaseClientName))
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
            list.add(.purchase, DERWriter.set(members, sorted: !isXcode))
        }
        return list.finish()
    }

    /// The payload: the set of all attributes.
    public var payload: [UInt8] {
        DERWriter.set(attributes.map(\.der), sorted: environment != .xcode)
    }

    /// The receipt, signed, as the App Store writes it: DER, three certificates, no signed attributes.
    public func signed(by pki: TestPKI = .standard) throws -> [UInt8] {
        try TestContainer(content: payload, signedBy: pki).encoded()
    }

    /// The receipt, signed as by Xcode: BER, with a self-signed certificate. Only a verifier that is configured to
    /// trust ``TestPKI/xcode`` accepts it. Its environment is Xcode, whatever ``environment`` is.
    public func signedLikeXcode() throws -> [UInt8] {
        let receipt = with { $0.environment = .xcode }
        return try TestContainer(content: receipt.payload, signedByXcode: TestPKI.xcode).encoded()
    }
}
