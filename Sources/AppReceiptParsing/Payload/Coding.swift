import AppReceiptSupport

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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

extension CodingUserInfoKey {
    /// Whether to omit the raw attributes, which are most of the JSON. Set it to true in an encoder's `userInfo`.
    ///
    /// The JSON can still be decoded, with empty ``AppReceipt/attributes``.
    public static let omitsReceiptAttributes = CodingUserInfoKey(unchecked: "AppReceiptParsing.omitsReceiptAttributes")

    private init(unchecked name: String) {
        // The initializer is failable but accepts every string.
        guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("Invalid key name") }
        self = key
    }
}

extension ReceiptAttribute: Codable {
    enum CodingKeys: String, CodingKey { case type, version, value }

    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(Int.self, forKey: .type)
        version = try container.decode(Int.self, forKey: .version)
        value = (try container.decode(octets: .value) ?? [])[...]
    }

    /// Encodes type, version and value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(version, forKey: .version)
        try container.encode(value, octets: .value)
    }
}

extension AttributeList: Codable {
    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode([ReceiptAttribute].self))
    }

    /// Encodes the attributes as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(self))
    }

    /// Creates a list of attributes. Attributes beyond a total of 2 GB are omitted.
    public init(_ attributes: some Sequence<ReceiptAttribute>) {
        var bytes: [UInt8] = []
        var entries: [Entry] = []
        for attribute in attributes {
            guard let lower = Int32(exactly: bytes.count),
                let upper = Int32(exactly: bytes.count + attribute.value.count)
            else { continue }
            bytes += attribute.value
            entries.append(Entry(type: attribute.type, version: attribute.version, lower: lower, upper: upper))
        }
        self.init(entries[...], of: bytes[...])
    }
}
