import AppReceiptKit
import Testing

@testable import VerifyReceipt

@Suite("SignatureBlob")
struct SignatureBlobTests {
    private static func blob(_ version: UInt8, length: [UInt8], certificate: Int) -> [UInt8] {
        [version] + (0..<128).map { UInt8($0) } + length + [UInt8](repeating: 0x30, count: certificate)
    }

    private static func refusal(_ bytes: [UInt8]) -> ReceiptError.Code? {
        captured { () throws(ReceiptError) in try SignatureBlob(bytes[...]) }?.code
    }

    @Test("version 2 has 128 octets of signature and a certificate of the length that is named")
    func parts() throws {
        // A slice of something larger, as it may come.
        let bytes = [9, 9] + Self.blob(2, length: [0, 0, 1, 2], certificate: 258)
        let blob = try SignatureBlob(bytes[2...])
        #expect(blob.signature.elementsEqual((0..<128).map { UInt8($0) }))
        #expect(blob.certificate.count == 258)
    }

    @Test("any other version is refused", arguments: [0, 1, 3, 4, 0x30, 255] as [UInt8])
    func versions(_ version: UInt8) {
        #expect(
            Self.refusal(Self.blob(version, length: [0, 0, 0, 9], certificate: 9))
                == .transactionReceiptVersionUnsupported)
        #expect(Self.refusal([version]) == .transactionReceiptVersionUnsupported)
    }

    @Test("what is cut, or has something left over, is malformed")
    func lengths() {
        let malformed = ReceiptError.Code.transactionReceiptSignatureMalformed
        #expect(Self.refusal([]) == malformed)
        let whole = Self.blob(2, length: [0, 0, 0, 9], certificate: 9)
        #expect(Self.refusal(whole) == nil)
        for count in 1..<whole.count { #expect(Self.refusal(Array(whole.prefix(count))) == malformed, "\(count)") }
        #expect(Self.refusal(whole + [0]) == malformed)
        #expect(Self.refusal(Self.blob(2, length: [0xFF, 0xFF, 0xFF, 0xFF], certificate: 9)) == malformed)
        #expect(Self.refusal(Self.blob(2, length: [0, 0, 0x10, 0x00], certificate: 4096)) == nil)
        #expect(Self.refusal(Self.blob(2, length: [0, 0, 0x10, 0x01], certificate: 4097)) == malformed)
    }
}
