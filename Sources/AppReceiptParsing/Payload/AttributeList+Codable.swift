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
