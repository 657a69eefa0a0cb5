/// Parses the attributes of the payload and of its purchases into one list of positions.
///
/// The pieces of a constructed value (BER) are joined and appended to the payload's bytes, so every entry is one range
/// of ``bytes``.
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
        guard bytes.count <= Int(Int32.max) / 4 else { throw ReceiptError(.inputTooLarge, check: .payload) }
        self.bytes = bytes
        self.limits = limits
        self.origin = origin
        originalCount = bytes.count
    }

    /// Parses the attributes of the payload, which may be wrapped in another octet string, as some tools do.
    mutating func readPayload() throws(ReceiptError) {
        if bytes.first == BERTag.octetString || bytes.first == BERTag.constructedOctetString {
            let wrapped = bytes
            let span = wrapped.span
            var reader = BERReader(0..<span.count, check: .payload, limits: limits, origin: origin)
            let string = try reader.next(in: span)
            try reader.finish(.payloadTrailingBytes)
            let (octets, offset) = try reader.octets(of: string, in: wrapped)
            bytes = octets
            originalCount = octets.count
            if let offset { origin += offset } else { origin = 0 }
        }
        _ = try read(0..<bytes.count, trailing: .payloadTrailingBytes)
        takeJoined()
    }

    /// Parses the attributes of the purchases among the entries.
    ///
    /// - Returns: For each purchase, the indices of its entries.
    mutating func readPurchases() throws(ReceiptError) -> [Range<Int>] {
        let attributes = entries.indices
        let isPurchase = { (entry: AttributeList.Entry) in entry.type == AttributeType.purchase.rawValue }
        let count = entries.lazy.filter(isPurchase).count
        let limit = max(0, limits.maxPurchases)
        guard count <= limit else {
            let excess = entries.lazy.filter(isPurchase).dropFirst(limit).first
            throw ReceiptError(.payloadTooManyPurchases, offset: excess.flatMap { offset(of: $0.range.lowerBound) })
        }
        var purchases: [Range<Int>] = []
        for index in attributes where isPurchase(entries[index]) {
            let range = entries[index].range
            do throws(ReceiptError) {
                purchases.append(try read(range, trailing: .attributeTrailingBytes))
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

    /// Returns the position in the receipt of a position in ``bytes``, or nil if the value was joined from several
    /// pieces.
    func offset(of position: Int) -> Int? {
        position < originalCount || bytes.count == originalCount ? origin + position : nil
    }

    private mutating func takeJoined() {
        guard !joined.isEmpty else { return }
        bytes = ArraySlice(Array(bytes) + joined)
        joined = []
    }

    /// `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
    ///
    /// - Parameters:
    ///   - range: The position of the set.
    ///   - trailing: The code for bytes after the set.
    /// - Returns: The indices of the new entries.
    private mutating func read(
        _ range: Range<Int>, trailing: ReceiptError.Code
    ) throws(ReceiptError) -> Range<Int> {
        let source = bytes
        let span = source.span
        let first = entries.count
        var outer = BERReader(range, check: .payload, limits: limits, origin: origin)
        let set = try outer.next(BERTag.set, in: span)
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
            var members = attributes.inside(try attributes.next(BERTag.sequence, in: span))
            let type = try members.number(in: span)
            let version = try members.number(in: span)
            let value = try members.next(in: span)
            try members.finish()
            var octets = value.content
            if value.tag != BERTag.octetString {
                let pieces = try members.octets(of: value, in: source).octets
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
    /// Returns the next attribute in one step, if it has definite lengths below 64 KB, a type of one or two bytes, a
    /// version of one byte, and a primitive value (budget: verify 79 KB, 0.53 × OpenSSL without it).
    ///
    /// Returns nil for all other attributes, including malformed ones. The general path parses every attribute and has
    /// equal results.
    @inline(__always)
    fileprivate mutating func nextCommonAttribute(_ span: Span<UInt8>) -> AttributeList.Entry? {
        // Spans of the members, because positions in them are constants whose bounds are checked once.
        guard let sequence = commonElement(span) else { return nil }
        let members = span.extracting(sequence)
        guard members.count >= 8, members[0] == BERTag.integer, members[2] < 0x80 else { return nil }
        let type: Int
        let typeEnd: Int
        switch members[1] {
        case 1:
            type = Int(members[2])
            typeEnd = 3
        case 2:
            type = Int(members[2]) << 8 | Int(members[3])
            typeEnd = 4
            // A smaller type in two bytes isn't in its shortest form.
            guard type >= 0x80 else { return nil }
        default: return nil
        }
        let rest = members.extracting(typeEnd..<members.count)
        guard rest.count >= 5, rest[0] == BERTag.integer, rest[1] == 1, rest[2] < 0x80, rest[3] == BERTag.octetString
        else { return nil }
        // The value is the last member, so its length is what remains.
        let length: Int
        switch rest[4] {
        case 0..<0x80:
            length = rest.count - 5
            guard Int(rest[4]) == length else { return nil }
        case 0x81 where rest.count >= 6:
            length = rest.count - 6
            guard Int(rest[5]) == length else { return nil }
        case 0x82 where rest.count >= 7:
            length = rest.count - 7
            guard Int(rest[5]) << 8 | Int(rest[6]) == length else { return nil }
        default: return nil
        }
        advance(to: sequence.upperBound)
        return AttributeList.Entry(
            type: type, version: Int(rest[2]), lower: Int32(sequence.upperBound - length),
            upper: Int32(sequence.upperBound))
    }

    /// Returns the content of the next element, if it is a sequence with a definite length below 64 KB.
    @inline(__always)
    private func commonElement(_ span: Span<UInt8>) -> Range<Int>? {
        let rest = span.extracting(position..<end)
        guard rest.count >= 2, rest[0] == BERTag.sequence else { return nil }
        let header: Int
        let length: Int
        switch rest[1] {
        case 0..<0x80: (header, length) = (2, Int(rest[1]))
        case 0x81 where rest.count >= 3: (header, length) = (3, Int(rest[2]))
        case 0x82 where rest.count >= 4: (header, length) = (4, Int(rest[2]) << 8 | Int(rest[3]))
        default: return nil
        }
        guard length <= rest.count - header else { return nil }
        return position + header..<position + header + length
    }

    /// Returns the next element as a type or version number: a non-negative integer of at most 63 bits.
    fileprivate mutating func number(in span: Span<UInt8>) throws(ReceiptError) -> Int {
        let element = try next(BERTag.integer, in: span)
        guard let wide = BERValue.unsigned(in: span, at: element.content), let number = Int(exactly: wide) else {
            throw failure(.encodingIntegerMalformed, at: element.start)
        }
        return number
    }
}
