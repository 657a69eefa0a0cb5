#if Server
import AppReceiptKit
import AppStoreSignedData

/// Something to look at for those who have no receipt: made by `appreceipt make`, signed with keys that are public, and
/// verified with the samples' own root, which counts for nothing else.
struct InspectorSample: Sendable {
    /// What requests call it.
    let identifier: String
    /// What the page shows as the name of its file.
    let fileName: String
    let bytes: [UInt8]

    static let all: [InspectorSample] = EmbeddedFiles.samples.map { file in
        InspectorSample(
            identifier: file.name.split(separator: ".").first.map { String($0) } ?? file.name, fileName: file.name,
            bytes: EmbeddedFiles.bytes(file.base64))
    }

    /// Trusts the samples' root and the certificate of the Xcode sample, and nothing of Apple's.
    static let receipts = ReceiptVerifier(anchors: anchors, xcode: xcode)

    /// The same for signed data.
    static let signedData = SignedDataVerifier(anchors: signedDataAnchors)

    private static let anchors = anchors(EmbeddedFiles.sampleRoot)
    private static let signedDataAnchors = anchors(EmbeddedFiles.sampleSignedDataRoot)

    private static func anchors(_ base64: String) -> TrustAnchors {
        guard let anchors = try? TrustAnchors(certificates: [EmbeddedFiles.bytes(base64)]) else {
            preconditionFailure("The root of the samples isn't a certificate. Run scripts/embed-files.py.")
        }
        return anchors
    }

    private static let xcode: XcodeTrust = {
        let certificate = EmbeddedFiles.bytes(EmbeddedFiles.sampleXcodeCertificate)
        guard let trust = try? XcodeTrust(certificates: [certificate]) else {
            preconditionFailure("The Xcode certificate of the samples isn't valid. Run scripts/embed-files.py.")
        }
        return trust
    }()
}
#endif
