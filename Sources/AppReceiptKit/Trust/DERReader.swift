import AppReceiptParsing

/// Reads elements in DER (X.690, section 10) from left to right.
///
/// Unlike `BERReader`, which reads containers as they occur in the wild, it only accepts definite lengths in the minimal number of octets.
/// It stores positions only, and doesn't allocate; the bytes are passed to each call.
struct DERReader {
    /// The position of one element.
    struct Element {
        /// The first identifier octet.
        let tag: UInt8
        let content: Range<Int>
        /// The whole element.
        let range: Range<Int>

        var isConstructed: Bool { tag & BERTag.constructed != 0 }
    }

    private var position: Int
    private let end: Int

    /// Creates a reader of the elements in `range`.
    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    /// Reads the next element; returns nil if there is none, or if it isn't DER.
    mutating func next(_ bytes: Span<UInt8>) -> Element? {
        let start = position
        guard let tag = octet(bytes) else { return nil }
        // Universal tag 0 is reserved for the end-of-contents mark.
        guard tag & ~BERTag.constructed != 0 else { return nil }
        if tag & 0x1F == 0x1F {
            guard skipLongTag(bytes) else { return nil }
        }
        guard let length = length(bytes), length <= end - position else { return nil }
        let content = position..<position + length
        position = content.upperBound
        return Element(tag: tag, content: content, range: start..<position)
    }

    /// Reads the next element; returns nil unless it has this tag.
    mutating func next(_ bytes: Span<UInt8>, _ tag: UInt8) -> Element? {
        guard position < end, bytes[position] == tag else { return nil }
        return next(bytes)
    }

    /// Reads the only element in the range; returns nil if there are others, or if it has another tag.
    mutating func only(_ bytes: Span<UInt8>, _ tag: UInt8) -> Element? {
        guard let element = next(bytes, tag), isAtEnd else { return nil }
        return element
    }

    /// The identifier octet of the next element, nil at the end.
    func peekTag(_ bytes: Span<UInt8>) -> UInt8? { position < end ? bytes[position] : nil }

    private mutating func octet(_ bytes: Span<UInt8>) -> UInt8? {
        guard position < end else { return nil }
        position += 1
        return bytes[position - 1]
    }

    /// Skips the tag number after the first identifier octet, which must be too large for that octet (X.690, 8.1.2.4).
    private mutating func skipLongTag(_ bytes: Span<UInt8>) -> Bool {
        guard let first = octet(bytes), first != 0x80, first >= 0x1F else { return false }
        var last = first
        for _ in 0..<8 where last & 0x80 != 0 {
            guard let next = octet(bytes) else { return false }
            last = next
        }
        return last & 0x80 == 0
    }

    private mutating func length(_ bytes: Span<UInt8>) -> Int? {
        guard let first = octet(bytes) else { return nil }
        guard first >= 0x80 else { return Int(first) }
        // Four octets are more than any certificate needs. 0x80 is an indefinite length.
        guard (0x81...0x84).contains(first) else { return nil }
        var length = 0
        for index in 0..<first & 0x7F {
            guard let next = octet(bytes), index > 0 || next != 0 else { return nil }
            length = length << 8 | Int(next)
        }
        return length >= 0x80 ? length : nil
    }

    /// Whether the bytes are one element in DER, well-formed at every level.
    static func isWellFormed(_ bytes: Span<UInt8>) -> Bool {
        var root = DERReader(0..<bytes.count)
        guard let element = root.next(bytes), root.isAtEnd else { return false }
        return isWellFormed(bytes, element, depth: 1)
    }

    /// - Parameter depth: The level of the element, at most 50, which bounds the recursion.
    private static func isWellFormed(_ bytes: Span<UInt8>, _ element: Element, depth: Int) -> Bool {
        guard depth <= 50 else { return false }
        guard element.isConstructed else { return true }
        var members = DERReader(element.content)
        while !members.isAtEnd {
            guard let member = members.next(bytes), isWellFormed(bytes, member, depth: depth + 1) else { return false }
        }
        return true
    }
}
