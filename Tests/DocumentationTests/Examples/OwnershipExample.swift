import AppReceiptKit

/// What the customer owns now, why, and what to do about it: a line for each product.
func explanation(of receipt: [UInt8], verifiedBy verifier: ReceiptVerifier) throws(ReceiptError) -> [String] {
    let expectations = Expectations(bundleIdentifier: "com.example.garden", environments: [.production, .sandbox])
    let entitlements = try verifier.verify(receipt, expecting: expectations).entitlements()
    return entitlements.all.map { entitlement in
        let access = entitlement.isActive ? "unlocked" : "locked"
        return "\(entitlement.productIdentifier) \(access): \(entitlement.reason) \(entitlement.nextStep ?? "")"
    }
}
