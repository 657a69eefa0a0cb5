#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// Something to look at for those who have no receipt: made by `appreceipt make`, signed with keys that are public, and
/// verified with the samples' own root, which counts for nothing else.
struct InspectorSample: Sendable {
    /// What requests call it.
    let identifier: String
    /// What the page shows as the name of its file.
    let fileName: String
    let bytes: [UInt8]

    static let all: [InspectorSample] = InspectorFiles.samples.map { file in
        InspectorSample(
            identifier: file.name.split(separator: ".").first.map { String($0) } ?? file.name, fileName: file.name,
            bytes: InspectorFiles.bytes(file.base64))
    }

    /// Trusts the samples' root and the certificate of the Xcode sample, and nothing of Apple's.
    static let receipts = ReceiptVerifier(anchors: anchors, xcode: xcode)

    /// The same for signed data.
    static let signedData = SignedDataVerifier(anchors: signedDataAnchors)

    private static let anchors = anchors(InspectorFiles.root)
    private static let signedDataAnchors = anchors(InspectorFiles.signedDataRoot)

    private static func anchors(_ base64: String) -> TrustAnchors {
        // Without them the samples would only be shown as not valid.
        (try? TrustAnchors(certificates: [InspectorFiles.bytes(base64)])) ?? .apple
    }

    private static let xcode: XcodeTrust = {
        (try? XcodeTrust(certificates: [InspectorFiles.bytes(InspectorFiles.xcodeCertificate)])) ?? .disabled
    }()
}

extension InspectorFiles {
    /// What is embedded, as it was. What no script wrote would be empty; tests look at every file.
    static func bytes(_ base64: String) -> [UInt8] { (try? Base64.decode(ArraySlice(base64.utf8))) ?? [] }
}
#endif
