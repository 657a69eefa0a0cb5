import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store offer`
@available(AppStoreServerAPI 1.0, *)
struct StoreOffer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer",
        abstract: "Signs offers with the same key, for the app to pass to StoreKit. Sends nothing.",
        discussion: """
            Each subcommand writes a JSON object, whatever --format is. Options about requests have no effect.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store offer promotional --product com.example.plus --offer half-price OPTIONS
              appreceipt store offer introductory --product com.example.plus \\
                --transaction 2000000000000001 --allow OPTIONS
              appreceipt store offer advanced-commerce request.json OPTIONS

            Exit status: 0 signed, 64 wrong usage, 66 unreadable key or request, 74 unwritable output.
            """,
        subcommands: [
            StoreOfferPromotional.self, StoreOfferIntroductory.self,
            StoreOfferAdvancedCommerce.self,
        ])
}

/// The values of every offer.
@available(AppStoreServerAPI 1.0, *)
struct StoreOfferOptions: ParsableArguments {
    @Option(help: .uuid("An identifier that is used once. (default: a new UUID)"), transform: ArgumentConversion.uuid)
    var nonce: UUID?

    @OptionGroup(title: "App Store")
    var store: StoreOptions

    /// Signs an offer.
    ///
    /// - Throws: The exit status if the key or a value can't be used.
    func signed<Value>(
        _ sign: (_ key: AppStoreServerKey, _ nonce: UUID) throws(AppStoreServerError) -> Value
    ) throws -> Value {
        let key = try store.signingKey()
        do throws(AppStoreServerError) {
            return try sign(key, nonce ?? UUID())
        } catch {
            throw StoreFailure(error).exit(.json)
        }
    }
}

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

/// `appreceipt store offer advanced-commerce`
@available(AppStoreServerAPI 1.0, *)
struct StoreOfferAdvancedCommerce: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advanced-commerce",
        abstract: "Signs a request of the Advanced Commerce API that the app makes.",
        discussion: """
            Writes {"compactJWS"}, which the app passes to StoreKit. The contents of the request aren't checked.

            Example:
              appreceipt store offer advanced-commerce request.json \\
                --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID
            """)

    @Argument(help: "The request, a JSON object: a file, or - for standard input.", completion: .file())
    var request: String

    @OptionGroup
    var options: StoreOfferOptions

    func run() throws {
        let request = try InputReader.file(request)
        let token = try options.signed { (key, nonce) throws(AppStoreServerError) in
            try key.advancedCommerceToken(request: request, bundleIdentifier: options.store.bundleID, nonce: nonce)
        }
        try JSONOutput.write(json: ["compactJWS": .string(token)])
    }
}
