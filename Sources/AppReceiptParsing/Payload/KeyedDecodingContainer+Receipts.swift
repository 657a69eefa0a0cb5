package import AppReceiptFoundation
import AppReceiptSupport

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
