import AppReceiptKit

/// Whether to offer a free trial of Plus. The App Store decides when the customer buys.
func offersTrial(_ entitlements: Entitlements) -> Bool {
    entitlements.introductoryOfferEligibility(inGroupOf: ["com.example.plus", "com.example.plus.yearly"]) == .eligible
}
