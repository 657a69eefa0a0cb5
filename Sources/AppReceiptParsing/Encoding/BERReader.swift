/// Reads the elements of one structure from left to right, within its bounds.
///
/// The reader holds positions only; each call is given the bytes. Nothing is copied and nothing recurses: an element
/// of indefinite length is measured by counting open elements, at most to the limit for depth.
package struct BERReader {
    /// The position of the next element.
    package private(set) var position: Int
    /// The position after the last element.
    package let end: Int
    package let stage: ReceiptError.Stage
    package let limits: ReceiptLimits
    /// What errors add to a position, where the bytes are themselves a part of the receipt.
    private let origin: Int

    /// Reads what `range` holds.
    package init(_ range: Range<Int>, stage: ReceiptError.Stage, limits: ReceiptLimits, origin: Int = 0) {
        position = range.lowerBound
        end = range.upperBound
        self.stage = stage
        self.limits = limits
        self.origin = origin
    }

    /// The error that `code` is at `position`.
    package func failure(_ code: ReceiptError.Code, at position: Int, _ message: String? = nil) -> ReceiptError {
        ReceiptError(code, stage: stage, offset: origin + position, message)
    }

    package var isAtEnd: Bool { position == end }

    /// The identifier octet of the next element, if there is one.
    package func peekTag(_ bytes: Span<UInt8>) -> UInt8? { position < end ? bytes[position] : nil }

    /// Passes over what was read without the reader.
    package mutating func advance(to position: Int) {
        precondition(position > self.position && position <= end)
        self.position = position
    }

    /// The next element, of any tag.
    package mutating func next(_ bytes: Span<UInt8>) throws(ReceiptError) -> BERElement {
        let start = position
        let header = try BERHeader.read(bytes, at: start, end: end, for: self)
        if let length = header.length {
            let contentEnd = header.contentStart + length
            position = contentEnd
            return BERElement(
                tag: header.tag, start: start, content: header.contentStart..<contentEnd, end: contentEnd)
        }
        let contentEnd = try endOfIndefinite(bytes, from: header.contentStart, opening: start)
        position = contentEnd + 2
        return BERElement(tag: header.tag, start: start, content: header.contentStart..<contentEnd, end: position)
    }

    /// The next element, which must have this tag.
    package mutating func next(_ bytes: Span<UInt8>, _ tag: UInt8) throws(ReceiptError) -> BERElement {
        guard position < end else { throw failure(.encodingElementMissing, at: position) }
        guard bytes[position] == tag else {
            throw failure(.encodingUnexpectedTag, at: position)
        }
        return try next(bytes)
    }

    /// The next element if it has this tag, else nil.
    package mutating func nextIf(_ bytes: Span<UInt8>, _ tag: UInt8) throws(ReceiptError) -> BERElement? {
        guard peekTag(bytes) == tag else { return nil }
        return try next(bytes)
    }

    /// A reader of what `element` holds.
    package func inside(_ element: BERElement) -> BERReader {
        BERReader(element.content, stage: stage, limits: limits, origin: origin)
    }

    /// Nothing may be left over.
    package func finish(_ code: ReceiptError.Code = .encodingLeftover) throws(ReceiptError) {
        guard isAtEnd else { throw failure(code, at: position) }
    }

    /// The position of the end-of-contents mark that closes the element opened before `start`.
    private func endOfIndefinite(
        _ bytes: Span<UInt8>, from start: Int, opening: Int
    ) throws(ReceiptError) -> Int {
        var position = start
        var open = 1
        var nodes = 0
        while true {
            if isEndOfContents(bytes, at: position, end: end) {
                open -= 1
                if open == 0 { return position }
                position += 2
                continue
            }
            guard position < end, !isCutMark(bytes, at: position, end: end) else {
                throw failure(.encodingEndOfContentsMissing, at: opening)
            }
            nodes += 1
            guard nodes <= limits.nodes else {
                throw failure(.encodingTooManyNodes, at: position)
            }
            let header = try BERHeader.read(bytes, at: position, end: end, for: self)
            if let length = header.length {
                position = header.contentStart + length
            } else {
                open += 1
                guard open <= limits.depth else {
                    throw failure(.encodingTooDeep, at: position)
                }
                position = header.contentStart
            }
        }
    }
}
