#if Server
import AppReceiptKit
import AppReceiptStore
import HTTPTypes

/// Finds the purchases of a customer by what support knows: an account, a transaction, or the order number of Apple's
/// mail.
@available(AppReceiptServer 1.0, *)
struct CustomerSearch: Sendable {
    let service: ReceiptService

    /// What a text is.
    enum Match: String, Sendable {
        case account, transaction, order
    }

    /// Returns the purchases that the client may see.
    ///
    /// - Parameters:
    ///   - text: An account, a transaction or original identifier, or an order number.
    ///   - scopes: The apps and environments.
    ///   - context: The context of the request.
    /// - Throws: `customer-unknown` if nothing is known under the text, `app-store-failed` if the App Store can't be
    ///   asked about an order.
    func purchases(
        matching text: String, within scopes: RequestedScopes, in context: ServerContext
    ) async throws -> (purchases: [ScopedOriginal], match: Match) {
        try service.check(scopes, in: context)
        let owned = try await service.store.purchases(of: text)
            .filter { context.access.allows($0.scope.app) && scopes.contain($0.scope) }
        guard owned.isEmpty else { return (owned, .account) }
        let named = try await service.purchases(text, within: scopes, in: context)
        guard named.isEmpty else { return (named, .transaction) }
        guard service.clients != nil, Self.isOrder(text) else { throw Self.unknown(isComplete: service.clients != nil) }
        do {
            return (
                try await OrderRoutes(service: service).purchases(in: text.uppercased(), within: scopes, for: context)
                    .sorted(),
                .order
            )
        } catch let error as APIError where error.code == .orderUnknown {
            throw Self.unknown(isComplete: true)
        }
    }

    /// Whether a text may be an order number. Source: Apple, Look Up Order ID.
    private static func isOrder(_ text: String) -> Bool {
        (4...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) }
    }

    private static func unknown(isComplete: Bool) -> APIError {
        APIError(
            .notFound, .customerUnknown,
            isComplete
                ? "Nothing is known under this account, transaction or order number."
                : "Nothing is known under this account or transaction. Order numbers need the server's key for the App Store."
        )
    }
}
#endif
