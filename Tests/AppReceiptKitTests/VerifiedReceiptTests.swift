import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("VerifiedReceipt")
struct VerifiedReceiptTests {
    @Test("A verified receipt can be encoded but not decoded")
    func isEncodableOnly() {
        #expect((VerifiedReceipt.self as Any.Type) is any Encodable.Type)
        #expect(((VerifiedReceipt.self as Any.Type) is any Decodable.Type) == false)
    }

    @Test("A verified receipt contains the signed contents, the date, the device and the signer")
    func values() throws {
        let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.device = device
            testCase.expectations.devices = [device]
        }
        let verified = try testCase.verified()
        #expect(verified.receipt == (try AppReceipt(parsing: testCase.encoded())))
        #expect(verified.creationDate == instant("2024-07-02T15:04:05Z"))
        #expect(verified.environment == .sandbox)
        #expect(verified.device == device)
        #expect(verified.signerCertificate.role == .signer)
        #expect(verified.signerCertificate.serialNumber == "15E79FCE52550A65")
    }

    @Test("A creation date in the future is reported and not rejected")
    func fromFuture() throws {
        for (now, isFromFuture) in [("2024-07-02T15:04:04Z", true), ("2024-07-02T15:04:05Z", false)] {
            let testCase = ReceiptTestCase.with { $0.now = instant(now) }
            #expect(try testCase.verified().isFromFuture == isFromFuture)
            let message = try testCase.report().checks.first { $0.check == .certificateChain }?.message
            #expect(message?.contains("in the future") == isFromFuture)
        }
    }

    @Test("The description contains the app and nothing about the customer")
    func description() throws {
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.purchases = [
                TestPurchase("com.example.pro", transaction: "123456789012345", at: testCase.receipt.creationDate)
            ]
        }
        let texts = [
            "\(try testCase.verified())", "\(try testCase.report())", "\(try testCase.verified().receipt.purchases)",
        ]
        for text in texts {
            #expect(text.utf8.count < 200)
            #expect(!text.contains("123456789012345"))
        }
        #expect(texts[0].contains("com.example.app"))
    }

    @Test("An unknown or missing environment is nil")
    func unknownEnvironment() throws {
        for override in [[], [DERWriter.utf8String("Staging")], [DERWriter.utf8String("")]] {
            let testCase = ReceiptTestCase.with { testCase in
                testCase.receipt.overrides[0] = override
                testCase.expectations.environments = .anyEnvironment
            }
            #expect(try testCase.verified().environment == nil)
        }
    }

    @Test("The JSON is that of the receipt, without the device")
    func json() throws {
        let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let verified = try ReceiptTestCase.with { testCase in
            testCase.receipt.device = device
            testCase.expectations.devices = [device]
        }.verified()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        #expect(try encoder.encode(verified) == encoder.encode(verified.receipt))
        #expect(
            try JSONDecoder().decode(AppReceipt.self, from: encoder.encode(verified)) == verified.receipt)
    }

    @Test("Verified receipts are equal if their contents are equal")
    func equality() throws {
        let other = ReceiptTestCase.with { $0.receipt.appVersion = "2" }
        #expect(try ReceiptTestCase().verified() == ReceiptTestCase().verified())
        #expect(try ReceiptTestCase().verified() != other.verified())
        #expect(try Set([ReceiptTestCase().verified(), ReceiptTestCase().verified(), other.verified()]).count == 2)
    }
}
