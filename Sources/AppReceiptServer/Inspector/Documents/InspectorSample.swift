#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// A sample receipt or signed data.
///
/// Samples are signed with public keys, and verified under their own root, which is trusted for nothing else.
struct InspectorSample: Sendable {
    /// The name in requests.
    let identifier: String
    /// The file name that the page shows.
    let fileName: String
    let bytes: [UInt8]

    static let all: [InspectorSample] = EmbeddedFiles.samples.map { file in
        InspectorSample(
            identifier: file.name.split(separator: ".").first.map { String($0) } ?? file.name, fileName: file.name,
            bytes: EmbeddedFiles.bytes(file.base64))
    }

    /// Trusts only the samples' root and the certificate of the Xcode sample.
    static let receipts = ReceiptVerifier(anchors: anchors, xcode: xcode)

    /// Trusts only the samples' root for signed data.
    static let signedData = SignedDataVerifier(anchors: signedDataAnchors)

    /// The root of the samples.
    static let roots = TrustedRoots(anchors)

    private static let anchors = anchors(EmbeddedFiles.sampleRoot)
    private static let signedDataAnchors = anchors(EmbeddedFiles.sampleSignedDataRoot)

    private static func anchors(_ base64: String) -> TrustAnchors {
        guard let anchors = try? TrustAnchors(files: [EmbeddedFiles.bytes(base64)]) else {
            preconditionFailure("The root of the samples isn't a certificate. Run scripts/embed-files.py.")
        }
        return anchors
    }

    private static let xcode: XcodeTrust = {
        let certificate = EmbeddedFiles.bytes(EmbeddedFiles.sampleXcodeCertificate)
        guard let trust = try? XcodeTrust(der: [certificate]) else {
            preconditionFailure("The Xcode certificate of the samples isn't valid. Run scripts/embed-files.py.")
        }
        return trust
    }()
}
#endif
