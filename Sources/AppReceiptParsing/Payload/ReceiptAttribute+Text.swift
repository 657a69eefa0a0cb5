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
