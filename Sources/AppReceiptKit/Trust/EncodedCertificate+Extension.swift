import AppReceiptParsing
import AppReceiptSupport
package import SwiftASN1
import X509

extension EncodedCertificate {
    /// An extension, with its value unparsed.
    package struct Extension: Sendable {
        /// The content octets of the object identifier.
        let identifier: ArraySlice<UInt8>
        let isCritical: Bool
        /// The content octets of the value.
        let value: ArraySlice<UInt8>

        /// The object identifier, for comparison with other libraries.
        package var oid: ASN1ObjectIdentifier? {
            try? ASN1ObjectIdentifier(derEncoded: DERElement.encode(BERTag.objectIdentifier, identifier))
        }

        func has(_ identifier: [UInt8]) -> Bool { self.identifier.elementsEqual(identifier) }

        /// The extension with a known identifier as swift-certificates represents it, which reads the values.
        func x509(_ identifier: ASN1ObjectIdentifier) -> X509.Certificate.Extension {
            X509.Certificate.Extension(oid: identifier, critical: isCritical, value: value)
        }
    }
}

extension EncodedCertificate.Extension {
    /// Reads `Extensions ::= SEQUENCE OF SEQUENCE { extnID, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING }`
    /// (RFC 5280, 4.1.2.9).
    ///
    /// - Parameter content: The position of the sequence.
    /// - Returns: `nil` if it is malformed.
    static func list(
        _ der: ArraySlice<UInt8>, _ bytes: Span<UInt8>, _ content: Range<Int>
    ) -> [EncodedCertificate.Extension]? {
        var wrapper = DERReader(content)
        guard let sequence = wrapper.only(bytes, BERTag.sequence) else { return nil }
        var elements = DERReader(sequence.content)
        var extensions: [EncodedCertificate.Extension] = []
        while !elements.isAtEnd {
            guard let element = elements.next(bytes, BERTag.sequence) else { return nil }
            var members = DERReader(element.content)
            guard let identifier = members.next(bytes, BERTag.objectIdentifier),
                isReadableIdentifier(bytes, identifier.content)
            else { return nil }
            var isCritical = false
            if members.peekTag(bytes) == BERTag.boolean {
                // DER encodes true as 0xFF, and doesn't encode the default, false.
                guard let flag = members.next(bytes), flag.content.count == 1,
                    bytes[flag.content.lowerBound] == 0xFF
                else { return nil }
                isCritical = true
            }
            guard let value = members.only(bytes, BERTag.octetString) else { return nil }
            extensions.append(
                EncodedCertificate.Extension(
                    identifier: der.part(identifier.content), isCritical: isCritical, value: der.part(value.content)))
        }
        return extensions
    }

    /// Whether the content is that of an object identifier whose arcs have at most nine octets, the maximum in swift-asn1 too.
    static func isReadableIdentifier(_ bytes: Span<UInt8>, _ content: Range<Int>) -> Bool {
        guard BERValue.isObjectIdentifier(bytes, content) else { return false }
        var continued = 0
        for position in content {
            continued = bytes[position] < 0x80 ? 0 : continued + 1
            guard continued < 9 else { return false }
        }
        return true
    }
}
