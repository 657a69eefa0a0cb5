import AppReceiptSupport

/// Reads the elements of one structure from left to right, within its bounds.
///
/// The reader stores positions only; the bytes are passed to each call. It doesn't copy bytes or recurse. To find the
/// end of an element of indefinite length it counts open elements, up to the depth limit.
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

    /// Returns an error with this code at `position`.
    package func failure(_ code: ReceiptError.Code, at position: Int, message: String? = nil) -> ReceiptError {
        ReceiptError(code, check: check, offset: origin + position, message)
    }

    package var isAtEnd: Bool { position == end }

    /// Returns the identifier octet of the next element, or nil at the end.
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

    /// Returns a reader of the content of `element`.
    package func inside(_ element: BERElement) -> BERReader {
        BERReader(element.content, check: check, limits: limits, origin: origin)
    }

    /// Checks that no elements remain.
    package func finish(_ code: ReceiptError.Code = .encodingLeftover) throws(ReceiptError) {
        guard isAtEnd else { throw failure(code, at: position) }
    }

    /// Returns the position of the end-of-contents mark of the element whose content starts at `start`.
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

extension BERReader {
    /// Checks that `element` is well-formed at every level.
    ///
    /// Used for optional fields that are otherwise ignored.
    package func checkWellFormed(_ element: BERElement, in bytes: Span<UInt8>) throws(ReceiptError) {
        guard element.isConstructed else { return }
        try walk(element, in: bytes) { (_, _, _) throws(ReceiptError) in }
    }

    /// Visits every element inside of a constructed element, at every level, from left to right.
    ///
    /// - Parameters:
    ///   - element: The constructed element.
    ///   - bytes: The bytes of the reader.
    ///   - visit: Receives the tag and position of each element, and its content if it is primitive.
    private func walk(
        _ element: BERElement, in bytes: Span<UInt8>,
        visit: (_ tag: UInt8, _ start: Int, _ content: Range<Int>?) throws(ReceiptError) -> Void
    ) throws(ReceiptError) {
        // The open elements. The end of an indefinite one is unknown, so it has the end of its parent.
        var open = [(end: element.end, isIndefinite: element.isIndefinite)]
        var position = element.content.lowerBound
        var nodes = 0
        while let innermost = open.last {
            if innermost.isIndefinite {
                if isEndOfContents(in: bytes, at: position, end: innermost.end) {
                    open.removeLast()
                    position += 2
                    continue
                }
                guard position < innermost.end, !isTruncatedEndOfContents(in: bytes, at: position, end: innermost.end)
                else {
                    throw failure(.encodingEndOfContentsMissing, at: position)
                }
            } else if position == innermost.end {
                open.removeLast()
                continue
            }
            nodes += 1
            guard nodes <= limits.maxNodes else { throw failure(.encodingTooManyNodes, at: position) }
            let header = try BERHeader.read(in: bytes, at: position, end: innermost.end, for: self)
            let start = position
            position = header.contentStart
            if header.tag & BERTag.constructed == 0, let length = header.length {
                position += length
                try visit(header.tag, start, header.contentStart..<position)
                continue
            }
            try visit(header.tag, start, nil)
            guard open.count < limits.maxDepth else { throw failure(.encodingTooDeep, at: start) }
            if let length = header.length {
                open.append((header.contentStart + length, false))
            } else {
                open.append((innermost.end, true))
            }
        }
    }

    /// Returns the content of an octet string, with the pieces of a constructed one joined.
    ///
    /// - Returns: The bytes, and their position in `source`, or nil if several pieces were joined.
    package func octets(
        of string: BERElement, in source: ArraySlice<UInt8>
    ) throws(ReceiptError) -> (octets: ArraySlice<UInt8>, offset: Int?) {
        if string.tag == BERTag.octetString { return (source.part(string.content), string.content.lowerBound) }
        let pieces = try pieces(of: string, in: source.span)
        if pieces.count == 1 { return (source.part(pieces[0]), pieces[0].lowerBound) }
        return (pieces.flatMap(source.part)[...], nil)
    }

    /// Returns the pieces of a constructed octet string, in order (X.690, 8.7). Pieces may be constructed too, up to
    /// the depth limit.
    private func pieces(
        of string: BERElement, in bytes: Span<UInt8>
    ) throws(ReceiptError) -> [Range<Int>] {
        guard string.tag == BERTag.constructedOctetString else {
            throw failure(.encodingUnexpectedTag, at: string.start)
        }
        var pieces: [Range<Int>] = []
        try walk(string, in: bytes) { (tag, start, content) throws(ReceiptError) in
            guard tag == (content == nil ? BERTag.constructedOctetString : BERTag.octetString) else {
                throw failure(.encodingUnexpectedTag, at: start)
            }
            if let content { pieces.append(content) }
        }
        return pieces
    }
}
