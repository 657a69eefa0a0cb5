extension UInt8 {
    /// Whether this is a decimal digit of ASCII.
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether this is an uppercase letter of ASCII.
    package var isASCIIUppercaseLetter: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    /// Whether this is a letter of ASCII.
    package var isASCIILetter: Bool { (self & ~0x20).isASCIIUppercaseLetter }

    /// This ASCII letter in lowercase; another byte unchanged.
    package var lowercasedASCII: UInt8 { isASCIIUppercaseLetter ? self | 0x20 : self }
}
