import AppReceiptParsing
import SwiftASN1

/// The error codes for keys that aren't accepted.
struct KeyErrorCodes {
    let unsupported, tooWeak, tooLarge: ReceiptError.Code

    static let anchor = KeyErrorCodes(
        unsupported: .anchorKeyUnsupported, tooWeak: .anchorKeyTooWeak, tooLarge: .anchorKeyTooLarge)
    static let intermediate = KeyErrorCodes(
        unsupported: .intermediateKeyUnsupported, tooWeak: .intermediateKeyTooWeak, tooLarge: .intermediateKeyTooLarge)
    static let signer = KeyErrorCodes(
        unsupported: .signerKeyUnsupported, tooWeak: .signerKeyTooWeak, tooLarge: .signerKeyTooLarge)

    func code(for fault: CertificateKey.Fault) -> ReceiptError.Code {
        switch fault {
        case .unsupported: unsupported
        case .tooWeak: tooWeak
        case .tooLarge: tooLarge
        }
    }
}
