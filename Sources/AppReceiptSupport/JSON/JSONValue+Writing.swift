extension JSONValue {
    /// Returns the value as JSON text in UTF-8, members in their order, slashes as they are.
    ///
    /// Control characters and characters that reorder text are escaped.
    ///
    /// - Parameter isPretty: Whether each member and element is on its own line.
    /// - Returns: The text.
    public func text(isPretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: isPretty)
        writer.element(self)
        return writer.bytes
    }
}
