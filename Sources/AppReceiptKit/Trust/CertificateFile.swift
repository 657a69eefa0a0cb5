package import AppReceiptParsing

/// Certificates in a file: DER, or PEM with one or more blocks.
package enum CertificateFile {
    /// Returns the certificates in a file, each as DER.
    package static func certificates(in bytes: [UInt8]) throws(ReceiptError) -> [ArraySlice<UInt8>] {
        if bytes.first == BERTag.sequence { return [bytes[...]] }
        var certificates: [ArraySlice<UInt8>] = []
        // Skip text before a block, which OpenSSL's output contains.
        var rest = bytes[...]
        while true {
            while !rest.isEmpty, !PEMBlock.isPlausible(rest) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
            }
            guard !rest.isEmpty else { break }
            do throws(PEMBlock.Fault) {
                let (block, following) = try PEMBlock.read(rest)
                rest = following
                if block.label == "CERTIFICATE" { certificates.append(block.octets[...]) }
            } catch {
                throw ReceiptError(.trustAnchorMalformed, "The PEM text is incomplete or not base64.")
            }
        }
        guard !certificates.isEmpty else {
            throw ReceiptError(
                .trustAnchorMalformed, "The file is neither a certificate in DER nor PEM with one in it.")
        }
        return certificates
    }
}
