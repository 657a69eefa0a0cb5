import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt store offer promotional-v1`
@available(AppStoreServerAPI 1.0, *)
struct StoreOfferPromotionalVersion1: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promotional-v1",
        abstract: "Signs a promotional offer (version 1, also for the original API for in-app purchases).",
        discussion: """
            Writes {"keyIdentifier", "nonce", "timestamp", "signature", "productId", "offerIdentifier", "appAccountToken"}. The app \
            passes them to Product.PurchaseOption.promotionalOffer(offerID:keyID:nonce:signature:timestamp:), or to \
            SKPaymentDiscount. They are valid for 24 hours.

            Example:
              appreceipt store offer promotional-v1 --product com.example.plus --offer half-price \\
                --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID
            """)

    @OptionGroup
    var promotion: StoreOfferProductOptions

    @Option(
        help: ArgumentHelp(
            "The customer's account, if the app passes it to StoreKit as the app account token or user name.",
            valueName: "uuid"),
        transform: ArgumentConversion.uuid)
    var appAccountToken: UUID?

    @OptionGroup
    var options: StoreOfferOptions

    func run() throws {
        let signature = try options.signed { (key, nonce) throws(AppStoreServerError) in
            try PromotionalOfferSignature(
                key: key, bundleIdentifier: options.store.bundleID, productIdentifier: promotion.product,
                offerIdentifier: promotion.offer,
                appAccountToken: appAccountToken, nonce: nonce)
        }
        try JSONOutput.write(json: [
            "keyIdentifier": .string(signature.keyIdentifier),
            "nonce": .string(signature.nonce.uuidString.lowercased()),
            "timestamp": .number(JSONNumber(signature.timestamp)), "signature": .string(signature.signature),
            "productId": .string(promotion.product),
            "offerIdentifier": .string(promotion.offer),
            "appAccountToken": .text(appAccountToken?.uuidString.lowercased()),
        ])
    }
}
