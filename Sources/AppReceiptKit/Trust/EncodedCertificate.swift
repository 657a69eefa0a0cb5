package import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport
package import SwiftASN1
package import X509

/// The fields of a certificate that chain validation needs, as encoded.
///
/// `X509.Certificate` doesn't provide names as DER bytes, both algorithm fields, or the unparsed key, and its errors have no codes.
/// This type uses swift-asn1 and swift-certificates for the key, the dates and the values of extensions. It finds them with a reader of its
/// own, because swift-asn1 creates a tree of all elements, which counts thousands of references for the certificates of a receipt.
package struct EncodedCertificate: Sendable {
    /// The whole certificate.
    package let der: ArraySlice<UInt8>
    /// The signed part, TBSCertificate.
    package let toBeSigned: ArraySlice<UInt8>
    /// The content of the serial number, including a leading zero byte.
    package let serialNumber: ArraySlice<UInt8>
    /// The issuer's name, as a whole DER element.
    package let issuer: ArraySlice<UInt8>
    /// The subject's name, as a whole DER element.
    package let subject: ArraySlice<UInt8>
    package let notBefore: Date
    package let notAfter: Date
    /// SubjectPublicKeyInfo, unparsed.
    package let keyInfo: ASN1Node
    /// The algorithm field in the signed part, and the one next to the signature.
    let innerAlgorithm: Algorithm
    let outerAlgorithm: Algorithm
    package let signature: ArraySlice<UInt8>
    package let extensions: [Extension]
    /// The basic constraints, `notCertificateAuthority` if they are absent, nil if they can't be read.
    let basicConstraints: BasicConstraints?
    /// The key usage, nil if it is absent or can't be read.
    package let keyUsage: KeyUsage?

    package var isSelfIssued: Bool { issuer == subject }

    /// An AlgorithmIdentifier as a whole DER element.
    struct Algorithm: Sendable {
        let encodedBytes: ArraySlice<UInt8>
    }

    /// Reads `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }` (RFC 5280, 4.1).
    ///
    /// The certificate has a copy of the bytes, because the chain of a receipt is cached and a slice would retain the whole receipt.
    ///
    /// - Returns: `nil` if the bytes aren't a certificate in DER.
    package init?(der source: ArraySlice<UInt8>) {
        let der = Array(source)[...]
        let bytes = der.span
        guard DERReader.isWellFormed(bytes) else { return nil }
        var whole = DERReader(0..<bytes.count)
        guard let certificate = whole.only(bytes, BERTag.sequence) else { return nil }
        var members = DERReader(certificate.content)
        guard let body = members.next(bytes, BERTag.sequence), let algorithm = members.next(bytes),
            // The first octet of a bit string is the number of unused bits.
            let signature = members.only(bytes, BERTag.bitString), !signature.content.isEmpty,
            bytes[signature.content.lowerBound] == 0
        else { return nil }
        self.der = der
        toBeSigned = der.part(body.range)
        outerAlgorithm = Algorithm(encodedBytes: der.part(algorithm.range))
        self.signature = der.part(signature.content.dropFirst())

        var fields = DERReader(body.content)
        guard let version = Self.version(&fields, bytes), let number = fields.next(bytes, BERTag.integer),
            Self.isNonNegative(bytes, number.content), let innerAlgorithm = fields.next(bytes),
            let issuer = fields.next(bytes, BERTag.sequence), let validity = fields.next(bytes, BERTag.sequence),
            let (notBefore, notAfter) = Self.validity(der, bytes, validity.content),
            let subject = fields.next(bytes, BERTag.sequence), let keyInfo = fields.next(bytes, BERTag.sequence),
            let key = try? DER.parse(der.part(keyInfo.range))
        else { return nil }
        // Unique identifiers are obsolete but legal.
        for tag in [BERTag.contextPrimitive(1), BERTag.contextPrimitive(2)]
        where fields.peekTag(bytes).map({ $0 & ~BERTag.constructed }) == tag { _ = fields.next(bytes) }
        if fields.isAtEnd {
            extensions = []
        } else {
            // Extensions belong to version 3 (coded as 2), and each may occur once (RFC 5280, 4.1.2.9, 4.2).
            guard version == 2, let wrapper = fields.only(bytes, BERTag.context(3)),
                let extensions = Extension.list(der, bytes, wrapper.content),
                Set(extensions.map(\.identifier)).count == extensions.count
            else { return nil }
            self.extensions = extensions
        }
        serialNumber = der.part(number.content)
        self.innerAlgorithm = Algorithm(encodedBytes: der.part(innerAlgorithm.range))
        self.issuer = der.part(issuer.range)
        self.subject = der.part(subject.range)
        (self.notBefore, self.notAfter) = (notBefore, notAfter)
        self.keyInfo = key
        // Read once, because several rules depend on them.
        let constraints = extensions.first { $0.has(ExtensionIdentifier.basicConstraints) }
        basicConstraints =
            constraints.map { try? BasicConstraints($0.x509(.X509ExtensionID.basicConstraints)) }
            ?? .notCertificateAuthority
        keyUsage = extensions.first { $0.has(ExtensionIdentifier.keyUsage) }.flatMap {
            try? KeyUsage($0.x509(.X509ExtensionID.keyUsage))
        }
    }

    /// Reads the version, `[0] EXPLICIT INTEGER DEFAULT v1`.
    ///
    /// - Returns: `nil` if it is malformed.
    private static func version(_ fields: inout DERReader, _ bytes: Span<UInt8>) -> UInt64? {
        guard fields.peekTag(bytes) == BERTag.context(0) else { return 0 }
        guard let wrapper = fields.next(bytes) else { return nil }
        var inner = DERReader(wrapper.content)
        return inner.only(bytes, BERTag.integer).flatMap { BERValue.unsigned(bytes, $0.content) }
    }

    /// Whether the content of an INTEGER is a non-negative number in its shortest form, of any size.
    private static func isNonNegative(_ bytes: Span<UInt8>, _ content: Range<Int>) -> Bool {
        guard let first = content.first, bytes[first] < 0x80 else { return false }
        return content.count == 1 || bytes[first] != 0 || bytes[first + 1] >= 0x80
    }

    /// `Validity ::= SEQUENCE { notBefore Time, notAfter Time }`
    private static func validity(
        _ der: ArraySlice<UInt8>, _ bytes: Span<UInt8>, _ content: Range<Int>
    ) -> (notBefore: Date, notAfter: Date)? {
        var times = DERReader(content)
        guard let first = times.next(bytes), let second = times.next(bytes), times.isAtEnd,
            let notBefore = date(der, first), let notAfter = date(der, second)
        else { return nil }
        return (notBefore, notAfter)
    }

    /// UTCTime or GeneralizedTime (RFC 5280, 4.1.2.5).
    private static func date(_ der: ArraySlice<UInt8>, _ element: DERReader.Element) -> Date? {
        let encoded = der.part(element.range)
        if element.tag == BERTag.utcTime {
            guard let time = try? UTCTime(derEncoded: encoded) else { return nil }
            return RFC3339.date(
                year: time.year, month: time.month, day: time.day, hour: time.hours, minute: time.minutes,
                second: time.seconds)
        }
        guard let time = try? GeneralizedTime(derEncoded: encoded) else { return nil }
        return RFC3339.date(
            year: time.year, month: time.month, day: time.day, hour: time.hours, minute: time.minutes,
            second: time.seconds)
    }
}

/// Two certificates are equal if their bytes are equal.
extension EncodedCertificate: Hashable {
    package static func == (left: EncodedCertificate, right: EncodedCertificate) -> Bool { left.der == right.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
