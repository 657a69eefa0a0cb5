extension Sequence<UInt8> {
    /// Returns the bytes as hexadecimal digits, two for each byte.
    ///
    /// - Parameters:
    ///   - separator: The text between two bytes.
    ///   - uppercase: Whether the letters are uppercase.
    package func hexadecimal(separator: String = "", uppercase: Bool = false) -> String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: uppercase) }.joined(separator: separator)
    }
}

extension UInt8 {
    /// The value of this ASCII character as a hexadecimal digit, or nil if it isn't one.
    package var hexadecimalDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
