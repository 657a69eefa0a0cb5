/// The JSON has the names of the properties. Dates are RFC 3339 in UTC, bytes are base64, and 64-bit identifiers are
/// strings. Absent values are omitted. ``Swift/CodingUserInfoKey/omitsReceiptAttributes`` omits the raw attributes.
extension AppReceipt: Codable {
    enum CodingKeys: String, CodingKey {
        case environment, appStoreIdentifier, bundleIdentifier, bundleIdentifierBytes, appVersion, opaqueValue
        case deviceHash, transactionDate, fulfillmentToolVersion, ageRating, developerIdentifier, creationDate
        case operatingSystemVersion, deviceModelCode, downloadIdentifier, versionExternalIdentifier
        case originalPurchaseDate, originalAppVersion, expirationDate, volumePurchaseDate, volumePurchaseClientName
        case platformCode, preorderDate, purchases, attributes
    }

    /// Decodes a value from the output of ``encode(to:)``, in any format.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        environment = try container.decodeIfPresent(ReceiptEnvironment.self, forKey: .environment)
        appStoreIdentifier = try container.decode(identifier: .appStoreIdentifier)
        bundleIdentifier = try container.decodeIfPresent(String.self, forKey: .bundleIdentifier)
        bundleIdentifierSlice = try container.decode(octets: .bundleIdentifierBytes)?[...]
        appVersion = try container.decodeIfPresent(String.self, forKey: .appVersion)
        opaqueValueSlice = try container.decode(octets: .opaqueValue)?[...]
        deviceHashSlice = try container.decode(octets: .deviceHash)?[...]
        transactionDate = try container.decode(date: .transactionDate)
        fulfillmentToolVersion = try container.decodeIfPresent(UInt64.self, forKey: .fulfillmentToolVersion)
        ageRating = try container.decodeIfPresent(String.self, forKey: .ageRating)
        developerIdentifier = try container.decode(identifier: .developerIdentifier)
        creationDate = try container.decode(date: .creationDate)
        operatingSystemVersion = try container.decodeIfPresent(UInt64.self, forKey: .operatingSystemVersion)
        deviceModelCode = try container.decodeIfPresent(UInt64.self, forKey: .deviceModelCode)
        downloadIdentifier = try container.decode(identifier: .downloadIdentifier)
        versionExternalIdentifier = try container.decode(identifier: .versionExternalIdentifier)
        originalPurchaseDate = try container.decode(date: .originalPurchaseDate)
        originalAppVersion = try container.decodeIfPresent(String.self, forKey: .originalAppVersion)
        expirationDate = try container.decode(date: .expirationDate)
        volumePurchaseDate = try container.decode(date: .volumePurchaseDate)
        volumePurchaseClientName = try container.decodeIfPresent(String.self, forKey: .volumePurchaseClientName)
        platformCode = try container.decodeIfPresent(UInt64.self, forKey: .platformCode)
        preorderDate = try container.decode(date: .preorderDate)
        purchases = try container.decode([InAppPurchase].self, forKey: .purchases)
        attributes = try container.decodeIfPresent(AttributeList.self, forKey: .attributes) ?? AttributeList([])
    }

    /// Encodes the values that are present. `CodingUserInfoKey.omitsReceiptAttributes` omits the raw attributes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(environment, forKey: .environment)
        try container.encode(appStoreIdentifier, identifier: .appStoreIdentifier)
        try container.encodeIfPresent(bundleIdentifier, forKey: .bundleIdentifier)
        try container.encode(bundleIdentifierBytes, octets: .bundleIdentifierBytes)
        try container.encodeIfPresent(appVersion, forKey: .appVersion)
        try container.encode(opaqueValue, octets: .opaqueValue)
        try container.encode(deviceHash, octets: .deviceHash)
        try container.encode(transactionDate, date: .transactionDate)
        try container.encodeIfPresent(fulfillmentToolVersion, forKey: .fulfillmentToolVersion)
        try container.encodeIfPresent(ageRating, forKey: .ageRating)
        try container.encode(developerIdentifier, identifier: .developerIdentifier)
        try container.encode(creationDate, date: .creationDate)
        try container.encodeIfPresent(operatingSystemVersion, forKey: .operatingSystemVersion)
        try container.encodeIfPresent(deviceModelCode, forKey: .deviceModelCode)
        try container.encode(downloadIdentifier, identifier: .downloadIdentifier)
        try container.encode(versionExternalIdentifier, identifier: .versionExternalIdentifier)
        try container.encode(originalPurchaseDate, date: .originalPurchaseDate)
        try container.encodeIfPresent(originalAppVersion, forKey: .originalAppVersion)
        try container.encode(expirationDate, date: .expirationDate)
        try container.encode(volumePurchaseDate, date: .volumePurchaseDate)
        try container.encodeIfPresent(volumePurchaseClientName, forKey: .volumePurchaseClientName)
        try container.encodeIfPresent(platformCode, forKey: .platformCode)
        try container.encode(preorderDate, date: .preorderDate)
        try container.encode(purchases, forKey: .purchases)
        if encoder.userInfo[.omitsReceiptAttributes] as? Bool != true {
            try container.encode(attributes, forKey: .attributes)
        }
    }
}

extension CodingUserInfoKey {
    /// Whether to omit the raw attributes, which are most of the JSON. Set it to true in an encoder's `userInfo`.
    ///
    /// The JSON can still be decoded, with empty ``AppReceipt/attributes``.
    public static let omitsReceiptAttributes = CodingUserInfoKey(unchecked: "AppReceiptParsing.omitsReceiptAttributes")

    private init(unchecked name: String) {
        // The initializer is failable but accepts every string.
        guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("Invalid key name") }
        self = key
    }
}
