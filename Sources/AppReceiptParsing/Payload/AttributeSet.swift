/// Parses the attributes of the payload and of its purchases into one list of positions.
///
/// The pieces of a constructed value (BER) are joined and appended to the payload's bytes, so every entry is one range of ``bytes``.
struct AttributeSet {
    private(set) var entries: [AttributeList.Entry] = []
    private(set) var bytes: ArraySlice<UInt8>
    /// The joined values, which are appended to ``bytes`` after each pass.
    private var joined: [UInt8] = []
    private let limits: ReceiptLimits
    /// The position of ``bytes`` in the receipt.
    private var origin: Int
    /// The number of ``bytes`` that are from the payload. Joined values follow.
    private var originalCount: Int

    /// Creates an empty list of entries.
    ///
    /// - Parameters:
    ///   - bytes: The payload.
    ///   - origin: The position of the payload in the receipt, for the offsets of errors.
    ///   - limits: The limits for parsing.
    /// - Throws: `input-too-large` if the payload is too large for 32-bit positions.
    init(_ bytes: ArraySlice<UInt8>, origin: Int, limits: ReceiptLimits) throws(ReceiptError) {
        // Positions have 32 bits, and each of the two passes (attributes, then purchases) can double the size.
        guard bytes.count <= Int(Int32.max) / 4 else { throw ReceiptError(.inputTooLarge, stage: .payload) }
        self.bytes = bytes
        self.limits = limits
        self.origin = origin
        originalCount = bytes.count
        // Genuine attributes are at least 20 bytes long.
        entries.reserveCapacity(bytes.count / 20 + 8)
    }

    /// Parses the attributes of the payload, which may be wrapped in another octet string, as some tools do.
    mutating func readPayload() throws(ReceiptError) {
        if bytes.first == BERTag.octetString || bytes.first == BERTag.constructedOctetString {
            let wrapped = bytes
            let span = wrapped.span
            var reader = BERReader(0..<span.count, stage: .payload, limits: limits, origin: origin)
            let string = try reader.next(span)
            try reader.finish(.payloadTrailingBytes)
            let (octets, offset) = try reader.octets(span, of: string, in: wrapped)
            bytes = octets
            originalCount = octets.count
            if let offset { origin += offset } else { origin = 0 }
        }
        _ = try read(0..<bytes.count, .payloadTrailingBytes)
        takeJoined()
    }

    /// Parses the attributes of the purchases whose values are at `ranges` in ``bytes``.
    ///
    /// - Returns: For each purchase, the indices of its entries.
    mutating func readPurchases(_ ranges: [Range<Int>]) throws(ReceiptError) -> [Range<Int>] {
        var purchases: [Range<Int>] = []
        purchases.reserveCapacity(ranges.count)
        for range in ranges {
            do throws(ReceiptError) {
                purchases.append(try read(range, .attributeTrailingBytes))
            } catch {
                guard error.code != .payloadTooManyAttributes else { throw error }
                throw ReceiptError(
                    .purchaseMalformed, offset: offset(of: range.lowerBound) == nil ? nil : error.offset,
                    "Purchase \(purchases.count + 1) isn't a well-formed set of attributes: \(error.message)")
            }
        }
        takeJoined()
        return purchases
    }

    /// The position in the receipt of a position in ``bytes``, or nil if the value was joined from several pieces.
    func offset(of position: Int) -> Int? {
        position < originalCount || bytes.count == originalCount ? origin + position : nil
    }

    private mutating func takeJoined() {
        guard !joined.isEmpty else { return }
        bytes = ArraySlice(Array(bytes) + joined)
        joined = []
    }

    /// `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
    private mutating func read(
        _ range: Range<Int>, _ trailing: ReceiptError.Code
    ) throws(ReceiptError) -> Range<Int> {
        let source = bytes
        let span = source.span
        let first = entries.count
        var outer = BERReader(range, stage: .payload, limits: limits, origin: origin)
        let set = try outer.next(span, BERTag.set)
        try outer.finish(trailing)
        var attributes = outer.inside(set)
        while !attributes.isAtEnd {
            guard entries.count < limits.maxAttributes else {
                throw outer.failure(.payloadTooManyAttributes, at: attributes.position)
            }
            if let entry = attributes.nextCommonAttribute(span) {
                entries.append(entry)
                continue
            }
            var members = attributes.inside(try attributes.next(span, BERTag.sequence))
            let type = try members.number(span)
            let version = try members.number(span)
            let value = try members.next(span)
            try members.finish()
            var octets = value.content
            if value.tag != BERTag.octetString {
                let pieces = try members.octets(span, of: value, in: source).octets
                octets = source.count + joined.count..<source.count + joined.count + pieces.count
                joined += pieces
            }
            entries.append(
                AttributeList.Entry(
                    type: type, version: version, lower: Int32(octets.lowerBound), upper: Int32(octets.upperBound)))
        }
        return first..<entries.count
    }
}

extension BERReader {
    /// The fast path: the next attribute if it has definite lengths below 64 KB, a type of one or two bytes, a version of one byte,
    /// and a primitive value.
    ///
    /// Returns nil for all other attributes, including malformed ones. The general path parses every attribute and has equal results.
    fileprivate mutating func nextCommonAttribute(_ span: Span<UInt8>) -> AttributeList.Entry? {
        guard let sequence = commonElement(span, at: position, end: end, BERTag.sequence),
            sequence.count >= 8
        else { return nil }
        var at = sequence.lowerBound
        guard span[at] == BERTag.integer else { return nil }
        let type: Int
        switch (span[at + 1], span[at + 2]) {
        case (1, let octet) where octet < 0x80:
            type = Int(octet)
            at += 3
        case (2, let high) where high < 0x80:
            type = Int(high) << 8 | Int(span[at + 3])
            // A smaller type in two bytes isn't in its shortest form.
            guard type >= 0x80 else { return nil }
            at += 4
        default: return nil
        }
        guard at + 5 <= sequence.upperBound, span[at] == BERTag.integer, span[at + 1] == 1, span[at + 2] < 0x80,
            let value = commonElement(span, at: at + 3, end: sequence.upperBound, BERTag.octetString),
            value.upperBound == sequence.upperBound
        else { return nil }
        advance(to: sequence.upperBound)
        return AttributeList.Entry(
            type: type, version: Int(span[at + 2]), lower: Int32(value.lowerBound), upper: Int32(value.upperBound))
    }

    /// The content of the element at `start`, if it has this tag, a definite length below 64 KB, and ends within `end`.
    @inline(__always)
    private func commonElement(_ span: Span<UInt8>, at start: Int, end: Int, _ tag: UInt8) -> Range<Int>? {
        guard end - start >= 2, span[start] == tag else { return nil }
        let first = span[start + 1]
        var content = start + 2
        var length = Int(first)
        if first >= 0x80 {
            if first == 0x81, end - start >= 3 {
                length = Int(span[start + 2])
                content = start + 3
            } else if first == 0x82, end - start >= 4 {
                length = Int(span[start + 2]) << 8 | Int(span[start + 3])
                content = start + 4
            } else {
                return nil
            }
        }
        guard length <= end - content else { return nil }
        return content..<content + length
    }

    /// The next element as a type or version number: a non-negative integer of at most 63 bits.
    fileprivate mutating func number(_ span: Span<UInt8>) throws(ReceiptError) -> Int {
        let element = try next(span, BERTag.integer)
        guard let wide = BERValue.unsigned(span, element.content), let number = Int(exactly: wide) else {
            throw failure(.encodingIntegerMalformed, at: element.start)
        }
        return number
    }
}
