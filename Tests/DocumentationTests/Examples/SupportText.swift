import AppReceiptKit

/// For a support screen: every check and what came of it, with nothing that identifies the customer.
func supportText() -> String {
    do throws(ReceiptError) {
        let bytes = try ReceiptLocation.mainBundle.contents()
        let expectations = Expectations(
            bundleIdentifier: "com.example.garden", environments: [.production, .sandbox],
            devices: .oneOf(try DeviceIdentifier.current()))
        return ReceiptVerifier().report(bytes, expecting: expectations).checks
            .map { "\($0.check.rawValue): \($0.outcome.rawValue) \($0.code ?? "")" }
            .joined(separator: "\n")
    } catch {
        return error.description
    }
}
