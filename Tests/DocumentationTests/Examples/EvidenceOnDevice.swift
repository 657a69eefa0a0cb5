#if canImport(StoreKit)
import AppStoreSignedData

/// What the customer owns now, according to the receipt and to everything that StoreKit 2 knows.
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
func currentEntitlements(receipt: VerifiedReceipt?) async -> Entitlements {
    let evidence = await DeviceEvidence.current(receipt: receipt, expecting: ofThisApp)
    for omission in evidence.omitted { print(omission.part, omission.error) }
    return evidence.entitlements()
}
#endif
