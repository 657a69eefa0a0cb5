#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird

/// The routes of purchases: one with its transactions and evidence, and the list of all.
@available(AppReceiptServer 1.0, *)
struct PurchaseRoutes: Sendable {
    let service: ReceiptService

    private static let maxLimit: UInt64 = 1000

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.get("/purchases") { request, context in
            let options = try RequestOptions(of: request, named: RequestedScopes.options.union(["after", "limit"]))
            let scopes = try RequestedScopes(options)
            let apps = try service.apps(of: scopes, in: context)
            let after = try Self.position(options)
            let limit = Int(try options.wholeNumber("limit", in: 1...Self.maxLimit) ?? 100)
            return try await service.admission.withoutBody {
                let page = try await service.tracing.span(.storeRead) {
                    try await service.store.reportedPurchases(
                        after: after, limit: limit, apps: apps, environments: scopes.environments)
                }
                return request.acceptsLines
                    ? Response(lines: page.purchases) { $0.write(to: &$1) } : Self.document(page)
            }
        }
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

    /// Returns the last purchase of the page before; nil for the first page.
    private static func position(_ options: RequestOptions) throws(APIError) -> ScopedOriginal? {
        guard let text = try options.value("after", expected: "a cursor", convert: { $0 }) else { return nil }
        guard let position = ScopedOriginal(cursor: text) else { throw .cursorMalformed }
        return position
    }

    private static func document(_ page: ReportedPurchasePage) -> Response {
        var writer = JSONWriter()
        writer.openObject()
        writer.openArray("purchases")
        for purchase in page.purchases { writer.element { purchase.write(to: &$0) } }
        writer.closeArray()
        writer.member("next", page.last?.cursor)
        writer.member("events", String(page.event))
        writer.closeObject()
        return Response(jsonBytes: writer.bytes)
    }

    private func response(about purchase: ScopedOriginal, in context: ServerContext) async throws -> Response {
        let history = service.history(for: context)
        let customer = try await CustomerEntitlements(of: [purchase], in: history, now: Date())
        // The App Store may have completed it.
        let account = try await service.tracing.span(.storeRead) { try await service.store.accounts(of: [purchase]) }[
            purchase]
        let sightings =
            try await service.tracing.span(.storeRead) { try await service.store.sightings(of: [purchase]) }[purchase]
            ?? []
        var writer = JSONWriter()
        writer.openObject()
        writer.write(purchase, of: account)
        customer.writeProducts(namesApp: false, to: &writer)
        customer.writeTransactions(to: &writer)
        writer.openArray("evidence")
        for sighting in sightings { writer.element { sighting.write(to: &$0) } }
        writer.closeArray()
        writer.closeObject()
        return history.response(jsonBytes: writer.bytes)
    }
}

extension ScopedOriginal {
    /// The position in the list of purchases.
    fileprivate var cursor: String { "\(scope.environment.rawValue):\(scope.app):\(originalTransactionIdentifier)" }

    /// - Parameter cursor: A cursor that was given out; nil for another text.
    fileprivate init?(cursor: String) {
        // A colon and what follows it may be one character.
        let parts = cursor.unicodeScalars.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            .map { String($0) }
        guard parts.count == 3, let scope = AppScope(app: parts[1], AppStoreEnvironment(rawValue: parts[0])),
            !parts[2].isEmpty, parts[2].isStorable
        else { return nil }
        self.init(scope: scope, originalTransactionIdentifier: parts[2])
    }
}

extension ReportedPurchase {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("cursor", original.cursor)
        writer.write(original, of: account)
        writer.openArray("products")
        for entitlement in entitlements { writer.element(entitlement) }
        writer.closeArray()
    }
}

extension JSONWriter {
    /// Writes the members that identify a purchase, and its account.
    fileprivate mutating func write(_ purchase: ScopedOriginal, of account: String?) {
        member("originalTransactionIdentifier", purchase.originalTransactionIdentifier)
        member("bundleIdentifier", purchase.scope.app)
        member("environment", purchase.scope.environment.rawValue)
        member("account", account)
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
#endif
