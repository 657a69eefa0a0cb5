import AppReceiptParsing

extension ChainPolicy {
    /// The policy for transaction receipts, which don't contain the intermediate.
    ///
    /// The marker of the signer depends on the version: otherwise a signer of app receipts could sign version 2, or a short key version 3.
    static func transactionReceipt(_ version: TransactionReceiptSignature.Version) -> ChainPolicy {
        switch version {
        case .itunesStore: itunesStore
        case .appReceiptSigner: appReceiptSigner
        }
    }

    private static let itunesStore = ChainPolicy(
        intermediateMarker: nil, signerMarker: ExtensionIdentifier.transactionSignerMarker,
        signerMarkerMissing: .transactionReceiptMarkerMissing,
        intermediateMissing: ReceiptError(.transactionReceiptIntermediateMissing), infersShortChains: false
    ) { keyInfo throws(ReceiptError) in
        guard let key = CertificateKey(transactionSigner: keyInfo) else {
            throw ReceiptError(.transactionReceiptKeyUnfit)
        }
        return key
    }

    private static let appReceiptSigner = ChainPolicy(
        intermediateMarker: ExtensionIdentifier.intermediateMarker, signerMarker: ExtensionIdentifier.signerMarker,
        signerMarkerMissing: .transactionReceiptMarkerMissing,
        intermediateMissing: ReceiptError(.transactionReceiptIntermediateMissing), infersShortChains: false
    ) { keyInfo throws(ReceiptError) in
        let key = try CertificateKey(keyInfo, KeyErrorCodes.signer)
        guard case .rsa = key else { throw ReceiptError(.transactionReceiptKeyUnfit) }
        return key
    }
}
