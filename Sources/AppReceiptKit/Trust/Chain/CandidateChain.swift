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
        try require(date >= certificate.notBefore, else: .anchorNotYetValid)
        try require(date <= certificate.notAfter, else: .anchorExpired)
        try require(certificate.isAuthority && certificate.hasReadableExtensions, else: .anchorUnfit)
        try require(certificate.allowsCertificateSigning, else: .anchorUnfit)
        try require(!certificate.hasUnknownCriticalExtension, else: .anchorUnfit)
        try require(certificate.pathLength ?? 1 >= 1, else: .pathLengthExceeded)
        return try anchor.usableKey()
    }

    private mutating func validateIntermediate(
        issuedWith anchorKey: CertificateKey
    ) throws(ReceiptError) -> CertificateKey {
        try validate(intermediate, issuedWith: anchorKey, codes: .intermediate)
        try require(intermediate.isAuthority, else: .intermediateNotAuthority)
        try require(intermediate.pathLength ?? 0 >= 0, else: .pathLengthExceeded)
        try require(intermediate.allowsCertificateSigning, else: .intermediateKeyUsage)
        try require(policy.intermediateMarker.map(intermediate.has) ?? true, else: .intermediateMarkerMissing)
        return try CertificateKey(intermediate.keyInfo, codes: .intermediate)
    }

    private mutating func validateSigner(
        issuedWith intermediateKey: CertificateKey
    ) throws(ReceiptError) -> CertificateKey {
        try validate(signer, issuedWith: intermediateKey, codes: .signer)
        try require(signer.isEndEntity, else: .signerIsAuthority)
        try require(signer.allowsDigitalSignature, else: .signerKeyUsage)
        try require(signer.has(policy.signerMarker), else: policy.signerMarkerMissing)
        return try policy.signerKey(signer.keyInfo)
    }

    /// The rules that apply to the intermediate and the signer alike.
    private mutating func validate(
        _ certificate: EncodedCertificate, issuedWith key: CertificateKey, codes: CertificateErrorCodes
    ) throws(ReceiptError) {
        try require(certificate.algorithmFieldsAgree, else: codes.algorithmFieldsDisagree)
        guard let scheme = certificate.signatureScheme else { throw ReceiptError(codes.algorithmUnsupported) }
        try require(key.isValidSignature(of: certificate, scheme: scheme), else: codes.signatureInvalid)
        try require(date >= certificate.notBefore, else: codes.notYetValid)
        try require(date <= certificate.notAfter, else: codes.expired)
        try require(!certificate.hasUnknownCriticalExtension, else: codes.criticalExtension)
        try require(certificate.hasReadableExtensions && certificate.hasReadableNames, else: .certificateMalformed)
    }

    private mutating func require(_ isMet: Bool, else code: ReceiptError.Code) throws(ReceiptError) {
        guard isMet else { throw ReceiptError(code) }
        passedRules += 1
    }
}

/// The error codes for the rules that apply to the intermediate and the signer alike.
struct CertificateErrorCodes {
    let algorithmFieldsDisagree, algorithmUnsupported, signatureInvalid: ReceiptError.Code
    let notYetValid, expired, criticalExtension: ReceiptError.Code

    static let intermediate = CertificateErrorCodes(
        algorithmFieldsDisagree: .intermediateAlgorithmFieldsDisagree,
        algorithmUnsupported: .intermediateAlgorithmUnsupported, signatureInvalid: .intermediateSignatureInvalid,
        notYetValid: .intermediateNotYetValid, expired: .intermediateExpired,
        criticalExtension: .intermediateCriticalExtension)

    static let signer = CertificateErrorCodes(
        algorithmFieldsDisagree: .signerAlgorithmFieldsDisagree,
        algorithmUnsupported: .signerAlgorithmUnsupported, signatureInvalid: .signerSignatureInvalid,
        notYetValid: .signerNotYetValid, expired: .signerExpired, criticalExtension: .signerCriticalExtension)
}
