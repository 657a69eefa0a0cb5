/// The position of one element, counted from the start of the bytes from which it was read.
package struct BERElement: Sendable, Equatable {
    /// The identifier octet.
    package let tag: UInt8
    /// The position of the identifier octet.
    package let start: Int
    /// The positions of the content octets.
    package let content: Range<Int>
    /// The position after the element, including its end-of-contents mark.
    package let end: Int

    package var isConstructed: Bool { tag & BERTag.constructed != 0 }
    package var isIndefinite: Bool { end != content.upperBound }
    package var range: Range<Int> { start..<end }
}

/// The header of an element.
struct BERHeader {
    let tag: UInt8
    let contentStart: Int
    /// Nil for an indefinite length.
    let length: Int?

    /// Reads identifier and length octets (X.690, 8.1.2 and 8.1.3).
    ///
    /// Lengths in more than the minimal number of octets are accepted, as in BER. The content must end at or before
    /// `end`.
    static func read(
        in bytes: Span<UInt8>, at start: Int, end: Int, for reader: BERReader
    ) throws(ReceiptError) -> BERHeader {
        guard start < end else { throw reader.failure(.encodingElementMissing, at: start) }
        let tag = bytes[start]
        // Universal tag 0 is reserved for the end-of-contents mark, primitive or constructed.
        guard tag & 0x1F != 0x1F, tag & ~BERTag.constructed != 0 else {
            throw reader.failure(.encodingTagUnsupported, at: start)
        }
        guard start + 1 < end else { throw reader.failure(.encodingTruncated, at: start) }
        let first = bytes[start + 1]
        var position = start + 2
        guard first & 0x80 != 0 else {
            guard Int(first) <= end - position else {
                throw reader.failure(.encodingTruncated, at: start)
            }
            return BERHeader(tag: tag, contentStart: position, length: Int(first))
        }
        if first == 0x80 {
            guard tag & BERTag.constructed != 0 else {
                throw reader.failure(.encodingIndefinitePrimitive, at: start)
            }
            return BERHeader(tag: tag, contentStart: position, length: nil)
        }
        let octets = Int(first & 0x7F)
        // Eight octets are enough for every possible length, including leading zeros. 0xFF is reserved (8.1.3.5).
        guard octets <= 8 else { throw reader.failure(.encodingLengthMalformed, at: start) }
        guard octets <= end - position else { throw reader.failure(.encodingTruncated, at: start) }
        var length: UInt64 = 0
        for index in position..<position + octets {
            length = length << 8 | UInt64(bytes[index])
        }
        position += octets
        guard length <= UInt64(end - position) else {
            // A length above 2 GB isn't the result of truncation: no receipt is that large.
            let code: ReceiptError.Code = length > 0x7FFF_FFFF ? .encodingLengthMalformed : .encodingTruncated
            throw reader.failure(code, at: start)
        }
        return BERHeader(tag: tag, contentStart: position, length: Int(length))
    }
}

/// The identifier octets that occur in receipts and certificates (X.690, 8.1.2), including class and form.
package enum BERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0C
    package static let ia5String: UInt8 = 0x16
    package static let utcTime: UInt8 = 0x17
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    /// The bit that marks a constructed element, which contains other elements.
    package static let constructed: UInt8 = 0x20

    package static let constructedOctetString = octetString | constructed

    /// Returns the constructed context tag `[number]`.
    package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

    /// Returns the primitive context tag `[number]`.
    package static func contextPrimitive(_ number: UInt8) -> UInt8 { 0x80 | number }
}
