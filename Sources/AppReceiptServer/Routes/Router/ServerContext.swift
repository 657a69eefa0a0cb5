#if Server
import HTTPTypes
import Hummingbird

/// The context of a request: what is known about it besides its content.
@available(AppReceiptServer 1.0, *)
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The account that submits the request, or nil if the request names none.
    var account: String?

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }

    /// Returns the context with the account in the header `X-Account`.
    func withAccount(of request: Request) throws(APIError) -> ServerContext {
        guard let account = request.headers[.account] else { return self }
        guard account.utf8.count <= 256 else {
            throw .badRequest(.accountTooLong, "The header X-Account is longer than 256 bytes.")
        }
        // Clients and proxies encode other characters differently. An empty account would silently disable the
        // detection of replays.
        guard !account.isEmpty, account.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badRequest(
                .accountMalformed,
                "The header X-Account must occur once, with visible ASCII characters only, and must not be empty.")
        }
        var context = self
        context.account = account
        return context
    }
}
#endif
