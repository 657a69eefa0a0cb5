public import AppReceiptFoundation
import AppReceiptSupport

/// The claimed contents of a receipt. Nothing is verified.
///
/// Anyone can create bytes that claim anything, so a parsed receipt proves nothing. The contents that Apple signed are
/// a `VerifiedReceipt`, which only the `ReceiptVerifier` of AppReceiptKit creates.
///
/// A property is nil if the attribute is missing, empty or malformed. ``attributes`` contains the bytes in every case.
/// Numbers in parentheses are attribute types. Undocumented attributes have the meaning that comparison of genuine
/// receipts suggests, and may change at any time. Source: Apple, Receipt Fields.
public struct AppReceipt: Sendable, Hashable {
    /// The environment: production, sandbox or Xcode (0, undocumented). Only this attribute distinguishes a sandbox
    /// receipt from a production receipt.
    public internal(set) var environment: ReceiptEnvironment?

    /// The app's App Store identifier (1, undocumented); 0 in the sandbox.
    public internal(set) var appStoreIdentifier: UInt64?

    /// The app's bundle identifier (2).
    public internal(set) var bundleIdentifier: String?

    /// The encoded bundle identifier (2) with its tag and length. The device hash is computed over these bytes.
    public var bundleIdentifierBytes: [UInt8]? { bundleIdentifierSlice.map { Array($0) } }

    /// The app's version (3): `CFBundleVersion` on iOS, `CFBundleShortVersionString` on macOS.
    public internal(set) var appVersion: String?

    /// An opaque value that is part of the device hash's input (4).
    public var opaqueValue: [UInt8]? { opaqueValueSlice.map { Array($0) } }

    /// The SHA-1 hash of the device identifier, the opaque value and the bundle identifier's bytes (5).
    public var deviceHash: [UInt8]? { deviceHashSlice.map { Array($0) } }

    /// A date in production receipts, at or shortly before the creation date (8, undocumented).
    public internal(set) var transactionDate: Date?

    /// A number that appears to identify the version of the App Store's software, as four characters (9, undocumented).
    public internal(set) var fulfillmentToolVersion: UInt64?

    /// The app's age rating, such as `4+` (10, undocumented).
    public internal(set) var ageRating: String?

    /// A number that appears to identify the developer (11, undocumented); 0 in the sandbox.
    public internal(set) var developerIdentifier: UInt64?

    /// The date the receipt was created (12). Certificates are validated at this date.
    public internal(set) var creationDate: Date?

    /// A number that appears to be the version of the operating system that requested the receipt, 170200 for 17.2
    /// (13, undocumented).
    public internal(set) var operatingSystemVersion: UInt64?

    /// A number that appears to identify the device's model (14, undocumented).
    public internal(set) var deviceModelCode: UInt64?

    /// The identifier of the download (15, undocumented); 0 in the sandbox.
    public internal(set) var downloadIdentifier: UInt64?

    /// The identifier of the app's version in the App Store (16, undocumented); 0 in the sandbox.
    public internal(set) var versionExternalIdentifier: UInt64?

    /// The date the app was first purchased or downloaded (18, undocumented); a constant in the sandbox.
    public internal(set) var originalPurchaseDate: Date?

    /// The version of the app that was originally purchased (19); `1.0` in the sandbox.
    ///
    /// Don't compare it as text, in which "10" precedes "9": AppReceiptKit's `VerifiedReceipt.originalAppPurchase`
    /// compares versions by number.
    public internal(set) var originalAppVersion: String?

    /// The date the receipt expires (21). Only volume purchases have one, and receipts from Xcode, where it is in the
    /// year 4001.
    public internal(set) var expirationDate: Date?

    /// A date that volume purchases reportedly contain (22, undocumented).
    public internal(set) var volumePurchaseDate: Date?

    /// A name that volume purchases reportedly contain (23, undocumented).
    public internal(set) var volumePurchaseClientName: String?

    /// A number that appears to identify the platform: 3 on iOS, 2 on macOS (25, undocumented).
    public internal(set) var platformCode: UInt64?

    /// The date the app was preordered (32, undocumented).
    public internal(set) var preorderDate: Date?

    /// The in-app purchases (17) in the order of the receipt, which has no meaning.
    public internal(set) var purchases: [InAppPurchase]

    /// Every attribute of the receipt in its original order, including purchases and unknown attributes.
    public internal(set) var attributes: AttributeList

    // Slices of the payload. Most callers never read these values, so they are copied on access.
    var bundleIdentifierSlice: ArraySlice<UInt8>?
    var opaqueValueSlice: ArraySlice<UInt8>?
    var deviceHashSlice: ArraySlice<UInt8>?

    /// Opaque bytes (6, undocumented).
    public var reserved6: [UInt8]? { attributes.bytes(ofType: 6) }

    /// Opaque bytes (7, undocumented).
    public var reserved7: [UInt8]? { attributes.bytes(ofType: 7) }

    /// A text that is empty in all known receipts (20, undocumented).
    public var reserved20: String? { attributes.text(ofType: 20) }
}

extension AppReceipt: CustomStringConvertible {
    /// One line about the app, without data of the customer.
    public var description: String {
        "AppReceipt(\(bundleIdentifier ?? "no bundle identifier") \(appVersion ?? "without version"), "
            + "\(environment?.rawValue ?? "no environment"), \(purchases.count) purchases)"
    }
}

extension AppReceipt {
    /// Parses a receipt without verifying anything.
    ///
    /// - Parameters:
    ///   - bytes: The receipt as DER, BER, base64 text or PEM.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `input`, `container` or `payload`.
    public init(parsing bytes: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        try self.init(container: ReceiptContainer(parsing: bytes, limits: limits), limits: limits)
    }

    /// Parses the payload of a container without verifying anything.
    ///
    /// - Parameters:
    ///   - container: The container of the receipt.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `payload`.
    public init(container: ReceiptContainer, limits: ReceiptLimits = .default) throws(ReceiptError) {
        try self.init(payload: container.content, origin: container.contentOffset ?? 0, limits: limits)
    }

    /// Parses a payload.
    ///
    /// - Parameters:
    ///   - payload: The set of attributes.
    ///   - origin: The position of the payload in the receipt, for the offsets of errors.
    ///   - limits: The limits for parsing.
    /// - Throws: An error of the check `payload`.
    package init(payload: ArraySlice<UInt8>, origin: Int = 0, limits: ReceiptLimits = .default) throws(ReceiptError) {
        var set = try AttributeSet(payload, origin: origin, limits: limits)
        try set.readPayload()
        let count = set.entries.count
        let purchaseEntries = try set.readPurchases()
        let entries = set.entries[...]
        let bytes = set.bytes

        purchases = try purchaseEntries.map { (range) throws(ReceiptError) in
            do throws(ReceiptError) {
                return try InAppPurchase(entries[range], of: bytes)
            } catch {
                throw error.located(in: set)
            }
        }
        attributes = AttributeList(entries[..<count], of: bytes)
        var seen = SeenTypes()
        for entry in entries[..<count] {
            guard let type = AttributeType(rawValue: entry.type) else { continue }
            guard !type.isUniqueInReceipt || seen.insert(type) else {
                throw ReceiptError(
                    .attributeDuplicate, offset: set.offset(of: entry.range.lowerBound),
                    "Attribute \(entry.type), which may occur once, occurs twice.")
            }
            do throws(ReceiptError) {
                try decode(type, from: AttributeValue(range: entry.range), of: bytes)
            } catch {
                throw error.located(in: set)
            }
        }
    }

    /// Decodes the attribute of type `type` into its property.
    ///
    /// A malformed value is an error if a decision depends on it. Otherwise the property stays nil.
    private mutating func decode(
        _ type: AttributeType, from value: AttributeValue, of payload: ArraySlice<UInt8>
    ) throws(ReceiptError) {
        let bytes = payload.span
        switch type {
        case .environment: environment = try value.text(bytes).optional.map(ReceiptEnvironment.init)
        case .appStoreIdentifier: appStoreIdentifier = try value.number(bytes).optional
        case .bundleIdentifier:
            bundleIdentifier = try value.text(bytes).required(.bundleIdentifierMalformed, at: value)
            bundleIdentifierSlice = payload.part(value.range)
        case .appVersion: appVersion = try value.text(bytes).optional
        case .opaqueValue: opaqueValueSlice = payload.part(value.range)
        case .deviceHash:
            guard value.range.count == 20 else {
                throw ReceiptError(.deviceHashMalformed, offset: value.range.lowerBound)
            }
            deviceHashSlice = payload.part(value.range)
        case .transactionDate: transactionDate = try value.date(bytes).optional
        case .fulfillmentToolVersion: fulfillmentToolVersion = try value.number(bytes).optional
        case .ageRating: ageRating = try value.text(bytes).optional
        case .developerIdentifier: developerIdentifier = try value.number(bytes).optional
        case .creationDate: creationDate = try value.date(bytes).required(.creationDateMalformed, at: value)
        case .operatingSystemVersion: operatingSystemVersion = try value.number(bytes).optional
        case .deviceModelCode: deviceModelCode = try value.number(bytes).optional
        case .downloadIdentifier: downloadIdentifier = try value.number(bytes).optional
        case .versionExternalIdentifier: versionExternalIdentifier = try value.number(bytes).optional
        case .originalPurchaseDate: originalPurchaseDate = try value.date(bytes).optional
        case .originalAppVersion: originalAppVersion = try value.text(bytes).optional
        case .reserved20: _ = try value.text(bytes)
        case .expirationDate: expirationDate = try value.date(bytes).required(.expirationDateMalformed, at: value)
        case .volumePurchaseDate: volumePurchaseDate = try value.date(bytes).optional
        case .volumePurchaseClientName: volumePurchaseClientName = try value.text(bytes).optional
        case .platformCode: platformCode = try value.number(bytes).optional
        case .preorderDate: preorderDate = try value.date(bytes).optional
        default: break
        }
    }
}

extension ReceiptError {
    /// Returns the error with its offset converted from the set's bytes to the receipt.
    fileprivate func located(in set: AttributeSet) -> ReceiptError {
        ReceiptError(code, check: check, offset: offset.flatMap(set.offset(of:)), message)
    }
}
