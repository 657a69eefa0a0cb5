import TestSupport
import Testing

@testable import AppReceiptParsing

@Suite("TransactionReceiptSignature")
struct TransactionReceiptSignatureTests {
    private static func blob(
        _ version: UInt8, signature: Int = 128, length: [UInt8], certificate: Int
    ) -> [UInt8] {
        [version] + (0..<signature).map { UInt8($0) } + length + [UInt8](repeating: 0x30, count: certificate)
    }

    private static func rejection(_ bytes: [UInt8]) -> ReceiptError.Code? {
        captured { () throws(ReceiptError) in try TransactionReceiptSignature(bytes[...]) }?.code
    }

    @Test("Version 2 has a signature of 128 bytes and a certificate of the given length")
    func parts() throws {
        // A slice whose indices don't start at zero.
        let bytes = [9, 9] + Self.blob(2, length: [0, 0, 1, 2], certificate: 258)
        let blob = try TransactionReceiptSignature(bytes[2...])
        #expect(blob.signature.elementsEqual((0..<128).map { UInt8($0) }))
        #expect(blob.certificate.count == 258)
    }

    @Test("Version 3 has a signature of 256 bytes")
    func version3() throws {
        let bytes = Self.blob(3, signature: 256, length: [0, 0, 0, 9], certificate: 9)
        let signature = try TransactionReceiptSignature(bytes[...])
        #expect(signature.version == .appReceiptSigner)
        #expect(signature.signature.elementsEqual((0..<256).map { UInt8($0) }))
        #expect(signature.certificate.count == 9)
    }

    @Test("A signature of one version isn't readable as the other one")
    func otherVersion() {
        let malformed = ReceiptError.Code.transactionReceiptSignatureMalformed
        #expect(Self.rejection(Self.blob(3, length: [0, 0, 3, 0x84], certificate: 900)) == malformed)
        #expect(Self.rejection(Self.blob(2, signature: 256, length: [0, 0, 3, 0x84], certificate: 900)) == malformed)
    }

    @Test("Any other version is rejected", arguments: [0, 1, 4, 0x30, 255] as [UInt8])
    func versions(_ version: UInt8) {
        #expect(
            Self.rejection(Self.blob(version, length: [0, 0, 0, 9], certificate: 9))
                == .transactionReceiptVersionUnsupported)
        #expect(Self.rejection([version]) == .transactionReceiptVersionUnsupported)
    }

    @Test("Truncated bytes and trailing bytes are malformed")
    func lengths() {
        let malformed = ReceiptError.Code.transactionReceiptSignatureMalformed
        #expect(Self.rejection([]) == malformed)
        let whole = Self.blob(2, length: [0, 0, 0, 9], certificate: 9)
        #expect(Self.rejection(whole) == nil)
        for count in 1..<whole.count { #expect(Self.rejection(Array(whole.prefix(count))) == malformed, "\(count)") }
        #expect(Self.rejection(whole + [0]) == malformed)
        #expect(Self.rejection(Self.blob(2, length: [0xFF, 0xFF, 0xFF, 0xFF], certificate: 9)) == malformed)
        #expect(Self.rejection(Self.blob(2, length: [0, 0, 0x10, 0x00], certificate: 4096)) == nil)
        #expect(Self.rejection(Self.blob(2, length: [0, 0, 0x10, 0x01], certificate: 4097)) == malformed)
    }
}
