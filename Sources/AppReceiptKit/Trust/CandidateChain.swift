import AppReceiptFoundation
import AppReceiptParsing
import SwiftASN1

/// A signer, an intermediate and an anchor whose names match. Validation starts at the anchor.
///
/// No key is used before its certificate is validated.
struct CandidateChain {
    let signer: EncodedCertificate
    let intermediate: EncodedCertificate
    let anchor: TrustAnchor
    let policy: ChainPolicy
    /// The date at which every certificate must be valid.
    let date: Date
    /// The number of rules that the chain passed, which ranks its failure among those of other candidates.
    private(set) var passedRules = 0

    init(
        signer: EncodedCertificate, intermediate: EncodedCertificate, anchor: TrustAnchor, policy: ChainPolicy,
        date: Date
    ) {
        self.signer = signer
        self.intermediate = intermediate
        self.anchor = anchor
        self.policy = policy
        self.date = date
    }

    /// Validates the chain.
    ///
    /// - Throws: The first rule that the chain breaks.
    mutating func validate() throws(ReceiptError) -> CertificateChain {
        let anchorKey = try validateAnchor()
        let intermediateKey = try validateIntermediate(issuedWith: anchorKey)
        let signerKey = try validateSigner(issuedWith: intermediateKey)
        return CertificateChain(
            signer: signer, signerKey: signerKey, intermediate: intermediate, anchor: anchor)
    }

    /// Validates the anchor. Configuration makes it trusted, but its own constraints must allow an intermediate.
    private mutating func validateAnchor() throws(ReceiptError) -> CertificateKey {
        let certificate = anchor.certificate
        try require(date >= certificate.notBefore, .anchorNotYetValid)
        try require(date <= certificate.notAfter, .anchorExpired)
        try require(certificate.isAuthority && certificate.hasReadableExtensions, .anchorUnfit)
        try require(certificate.allowsCertificateSigning, .anchorUnfit)
        try require(!certificate.hasUnknownCriticalExtension, .anchorUnfit)
        try require(certificate.pathLength ?? 1 >= 1, .pathLengthExceeded)
        return try anchor.usableKey()
    }

    private mutating func validateIntermediate(
        issuedWith anchorKey: CertificateKey
    ) throws(ReceiptError) -> CertificateKey {
        try validate(intermediate, issuedWith: anchorKey, .intermediate)
        try require(intermediate.isAuthority, .intermediateNotAuthority)
        try require(intermediate.pathLength ?? 0 >= 0, .pathLengthExceeded)
        try require(intermediate.allowsCertificateSigning, .intermediateKeyUsage)
        try require(policy.intermediateMarker.map(intermediate.has) ?? true, .intermediateMarkerMissing)
        return try CertificateKey(intermediate.keyInfo, .intermediate)
    }

    private mutating func validateSigner(
        issuedWith intermediateKey: CertificateKey
    ) throws(ReceiptError) -> CertificateKey {
        try validate(signer, issuedWith: intermediateKey, .signer)
        try require(signer.isEndEntity, .signerIsAuthority)
        try require(signer.allowsDigitalSignature, .signerKeyUsage)
        try require(signer.has(policy.signerMarker), policy.signerMarkerMissing)
        return try policy.signerKey(signer.keyInfo)
    }

    /// The rules that apply to the intermediate and the signer alike.
    private mutating func validate(
        _ certificate: EncodedCertificate, issuedWith key: CertificateKey, _ codes: CertificateErrorCodes
    ) throws(ReceiptError) {
        try require(certificate.algorithmFieldsAgree, codes.algorithmFieldsDisagree)
        guard let scheme = certificate.signatureScheme else { throw ReceiptError(codes.algorithmUnsupported) }
        try require(key.isValidSignature(of: certificate, scheme), codes.signatureInvalid)
        try require(date >= certificate.notBefore, codes.notYetValid)
        try require(date <= certificate.notAfter, codes.expired)
        try require(!certificate.hasUnknownCriticalExtension, codes.criticalExtension)
        try require(certificate.hasReadableExtensions && certificate.hasReadableNames, .certificateMalformed)
    }

    private mutating func require(_ isMet: Bool, _ code: ReceiptError.Code) throws(ReceiptError) {
        guard isMet else { throw ReceiptError(code) }
        passedRules += 1
    }
}
