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
