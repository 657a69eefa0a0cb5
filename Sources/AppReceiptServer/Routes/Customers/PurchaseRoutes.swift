#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird

/// What is known about one purchase, and when it was seen.
@available(AppReceiptServer 1.0, *)
struct PurchaseRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.get("/purchases/:identifier") { request, context in
            let scopes = try RequestedScopes(RequestOptions(of: request, named: RequestedScopes.options))
            let identifier = try context.pathValue("identifier")
            return try await service.admission.withoutBody {
                let known = try await service.purchases(identifier, within: scopes, in: context)
                guard let purchase = known.first else { throw APIError.purchaseUnknown }
                return try await response(about: purchase, in: context)
            }
        }
    }

    private func response(about purchase: ScopedOriginal, in context: ServerContext) async throws -> Response {
        let history = service.history(for: context)
        let customer = try await CustomerEntitlements(of: [purchase], in: history, now: Date())
        // The App Store may have completed it.
        let account = try await service.store.account(of: purchase)
        let sightings = try await service.store.sightings(of: purchase)
        var writer = JSONWriter()
        writer.openObject()
        writer.member("originalTransactionIdentifier", purchase.originalTransactionIdentifier)
        writer.member("bundleIdentifier", purchase.scope.app)
        writer.member("environment", purchase.scope.environment.rawValue)
        writer.member("account", account)
        customer.writeProducts(namesApp: false, to: &writer)
        customer.writeTransactions(to: &writer)
        writer.openArray("evidence")
        for sighting in sightings { writer.element { sighting.write(to: &$0) } }
        writer.closeArray()
        writer.closeObject()
        return history.response(jsonBytes: writer.bytes)
    }
}

extension EvidenceSighting {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        writer.member("signedDate", Date(milliseconds: signed))
        writer.member("receivedDate", Date(milliseconds: received))
        writer.member("notificationType", notificationType)
    }
}

extension Date {
    /// Creates a date from milliseconds since 1970.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
#endif
