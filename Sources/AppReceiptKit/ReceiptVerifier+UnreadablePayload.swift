package import AppReceiptParsing

extension ReceiptVerifier {
    /// Returns the failure of the chain or the signature of a receipt whose payload can't be read, or nil if both are valid.
    ///
    /// Distinguishes an altered receipt from one that was signed with an unreadable payload. A nil result isn't a verification: without a
    /// creation date, the chain is validated at the start of the signer's own validity. `verify` fails on such a receipt before it
    /// validates the chain, so no signature is verified twice.
    package func chainOrSignatureFailure(_ bytes: some Collection<UInt8>) -> ReceiptError? {
        do throws(ReceiptError) {
            let container = try ReceiptContainer(parsing: bytes, limits: limits)
            let signer = try container.signerCertificate(among: try container.readCertificates())
            // A trusted Xcode certificate has no issuer, and the claimed environment can't be read.
            let environment: ReceiptEnvironment? = signer.isSelfIssued ? .xcode : nil
            let chain = try chainValidator.validate(container, environment: environment, at: signer.notBefore)
            try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
