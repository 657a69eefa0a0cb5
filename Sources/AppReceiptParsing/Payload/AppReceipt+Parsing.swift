import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AppReceipt {
    /// Reads a receipt without verifying anything.
    ///
    /// - Parameters:
    ///   - bytes: the receipt as DER, BER, base64 text or PEM.
    ///   - limits: how much it may ask of the reader.
    /// - Throws: an error of the stage `input`, `container` or `payload`.
    public init(parsing bytes: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        let input = try ReceiptInput(bytes, limits: limits)
        try self.init(container: ReceiptContainer(parsing: input.der, limits: limits), limits: limits)
    }

    /// Reads the payload of a container without verifying anything.
    ///
    /// - Throws: an error of the stage `payload`.
    public init(container: ReceiptContainer, limits: ReceiptLimits = .default) throws(ReceiptError) {
        try self.init(payload: container.content, origin: container.contentOffset ?? 0, limits: limits)
    }

    /// - Parameters:
    ///   - payload: the set of attributes.
    ///   - origin: where it starts in the receipt, for the offsets of errors.
    package init(payload: ArraySlice<UInt8>, origin: Int = 0, limits: ReceiptLimits = .default) throws(ReceiptError) {
        var set = try AttributeSet(payload, origin: origin, limits: limits)
        try set.readPayload()
        let count = set.entries.count
        let purchaseValues = set.entries.filter { $0.type == AttributeType.purchase.rawValue }.map(\.range)
        guard purchaseValues.count <= max(0, limits.purchases) else {
            throw ReceiptError(
                .payloadTooManyPurchases, offset: set.offset(of: purchaseValues[max(0, limits.purchases)].lowerBound))
        }
        let purchaseEntries = try set.readPurchases(purchaseValues)
        let entries = set.entries[...]
        let bytes = set.bytes

        purchases = []
        purchases.reserveCapacity(purchaseEntries.count)
        for range in purchaseEntries {
            do throws(ReceiptError) {
                purchases.append(try InAppPurchase(entries[range], of: bytes))
            } catch {
                throw error.located(in: set)
            }
        }
        attributes = AttributeList(entries[..<count], of: bytes)
        var seen = SeenTypes()
        for entry in entries[..<count] {
            guard seen.insert(entry.type, modeled: AttributeType.isUniqueInReceipt(entry.type)) else {
                throw ReceiptError(
                    .attributeDuplicate, offset: set.offset(of: entry.range.lowerBound),
                    "Attribute \(entry.type), which may occur once, occurs twice.")
            }
            do throws(ReceiptError) {
                try decode(entry.type, AttributeValue(range: entry.range), bytes)
            } catch {
                throw error.located(in: set)
            }
        }
    }

    /// Sets the property that stands for attribute `type`.
    ///
    /// A value that does not decode is an error where a decision hangs on it, and else leaves the property nil.
    private mutating func decode(
        _ type: Int, _ value: AttributeValue, _ payload: ArraySlice<UInt8>
    ) throws(ReceiptError) {
        let bytes = payload.span
        switch AttributeType(rawValue: type) {
        case .environment: environment = try value.text(bytes).optional.map(ReceiptEnvironment.init)
        case .appStoreIdentifier: appStoreIdentifier = try value.number(bytes).optional
        case .bundleIdentifier:
            bundleIdentifier = try value.text(bytes).decisive(or: .bundleIdentifierMalformed, at: value)
            bundleIdentifierBytes = Array(payload.part(value.range))
        case .appVersion: appVersion = try value.text(bytes).optional
        case .opaqueValue: opaqueValue = Array(payload.part(value.range))
        case .deviceHash:
            let octets = Array(payload.part(value.range))
            guard octets.count == 20 else {
                throw ReceiptError(.deviceHashMalformed, offset: value.range.lowerBound)
            }
            deviceHash = octets
        case .transactionDate: transactionDate = try value.date(bytes).optional
        case .fulfillmentToolVersion: fulfillmentToolVersion = try value.number(bytes).optional
        case .ageRating: ageRating = try value.text(bytes).optional
        case .developerIdentifier: developerIdentifier = try value.number(bytes).optional
        case .creationDate: creationDate = try value.date(bytes).decisive(or: .creationDateMalformed, at: value)
        case .operatingSystemVersion: operatingSystemVersion = try value.number(bytes).optional
        case .deviceModelCode: deviceModelCode = try value.number(bytes).optional
        case .downloadIdentifier: downloadIdentifier = try value.number(bytes).optional
        case .versionExternalIdentifier: versionExternalIdentifier = try value.number(bytes).optional
        case .originalPurchaseDate: originalPurchaseDate = try value.date(bytes).optional
        case .originalAppVersion: originalAppVersion = try value.text(bytes).optional
        case .reserved20: _ = try value.text(bytes)
        case .expirationDate: expirationDate = try value.date(bytes).decisive(or: .expirationDateMalformed, at: value)
        case .volumePurchaseDate: volumePurchaseDate = try value.date(bytes).optional
        case .volumePurchaseClientName: volumePurchaseClientName = try value.text(bytes).optional
        case .platformCode: platformCode = try value.number(bytes).optional
        case .preorderDate: preorderDate = try value.date(bytes).optional
        default: break
        }
    }
}

/// The types met so far, of those that may occur once.
struct SeenTypes {
    private var bits: UInt64 = 0

    /// Whether this is the first of its type. Modeled types are told apart by their last six bits.
    mutating func insert(_ type: Int, modeled: Bool) -> Bool {
        guard modeled else { return true }
        let bit: UInt64 = 1 << UInt64(type & 63)
        guard bits & bit == 0 else { return false }
        bits |= bit
        return true
    }
}

extension Decoded {
    /// The value, nil if absent; an error if it does not decode, because a decision hangs on it.
    func decisive(or code: ReceiptError.Code, at value: AttributeValue) throws(ReceiptError) -> Value? {
        switch self {
        case .value(let value): return value
        case .absent: return nil
        case .malformed: throw ReceiptError(code, offset: value.range.lowerBound)
        }
    }
}

extension ReceiptError {
    /// The same error, which counts its offset from the start of the set's bytes, with the offset in the receipt.
    fileprivate func located(in set: AttributeSet) -> ReceiptError {
        ReceiptError(code, stage: stage, offset: offset.flatMap(set.offset(of:)), message)
    }
}
