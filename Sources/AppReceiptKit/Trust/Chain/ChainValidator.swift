package import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport

/// Validates the certificate chains of receipts and tokens.
///
/// Finds the signer's certificate and builds its chain to a trust anchor, unless the signer is a trusted Xcode
/// certificate. Copies share a cache of validated chains.
package struct ChainValidator: Sendable {
    package let anchors: TrustAnchors
    let xcode: XcodeTrust
    let cache = ChainCache()

    package init(anchors: TrustAnchors, xcode: XcodeTrust) {
        self.anchors = anchors
        self.xcode = xcode
    }

    /// Validates the chain of a receipt's signer.
    ///
    /// - Parameters:
    ///   - container: The receipt's container.
    ///   - environment: The environment that the receipt claims.
    ///   - date: The date the receipt was created.
    /// - Returns: The validated chain.
    /// - Throws: The most specific failure.
    func validate(
        _ container: ReceiptContainer, environment: ReceiptEnvironment?, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let date = date.roundedDownToSecond
        if let chain = cache.chain(of: container, at: date) { return chain }
        let certificates = try container.readCertificates()
        let signer = try container.signerCertificate(among: certificates)
        if let chain = try validateXcode(signer, environment: environment, at: date) { return chain }
        return try buildChain(from: signer, intermediates: certificates, under: .receipt, at: date)
    }

    /// Validates the chain of a token's signer.
    ///
    /// A token's third certificate is ignored: the anchor comes from the configuration.
    ///
    /// - Parameters:
    ///   - signer: The first certificate, as DER.
    ///   - intermediate: The second certificate, as DER, which must have issued the first.
    ///   - date: The date the token was signed.
    /// - Returns: The validated chain.
    /// - Throws: The most specific failure.
    package func validate(
        token signer: ArraySlice<UInt8>, issuedBy intermediate: ArraySlice<UInt8>, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let date = date.roundedDownToSecond
        if let chain = cache.chain(signer: signer, intermediate: intermediate, at: date) { return chain }
        let signer = try Self.certificate("first", der: signer)
        let intermediate = try Self.certificate("second", der: intermediate)
        return try buildChain(from: signer, intermediates: [intermediate], under: .token, at: date)
    }

    /// Validates the only certificate of a token from Xcode, which must be a trusted Xcode certificate.
    package func validate(
        xcodeToken signer: ArraySlice<UInt8>, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let signer = try Self.certificate("only", der: signer)
        guard let chain = try validateXcode(signer, environment: .xcode, at: date.roundedDownToSecond) else {
            throw ReceiptError(
                .intermediateMissing, "The token contains the signer's certificate but not its issuer's.")
        }
        return chain
    }

    /// Validates the signer of data from Xcode.
    ///
    /// - Returns: The signer's chain, nil if the signer must chain to an anchor.
    /// - Throws: `xcode-certificate-misused`, `xcode-not-trusted`, `xcode-certificate-mismatch`, or a failure of the
    ///   certificate itself.
    private func validateXcode(
        _ signer: EncodedCertificate, environment: ReceiptEnvironment?, at date: Date
    ) throws(ReceiptError) -> CertificateChain? {
        let isTrusted = xcode.trusts(signer)
        guard environment == .xcode else {
            guard !isTrusted else { throw ReceiptError(.xcodeCertificateMisused) }
            return nil
        }
        guard isTrusted else {
            // The signer may still chain to an anchor, even if the receipt claims to come from Xcode.
            guard signer.isSelfIssued else { return nil }
            throw ReceiptError(xcode.isDisabled ? .xcodeNotTrusted : .xcodeCertificateMismatch)
        }
        guard date >= signer.notBefore else { throw ReceiptError(.signerNotYetValid) }
        guard date <= signer.notAfter else { throw ReceiptError(.signerExpired) }
        return CertificateChain(
            signer: signer, signerKey: try CertificateKey(signer.keyInfo, codes: .signer), intermediate: nil,
            anchor: nil)
    }

    private func buildChain(
        from signer: EncodedCertificate, intermediates: [EncodedCertificate], under policy: ChainPolicy,
        at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let (chain, isCacheable) = try ChainBuilder(anchors: anchors, policy: policy)
            .build(from: signer, intermediates: intermediates, at: date)
        if isCacheable { cache.insert(chain) }
        return chain
    }

    private static func certificate(
        _ ordinal: String, der: ArraySlice<UInt8>
    ) throws(ReceiptError) -> EncodedCertificate {
        guard let certificate = EncodedCertificate(der: der) else {
            throw ReceiptError(.certificateMalformed, "The token's \(ordinal) certificate is malformed.")
        }
        return certificate
    }
}

extension ReceiptContainer {
    /// Returns the container's certificates, each once.
    ///
    /// - Throws: `certificate-malformed` if one can't be read, even if it isn't used. Genuine receipts don't contain
    ///   such certificates.
    func readCertificates() throws(ReceiptError) -> [EncodedCertificate] {
        var read: [EncodedCertificate] = []
        for (index, der) in certificates.enumerated() where !certificates[..<index].contains(der) {
            guard let certificate = EncodedCertificate(der: der) else {
                throw ReceiptError(
                    .certificateMalformed, offset: der.startIndex - bytes.startIndex,
                    "Certificate number \(index + 1) in the container is malformed.")
            }
            read.append(certificate)
        }
        return read
    }

    /// The container's certificates that can be read, each once, for display.
    var readableCertificates: [EncodedCertificate] {
        certificates.enumerated()
            .filter { index, der in !certificates[..<index].contains(der) }
            .compactMap { EncodedCertificate(der: $0.element) }
    }

    /// Returns the certificate that the signer's identifier refers to, at any position.
    ///
    /// - Throws: `signer-certificate-missing` or `signer-certificate-ambiguous` unless exactly one matches.
    func signerCertificate(among certificates: [EncodedCertificate]) throws(ReceiptError) -> EncodedCertificate {
        let matches = certificates.filter { certificate in
            switch signer.identifier {
            case .issuerAndSerialNumber(let issuer, let serialNumber):
                certificate.issuer == issuer && certificate.serialNumber == serialNumber
            case .subjectKeyIdentifier(let key):
                certificate.subjectKeyIdentifier == key
            }
        }
        guard let match = matches.first else { throw ReceiptError(.signerCertificateMissing) }
        guard matches.count == 1 else { throw ReceiptError(.signerCertificateAmbiguous) }
        return match
    }
}
