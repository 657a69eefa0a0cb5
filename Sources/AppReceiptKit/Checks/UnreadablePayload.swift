package import AppReceiptParsing

extension ReceiptVerifier {
    /// What else is wrong with a receipt whose payload cannot be read: its chain or its signature, or nil if those hold
    /// and the signer really signed something unreadable.
    ///
    /// Nothing becomes verified by this. Without a payload there is no creation date, so the chain is judged as of the
    /// first moment of the signer's own certificate, which tells an altered receipt from a malformed one.
    package func failureBesidesPayload(_ bytes: some Collection<UInt8>) -> ReceiptError? {
        do throws(ReceiptError) {
            let input = try ReceiptInput(bytes, limits: limits)
            let container = try ReceiptContainer(parsing: input.der, limits: limits)
            let signer = try ChainRules.signer(
                container.signer.identifier, among: ChainRules.certificates(of: container))
            // A certificate of Xcode's, trusted by name, signs alone; what the receipt says of itself nobody can read.
            let environment: ReceiptEnvironment? = signer.isSelfIssued ? .xcode : nil
            let chain = try rules.validate(container, environment: environment, at: signer.notBefore)
            try ContainerSignature.check(container, with: chain.signerKey, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
