import AppReceiptSupport

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

    /// The content of an octet string, with the pieces of a constructed one joined.
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

    /// The pieces of a constructed octet string, in order (X.690, 8.7). Pieces may be constructed too, up to the depth limit.
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
