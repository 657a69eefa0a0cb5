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
              appreceipt store offer introductory --product com.example.plus --transaction 2000000000000001 --allow OPTIONS
              appreceipt store offer advanced-commerce request.json OPTIONS

            Exit status: 0 signed, 64 wrong usage, 66 unreadable key or request, 74 unwritable output.
            """,
        subcommands: [
            StoreOfferPromotional.self, StoreOfferIntroductory.self,
            StoreOfferAdvancedCommerce.self,
        ])
}
