import AppReceiptParsing

extension ReceiptAttribute {
    /// The attribute as DER.
    package var der: [UInt8] {
        DERWriter.sequence([
            DERWriter.integer(UInt64(clamping: type)), DERWriter.integer(UInt64(clamping: version)),
            DERWriter.octetString(value),
        ])
    }
}
