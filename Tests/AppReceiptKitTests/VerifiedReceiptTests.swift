import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("VerifiedReceipt")
struct VerifiedReceiptTests {
    @Test("it can be recorded but not brought back: what comes from storage is no proof")
    func isEncodableOnly() {
        #expect((VerifiedReceipt.self as Any.Type) is any Encodable.Type)
        #expect(((VerifiedReceipt.self as Any.Type) is any Decodable.Type) == false)
    }

    @Test("it holds what was signed, when, for which device, and by whom")
    func values() throws {
        let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let trial = Trial.with { trial in
            trial.receipt.device = device
            trial.expectations.devices = [device]
        }
        let verified = try trial.verified()
        #expect(verified.receipt == (try AppReceipt(parsing: trial.encoded())))
        #expect(verified.creationDate == instant("2024-07-02T15:04:05Z"))
        #expect(verified.environment == .sandbox)
        #expect(verified.device == device)
        #expect(verified.signerCertificate.role == .signer)
        #expect(verified.signerCertificate.serialNumber == "15E79FCE52550A65")
    }

    @Test("an unknown environment or none counts as none, never as production")
    func unknownEnvironment() throws {
        for override in [[], [DERWriter.utf8String("Staging")], [DERWriter.utf8String("")]] {
            let trial = Trial.with { trial in
                trial.receipt.overrides[0] = override
                trial.expectations.environments = .anyEnvironment
            }
            #expect(try trial.verified().environment == nil)
        }
    }

    @Test("its JSON is the receipt's own, without the device")
    func json() throws {
        let device = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let verified = try Trial.with { trial in
            trial.receipt.device = device
            trial.expectations.devices = [device]
        }.verified()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        #expect(try encoder.encode(verified) == encoder.encode(verified.receipt))
        #expect(
            try JSONDecoder().decode(AppReceipt.self, from: encoder.encode(verified)) == verified.receipt)
    }

    @Test("two verdicts on the same bytes are equal, on others they are not")
    func equality() throws {
        let other = Trial.with { $0.receipt.appVersion = "2" }
        #expect(try Trial().verified() == Trial().verified())
        #expect(try Trial().verified() != other.verified())
        #expect(try Set([Trial().verified(), Trial().verified(), other.verified()]).count == 2)
    }
}
