import AppReceiptFoundation
import AppReceiptSupport

/// Decodes the value of one attribute. Except in types 4 to 7, a value is exactly one encoded element.
///
/// It stores the position only. The bytes are passed to each call, as a span that all values of a receipt share.
struct AttributeValue {
    let range: Range<Int>

    /// Decodes a UTF8String or IA5String. Sources differ on which of them an attribute has, so both are accepted everywhere.
    func text(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<String> {
        guard let content = try content(bytes, of: BERTag.utf8String, or: BERTag.ia5String) else { return .malformed }
        if content.isEmpty { return .absent }
        let characters = bytes.extracting(content)
        // Strings can't be created from a span before macOS 26. The buffer has the bounds that were checked above.
        let text = unsafe characters.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        // `String(decoding:as:)` repairs invalid UTF-8, so the result is compared.
        if !characters.isASCII {
            guard bytes[range.lowerBound] != BERTag.ia5String, characters.isSame(as: text) else { return .malformed }
        }
        return .value(text)
    }

    /// Decodes a date in RFC 3339 text.
    func date(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<Date> {
        guard let content = try content(bytes, of: BERTag.ia5String, or: BERTag.utf8String) else { return .malformed }
        if content.isEmpty { return .absent }
        guard let date = RFC3339.date(bytes, content) else { return .malformed }
        return .value(date)
    }

    /// Decodes a non-negative INTEGER.
    func number(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<UInt64> {
        guard let content = try content(bytes, of: BERTag.integer, or: BERTag.integer),
            let number = BERValue.unsigned(bytes, content)
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

    /// The content of the value's element, or nil if the value isn't an element with one of two tags.
    ///
    /// - Throws: `attribute-trailing-bytes` if bytes follow the element.
    @inline(__always)
    private func content(
        _ bytes: Span<UInt8>, of tag: UInt8, or other: UInt8
    ) throws(ReceiptError) -> Range<Int>? {
        let value = bytes.extracting(range)
        // Fast path: nearly all values have a length of one byte.
        if value.count >= 2, value[0] == tag || value[0] == other, Int(value[1]) == value.count - 2, value[1] < 0x80 {
            return range.lowerBound + 2..<range.upperBound
        }
        return try generalContent(bytes, of: tag, or: other)
    }

    private func generalContent(
        _ bytes: Span<UInt8>, of tag: UInt8, or other: UInt8
    ) throws(ReceiptError) -> Range<Int>? {
        guard range.count >= 2 else { return nil }
        var reader = BERReader(range, check: .payload, limits: .default)
        guard let element = try? reader.next(bytes) else { return nil }
        try reader.finish(.attributeTrailingBytes)
        return element.tag == tag || element.tag == other ? element.content : nil
    }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool {
        var all: UInt8 = 0
        for index in indices { all |= self[index] }
        return all < 0x80
    }

    /// Whether these bytes are the UTF-8 encoding of `text`.
    fileprivate func isSame(as text: String) -> Bool {
        var index = 0
        for byte in text.utf8 {
            guard index < count, self[index] == byte else { return false }
            index += 1
        }
        return index == count
    }
}
