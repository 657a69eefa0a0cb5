/// Reads the elements of one structure from left to right, within its bounds.
///
/// The reader stores positions only; the bytes are passed to each call. It doesn't copy bytes or recurse. To find the end of an element
/// of indefinite length it counts open elements, up to the depth limit.
package struct BERReader {
    /// The position of the next element.
    package private(set) var position: Int
    /// The position after the last element.
    package let end: Int
    package let limits: ReceiptLimits
    private let check: ValidationCheck
    /// The position of the bytes in the receipt, which is added to the offsets of errors.
    private let origin: Int

    /// Creates a reader of the elements in `range`.
    package init(_ range: Range<Int>, check: ValidationCheck, limits: ReceiptLimits, origin: Int = 0) {
        position = range.lowerBound
        end = range.upperBound
        self.check = check
        self.limits = limits
        self.origin = origin
    }

    /// An error with this code at `position`.
    package func failure(_ code: ReceiptError.Code, at position: Int, message: String? = nil) -> ReceiptError {
        ReceiptError(code, check: check, offset: origin + position, message)
    }

    package var isAtEnd: Bool { position == end }

    /// The identifier octet of the next element, or nil at the end.
    package func peekTag(in bytes: Span<UInt8>) -> UInt8? { position < end ? bytes[position] : nil }

    /// Advances to `position` after the caller has read the bytes before it.
    package mutating func advance(to position: Int) {
        precondition(position > self.position && position <= end)
        self.position = position
    }

    /// Reads the next element, with any tag.
    package mutating func next(in bytes: Span<UInt8>) throws(ReceiptError) -> BERElement {
        let start = position
        let header = try BERHeader.read(in: bytes, at: start, end: end, for: self)
        if let length = header.length {
            let contentEnd = header.contentStart + length
            position = contentEnd
            return BERElement(
                tag: header.tag, start: start, content: header.contentStart..<contentEnd, end: contentEnd)
        }
        let contentEnd = try endOfIndefinite(in: bytes, from: header.contentStart, opening: start)
        position = contentEnd + 2
        return BERElement(tag: header.tag, start: start, content: header.contentStart..<contentEnd, end: position)
    }

    /// Reads the next element, which must have this tag.
    package mutating func next(_ tag: UInt8, in bytes: Span<UInt8>) throws(ReceiptError) -> BERElement {
        guard position < end else { throw failure(.encodingElementMissing, at: position) }
        guard bytes[position] == tag else {
            throw failure(.encodingUnexpectedTag, at: position)
        }
        return try next(in: bytes)
    }

    /// Reads the next element if it has this tag, and otherwise returns nil.
    package mutating func nextIf(_ tag: UInt8, in bytes: Span<UInt8>) throws(ReceiptError) -> BERElement? {
        guard peekTag(in: bytes) == tag else { return nil }
        return try next(in: bytes)
    }

    /// A reader of the content of `element`.
    package func inside(_ element: BERElement) -> BERReader {
        BERReader(element.content, check: check, limits: limits, origin: origin)
    }

    /// Checks that no elements remain.
    package func finish(_ code: ReceiptError.Code = .encodingLeftover) throws(ReceiptError) {
        guard isAtEnd else { throw failure(code, at: position) }
    }

    /// The position of the end-of-contents mark of the element whose content starts at `start`.
    private func endOfIndefinite(
        in bytes: Span<UInt8>, from start: Int, opening: Int
    ) throws(ReceiptError) -> Int {
        var position = start
        var open = 1
        var nodes = 0
        while true {
            if isEndOfContents(in: bytes, at: position, end: end) {
                open -= 1
                if open == 0 { return position }
                position += 2
                continue
            }
            guard position < end, !isTruncatedEndOfContents(in: bytes, at: position, end: end) else {
                throw failure(.encodingEndOfContentsMissing, at: opening)
            }
            nodes += 1
            guard nodes <= limits.maxNodes else {
                throw failure(.encodingTooManyNodes, at: position)
            }
            let header = try BERHeader.read(in: bytes, at: position, end: end, for: self)
            if let length = header.length {
                position = header.contentStart + length
            } else {
                open += 1
                guard open <= limits.maxDepth else {
                    throw failure(.encodingTooDeep, at: position)
                }
                position = header.contentStart
            }
        }
    }

    /// Whether there is an end-of-contents mark (X.690, 8.1.5) at `position`.
    func isEndOfContents(in bytes: Span<UInt8>, at position: Int, end: Int) -> Bool {
        position + 1 < end && bytes[position] == 0 && bytes[position + 1] == 0
    }

    /// Whether the bytes end in the middle of an end-of-contents mark.
    func isTruncatedEndOfContents(in bytes: Span<UInt8>, at position: Int, end: Int) -> Bool {
        position + 1 == end && bytes[position] == 0
    }
}
