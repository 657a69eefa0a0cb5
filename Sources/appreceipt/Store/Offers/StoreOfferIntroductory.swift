import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store offer introductory`
@available(AppStoreServerAPI 1.0, *)
struct StoreOfferIntroductory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "introductory",
        abstract: "Signs whether a customer gets the introductory offer.",
        discussion: """
            Writes {"compactJWS", "productId", "allowIntroductoryOffer", "transactionId"}. The app passes the token to \
            Product.PurchaseOption.introductoryOfferEligibility(compactJWS:).

            Example:
              appreceipt store offer introductory --product com.example.plus --transaction 2000000000000001 --allow \\
                --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID
            """)

    /// The decision.
    enum Decision: String, EnumerableFlag {
        case allow, deny
    }

    @Option(help: .id("The subscription."))
    var product: String

    @Option(
        help: .id("Any transaction identifier of the customer."),
        transform: ArgumentConversion.transactionIdentifier)
    var transaction: String

    @Flag(help: "Whether the customer gets the introductory offer.")
    var decision: Decision

    @OptionGroup
    var options: StoreOfferOptions

    func run() throws {
        let token = try options.signed { (key, nonce) throws(AppStoreServerError) in
            try key.introductoryOfferToken(
                isAllowed: decision == .allow, productIdentifier: product, bundleIdentifier: options.store.bundleID,
                transactionIdentifier: transaction, nonce: nonce)
        }
        try JSONOutput.write(json: [
            "compactJWS": .string(token), "productId": .string(product),
            "allowIntroductoryOffer": .boolean(decision == .allow), "transactionId": .string(transaction),
        ])
    }
}
