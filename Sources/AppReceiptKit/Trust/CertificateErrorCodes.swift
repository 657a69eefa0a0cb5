import AppReceiptParsing

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
