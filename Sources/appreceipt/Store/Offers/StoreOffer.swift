import AppReceiptFoundation
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
