import AppReceiptKit

let verifier = ReceiptVerifier()  // make one, not one for each request; share it between threads

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
