package import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport

/// Validates the certificate chains of receipts and tokens.
///
/// Finds the signer's certificate and builds its chain to a trust anchor, unless the signer is a trusted Xcode certificate. Copies share a cache
/// of validated chains.
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
        if let chain = try xcode.validate(signer, environment: environment, at: date) { return chain }
        return try buildChain(from: signer, intermediates: certificates, .receipt, at: date)
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
        let signer = try Self.certificate(signer, "first")
        let intermediate = try Self.certificate(intermediate, "second")
        return try buildChain(from: signer, intermediates: [intermediate], .token, at: date)
    }

    /// Validates the only certificate of a token from Xcode, which must be a trusted Xcode certificate.
    package func validate(
        xcodeToken signer: ArraySlice<UInt8>, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let signer = try Self.certificate(signer, "only")
        guard let chain = try xcode.validate(signer, environment: .xcode, at: date.roundedDownToSecond) else {
            throw ReceiptError(
                .intermediateMissing, "The token contains the signer's certificate but not its issuer's.")
        }
        return chain
    }

    private func buildChain(
        from signer: EncodedCertificate, intermediates: [EncodedCertificate], _ policy: ChainPolicy, at date: Date
    ) throws(ReceiptError) -> CertificateChain {
        let (chain, isFirstCandidate) = try ChainBuilder(anchors: anchors, policy: policy)
            .build(from: signer, intermediates: intermediates, at: date)
        if isFirstCandidate { cache.insert(chain) }
        return chain
    }

    private static func certificate(_ der: ArraySlice<UInt8>, _ ordinal: String) throws(ReceiptError)
        -> EncodedCertificate
    {
        guard let certificate = EncodedCertificate(der: der) else {
            throw ReceiptError(.certificateMalformed, "The token's \(ordinal) certificate is malformed.")
        }
        return certificate
    }
}
