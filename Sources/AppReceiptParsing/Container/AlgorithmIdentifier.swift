import AppReceiptSupport

/// An algorithm identifier in a container or certificate (RFC 5280, section 4.1.1.2).
///
/// Parsing accepts any algorithm. Verification accepts only a few.
public struct AlgorithmIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The content octets of the object identifier.
    public let objectIdentifier: ArraySlice<UInt8>

    /// The algorithm's parameters.
    public let parameters: Parameters

    /// The parameters of an algorithm.
    public enum Parameters: Sendable, Hashable {
        /// No parameters.
        case absent
        /// An explicit NULL, which for digests and RSA is equivalent to absent parameters.
        case null
        /// Other parameters: the bytes of the encoded element.
        case other(ArraySlice<UInt8>)
    }

    /// The object identifier in dotted decimal notation.
    public var description: String { BERValue.dotted(objectIdentifier) }

    /// Whether the parameters are NULL or absent.
    package var hasNoParameters: Bool { parameters == .absent || parameters == .null }

    /// Reads the next element of `reader` as an AlgorithmIdentifier.
    package init(reading reader: inout BERReader, of source: ArraySlice<UInt8>) throws(ReceiptError) {
        let bytes = source.span
        let element = try reader.next(BERTag.sequence, in: bytes)
        var members = reader.inside(element)
        let identifier = try members.next(BERTag.objectIdentifier, in: bytes)
        guard BERValue.isObjectIdentifier(in: bytes, at: identifier.content) else {
            throw reader.failure(.encodingObjectIdentifierMalformed, at: identifier.start)
        }
        objectIdentifier = source.part(identifier.content)
        if members.isAtEnd {
            parameters = .absent
        } else {
            let value = try members.next(in: bytes)
            try members.finish()
            if value.tag == BERTag.null, value.content.isEmpty {
                parameters = .null
            } else {
                try reader.checkWellFormed(value, in: bytes)
                parameters = .other(source.part(value.range))
            }
        }
    }
}
