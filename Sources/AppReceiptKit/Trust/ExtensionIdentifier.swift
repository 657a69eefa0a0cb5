/// The object identifiers of the extensions that chain validation uses, as content octets.
package enum ExtensionIdentifier {
    /// 2.5.29.19
    static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
    /// 2.5.29.15
    static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
    /// 2.5.29.14
    static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 0x0E]
    /// 2.5.29.30
    static let nameConstraints: [UInt8] = [0x55, 0x1D, 0x1E]
    /// Apple's marker on intermediates that may issue certificates for receipt signers, 1.2.840.113635.100.6.2.1.
    static let intermediateMarker: [UInt8] = apple + [0x02, 0x01]
    /// Apple's marker on certificates that may sign receipts, 1.2.840.113635.100.6.11.1.
    static let signerMarker: [UInt8] = apple + [0x0B, 0x01]
    /// Apple's marker on certificates that may sign transaction receipts of version 2, 1.2.840.113635.100.6.5.1.
    static let transactionSignerMarker: [UInt8] = apple + [0x05, 0x01]

    /// Apple's certificate extensions, 1.2.840.113635.100.6.
    private static let apple: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06]

    /// The extensions that may be critical, because chain validation evaluates them.
    static let supported = [basicConstraints, keyUsage, intermediateMarker, signerMarker]
}
