import AppReceiptKit
public import Foundation

extension AppReceiptValidator.Parameters {
    /// The root certificate at which a receipt's chain must end.
    public enum RootCertificateOrigin {
        /// Apple's root certificates, which are part of the library.
        case cerFileBundledWithAppReceiptValidator
        /// This certificate and no other. To accept receipts of Xcode's local testing, pass Xcode's certificate, in
        /// debug builds only.
        case data(Data)

        /// Returns the certificate as DER: the given one, or the Apple root under which receipts are signed.
        public func loadData() -> Data? {
            switch self {
            case .cerFileBundledWithAppReceiptValidator: TrustAnchors.apple.certificates.first.map { Data($0) }
            case .data(let data): data
            }
        }
    }
}
