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

    /// Returns the certificates in files of DER or PEM, each as DER.
    package static func certificates(
        inFiles files: some Sequence<some Sequence<UInt8>>
    ) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        var certificates: [ArraySlice<UInt8>] = []
        for file in files {
            let bytes = Array(file)
            certificates += bytes.first == BERTag.sequence ? [bytes[...]] : try Self.certificates(inPEM: bytes)
        }
        return certificates
    }

    /// Returns the certificates in a PEM text, at least one, each as DER.
    package static func certificates(
        inPEM text: some Sequence<UInt8>
    ) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        var certificates: [ArraySlice<UInt8>] = []
        // Skip text before a block, which OpenSSL's output contains.
        var rest = Array(text)[...].withoutByteOrderMark
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
            throw ReceiptError(.trustAnchorMalformed, "There is no certificate in DER or PEM.")
        }
        return certificates
    }
}
