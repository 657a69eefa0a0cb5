import AppReceiptKit
import Foundation

/// A receipt whose container could be opened.
struct OpenedReceipt {
    /// Whether there is a signer at all.
    let isSigned: Bool

    private let bytes: [UInt8]
    private let content: ArraySlice<UInt8>
    private let contentOffset: Int?

    init(_ data: Data) throws(AppReceiptValidator.Error) {
        // Binary only: what AppReceiptKit takes besides, base64 and PEM, is plain text to users of this API.
        guard data.first == 0x30 else { throw .emptyReceiptContents }
        bytes = Array(data)
        do throws(ReceiptError) {
            (content, contentOffset, isSigned) = try ReceiptContainer.content(of: bytes[...])
        } catch {
            throw AppReceiptValidator.Error(error)
        }
    }

    /// What the receipt says, unverified.
    func parsed() throws(AppReceiptValidator.Error) -> AppReceipt {
        do throws(ReceiptError) {
            return try AppReceipt(payload: content, origin: contentOffset ?? 0)
        } catch {
            throw AppReceiptValidator.Error(error)
        }
    }

    /// What the receipt says, once signature and chain have been verified.
    func verified(
        under root: AppReceiptValidator.Parameters.RootCertificateOrigin
    ) throws(AppReceiptValidator.Error) -> AppReceipt {
        let verifier = try root.verifier()
        let report = verifier.report(
            bytes, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment))
        if let error = report.failure {
            // Here the signature comes before the payload, and an expiration date, the last check, is left to the caller.
            guard error.code == .receiptExpired else {
                let first = error.stage == .payload ? verifier.failureBesidesPayload(bytes) : nil
                throw AppReceiptValidator.Error(first ?? error)
            }
        }
        guard let receipt = report.receipt else { throw .unknown }
        return receipt
    }
}

extension AppReceiptValidator.Parameters.RootCertificateOrigin {
    /// A verifier that trusts this root and no other.
    fileprivate func verifier() throws(AppReceiptValidator.Error) -> ReceiptVerifier {
        guard case .data(let data) = self else { return ReceiptVerifier() }
        let certificate = Array(data)
        do throws(ReceiptError) {
            // A certificate of Xcode's local testing, which signs alone, is trusted by being named here.
            return ReceiptVerifier(
                anchors: try TrustAnchors(certificates: [certificate]),
                xcode: try XcodeTrust(certificates: [certificate]))
        } catch {
            throw .malformedAppleRootCertificate
        }
    }
}
