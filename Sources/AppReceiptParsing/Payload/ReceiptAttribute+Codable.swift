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
