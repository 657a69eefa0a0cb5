import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a certificate is to be made. Everything in it can be changed, so that a test can break one rule at a time.
public struct TestCertificate: Sendable, Hashable {
    /// The subject's name.
    public var subject: TestName
    /// The issuer's name.
    public var issuer: TestName
    /// The serial number. From 2^63 on it is encoded with a leading zero octet, which keeps the sign bit clear.
    public var serialNumber: UInt64
    /// The first instant of its validity.
    public var notBefore: Date
    /// The last instant of its validity.
    public var notAfter: Date
    /// The subject's key.
    public var key: TestKey
    /// The issuer's key, which signs.
    public var issuerKey: TestKey
    /// The digest to sign with.
    public var digest: TestDigest
    /// The algorithm that the certificate names; nil for the one that was used.
    public var algorithm: TestAlgorithm?
    /// The algorithm that the part under the signature names; nil for the same.
    public var innerAlgorithm: TestAlgorithm?
    /// A whole element in place of the subject's name.
    public var subjectElement: [UInt8]?
    /// SubjectPublicKeyInfo in place of the key's own.
    public var publicKeyInfo: [UInt8]?
    /// Basic constraints; nil leaves the extension out.
    public var isAuthority: Bool?
    /// The most intermediates below this authority; nil for no limit.
    public var pathLength: UInt64?
    /// Key usage; nil leaves the extension out.
    public var keyUsage: Set<KeyUsage>?
    /// The object identifiers of noncritical extensions that contain NULL, such as Apple's markers.
    public var markers: [String]
    /// Further extensions.
    public var extensions: [Extension]

    /// The uses of a key that receipts' certificates name (RFC 5280, 4.2.1.3), by number of the bit.
    public enum KeyUsage: UInt8, Sendable, Hashable {
        case digitalSignature = 0
        case contentCommitment = 1
        case keyEncipherment = 2
        case keyCertSign = 5
        case cRLSign = 6
    }

    /// An extension.
    public struct Extension: Sendable, Hashable {
        /// The object identifier in dotted decimal.
        public var objectIdentifier: String
        /// Whether it is critical.
        public var critical: Bool
        /// The contents of the octet string.
        public var value: [UInt8]

        /// Creates an extension, which contains NULL by default.
        public init(_ objectIdentifier: String, critical: Bool = false, value: [UInt8] = [0x05, 0x00]) {
            self.objectIdentifier = objectIdentifier
            self.critical = critical
            self.value = value
        }
    }

    /// Apple's marker on intermediates.
    public static let intermediateMarker = "1.2.840.113635.100.6.2.1"
    /// Apple's marker on receipt signers.
    public static let signerMarker = "1.2.840.113635.100.6.11.1"
    /// Apple's marker on signers of transaction receipts from before iOS 7.
    public static let transactionSignerMarker = "1.2.840.113635.100.6.5.1"

    /// Creates a certificate. Without an issuer and `issuerKey`, it is self-signed.
    public init(
        subject: TestName, issuer: TestName? = nil, serialNumber: UInt64 = 1, notBefore: Date, notAfter: Date,
        key: TestKey, issuerKey: TestKey? = nil, digest: TestDigest = .sha256, isAuthority: Bool? = nil,
        pathLength: UInt64? = nil, keyUsage: Set<KeyUsage>? = nil, markers: [String] = [],
        extensions: [Extension] = []
    ) {
        self.subject = subject
        self.issuer = issuer ?? subject
        self.serialNumber = serialNumber
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.key = key
        self.issuerKey = issuerKey ?? key
        self.digest = digest
        self.isAuthority = isAuthority
        self.pathLength = pathLength
        self.keyUsage = keyUsage
        self.markers = markers
        self.extensions = extensions
    }

    /// The same with something changed.
    public func with(_ change: (inout TestCertificate) -> Void) -> TestCertificate {
        var changed = self
        change(&changed)
        return changed
    }

    /// The subject key identifier that every certificate carries: a digest of its key.
    public var subjectKeyIdentifier: [UInt8] {
        get throws { TestDigest.sha1.digest(of: try key.publicKeyInfo) }
    }

    /// The certificate, signed, as DER.
    ///
    /// Returns the same bytes for the same certificate. ECDSA signatures contain a random number, so the bytes of a certificate
    /// that an elliptic-curve key signs differ between processes.
    public func der() throws -> [UInt8] {
        if let known = Self.signed.withLock({ $0[self] }) { return known }
        let made = try made()
        return Self.signed.withLock { certificates in
            if let known = certificates[self] { return known }
            if certificates.count >= 1024 { certificates.removeAll() }
            certificates[self] = made
            return made
        }
    }

    /// Certificates that were signed before, because signing takes longer than everything else in a test receipt.
    private static let signed = LockedValueBox<[TestCertificate: [UInt8]]>([:])

    private func made() throws -> [UInt8] {
        let outer = algorithm ?? TestAlgorithm(issuerKey.kind, digest)
        let body = DERWriter.sequence([
            DERWriter.context(0, DERWriter.integer(2)),
            DERWriter.integer(serialNumber),
            (innerAlgorithm ?? outer).der,
            issuer.der,
            DERWriter.sequence([Self.time(notBefore), Self.time(notAfter)]),
            subjectElement ?? subject.der,
            try publicKeyInfo ?? key.publicKeyInfo,
            DERWriter.context(3, DERWriter.sequence(try allExtensions().map(Self.encode))),
        ])
        let signature = try issuerKey.signature(over: body, digest)
        return DERWriter.sequence([body, outer.der, DERWriter.bitString(signature)])
    }

    /// The certificate as PEM.
    public func pem() throws -> String {
        let base64 = Data(try der()).base64EncodedString()
        var lines = ["-----BEGIN CERTIFICATE-----"]
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n"
    }

    private func allExtensions() throws -> [Extension] {
        var all: [Extension] = []
        if let isAuthority {
            var members: [[UInt8]] = isAuthority ? [DERWriter.boolean(true)] : []
            if let pathLength { members.append(DERWriter.integer(pathLength)) }
            all.append(Extension("2.5.29.19", critical: true, value: DERWriter.sequence(members)))
        }
        if let keyUsage {
            let bits = keyUsage.reduce(UInt8(0)) { $0 | 0x80 >> $1.rawValue }
            all.append(Extension("2.5.29.15", critical: true, value: Self.namedBits(bits)))
        }
        all.append(Extension("2.5.29.14", value: DERWriter.octetString(try subjectKeyIdentifier)))
        return all + markers.map { Extension($0) } + extensions
    }

    /// A BIT STRING of named bits, without trailing zeros (X.690, 11.2.2).
    private static func namedBits(_ bits: UInt8) -> [UInt8] {
        bits == 0
            ? DERWriter.element(0x03, [0]) : DERWriter.element(0x03, [UInt8(bits.trailingZeroBitCount), bits])
    }

    private static func encode(_ item: Extension) -> [UInt8] {
        DERWriter.sequence(
            [DERWriter.objectIdentifier(item.objectIdentifier)] + (item.critical ? [DERWriter.boolean(true)] : [])
                + [DERWriter.octetString(item.value)])
    }

    /// UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5).
    private static func time(_ date: Date) -> [UInt8] {
        let text = ReceiptDate.string(from: date)
        let digits = text.prefix(19).filter(\.isNumber)
        let isUTC = text >= "1950" && text < "2050"
        return DERWriter.element(isUTC ? 0x17 : 0x18, Array((isUTC ? digits.dropFirst(2) : digits[...]).utf8) + [0x5A])
    }
}

/// A distinguished name with the parts that Apple's certificates have.
public struct TestName: Sendable, Hashable {
    /// What people know the certificate by (CN).
    public var commonName: String
    /// The unit (OU).
    public var organizationalUnit: String
    /// The organization (O).
    public var organization: String
    /// The country (C), two letters.
    public var country: String

    /// Creates a name. Default values say that it is for testing.
    public init(
        _ commonName: String, organizationalUnit: String = "Testing", organization: String = "AppReceiptTesting",
        country: String = "US"
    ) {
        self.commonName = commonName
        self.organizationalUnit = organizationalUnit
        self.organization = organization
        self.country = country
    }

    /// The name as DER.
    public var der: [UInt8] {
        let parts = [
            ("2.5.4.6", DERWriter.printableString(country)), ("2.5.4.10", DERWriter.utf8String(organization)),
            ("2.5.4.11", DERWriter.utf8String(organizationalUnit)), ("2.5.4.3", DERWriter.utf8String(commonName)),
        ]
        return DERWriter.sequence(
            parts.map { identifier, text in
                DERWriter.set([DERWriter.sequence([DERWriter.objectIdentifier(identifier), text])])
            })
    }
}

extension Date {
    /// A date from RFC 3339 text, for tests: `Date(rfc3339: "2024-01-15T09:00:00Z")`.
    ///
    /// - Returns: The date; nil if the text isn't a date.
    public init?(rfc3339 text: String) {
        guard let date = ReceiptDate.date(from: text) else { return nil }
        self = date
    }

    /// The first second of a year, in UTC.
    static func year(_ year: Int) -> Date {
        RFC3339.date(year: year, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    }
}
