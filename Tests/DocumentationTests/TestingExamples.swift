// The examples of docs/testing.md, so that they compile. ReadmeTests holds the two together.

import AppReceiptKit
import AppReceiptTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

func purchaseUnlocksPro() throws -> Bool {
    var receipt = TestReceipt(bundleIdentifier: "com.example.app")
    receipt.purchases = [TestPurchase("com.example.pro", transaction: "1", at: receipt.creationDate)]
    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
    let expected = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    return try verifier.verify(receipt.signed(), expecting: expected).receipt.purchases.count == 1
}

func wrongInOneWay() throws -> [(receipt: [UInt8], code: ReceiptError.Code)] {
    let receipt = TestReceipt(bundleIdentifier: "com.example.app")
    // The intermediate lacks Apple's marker.
    let unmarked = TestPKI.standard.with { $0.intermediate.markers = [] }
    // The signer's certificate had expired when the receipt was made.
    let expired = TestPKI.standard.with { $0.signer.notAfter = receipt.creationDate.addingTimeInterval(-1) }
    // The content was replaced after it was signed.
    var altered = try TestContainer(content: receipt.payload, signedBy: .standard)
    altered.signers[0].signature = try TestKey.signer.signature(over: [0x31, 0x00], .sha256)
    // An attribute that may occur once occurs twice.
    let twice = receipt.with { $0.overrides[3] = [[0x0C, 0x01, 0x31], [0x0C, 0x01, 0x32]] }
    return [
        (try receipt.signed(by: unmarked), .intermediateMarkerMissing),
        (try receipt.signed(by: expired), .signerExpired),
        (try altered.encoded(), .signatureInvalid),
        (try twice.signed(), .attributeDuplicate),
    ]
}
