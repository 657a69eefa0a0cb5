import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

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
