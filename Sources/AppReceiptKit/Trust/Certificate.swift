import AppReceiptParsing
import AppReceiptSupport
package import SwiftASN1
package import X509

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The parts of a certificate that the chain rules look at, as the bytes have them.
///
/// Not `X509.Certificate`, because the rules need what it does not give: names as DER bytes, both algorithm fields,
/// the key before it is made, and a code of its own for each thing that is wrong. Reading is left to swift-asn1, which
/// is strict DER, and the extensions' values to swift-certificates.
package struct Certificate: Sendable {
    /// The whole certificate.
    package let der: ArraySlice<UInt8>
    /// What is signed.
    package let toBeSigned: ArraySlice<UInt8>
    /// The content octets of the serial number, its sign octet included.
    package let serialNumber: ArraySlice<UInt8>
    /// The issuer's name, as a whole DER element.
    package let issuer: ArraySlice<UInt8>
    /// The subject's name, as a whole DER element.
    package let subject: ArraySlice<UInt8>
    package let notBefore: Date
    package let notAfter: Date
    /// SubjectPublicKeyInfo, not yet made into a key.
    package let keyInfo: ASN1Node
    /// The algorithm field inside of what is signed, and the one beside the signature.
    let innerAlgorithm: ASN1Node
    let outerAlgorithm: ASN1Node
    package let signature: ArraySlice<UInt8>
    package let extensions: [X509.Certificate.Extension]

    package var isSelfIssued: Bool { issuer == subject }

    /// Reads `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }` (RFC 5280, 4.1).
    ///
    /// - Returns: nil if the bytes are no certificate in DER.
    package init?(der: ArraySlice<UInt8>) {
        self.der = der
        guard let parsed = try? Self.parts(of: DER.parse(der)) else { return nil }
        (toBeSigned, outerAlgorithm, signature) = (parsed.body.encodedBytes, parsed.algorithm, parsed.signature)
        guard let body = try? Body(parsed.body) else { return nil }
        serialNumber = body.serialNumber
        innerAlgorithm = body.algorithm
        issuer = body.issuer
        subject = body.subject
        (notBefore, notAfter) = body.validity
        keyInfo = body.keyInfo
        extensions = body.extensions
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

    struct Malformed: Error {}
}

extension Certificate {
    /// TBSCertificate.
    private struct Body {
        var serialNumber: ArraySlice<UInt8>
        var algorithm: ASN1Node
        var issuer: ArraySlice<UInt8>
        var validity: (Date, Date)
        var subject: ArraySlice<UInt8>
        var keyInfo: ASN1Node
        var extensions: [X509.Certificate.Extension]

        init(_ node: ASN1Node) throws {
            self = try DER.sequence(node, identifier: .sequence) { members in
                let version = try DER.optionalExplicitlyTagged(&members, tagNumber: 0, tagClass: .contextSpecific) {
                    try Int(derEncoded: $0)
                }
                // swift-asn1 drops the octet that keeps the sign bit clear; the signer's identifier has it. Compared is
                // what stands in the bytes.
                let number = try members.required(.integer)
                _ = try ArraySlice<UInt8>(derEncoded: number)
                guard case .primitive(let serialNumber) = number.content else { throw Malformed() }
                let algorithm = try members.required()
                let issuer = try members.required(.sequence)
                let validity = try Self.validity(try members.required())
                let subject = try members.required(.sequence)
                let keyInfo = try members.required(.sequence)
                // Unique identifiers: obsolete, legal and skipped.
                members.skip(ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific))
                members.skip(ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific))
                let extensions = try DER.optionalExplicitlyTagged(
                    &members, tagNumber: 3, tagClass: .contextSpecific
                ) { try DER.sequence(of: X509.Certificate.Extension.self, identifier: .sequence, rootNode: $0) }
                // Extensions belong to version 3 (coded as 2), and each may occur once (RFC 5280, 4.1.2.9, 4.2).
                guard extensions == nil || version == 2 else { throw Malformed() }
                guard Set((extensions ?? []).map(\.oid)).count == extensions?.count ?? 0 else { throw Malformed() }
                return Body(
                    serialNumber: serialNumber, algorithm: algorithm, issuer: issuer.encodedBytes, validity: validity,
                    subject: subject.encodedBytes, keyInfo: keyInfo, extensions: extensions ?? [])
            }
        }

        private init(
            serialNumber: ArraySlice<UInt8>, algorithm: ASN1Node, issuer: ArraySlice<UInt8>, validity: (Date, Date),
            subject: ArraySlice<UInt8>, keyInfo: ASN1Node, extensions: [X509.Certificate.Extension]
        ) {
            self.serialNumber = serialNumber
            self.algorithm = algorithm
            self.issuer = issuer
            self.validity = validity
            self.subject = subject
            self.keyInfo = keyInfo
            self.extensions = extensions
        }

        private static func validity(_ node: ASN1Node) throws -> (Date, Date) {
            try DER.sequence(node, identifier: .sequence) { members in
                (try date(try members.required()), try date(try members.required()))
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
}

// MARK: What the extensions say

/// The extensions that the chain rules know.
enum ExtensionIdentifier {
    static let basicConstraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
    static let keyUsage: ASN1ObjectIdentifier = [2, 5, 29, 15]
    static let subjectKeyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 14]
    static let nameConstraints: ASN1ObjectIdentifier = [2, 5, 29, 30]
    /// Apple's marker on intermediates that may issue certificates for receipt signers.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// Apple's marker on certificates that may sign receipts.
    static let signerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    /// Those that may be critical, because the rules look at them.
    static let understood: Set<ASN1ObjectIdentifier> = [
        basicConstraints, keyUsage, intermediateMarker, signerMarker,
    ]
}

extension Certificate {
    package func has(_ identifier: ASN1ObjectIdentifier) -> Bool { extensions.contains { $0.oid == identifier } }

    /// Whether it has a critical extension that is not understood. Name constraints count as critical always: RFC 5280,
    /// 4.2.1.10 says that they must be, and ignoring them would let a limited authority do what it may not.
    package var hasUnknownCriticalExtension: Bool {
        extensions.contains {
            $0.critical && !ExtensionIdentifier.understood.contains($0.oid)
                || $0.oid == ExtensionIdentifier.nameConstraints
        }
    }

    /// The basic constraints; no authority if there are none, nil if they cannot be read.
    package var basicConstraints: BasicConstraints? {
        guard let found = extensions.first(where: { $0.oid == ExtensionIdentifier.basicConstraints }) else {
            return .notCertificateAuthority
        }
        return try? BasicConstraints(found)
    }

    /// The key usage, nil if there is none or it cannot be read.
    package var keyUsage: KeyUsage? {
        extensions.first { $0.oid == ExtensionIdentifier.keyUsage }.flatMap { try? KeyUsage($0) }
    }

    /// Whether issuer and subject are names and not just any sequences. Names are compared as bytes; this only keeps
    /// nonsense out.
    package var hasReadableNames: Bool {
        [issuer, subject].allSatisfy { (try? DistinguishedName(derEncoded: DER.parse($0))) != nil }
    }

    var subjectKeyIdentifier: ArraySlice<UInt8>? {
        extensions.first { $0.oid == ExtensionIdentifier.subjectKeyIdentifier }
            .flatMap { try? SubjectKeyIdentifier($0).keyIdentifier }
    }

    /// Whether the two fields that name the signature's algorithm agree (RFC 5280, 4.1.1.2).
    package var algorithmFieldsAgree: Bool { innerAlgorithm.encodedBytes == outerAlgorithm.encodedBytes }

    /// The scheme and digest of the certificate's own signature, nil if they are not accepted.
    package var signatureScheme: SignatureScheme? {
        let parts = try? DER.sequence(outerAlgorithm, identifier: .sequence) { fields in
            guard let identifier = fields.next(), case .primitive(let octets) = identifier.content,
                identifier.identifier == .objectIdentifier
            else { throw Malformed() }
            let parameters = fields.next()
            if let parameters { _ = try ASN1Null(derEncoded: parameters) }
            return (octets, parameters != nil)
        }
        guard let (octets, hasNull) = parts else { return nil }
        switch SignatureScheme(objectIdentifier: octets) {
        case .rsa(.some(let digest)): return .rsa(digest)
        // RFC 5758, 3.2: ECDSA has no parameters, not even NULL.
        case .ecdsa(.some(let digest)) where !hasNull: return .ecdsa(digest)
        default: return nil
        }
    }
}

extension ASN1NodeCollection.Iterator {
    /// The next node, which there must be.
    mutating func required() throws -> ASN1Node {
        guard let node = next() else { throw Certificate.Malformed() }
        return node
    }

    /// Passes over the next node if it has this tag.
    fileprivate mutating func skip(_ identifier: ASN1Identifier) {
        var ahead = self
        if ahead.next()?.identifier == identifier { self = ahead }
    }

    fileprivate mutating func required(_ identifier: ASN1Identifier) throws -> ASN1Node {
        let node = try required()
        guard node.identifier == identifier else { throw Certificate.Malformed() }
        return node
    }
}

extension Certificate {
    /// The container's certificates as far as they can be read, each once, for showing them.
    static func readable(in container: ReceiptContainer) -> [Certificate] {
        container.certificates.enumerated()
            .filter { index, der in !container.certificates[..<index].contains(der) }
            .compactMap { Certificate(der: $0.element) }
    }
}

/// Certificates are the same if their bytes are.
extension Certificate: Hashable {
    package static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
