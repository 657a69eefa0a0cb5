import AppReceiptKit
public import Foundation

/// The attributes of a receipt that Apple doesn't document. Apple may change them at any time.
public struct UnofficialReceipt: Sendable {
    /// The attributes in the order of the receipt. The order has no meaning.
    public let entries: [Entry]

    /// One attribute.
    public struct Entry: Sendable {
        /// The attribute's number.
        public let attributeNumber: UInt64
        /// The attribute's presumed meaning, nil if it is unknown.
        public let meaning: KnownUnofficialReceiptAttribute?
        /// The attribute's value.
        ///
        /// The type follows from the meaning. If the value doesn't decode to that type, or the meaning is unknown, the
        /// value is a string if it is printable text, and bytes otherwise. An empty string of known meaning is nil.
        public let value: Value?

        /// The value of an attribute.
        public enum Value: Sendable, Hashable {
            /// Text.
            case string(String)
            /// A date.
            case date(Date)
            /// The bytes of the attribute.
            case bytes(Data)
        }
    }

    /// The environment that issued a receipt.
    public enum ProvisioningType: String, Sendable {
        /// The App Store.
        case production = "Production"
        /// The sandbox, including TestFlight.
        case productionSandbox = "ProductionSandbox"
        /// A volume purchase on the App Store.
        case productionVPP = "ProductionVPP"
    }

    /// The environment that issued the receipt, nil if the receipt doesn't name one.
    public var provisioningType: KnownOrUnknown<ProvisioningType>? {
        for case .string(let name)? in entries.filter({ $0.meaning == .provisioningType }).map(\.value) {
            return KnownOrUnknown(rawValue: name)
        }
        return nil
    }
}

extension UnofficialReceipt: CustomStringConvertible {
    /// The entries in ascending order, one a line.
    public var description: String {
        SourceText.call("UnofficialReceipt", with: [("entries", SourceText.list(entries.sorted().map(\.description)))])
    }
}

extension UnofficialReceipt.Entry: Comparable {
    /// Orders entries by attribute number. Entries with the same number are ordered by their descriptions.
    public static func < (left: Self, right: Self) -> Bool {
        guard left.attributeNumber == right.attributeNumber else { return left.attributeNumber < right.attributeNumber }
        return left.description < right.description
    }
}

extension UnofficialReceipt.Entry: CustomStringConvertible {
    /// The number, meaning and value.
    public var description: String {
        "\(attributeNumber)\(meaning.map { " (\($0))" } ?? ""): \(value?.description ?? "nil")"
    }
}

extension UnofficialReceipt.Entry.Value: CustomStringConvertible {
    /// The string in quotation marks, the date as receipts encode it, or the bytes as base64.
    public var description: String {
        switch self {
        case .string(let text): SourceText.literal(text)
        case .date(let date): ReceiptDate.string(from: date)
        case .bytes(let data): "base64: \(data.base64EncodedString())"
        }
    }
}

extension UnofficialReceipt {
    /// The attributes that Apple documents: bundle identifier, version, opaque value, hash, creation date, purchases,
    /// original version and expiration date.
    private static let official: Set<Int> = [2, 3, 4, 5, 12, 17, 19, 21]

    init(_ receipt: AppReceipt) {
        entries = receipt.attributes.filter { !Self.official.contains($0.type) }.map { Entry($0) }
    }
}

extension UnofficialReceipt.Entry {
    fileprivate init(_ attribute: ReceiptAttribute) {
        attributeNumber = UInt64(clamping: attribute.type)
        meaning = KnownUnofficialReceiptAttribute(rawValue: attributeNumber)
        let text = attribute.text
        switch meaning {
        case .some where text?.isEmpty == true:
            value = nil
        case .provisioningType, .ageRating, .clientName:
            value = text.map { .string($0) } ?? Value(undecoded: attribute)
        case .date1, .date2, .date3:
            let date = text.flatMap(ReceiptDate.date(from:))
            value = date.map { .date($0.inMilliseconds) } ?? Value(undecoded: attribute)
        case nil:
            value = Value(undecoded: attribute)
        }
    }
}

extension UnofficialReceipt.Entry.Value {
    /// Creates a string from a printable encoded string or printable UTF-8, and bytes from anything else.
    fileprivate init(undecoded attribute: ReceiptAttribute) {
        let plain = String(decoding: attribute.value, as: UTF8.self)
        if let text = attribute.text, text.isPrintable {
            self = .string(text)
        } else if !plain.isEmpty, plain.isPrintable, plain.utf8.elementsEqual(attribute.value) {
            self = .string(plain)
        } else {
            self = .bytes(Data(attribute.value))
        }
    }
}

extension String {
    /// Whether the string contains visible characters and spaces only.
    fileprivate var isPrintable: Bool {
        unicodeScalars.allSatisfy { !$0.properties.generalCategory.isInvisible }
    }
}
