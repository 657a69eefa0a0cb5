import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store offer promotional`
@available(AppStoreServerAPI 1.0, *)
struct StoreOfferPromotional: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promotional",
        abstract: "Signs a promotional offer.",
        discussion: """
            Writes {"compactJWS", "productId", "offerIdentifier", "transactionId"}. The app passes the token to \
            Product.PurchaseOption.promotionalOffer(_:compactJWS:).

            Example:
              appreceipt store offer promotional --product com.example.plus --offer half-price \\
                --transaction 2000000000000001 --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID
            """)

    @Option(help: .id("The subscription."))
    var product: String

    @Option(help: .id("The offer's identifier in App Store Connect."))
    var offer: String

    @Option(
        help: .id("Any transaction identifier of the customer, who alone can then use the offer. Recommended."),
        transform: ArgumentConversion.transactionIdentifier)
    var transaction: String?

    @OptionGroup
    var options: StoreOfferOptions

    func run() throws {
        let token = try options.signed { (key, nonce) throws(AppStoreServerError) in
            try key.promotionalOfferToken(
                offerIdentifier: offer, productIdentifier: product, bundleIdentifier: options.store.bundleID,
                transactionIdentifier: transaction, nonce: nonce)
        }
        try JSONOutput.write(json: [
            "compactJWS": .string(token), "productId": .string(product),
            "offerIdentifier": .string(offer),
            "transactionId": .text(transaction),
        ])
    }
}
