import AppReceiptKit
public import Foundation

/// What a receipt says in attributes that Apple does not document and may change at any time.
public struct UnofficialReceipt: Sendable {
    /// The attributes, in the order of the receipt, which means nothing.
    public let entries: [Entry]

    /// One attribute.
    public struct Entry: Sendable {
        /// The attribute's number.
        public let attributeNumber: UInt64
        /// What it seems to mean, if that is known.
        public let meaning: KnownUnofficialReceiptAttribute?
        /// Its value: the bytes where the meaning is not known; else a text or date, nil if that is empty or does not
        /// decode.
        public let value: Value?

        /// The value of an attribute.
        public enum Value: Sendable, Hashable {
            case string(String)
            case date(Date)
            case bytes(Data)
        }
    }

    /// Where a receipt comes from.
    public enum ProvisioningType: String, Sendable {
        /// The App Store.
        case production = "Production"
        /// The sandbox, TestFlight included.
        case productionSandbox = "ProductionSandbox"
        /// The App Store, bought in volume by an organisation.
        case productionVPP = "ProductionVPP"
    }

    /// Where the receipt comes from, nil if it does not say.
    public var provisioningType: KnownOrUnknown<ProvisioningType>? {
        for case .string(let name)? in entries.filter({ $0.meaning == .provisioningType }).map(\.value) {
            return KnownOrUnknown(rawValue: name)
        }
        return nil
    }
}

/// Undocumented attributes whose meaning is known, more or less.
public enum KnownUnofficialReceiptAttribute: UInt64, Sendable, CaseIterable {
    /// Production, sandbox or another.
    case provisioningType = 0
    /// A date at or shortly before the creation date.
    case date1 = 8
    /// The app's age rating.
    case ageRating = 10
    /// When the app was first bought.
    case date2 = 18
    /// A date in receipts of volume purchases.
    case date3 = 22
    /// A name in receipts of volume purchases.
    case clientName = 23
}

extension UnofficialReceipt: CustomStringConvertible {
    /// One attribute a line.
    public var description: String {
        SourceText.call("UnofficialReceipt", [("entries", SourceText.list(entries.map(\.description)))])
    }
}

extension UnofficialReceipt.Entry: CustomStringConvertible {
    /// Number, meaning and value.
    public var description: String {
        let text =
            switch value {
            case .string(let text): SourceText.literal(text)
            case .date(let date): SourceText.literal(date)
            case .bytes(let data): SourceText.literal(data)
            case nil: "nil"
            }
        return "\(attributeNumber)\(meaning.map { " (\($0))" } ?? ""): \(text)"
    }
}

extension UnofficialReceipt {
    /// The attributes that Apple documents: bundle identifier, version, opaque value, hash, creation date, purchases,
    /// original version and expiration date.
    private static let official: Set<Int> = [2, 3, 4, 5, 12, 17, 19, 21]

    init(_ receipt: AppReceipt) {
        entries = receipt.attributes.filter { !Self.official.contains($0.type) }
            .map { Entry($0, among: receipt.attributes) }
    }
}

extension UnofficialReceipt.Entry {
    fileprivate init(_ attribute: ReceiptAttribute, among attributes: AttributeList) {
        attributeNumber = UInt64(clamping: attribute.type)
        meaning = KnownUnofficialReceiptAttribute(rawValue: attributeNumber)
        // Those with a meaning occur once.
        value =
            switch meaning {
            case .provisioningType, .ageRating, .clientName:
                attributes.text(ofType: attribute.type).map { .string($0) }
            case .date1, .date2, .date3:
                attributes.date(ofType: attribute.type).map { .date($0.inMilliseconds) }
            case nil:
                .bytes(Data(attribute.value))
            }
    }
}
