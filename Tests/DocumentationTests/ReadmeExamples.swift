// The examples of README.md, so that they compile. ReadmeTests holds the two together.

import AppReceiptKit
import AppReceiptTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

func hasPro(receiptFile: String, vendorIdentifier: UUID) -> Bool {
    let expectations = Expectations(
        bundleIdentifier: "com.example.app", environments: [.production, .sandbox],
        devices: [DeviceIdentifier(vendorIdentifier)])
    do {
        let bytes = try ReceiptFile.contents(at: receiptFile)  // Bundle.main.appStoreReceiptURL?.path
        let verified = try ReceiptVerifier().verify(bytes, expecting: expectations)
        return verified.receipt.purchases.contains {
            $0.productIdentifier == "com.example.pro" && $0.cancellationDate == nil
        }
    } catch {
        // Never terminate the app: keep what was not proven locked, and offer to refresh the receipt.
        print(error.message, error.remedy)
        return false
    }
}

let verifier = ReceiptVerifier()  // a value: make one, share it between threads

func answer(toReceipt base64: String) -> (status: Int, reason: String) {
    // App Review runs the production app against the sandbox, so accept both, and keep them apart.
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
    let report = verifier.report(Array(base64.utf8), expecting: expectations)
    switch report.result {
    case .success(let verified):
        let kind = verified.environment == .production ? "bought" : "tested"
        return (200, "\(verified.receipt.purchases.count) \(kind)")
    case .failure(let error):
        return (422, "\(error.code): \(error.message)")
    }
}

func verifiedTestReceipt() throws -> VerifiedReceipt {
    var receipt = TestReceipt(bundleIdentifier: "com.example.app")
    receipt.purchases = [TestPurchase("com.example.pro", transaction: "1", at: receipt.creationDate)]
    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    return try verifier.verify(try receipt.signed(), expecting: expectations)
}
