import AppReceiptKit

let verifier = ReceiptVerifier()  // create one and share it between threads and requests

func response(toReceipt base64: String) -> (status: Int, reason: String) {
    // App Review runs the production app in the sandbox: accept both environments, and keep them apart.
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
    let report = verifier.report(base64, expecting: expectations)
    switch report.result {
    case .success(let verified):
        let products = verified.entitlements().active.map(\.productIdentifier)
        let verb = verified.environment == .production ? "owns" : "tests"
        return (200, "\(verb) \(products.joined(separator: ", "))")
    case .failure(let error):
        return (422, "\(error.code): \(error.message)")
    }
}
