import AppReceiptParsing
import SwiftASN1

extension CertificateKey {
    /// Reads the key of a certificate.
    ///
    /// - Throws: The code for the reason why the key isn't accepted.
    init(_ keyInfo: ASN1Node, _ codes: KeyErrorCodes) throws(ReceiptError) {
        do throws(Fault) {
            try self.init(keyInfo)
        } catch {
            throw ReceiptError(codes.code(for: error))
        }
    }
}
