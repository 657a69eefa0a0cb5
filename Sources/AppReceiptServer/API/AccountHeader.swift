#if Server
import HTTPTypes
import Hummingbird

/// Reads the account of a request from the header `X-Account` into the context.
@available(AppReceiptServer 1.0, *)
struct AccountHeader: RouterMiddleware {
    typealias Context = ServerContext

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.account = try Self.account(request.headers[.account] ?? "")
        return try await next(request, context)
    }

    private static func account(_ text: String) throws(APIError) -> String? {
        guard !text.isEmpty else { return nil }
        guard text.utf8.count <= 256 else {
            throw .badRequest(.accountTooLong, "The header X-Account is longer than 256 bytes.")
        }
        // Clients and proxies encode other characters differently.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badRequest(
                .accountMalformed, "The header X-Account must contain visible ASCII characters only.")
        }
        return text
    }
}
#endif
