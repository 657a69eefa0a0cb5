package import AppReceiptTesting

/// Unsigned bytes in a container, which anyone can add without breaking the signature.
package enum Padding {
    /// A receipt with an unsigned attribute of this many bytes.
    package static func added(to receipt: TestReceipt, bytes: Int = 900_000) throws -> [UInt8] {
        var container = try TestContainer(content: receipt.payload, signedBy: .standard)
        container.signers[0].unsignedAttributes = [
            TestSigner.SignedAttributes.attribute(
                "1.2.3.4", [DERWriter.octetString([UInt8](repeating: 0x5A, count: bytes))])
        ]
        return try container.encoded()
    }
}
