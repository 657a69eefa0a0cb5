import AppReceiptKit

extension ChainPolicy {
    /// The policy for transaction receipts from before iOS 7, whose intermediate is configured and doesn't need a marker.
    static let transactionReceipt = ChainPolicy(
        intermediateMarker: nil, signerMarker: ExtensionIdentifier.transactionSignerMarker,
        signerMarkerMissing: .transactionReceiptMarkerMissing,
        intermediateMissing: ReceiptError(.transactionReceiptIntermediateMissing), infersShortChains: false
    ) { keyInfo throws(ReceiptError) in
        guard let key = CertificateKey(transactionSigner: keyInfo) else {
            throw ReceiptError(.transactionReceiptKeyUnfit)
        }
        return key
    }
}
