import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the octets of a value decode to.
enum Decoded<Value> {
    case value(Value)
    /// The receipt writes an absent value as an empty string.
    case absent
    case malformed

    /// The value, nil if it is absent or malformed.
    var optional: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}

/// Decodes the value of one attribute. All values but those of types 4 to 7 are one element and nothing after it.
///
/// It holds where the value lies; each call is given the bytes, as a span that all values of a receipt share.
struct AttributeValue {
    let range: Range<Int>

    /// UTF8String or IA5String. Sources differ on which is used where, so both are taken everywhere.
    func text(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<String> {
        guard let content = try content(bytes, of: BERTag.utf8String, or: BERTag.ia5String) else { return .malformed }
        if content.isEmpty { return .absent }
        let octets = bytes.extracting(content)
        // A string cannot be made of a span before macOS 26; this reads within the bounds that were just checked.
        let text = unsafe octets.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        // Decoding repairs what is not UTF-8; a repaired text is not what the receipt says.
        if !octets.isASCII {
            guard bytes[range.lowerBound] != BERTag.ia5String, octets.isSame(as: text) else { return .malformed }
        }
        return .value(text)
    }

    /// A date in RFC 3339 text.
    func date(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<Date> {
        guard let content = try content(bytes, of: BERTag.ia5String, or: BERTag.utf8String) else { return .malformed }
        if content.isEmpty { return .absent }
        guard let date = RFC3339.date(bytes, content) else { return .malformed }
        return .value(date)
    }

    /// A non-negative INTEGER.
    func number(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<UInt64> {
        guard let content = try content(bytes, of: BERTag.integer, or: BERTag.integer),
            let number = BERValue.unsigned(bytes, content)
        else { return .malformed }
        return .value(number)
    }

    /// An INTEGER that is 0 or 1.
    func flag(_ bytes: Span<UInt8>) throws(ReceiptError) -> Decoded<Bool> {
        switch try number(bytes) {
        case .value(0): .value(false)
        case .value(1): .value(true)
        default: .malformed
        }
    }

    /// The content of the one element that the value is; nil if it is none of these. Whatever it is, nothing may
    /// follow it.
    private func content(
        _ bytes: Span<UInt8>, of tag: UInt8, or other: UInt8
    ) throws(ReceiptError) -> Range<Int>? {
        guard range.count >= 2 else { return nil }
        let found = bytes[range.lowerBound]
        let isExpected = found == tag || found == other
        let short = bytes[range.lowerBound + 1]
        if isExpected, short & 0x80 == 0 {
            // Nearly every value: a length of one octet.
            let end = range.lowerBound + 2 + Int(short)
            guard end <= range.upperBound else { return nil }
            guard end == range.upperBound else { throw ReceiptError(.attributeTrailingBytes, offset: end) }
            return range.lowerBound + 2..<end
        }
        var reader = BERReader(range, stage: .payload, limits: .default)
        guard let element = try? reader.next(bytes) else { return nil }
        try reader.finish(.attributeTrailingBytes)
        return isExpected ? element.content : nil
    }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool {
        var all: UInt8 = 0
        for index in indices { all |= self[index] }
        return all < 0x80
    }

    /// Whether these are the octets of `text`.
    fileprivate func isSame(as text: String) -> Bool {
        var index = 0
        for octet in text.utf8 {
            guard index < count, self[index] == octet else { return false }
            index += 1
        }
        return index == count
    }
}

extension AttributeList {
    /// The text of the first attribute of this type, nil if there is none or it is not text.
    public func text(ofType type: Int) -> String? {
        value(ofType: type) { value, bytes in try? value.text(bytes).optional }
    }

    /// The date in the first attribute of this type, nil if there is none or it is not a date.
    public func date(ofType type: Int) -> Date? {
        value(ofType: type) { value, bytes in try? value.date(bytes).optional }
    }

    /// The number in the first attribute of this type, nil if there is none or it is not a non-negative integer.
    public func number(ofType type: Int) -> UInt64? {
        value(ofType: type) { value, bytes in try? value.number(bytes).optional }
    }

    /// The octets of the first attribute of this type, nil if there is none.
    public func octets(ofType type: Int) -> [UInt8]? { first(ofType: type).map { Array($0.value) } }

    private func value<Value>(ofType type: Int, _ decode: (AttributeValue, Span<UInt8>) -> Value?) -> Value? {
        guard let octets: ArraySlice<UInt8> = first(ofType: type)?.value else { return nil }
        return decode(AttributeValue(range: 0..<octets.count), octets.span)
    }
}
