public import AppReceiptParsing
import AppReceiptSupport
public import X509

/// The root certificates that a verifier trusts.
///
/// Anchors are configuration. Certificates in a receipt never become anchors.
public struct TrustAnchors: Sendable {
    let anchors: [TrustAnchor]

    /// Apple's three published roots, embedded in this library.
    ///
    /// Receipts currently chain to the first, but Apple doesn't guarantee which root is used, so all three are trusted.
    public static let apple: TrustAnchors = {
        let roots = [AppleRootCertificates.appleInc, AppleRootCertificates.g2, AppleRootCertificates.g3]
        let decoded = roots.compactMap { try? Base64.decode(ArraySlice($0.utf8)) }
        guard decoded.count == roots.count, let anchors = try? TrustAnchors(der: decoded) else {
            preconditionFailure("An embedded root certificate is malformed.")
        }
        return anchors
    }()

    /// Creates anchors from certificates in DER.
    ///
    /// - Parameter certificates: Each as DER.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or if the list is empty. A key that isn't
    ///   accepted isn't an error here: each receipt that chains to it fails with a specific code.
    public init(der certificates: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        var anchors: [TrustAnchor] = []
        for certificate in certificates { anchors.append(try TrustAnchor(der: Array(certificate)[...])) }
        guard !anchors.isEmpty else {
            throw ReceiptError(.trustAnchorMalformed, "The list of trust anchors is empty.")
        }
        self.anchors = anchors
    }

    /// Creates anchors from the certificates in a PEM text.
    ///
    /// - Parameter pem: One or more certificates as PEM.
    /// - Throws: `trust-anchor-malformed` if one of them isn't a certificate, or if there is none.
    public init(pem: String) throws(ReceiptError) { try self.init(der: CertificateFile.certificates(inPEM: pem.utf8)) }

    /// Creates anchors from certificates.
    ///
    /// - Parameter certificates: The root certificates.
    /// - Throws: `trust-anchor-malformed` if one of them can't be encoded, or if the list is empty.
    public init(_ certificates: some Sequence<X509.Certificate>) throws(ReceiptError) {
        try self.init(der: CertificateFile.encoded(certificates))
    }

    /// Creates anchors from the certificates in files, each DER or PEM.
    package init(files: some Sequence<some Sequence<UInt8>>) throws(ReceiptError) {
        try self.init(der: CertificateFile.certificates(inFiles: files))
    }

    /// The common names, for messages. At most four, because the list may be long.
    package var names: String {
        (anchors.prefix(4).map(\.name) + (anchors.count > 4 ? ["…"] : [])).joined(separator: ", ")
    }

    func anchors(named name: ArraySlice<UInt8>) -> some Sequence<TrustAnchor> {
        anchors.lazy.filter { $0.certificate.subject == name }
    }

    /// The certificates, each as DER.
    public var certificates: [[UInt8]] { anchors.map { Array($0.certificate.der) } }
}

/// A trusted root with its key, or the reason why the key isn't accepted.
struct TrustAnchor: Sendable {
    let certificate: EncodedCertificate
    /// The common name, for messages.
    let name: String
    let key: Result<CertificateKey, CertificateKey.Fault>

    init(der: ArraySlice<UInt8>) throws(ReceiptError) {
        guard let certificate = EncodedCertificate(der: der) else { throw ReceiptError(.trustAnchorMalformed) }
        key = Result { () throws(CertificateKey.Fault) in try CertificateKey(certificate.keyInfo) }
        self.certificate = certificate
        name = certificate.commonName
    }

    /// Returns the key if it is accepted.
    func usableKey() throws(ReceiptError) -> CertificateKey {
        do throws(CertificateKey.Fault) {
            return try key.get()
        } catch {
            throw ReceiptError(KeyErrorCodes.anchor.code(for: error))
        }
    }
}
