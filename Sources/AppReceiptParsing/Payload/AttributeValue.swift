import AppReceiptFoundation
import AppReceiptSupport

/// Decodes the value of one attribute. Except in types 4 to 7, a value is exactly one encoded element.
///
/// It stores the position only. The bytes are passed to each call, as a span that all values of a receipt share.
struct AttributeValue {
    let range: Range<Int>

    /// Decodes a UTF8String or IA5String. Sources differ on which of them an attribute has, so both are accepted
    /// everywhere.
    func text(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<String> {
        guard let content = try content(bytes, of: BERTag.utf8String, or: BERTag.ia5String) else { return .malformed }
        if content.isEmpty { return .absent }
        let characters = bytes.extracting(content)
        // Strings can't be created from a span before macOS 26. The buffer has the bounds that were checked above.
        return unsafe characters.withUnsafeBufferPointer { octets in
            let text = unsafe String(decoding: octets, as: UTF8.self)
            if characters.isASCII { return .value(text) }
            // Decoding replaces invalid UTF-8, so the text would differ from the bytes.
            let isValid = unsafe bytes[range.lowerBound] == BERTag.utf8String && text.utf8.elementsEqual(octets)
            return isValid ? .value(text) : .malformed
        }
    }

    /// Decodes a date in RFC 3339 text.
    func date(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<Date> {
        guard let content = try content(bytes, of: BERTag.ia5String, or: BERTag.utf8String) else { return .malformed }
        if content.isEmpty { return .absent }
        guard let date = RFC3339.date(in: bytes, at: content) else { return .malformed }
        return .value(date)
    }

    /// Decodes a non-negative INTEGER.
    func number(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<UInt64> {
        guard let content = try content(bytes, of: BERTag.integer, or: BERTag.integer),
            let number = BERValue.unsigned(in: bytes, at: content)
        else { return .malformed }
        return .value(number)
    }

    /// Decodes an INTEGER that is 0 or 1.
    func flag(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<Bool> {
        switch try number(bytes) {
        case .value(0): .value(false)
        case .value(1): .value(true)
        default: .malformed
        }
    }

    /// Returns the content of the value's element, or nil if the value isn't an element with one of two tags.
    ///
    /// - Throws: `attribute-trailing-bytes` if bytes follow the element.
    private func content(
        _ bytes: Span<UInt8>, of tag: UInt8, or other: UInt8
    ) throws(ReceiptError) -> Range<Int>? {
        guard range.count >= 2 else { return nil }
        // The usual length of one byte, without a reader (budget: verify 79 KB).
        let value = bytes.extracting(range)
        if value[1] < 0x80, Int(value[1]) == value.count - 2, value[0] == tag || value[0] == other {
            return range.lowerBound + 2..<range.upperBound
        }
        var reader = BERReader(range, check: .payload, limits: .default)
        guard let element = try? reader.next(in: bytes) else { return nil }
        try reader.finish(.attributeTrailingBytes)
        return element.tag == tag || element.tag == other ? element.content : nil
    }
}

/// The result of decoding a value.
enum Decoded<Value> {
    case value(Value)
    /// An empty string, which is how receipts encode an absent value.
    case absent
    case malformed

    /// The value, or nil if it is absent or malformed.
    var optional: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// Returns the value, or nil if it is absent.
    ///
    /// - Throws: An error with this code if the value is malformed. For values on which a decision depends.
    func required(_ code: ReceiptError.Code, at value: AttributeValue) throws(ReceiptError) -> Value? {
        switch self {
        case .value(let value): return value
        case .absent: return nil
        case .malformed: throw ReceiptError(code, offset: value.range.lowerBound)
        }
    }
}
