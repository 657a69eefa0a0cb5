package import AppReceiptFoundation

// The JSON of receipts doesn't depend on the coder's strategies: dates are RFC 3339 text in UTC, bytes are base64, and 64-bit
// identifiers are strings, because JavaScript and many JSON parsers lose digits beyond 2^53.

extension KeyedEncodingContainer {
    package mutating func encode(_ date: Date?, date key: Key) throws {
        try encodeIfPresent(date.map(ReceiptDate.string(from:)), forKey: key)
    }

    package mutating func encode(_ octets: (some Collection<UInt8>)?, octets key: Key) throws {
        try encodeIfPresent(octets.map { Data($0).base64EncodedString() }, forKey: key)
    }

    package mutating func encode(_ identifier: UInt64?, identifier key: Key) throws {
        try encodeIfPresent(identifier.map(String.init), forKey: key)
    }
}
