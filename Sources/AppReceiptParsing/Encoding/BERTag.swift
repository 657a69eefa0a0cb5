/// The identifier octets that occur in receipts and certificates (X.690, 8.1.2), including class and form.
package enum BERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0C
    package static let ia5String: UInt8 = 0x16
    package static let utcTime: UInt8 = 0x17
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31

    /// The bit that marks a constructed element, which contains other elements.
    package static let constructed: UInt8 = 0x20

    package static let constructedOctetString = octetString | constructed

    /// The constructed context tag `[number]`.
    package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

    /// The primitive context tag `[number]`.
    package static func contextPrimitive(_ number: UInt8) -> UInt8 { 0x80 | number }
}
