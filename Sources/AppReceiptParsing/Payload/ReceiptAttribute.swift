import AppReceiptSupport

/// One attribute of a receipt or purchase, not decoded.
///
/// `ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
/// (Apple: Validating receipts on the device).
public struct ReceiptAttribute: Sendable, Hashable {
    /// The attribute's number: 2 is the bundle identifier, 17 a purchase.
    public let type: Int

    /// The attribute's version. Apple doesn't document a meaning.
    public let version: Int

    /// The bytes of the value, which for most types are an encoded element.
    ///
    /// The slice shares the receipt's storage. Copy it with `Array(value)` to keep it without the receipt.
    public let value: ArraySlice<UInt8>

    /// Creates an attribute.
    ///
    /// - Parameters:
    ///   - type: The attribute's number.
    ///   - version: The attribute's version.
    ///   - value: The bytes of the value.
    public init(type: Int, version: Int = 1, value: ArraySlice<UInt8>) {
        self.type = type
        self.version = version
        self.value = value
    }
}

extension ReceiptAttribute: CustomStringConvertible {
    /// The type and length, without the value.
    public var description: String { "ReceiptAttribute(type \(type), \(value.count) bytes)" }
}

extension ReceiptAttribute {
    /// The value as text: empty if the receipt encodes an absent value, nil if it isn't a UTF8String or IA5String.
    package var text: String? {
        let bytes: ArraySlice<UInt8> = value
        // A value with trailing bytes isn't text either.
        guard let decoded = try? AttributeValue(range: 0..<bytes.count).text(bytes.span) else { return nil }
        return switch decoded {
        case .value(let text): text
        case .absent: ""
        case .malformed: nil
        }
    }
}

extension ReceiptAttribute: Codable {
    enum CodingKeys: String, CodingKey { case type, version, value }

    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(Int.self, forKey: .type)
        version = try container.decode(Int.self, forKey: .version)
        value = (try container.decode(octets: .value) ?? [])[...]
    }

    /// Encodes type, version and value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(version, forKey: .version)
        try container.encode(value, octets: .value)
    }
}
