package import AppReceiptParsing

extension ReceiptVerifier {
    /// Returns the failure of the chain or the signature of a receipt whose payload can't be read, or nil if both are valid.
    ///
    /// Tells an altered receipt from one that was signed with an unreadable payload. Verifies nothing: without a payload there is no creation
    /// date, so the chain is validated at the first moment of the signer's own certificate. `verify` fails before it gets to the chain of such
    /// a receipt, so no signature is verified twice.
    package func failureBesidesPayload(_ bytes: some Collection<UInt8>) -> ReceiptError? {
        do throws(ReceiptError) {
            let input = try ReceiptInput(bytes, limits: limits)
            let container = try ReceiptContainer(parsing: input.der, limits: limits)
            let signer = try container.signerCertificate(among: try container.readCertificates())
            // A trusted Xcode certificate signs alone, and the claimed environment can't be read.
            let environment: ReceiptEnvironment? = signer.isSelfIssued ? .xcode : nil
            let chain = try chainValidator.validate(container, environment: environment, at: signer.notBefore)
            try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
