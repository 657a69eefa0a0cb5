package import AppReceiptParsing
import AppReceiptSupport
import SwiftASN1
package import X509

/// Certificates in a file: DER, or PEM with one or more blocks.
package enum CertificateFile {
    /// Returns the certificates as DER.
    package static func encoded(_ certificates: some Sequence<X509.Certificate>) throws(ReceiptError) -> [[UInt8]] {
        var encoded: [[UInt8]] = []
        for certificate in certificates {
            var serializer = DER.Serializer()
            do {
                try serializer.serialize(certificate)
            } catch {
                throw ReceiptError(.trustAnchorMalformed)
            }
            encoded.append(serializer.serializedBytes)
        }
        return encoded
    }

    /// Returns the certificates in a file, each as DER.
    package static func certificates(in bytes: [UInt8]) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        if bytes.first == BERTag.sequence { return [bytes[...]] }
        var certificates: [ArraySlice<UInt8>] = []
        // Skip text before a block, which OpenSSL's output contains.
        var rest = bytes[...].withoutByteOrderMark
        while true {
            while !rest.isEmpty, !PEMBlock.isPlausible(rest) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
            }
            guard !rest.isEmpty else { break }
            do throws(PEMBlock.Fault) {
                let (block, following) = try PEMBlock.read(rest)
                rest = following
                if block.label == "CERTIFICATE" { certificates.append(block.bytes[...]) }
            } catch {
                throw ReceiptError(.trustAnchorMalformed, "The PEM text is incomplete or isn't base64.")
            }
        }
        guard !certificates.isEmpty else {
            throw ReceiptError(
                .trustAnchorMalformed, "The file contains no certificate in DER or PEM.")
        }
        return certificates
    }
}
