import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Test func everyFailureHasItsCode() throws {
    let receipt = TestReceipt(bundleIdentifier: "com.example.app")
    // The intermediate lacks Apple's marker.
    let unmarked = TestPKI.standard.with { $0.intermediate.markers = [] }
    // The certificate of the signer expired before the receipt was created.
    let expired = TestPKI.standard.with { $0.signer.notAfter = receipt.creationDate.addingTimeInterval(-1) }
    // The signature covers other content.
    var altered = try TestContainer(content: receipt.payload, signedBy: .standard)
    altered.signers[0].signature = try TestKey.signer.signature(for: [0x31, 0x00], digest: .sha256)
    // A known attribute occurs twice.
    let twice = receipt.with { $0.overrides[3] = [[0x0C, 0x01, 0x31], [0x0C, 0x01, 0x32]] }

    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
    let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
    for (bytes, code) in [
        (try receipt.signed(by: unmarked), ReceiptError.Code.intermediateMarkerMissing),
        (try receipt.signed(by: expired), .signerExpired),
        (try altered.encoded(), .signatureInvalid),
        (try twice.signed(), .attributeDuplicate),
    ] {
        #expect(verifier.report(bytes, expecting: expectations).failure?.code == code)
    }
    #expect(verifier.report(try receipt.signed(), expecting: expectations).isValid)
}
