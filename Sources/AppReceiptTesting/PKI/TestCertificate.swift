public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

/// A description of a certificate to sign. Every part can be changed, so that a test can break one rule at a time.
public struct TestCertificate: TestValue, Hashable {
    /// The subject's name.
    public var subject: TestName
    /// The issuer's name.
    public var issuer: TestName
    /// The serial number. Numbers from 2^63 are encoded with a leading zero byte, which keeps the sign bit clear.
    public var serialNumber: UInt64
    /// The start of the validity period.
    public var notBefore: Date
    /// The end of the validity period.
    public var notAfter: Date
    /// The subject's key.
    public var key: TestKey
    /// The issuer's key, which signs.
    public var issuerKey: TestKey
    /// The digest of the signature.
    public var digest: TestDigest
    /// The signature algorithm that the certificate specifies. Nil for the one that is used.
    public var algorithm: TestAlgorithm?
    /// The algorithm that the signed part of the certificate specifies. Nil for the same as ``algorithm``.
    public var innerAlgorithm: TestAlgorithm?
    /// An element that replaces the subject's name.
    public var subjectElement: [UInt8]?
    /// A SubjectPublicKeyInfo that replaces the key's own.
    public var publicKeyInfo: [UInt8]?
    /// Whether the basic constraints identify a CA. Nil omits the extension.
    public var isAuthority: Bool?
    /// The maximum number of intermediates below this CA. Nil for no limit.
    public var pathLength: UInt64?
    /// The key usage. Nil omits the extension.
    public var keyUsage: Set<KeyUsage>?
    /// The object identifiers of noncritical extensions that contain NULL, such as Apple's markers.
    public var markers: [String]
    /// Further extensions.
    public var extensions: [Extension]
    /// Whether an extension identifies the issuer's key. OpenSSL's strict mode, which Apple's Python library uses,
    /// requires it.
    public var hasAuthorityKeyIdentifier = false

    /// The key usages in certificates of receipts, with their bit numbers (RFC 5280, 4.2.1.3).
    public enum KeyUsage: UInt8, Sendable, Hashable {
        /// Signing data other than certificates and revocation lists.
        case digitalSignature = 0
        /// Signing data for non-repudiation.
        case contentCommitment = 1
        /// Encrypting keys.
        case keyEncipherment = 2
        /// Signing certificates.
        case keyCertSign = 5
        /// Signing revocation lists.
        case cRLSign = 6
    }

    /// A certificate extension.
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

    /// Apple's marker for intermediates.
    public static let intermediateMarker = "1.2.840.113635.100.6.2.1"
    /// Apple's marker for receipt signers.
    public static let signerMarker = "1.2.840.113635.100.6.11.1"
    /// Apple's marker for signers of transaction receipts of version 2.
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

    /// The subject key identifier, which is a digest of the key. Every certificate contains it.
    public var subjectKeyIdentifier: [UInt8] {
        get throws(ReceiptError) { TestDigest.sha1.digest(of: try key.publicKeyInfo) }
    }

    /// Signs the certificate and returns it as DER.
    ///
    /// Returns the same bytes for the same certificate. ECDSA signatures are randomized, so the bytes of a certificate
    /// that an elliptic-curve key signs differ between processes.
    ///
    /// - Returns: The certificate.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func der() throws(ReceiptError) -> [UInt8] {
        if let known = Self.signed.withLock({ $0[self] }) { return known }
        let made = try made()
        return Self.signed.withLock { certificates in
            if let known = certificates[self] { return known }
            if certificates.count >= 1024 { certificates.removeAll() }
            certificates[self] = made
            return made
        }
    }

    /// A cache of signed certificates, because signing dominates the cost of a test receipt.
    private static let signed = LockedValueBox<[TestCertificate: [UInt8]]>([:])

    private func made() throws(ReceiptError) -> [UInt8] {
        let outer = algorithm ?? TestAlgorithm(key: issuerKey.kind, digest: digest)
        // `??` doesn't keep the type of the error.
        let keyInfo = if let publicKeyInfo { publicKeyInfo } else { try key.publicKeyInfo }
        var extensions: [[UInt8]] = []
        for item in try allExtensions() { extensions.append(Self.encode(item)) }
        let body = DERWriter.sequence([
            DERWriter.context(0, DERWriter.integer(2)),
            DERWriter.integer(serialNumber),
            (innerAlgorithm ?? outer).der,
            issuer.der,
            DERWriter.sequence([Self.time(notBefore), Self.time(notAfter)]),
            subjectElement ?? subject.der,
            keyInfo,
            DERWriter.context(3, DERWriter.sequence(extensions)),
        ])
        let signature = try issuerKey.signature(for: body, digest: digest)
        return DERWriter.sequence([body, outer.der, DERWriter.bitString(signature)])
    }

    /// Signs the certificate and returns it as PEM.
    ///
    /// - Returns: The text.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func pem() throws(ReceiptError) -> String {
        DERWriter.pem(try der(), label: "CERTIFICATE")
    }

    private func allExtensions() throws(ReceiptError) -> [Extension] {
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
        if hasAuthorityKeyIdentifier {
            let identifier = TestDigest.sha1.digest(of: try issuerKey.publicKeyInfo)
            all.append(Extension("2.5.29.35", value: DERWriter.sequence([DERWriter.element(0x80, identifier)])))
        }
        all.append(Extension("2.5.29.14", value: DERWriter.octetString(try subjectKeyIdentifier)))
        return all + markers.map { Extension($0) } + extensions
    }

    /// Encodes a BIT STRING of named bits, without trailing zeros (X.690, 11.2.2).
    private static func namedBits(_ bits: UInt8) -> [UInt8] {
        bits == 0
            ? DERWriter.element(0x03, [0]) : DERWriter.element(0x03, [UInt8(bits.trailingZeroBitCount), bits])
    }

    private static func encode(_ item: Extension) -> [UInt8] {
        DERWriter.sequence(
            [DERWriter.objectIdentifier(item.objectIdentifier)] + (item.critical ? [DERWriter.boolean(true)] : [])
                + [DERWriter.octetString(item.value)])
    }

    /// Encodes a date as UTCTime until 2049 and as GeneralizedTime from 2050 (RFC 5280, 4.1.2.5).
    private static func time(_ date: Date) -> [UInt8] {
        let text = ReceiptDate.string(from: date)
        let digits = text.prefix(19).filter(\.isNumber)
        let isUTC = text >= "1950" && text < "2050"
        return DERWriter.element(isUTC ? 0x17 : 0x18, Array((isUTC ? digits.dropFirst(2) : digits[...]).utf8) + [0x5A])
    }
}
