package import AppReceiptFoundation
import AppReceiptSupport

// The JSON of receipts doesn't depend on the coder's strategies: dates are RFC 3339 text in UTC, bytes are base64, and
// 64-bit identifiers are strings, because JavaScript and many JSON parsers lose digits beyond 2^53.

extension KeyedDecodingContainer {
    package func decode(date key: Key) throws -> Date? {
        try decodeIfPresent(String.self, forKey: key).map { text in
            guard let date = ReceiptDate.date(from: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: self, debugDescription: "Expected an RFC 3339 date.")
            }
            return date
        }
    }

    package func decode(octets key: Key) throws -> [UInt8]? {
        try decodeIfPresent(String.self, forKey: key).map { text in
            guard let octets = try? Base64.decode(ArraySlice(text.utf8)) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "Expected base64.")
            }
            return octets
        }
    }

    package func decode(identifier key: Key) throws -> UInt64? {
        try decodeIfPresent(String.self, forKey: key).map { text in
            guard let identifier = UInt64(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: self, debugDescription: "Expected an identifier in decimal digits.")
            }
            return identifier
        }
    }
}

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
