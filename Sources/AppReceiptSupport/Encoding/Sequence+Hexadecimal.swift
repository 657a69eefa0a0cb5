extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, two for each byte.
    ///
    /// - Parameters:
    ///   - separator: The text between two bytes.
    ///   - uppercase: Whether the letters are uppercase.
    package func hexadecimal(separator: String = "", uppercase: Bool = false) -> String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: uppercase) }.joined(separator: separator)
    }
}
