import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("TestTransactionReceipt")
struct TestTransactionReceiptTests {
    private static let receipt = TestTransactionReceipt(
        "com.example.pro", transaction: "7", expirationDate: instant("2015-12-18T04:34:41Z"))

    /// Returns the entries of a property list.
    private static func values(_ text: [UInt8]) -> [String: String] {
        var values: [String: String] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            if parts.count == 5 { values[String(parts[1])] = String(parts[3]) }
        }
        return values
    }

    @Test("A receipt has the same bytes on every run, in the App Store's format")
    func isDeterministic() throws {
        let text = try Self.receipt.signed()
        #expect(try text == Self.receipt.signed())
        #expect(fingerprint(text) == "0b8c756274ce1c3248d88031840d87282dbaf63677af34c7c929a27cd9e1f005")
        #expect(String(decoding: text.prefix(14), as: UTF8.self) == "{\n\t\"signature\"")
        #expect(String(decoding: text.suffix(6), as: UTF8.self) == "\"0\";\n}")
        #expect(
            Self.values(text).keys.sorted() == ["environment", "pod", "purchase-info", "signature", "signing-status"])
    }

    @Test("The signature contains the version, 128 bytes, and the signer's certificate with its length")
    func signature() throws {
        let base64 = try #require(Self.values(try Self.receipt.signed())["signature"])
        let blob = Array(try #require(Data(base64Encoded: base64)))
        let certificate = try TestPKI.transactionReceipts.signer.der()
        #expect(blob.first == 2)
        #expect(blob[129..<133].reduce(0) { $0 << 8 | Int($1) } == certificate.count)
        #expect(Array(blob[133...]) == certificate)
        let changed = try Self.receipt.with {
            $0.version = 3
            $0.certificate = [1, 2]
            $0.certificateLength = 0x0102_0304
            $0.trailingBytes = [9]
        }.signed(by: .transactionReceipts)
        let other = Array(try #require(Self.values(changed)["signature"].flatMap { Data(base64Encoded: $0) }))
        #expect(other.first == 3)
        #expect(Array(other[129...]) == [1, 2, 3, 4, 1, 2, 9])
    }

    @Test("The signature of version 3 has 256 bytes, and the certificate is that of an app receipt's signer")
    func version3() throws {
        let base64 = try #require(Self.values(try Self.receipt.with { $0.version = 3 }.signed())["signature"])
        let blob = Array(try #require(Data(base64Encoded: base64)))
        let certificate = try TestPKI.sha1.signer.der()
        #expect(blob.first == 3)
        #expect(blob[257..<261].reduce(0) { $0 << 8 | Int($1) } == certificate.count)
        #expect(Array(blob[261...]) == certificate)
    }

    @Test("The signed part contains the purchase, and entries can be set and removed")
    func purchaseInfo() throws {
        #expect(Self.receipt["product-id"] == "com.example.pro")
        #expect(Self.receipt["purchase-date"] == "2015-11-18 04:34:41 Etc/GMT")
        #expect(Self.receipt["purchase-date-ms"] == "1447821281000")
        #expect(Self.receipt["expires-date"] == "1450413281000")
        let changed = Self.receipt.with {
            $0["bid"] = nil
            $0["quantity"] = "2"
            $0["app-item-id"] = "1"
            $0["none"] = nil
        }
        #expect(changed["bid"] == nil)
        let text = try #require(
            Self.values(try changed.signed())["purchase-info"].flatMap { Data(base64Encoded: $0) })
        let values = Self.values(Array(text))
        #expect(values["bid"] == nil)
        #expect(values["quantity"] == "2")
        #expect(values["app-item-id"] == "1")
    }

    @Test("Quotation marks and backslashes are escaped")
    func escapes() {
        let text = TestTransactionReceipt.propertyList([.init(key: "a\"", value: "\\")])
        #expect(String(decoding: text, as: UTF8.self) == #"{"# + "\n\t" + #""a\"" = "\\";"# + "\n}")
    }
}
