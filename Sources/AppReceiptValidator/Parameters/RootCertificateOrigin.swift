import AppReceiptKit
public import Foundation

extension AppReceiptValidator.Parameters {
    /// Which root a receipt's chain must end at.
    public enum RootCertificateOrigin {
        /// Apple's, which are part of the library.
        case cerFileBundledWithAppReceiptValidator
        /// This one and no other. For receipts of Xcode's local testing name its certificate, in debug builds only.
        case data(Data)

        /// The root certificate as DER: that of Apple's first root, under which receipts are signed, or what was given.
        public func loadData() -> Data? {
            switch self {
            case .cerFileBundledWithAppReceiptValidator: TrustAnchors.apple.certificates.first.map { Data($0) }
            case .data(let data): data
            }
        }
    }
}
