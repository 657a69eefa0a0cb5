import AppReceiptKit
import Foundation

/// A receipt whose container was decoded.
struct OpenedReceipt {
    /// Whether the container has a signer.
    let isSigned: Bool

    private let bytes: [UInt8]
    private let content: ArraySlice<UInt8>
    private let contentOffset: Int?

    init(_ data: Data) throws(AppReceiptValidator.Error) {
        // AppReceiptKit also accepts base64 and PEM. For users of this API those are plain text.
        guard data.first == 0x30 else { throw .emptyReceiptContents }
        bytes = Array(data)
        do throws(ReceiptError) {
            (content, contentOffset, isSigned) = try ReceiptContainer.content(of: bytes[...])
        } catch {
            throw AppReceiptValidator.Error(error)
        }
    }

    /// Returns the receipt's contents, unverified.
    func parsed() throws(AppReceiptValidator.Error) -> AppReceipt {
        do throws(ReceiptError) {
            return try AppReceipt(payload: content, origin: contentOffset ?? 0)
        } catch {
            throw AppReceiptValidator.Error(error)
        }
    }

    /// Verifies the signature and the certificate chain, and returns the receipt's contents.
    func verified(
        under root: AppReceiptValidator.Parameters.RootCertificateOrigin
    ) throws(AppReceiptValidator.Error) -> AppReceipt {
        let verifier = try root.verifier()
        let report = verifier.report(
            bytes, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment))
        if let error = report.failure {
            // In this API the signature is checked before the payload, and the caller checks the expiration date.
            guard error.code == .receiptExpired else {
                let first = error.check == .payload ? verifier.chainOrSignatureFailure(bytes) : nil
                throw AppReceiptValidator.Error(first ?? error)
            }
        }
        guard let receipt = report.receipt else { throw .unknown }
        return receipt
    }
}

extension AppReceiptValidator.Parameters.RootCertificateOrigin {
    /// Creates a verifier that trusts only this root.
    fileprivate func verifier() throws(AppReceiptValidator.Error) -> ReceiptVerifier {
        guard case .data(let data) = self else { return ReceiptVerifier() }
        let certificate = Array(data)
        do throws(ReceiptError) {
            // The certificate of Xcode's local testing is its own root, and is trusted if the caller passes it.
            return ReceiptVerifier(
                anchors: try TrustAnchors(files: [certificate]),
                xcode: try XcodeTrust(files: [certificate]))
        } catch {
            throw .malformedAppleRootCertificate
        }
    }
}
