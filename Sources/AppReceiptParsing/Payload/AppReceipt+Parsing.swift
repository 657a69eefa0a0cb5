import AppReceiptFoundation
import AppReceiptSupport

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
    /// The error with its offset converted from the set's bytes to the receipt.
    fileprivate func located(in set: AttributeSet) -> ReceiptError {
        ReceiptError(code, check: check, offset: offset.flatMap(set.offset(of:)), message)
    }
}
