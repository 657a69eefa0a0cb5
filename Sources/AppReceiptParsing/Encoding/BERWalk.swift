// What has to look below the level that is being read: fields that are skipped, strings sent in pieces.

extension BERReader {
    /// Checks that `element` is well formed at every level, without keeping anything of it.
    ///
    /// For fields that are legal and skipped: what is not used is still not allowed to be nonsense.
    package func checkWellFormed(_ bytes: Span<UInt8>, _ element: BERElement) throws(ReceiptError) {
        guard element.isConstructed else { return }
        // The open elements: where each definite one ends, nil for an indefinite one.
        var open: [Int?] = [element.isIndefinite ? nil : element.end]
        var bounds = [element.end]
        var position = element.content.lowerBound
        var nodes = 0
        while let innermost = open.last, let bound = bounds.last {
            if let end = innermost, position == end {
                open.removeLast()
                bounds.removeLast()
                continue
            }
            if innermost == nil, isEndOfContents(bytes, at: position, end: bound) {
                open.removeLast()
                bounds.removeLast()
                position += 2
                continue
            }
            nodes += 1
            guard nodes <= limits.nodes else {
                throw failure(.encodingTooManyNodes, at: position)
            }
            guard position < bound, !isCutMark(bytes, at: position, end: bound) else {
                throw failure(.encodingEndOfContentsMissing, at: position)
            }
            let header = try BERHeader.read(bytes, at: position, end: bound, for: self)
            if header.tag & BERTag.constructed == 0, let length = header.length {
                position = header.contentStart + length
                continue
            }
            guard open.count < limits.depth else {
                throw failure(.encodingTooDeep, at: position)
            }
            open.append(header.length.map { header.contentStart + $0 })
            bounds.append(header.length.map { header.contentStart + $0 } ?? bound)
            position = header.contentStart
        }
    }

    /// The octets of a string, its pieces joined, and where they start in `source` if they stand there in one piece.
    package func octets(
        _ bytes: Span<UInt8>, of string: BERElement, in source: ArraySlice<UInt8>
    ) throws(ReceiptError) -> (octets: ArraySlice<UInt8>, offset: Int?) {
        if string.tag == BERTag.octetString { return (source.part(string.content), string.content.lowerBound) }
        let pieces = try pieces(bytes, of: string)
        if pieces.count == 1 { return (source.part(pieces[0]), pieces[0].lowerBound) }
        var joined: [UInt8] = []
        joined.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { joined += source.part(piece) }
        return (joined[...], nil)
    }

    /// The pieces of a constructed octet string, in order (X.690, 8.7). Pieces may be constructed in turn, to the limit for depth.
    private func pieces(
        _ bytes: Span<UInt8>, of string: BERElement
    ) throws(ReceiptError) -> [Range<Int>] {
        guard string.tag == BERTag.constructedOctetString else {
            throw failure(.encodingUnexpectedTag, at: string.start)
        }
        var pieces: [Range<Int>] = []
        var open = [inside(string)]
        var nodes = 0
        while var reader = open.popLast() {
            guard !reader.isAtEnd else { continue }
            let element = try reader.next(bytes)
            nodes += 1
            guard nodes <= limits.nodes else {
                throw failure(.encodingTooManyNodes, at: element.start)
            }
            open.append(reader)
            switch element.tag {
            case BERTag.octetString:
                pieces.append(element.content)
            case BERTag.constructedOctetString:
                guard open.count < limits.depth else {
                    throw failure(.encodingTooDeep, at: element.start)
                }
                open.append(inside(element))
            default:
                throw failure(.encodingUnexpectedTag, at: element.start)
            }
        }
        return pieces
    }
}
