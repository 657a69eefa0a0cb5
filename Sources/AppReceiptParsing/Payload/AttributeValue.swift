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
struct AttributeValue {
    let bytes: ArraySlice<UInt8>
    let range: Range<Int>

    /// UTF8String or IA5String. Sources differ on which is used where, so both are taken everywhere.
    func text() throws(ReceiptError) -> Decoded<String> {
        guard let content = try content(of: BERTag.utf8String, or: BERTag.ia5String) else { return .malformed }
        if content.isEmpty { return .absent }
        let octets = bytes.part(content)
        let text = String(decoding: octets, as: UTF8.self)
        // Decoding repairs what is not UTF-8; a repaired text is not what the receipt says.
        if octets.contains(where: { $0 >= 0x80 }) {
            guard tag != BERTag.ia5String, text.utf8.elementsEqual(octets) else { return .malformed }
        }
        return .value(text)
    }

    /// A date in RFC 3339 text.
    func date() throws(ReceiptError) -> Decoded<Date> {
        guard let content = try content(of: BERTag.ia5String, or: BERTag.utf8String) else { return .malformed }
        if content.isEmpty { return .absent }
        guard let date = ReceiptDate.date(bytes.span, content) else { return .malformed }
        return .value(date)
    }

    /// A non-negative INTEGER.
    func number() throws(ReceiptError) -> Decoded<UInt64> {
        guard let content = try content(of: BERTag.integer, or: BERTag.integer),
            let number = BERValue.unsigned(bytes.span, content)
        else { return .malformed }
        return .value(number)
    }

    /// An INTEGER that is 0 or 1.
    func flag() throws(ReceiptError) -> Decoded<Bool> {
        switch try number() {
        case .value(0): .value(false)
        case .value(1): .value(true)
        default: .malformed
        }
    }

    /// The octets themselves.
    func octets() -> [UInt8] { Array(bytes.part(range)) }

    private var tag: UInt8? { range.isEmpty ? nil : bytes[bytes.startIndex + range.lowerBound] }

    /// The content of the one element that the value is; nil if it is none of these. Whatever it is, nothing may
    /// follow it.
    private func content(of tag: UInt8, or other: UInt8) throws(ReceiptError) -> Range<Int>? {
        let span = bytes.span
        guard range.count >= 2 else { return nil }
        let isExpected = self.tag == tag || self.tag == other
        let short = span[range.lowerBound + 1]
        if isExpected, short & 0x80 == 0 {
            // Nearly every value: a length of one octet.
            let end = range.lowerBound + 2 + Int(short)
            guard end <= range.upperBound else { return nil }
            guard end == range.upperBound else { throw ReceiptError(.attributeTrailingBytes, offset: end) }
            return range.lowerBound + 2..<end
        }
        var reader = BERReader(range, stage: .payload, limits: .default)
        guard let element = try? reader.next(span) else { return nil }
        try reader.finish(.attributeTrailingBytes)
        return isExpected ? element.content : nil
    }
}

extension AttributeList {
    /// The text of the first attribute of this type, nil if there is none or it is not text.
    public func text(ofType type: Int) -> String? { (try? value(ofType: type)?.text())?.optional }

    /// The date in the first attribute of this type, nil if there is none or it is not a date.
    public func date(ofType type: Int) -> Date? { (try? value(ofType: type)?.date())?.optional }

    /// The number in the first attribute of this type, nil if there is none or it is not a non-negative integer.
    public func number(ofType type: Int) -> UInt64? { (try? value(ofType: type)?.number())?.optional }

    /// The octets of the first attribute of this type, nil if there is none.
    public func octets(ofType type: Int) -> [UInt8]? { first(ofType: type).map { Array($0.value) } }

    private func value(ofType type: Int) -> AttributeValue? {
        first(ofType: type).map { AttributeValue(bytes: $0.value, range: 0..<$0.value.count) }
    }
}
