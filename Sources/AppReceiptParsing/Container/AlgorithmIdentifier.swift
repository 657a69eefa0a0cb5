import AppReceiptSupport

/// An algorithm as a container or certificate names it (RFC 5280, section 4.1.1.2). Naming one says nothing of
/// whether it is accepted.
public struct AlgorithmIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The content octets of the object identifier.
    public let objectIdentifier: ArraySlice<UInt8>

    /// The parameters that go with it.
    public let parameters: Parameters

    /// The parameters of an algorithm.
    public enum Parameters: Sendable, Hashable {
        /// There are none.
        case absent
        /// An explicit NULL, which for digests and RSA means the same.
        case null
        /// Anything else, as the bytes of the whole element.
        case other(ArraySlice<UInt8>)
    }

    /// The object identifier in dotted decimal.
    public var description: String { BERValue.dotted(objectIdentifier) }

    /// Whether the parameters are NULL or absent.
    package var hasNoParameters: Bool { parameters == .absent || parameters == .null }

    /// Reads the next element of `reader` as an AlgorithmIdentifier.
    package init(
        reading reader: inout BERReader, _ bytes: Span<UInt8>, of source: ArraySlice<UInt8>
    ) throws(ReceiptError) {
        let element = try reader.next(bytes, BERTag.sequence)
        var members = reader.inside(element)
        let identifier = try members.next(bytes, BERTag.objectIdentifier)
        guard BERValue.isObjectIdentifier(bytes, identifier.content) else {
            throw reader.failure(.encodingObjectIdentifierMalformed, at: identifier.start)
        }
        objectIdentifier = source.part(identifier.content)
        if members.isAtEnd {
            parameters = .absent
        } else {
            let value = try members.next(bytes)
            try members.finish()
            if value.tag == BERTag.null, value.content.isEmpty {
                parameters = .null
            } else {
                try reader.checkWellFormed(bytes, value)
                parameters = .other(source.part(value.range))
            }
        }
    }
}
