import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@testable import appreceipt

@Suite("BatchValidator")
struct BatchValidatorTests {
    @Test(
        "Each signature of a record is verified once, whether the record is valid or not", arguments: ["app", "other"])
    func signatures(_ app: String) throws {
        let validator = BatchValidator(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors),
            expected: Expectations(
                bundleIdentifier: ["com.example.\(app)"], environments: .anyEnvironment))
        let receipt = Data(try TestReceipt(bundleIdentifier: "com.example.app").signed()).base64EncodedString()
        let block = RecordReader.Block(bytes: Array("{\"receipt\":\"\(receipt)\"}\n".utf8)[...], firstLine: 1)
        let signatures = VerifiedSignatures.during {
            let results = validator.results(for: block, format: .ndjson, columns: [], after: nil)
            #expect(results.tally.valid == (app == "app" ? 1 : 0))
            #expect(results.tally.total == 1)
        }
        #expect(signatures.count == 3)
        #expect(Set(signatures).count == 3)
    }
}
