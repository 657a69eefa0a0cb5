extension JSONValue {
    /// A string, or null if there is none.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
