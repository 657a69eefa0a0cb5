package import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport
package import SwiftASN1
package import X509

/// The fields of a certificate that chain validation needs, as encoded.
///
/// `X509.Certificate` doesn't provide names as DER bytes, both algorithm fields, or the unparsed key, and its errors
/// have no codes. This type uses swift-asn1, which reads strict DER, and swift-certificates for the values of
/// extensions.
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
    let innerAlgorithm: ASN1Node
    let outerAlgorithm: ASN1Node
    package let signature: ArraySlice<UInt8>
    package let extensions: [X509.Certificate.Extension]
    /// The basic constraints, `notCertificateAuthority` if they are absent, nil if they can't be read.
    let basicConstraints: BasicConstraints?
    /// The key usage, nil if it is absent or can't be read.
    package let keyUsage: KeyUsage?

    package var isSelfIssued: Bool { issuer == subject }

    /// The subject's name, such as `CN=Apple Root CA,O=Apple Inc.,C=US`.
    var subjectText: String { Self.name(subject)?.description ?? "(unreadable name)" }

    /// The issuer's name.
    var issuerText: String { Self.name(issuer)?.description ?? "(unreadable name)" }

    /// The common name of the subject, or the whole name if it has none.
    var commonName: String {
        Self.name(subject)?.lazy.flatMap { $0 }.first { $0.type == .NameAttributes.commonName }
            .flatMap { String($0.value) } ?? subjectText
    }

    /// Whether issuer and subject are well-formed names. Chain validation compares names as bytes.
    var hasReadableNames: Bool { Self.name(issuer) != nil && Self.name(subject) != nil }

    private static func name(_ encoded: ArraySlice<UInt8>) -> DistinguishedName? {
        try? DistinguishedName(derEncoded: DER.parse(encoded))
    }

    /// Whether the two fields that name the signature's algorithm agree (RFC 5280, 4.1.1.2).
    package var algorithmFieldsAgree: Bool { innerAlgorithm.encodedBytes == outerAlgorithm.encodedBytes }

    /// The scheme and digest of the certificate's own signature, nil if they aren't accepted.
    package var signatureScheme: SignatureScheme? {
        let encoded: ArraySlice<UInt8> = outerAlgorithm.encodedBytes
        var reader = BERReader(0..<encoded.count, check: .signature, limits: .default)
        guard let algorithm = try? AlgorithmIdentifier(reading: &reader, of: encoded), algorithm.hasNoParameters else {
            return nil
        }
        switch SignatureScheme(objectIdentifier: algorithm.objectIdentifier) {
        case .rsa(.some(let digest)): return .rsa(digest)
        // RFC 5758, 3.2: ECDSA has no parameters, not even NULL.
        case .ecdsa(.some(let digest)) where algorithm.parameters == .absent: return .ecdsa(digest)
        default: return nil
        }
    }

    /// Reads `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }` (RFC 5280, 4.1).
    ///
    /// The certificate has a copy of the bytes, because the chain of a receipt is cached and a slice would retain the
    /// whole receipt.
    ///
    /// - Returns: `nil` if the bytes aren't a certificate in DER.
    package init?(der source: ArraySlice<UInt8>) {
        let der = Array(source)[...]
        guard let parts = try? Self.parts(of: DER.parse(der)), let body = try? SignedPart(parts.body) else {
            return nil
        }
        self.der = der
        toBeSigned = parts.body.encodedBytes
        outerAlgorithm = parts.algorithm
        signature = parts.signature
        serialNumber = body.serialNumber
        innerAlgorithm = body.algorithm
        issuer = body.issuer.encodedBytes
        subject = body.subject.encodedBytes
        (notBefore, notAfter) = body.validity
        keyInfo = body.keyInfo
        extensions = body.extensions
        // Read once, because several rules depend on them.
        let constraints = extensions.first { $0.oid == .X509ExtensionID.basicConstraints }
        basicConstraints = constraints.map { try? BasicConstraints($0) } ?? .notCertificateAuthority
        keyUsage = extensions.first { $0.oid == .X509ExtensionID.keyUsage }.flatMap { try? KeyUsage($0) }
    }

    private static func parts(
        of node: ASN1Node
    ) throws -> (body: ASN1Node, algorithm: ASN1Node, signature: ArraySlice<UInt8>) {
        try DER.sequence(node, identifier: .sequence) { members in
            let body = try members.required()
            let algorithm = try members.required()
            let signature = try ASN1BitString(derEncoded: &members)
            guard signature.paddingBits == 0 else { throw Malformed() }
            return (body, algorithm, signature.bytes)
        }
    }

    fileprivate struct Malformed: Error {}
}

/// TBSCertificate.
private struct SignedPart {
    var serialNumber: ArraySlice<UInt8>
    var algorithm, issuer, subject, keyInfo: ASN1Node
    var validity: (notBefore: Date, notAfter: Date)
    var extensions: [X509.Certificate.Extension] = []
}

extension SignedPart {
    init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { members in
            let version = try DER.optionalExplicitlyTagged(&members, tagNumber: 0, tagClass: .contextSpecific) {
                try Int(derEncoded: $0)
            }
            // Keep the encoded bytes: swift-asn1 drops the leading zero byte, which the signer's identifier contains.
            let number = try members.required(.integer)
            guard case .primitive(let serialNumber) = number.content, serialNumber.first.map({ $0 < 0x80 }) == true
            else {
                throw EncodedCertificate.Malformed()
            }
            _ = try ArraySlice<UInt8>(derEncoded: number)
            let algorithm = try members.required()
            let issuer = try members.required(.sequence)
            let validity = try Self.validity(members.required())
            let subject = try members.required(.sequence)
            let keyInfo = try members.required(.sequence)
            // Unique identifiers are obsolete but legal.
            members.skip(ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific))
            members.skip(ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific))
            let extensions = try DER.optionalExplicitlyTagged(&members, tagNumber: 3, tagClass: .contextSpecific) {
                try DER.sequence(of: X509.Certificate.Extension.self, identifier: .sequence, rootNode: $0)
            }
            // Extensions belong to version 3 (coded as 2), and each may occur once (RFC 5280, 4.1.2.9, 4.2).
            guard extensions == nil || version == 2, Set((extensions ?? []).map(\.oid)).count == extensions?.count ?? 0
            else { throw EncodedCertificate.Malformed() }
            return SignedPart(
                serialNumber: serialNumber, algorithm: algorithm, issuer: issuer, subject: subject, keyInfo: keyInfo,
                validity: validity, extensions: extensions ?? [])
        }
    }

    private static func validity(_ node: ASN1Node) throws -> (Date, Date) {
        try DER.sequence(node, identifier: .sequence) { members in
            (try date(members.required()), try date(members.required()))
        }
    }

    /// UTCTime or GeneralizedTime (RFC 5280, 4.1.2.5).
    private static func date(_ node: ASN1Node) throws -> Date {
        if node.identifier == .utcTime {
            let time = try UTCTime(derEncoded: node)
            return RFC3339.date(
                year: time.year, month: time.month, day: time.day, hour: time.hours, minute: time.minutes,
                second: time.seconds)
        }
        let time = try GeneralizedTime(derEncoded: node)
        return RFC3339.date(
            year: time.year, month: time.month, day: time.day, hour: time.hours, minute: time.minutes,
            second: time.seconds)
    }
}

extension ASN1NodeCollection.Iterator {
    /// Returns the next node, which must have this tag if one is given.
    fileprivate mutating func required(_ identifier: ASN1Identifier? = nil) throws -> ASN1Node {
        guard let node = next(), identifier == nil || node.identifier == identifier else {
            throw EncodedCertificate.Malformed()
        }
        return node
    }

    /// Skips the next node if it has this tag.
    fileprivate mutating func skip(_ identifier: ASN1Identifier) {
        var ahead = self
        if ahead.next()?.identifier == identifier { self = ahead }
    }
}

/// Two certificates are equal if their bytes are equal.
extension EncodedCertificate: Hashable {
    package static func == (left: EncodedCertificate, right: EncodedCertificate) -> Bool { left.der == right.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// The object identifiers of Apple's extensions, 1.2.840.113635.100.6.
enum AppleExtension {
    /// The marker on intermediates that may issue certificates for receipt signers.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// The marker on certificates that may sign receipts.
    static let signerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// The marker on certificates that may sign transaction receipts of version 2.
    static let transactionSignerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 5, 1]
}

extension EncodedCertificate {
    /// The extensions that may be critical, because chain validation evaluates them.
    private static let supportedExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, AppleExtension.intermediateMarker,
        AppleExtension.signerMarker,
    ]

    /// Returns whether the certificate has an extension.
    func has(_ identifier: ASN1ObjectIdentifier) -> Bool { extensions.contains { $0.oid == identifier } }

    /// Whether a critical extension isn't supported.
    ///
    /// Name constraints are always treated as critical, as RFC 5280, 4.2.1.10 requires: ignoring them would remove the
    /// limits of a constrained certificate authority.
    package var hasUnknownCriticalExtension: Bool {
        extensions.contains {
            $0.critical && !Self.supportedExtensions.contains($0.oid) || $0.oid == .X509ExtensionID.nameConstraints
        }
    }

    var subjectKeyIdentifier: ArraySlice<UInt8>? {
        extensions.first { $0.oid == .X509ExtensionID.subjectKeyIdentifier }
            .flatMap { try? SubjectKeyIdentifier($0).keyIdentifier }
    }

    /// Whether the basic constraints indicate that this is a certificate authority.
    package var isAuthority: Bool {
        if case .isCertificateAuthority = basicConstraints { true } else { false }
    }

    /// Whether the basic constraints are absent or indicate that this isn't a certificate authority. False if they
    /// can't be read.
    package var isEndEntity: Bool { basicConstraints == .notCertificateAuthority }

    /// Whether the key may sign data other than certificates: the key usage, if present, includes digitalSignature.
    package var allowsDigitalSignature: Bool { keyUsage?.digitalSignature ?? !has(.X509ExtensionID.keyUsage) }

    /// Whether the key may sign certificates: the key usage, if present, includes keyCertSign (RFC 5280, 6.1.4 n).
    var allowsCertificateSigning: Bool { keyUsage?.keyCertSign ?? !has(.X509ExtensionID.keyUsage) }

    /// The maximum number of intermediates below this certificate authority, nil for no limit.
    var pathLength: Int? {
        if case .isCertificateAuthority(let length) = basicConstraints { length } else { nil }
    }

    /// Whether the basic constraints and the key usage are absent or can be read.
    var hasReadableExtensions: Bool {
        basicConstraints != nil && (keyUsage != nil || !has(.X509ExtensionID.keyUsage))
    }
}
