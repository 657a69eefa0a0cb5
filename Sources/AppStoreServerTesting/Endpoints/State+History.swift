import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Get Transaction History.
    func history(_ call: Call) throws -> Answer {
        let customer = try customer(call.identifier(), in: call.scope)
        let filter = try HistoryFilter(call)
        let matching = customer.transactions.filter { filter.includes($0, at: call.time) }
        let revision = try Revision(
            call.value("revision"), for: "history|\(customer.number)|\(filter.text)", in: call.scope)
        let page = revision.page(of: matching, isDescending: filter.isDescending, lastNumber: lastNumber)
        var body = call.appMembers
        body["revision"] = .string(page.revision.text)
        body["hasMore"] = .boolean(page.hasMore)
        body["signedTransactions"] = .array(
            try page.transactions.map { .string(try call.token($0, of: customer)) })
        return Answer(body: body)
    }

    /// Get Refund History.
    func refunds(_ call: Call) throws -> Answer {
        let customer = try customer(call.identifier(), in: call.scope)
        let revision = try Revision(
            call.value("revision"), for: "refunds|\(customer.number)", in: call.scope)
        let page = revision.page(
            of: refunds(of: customer, at: call.time), isDescending: false, lastNumber: lastNumber)
        return Answer(body: [
            "signedTransactions": .array(try page.transactions.map { .string(try call.token($0, of: customer)) }),
            "revision": .string(page.revision.text),
            "hasMore": .boolean(page.hasMore),
        ])
    }

    /// Returns the refunded transactions. The end of family sharing is a revocation and not a refund.
    private func refunds(of customer: Customer, at time: Int64) -> [StoredTransaction] {
        customer.transactions.filter { transaction in
            transaction.isRevoked(at: time) && transaction.ownership == PurchaseOwnership.purchased.rawValue
                && transaction.members.string("revocationType") != "FAMILY_REVOKE"
        }
    }
}

/// The filters of a history, which its revisions contain.
@available(AppStoreServerAPI 1.0, *)
struct HistoryFilter {
    let startDate: Int64?
    let endDate: Int64?
    let products: [String]
    let types: [String]
    let groups: [String]
    let ownership: String?
    let isRevoked: Bool?
    let isDescending: Bool

    private static let types = [
        "AUTO_RENEWABLE": SignedProductType.autoRenewableSubscription.rawValue,
        "NON_RENEWABLE": SignedProductType.nonRenewingSubscription.rawValue,
        "CONSUMABLE": SignedProductType.consumable.rawValue,
        "NON_CONSUMABLE": SignedProductType.nonConsumable.rawValue,
    ]

    /// Reads the query parameters.
    init(_ call: Call) throws(APIError) {
        startDate = try Self.milliseconds(call.value("startDate"), or: .invalidStartDate)
        endDate = try Self.milliseconds(call.value("endDate"), or: .invalidEndDate)
        if let startDate, let endDate, startDate > endDate { throw .startDateAfterEndDate }
        products = call.values("productId")
        if products.contains("") { throw .invalidProductId }
        var types: [String] = []
        for name in call.values("productType") {
            guard let type = Self.types[name] else { throw .invalidProductType }
            types.append(type)
        }
        self.types = types
        groups = call.values("subscriptionGroupIdentifier")
        if groups.contains("") { throw .invalidSubscriptionGroupIdentifier }
        ownership = call.value("inAppOwnershipType")
        if let ownership, !["PURCHASED", "FAMILY_SHARED", "ASSIGNED"].contains(ownership) {
            throw .invalidInAppOwnershipType
        }
        isRevoked = try Self.boolean(call.value("revoked"), or: .invalidRevoked)
        let sort = call.value("sort") ?? "ASCENDING"
        guard ["ASCENDING", "DESCENDING"].contains(sort) else { throw .invalidSort }
        isDescending = sort == "DESCENDING"
    }

    private static func milliseconds(
        _ text: String?, or error: APIError
    ) throws(APIError) -> Int64? {
        guard let text else { return nil }
        guard let milliseconds = Int64(text), milliseconds >= 0 else { throw error }
        return milliseconds
    }

    /// Reads `true` and `false`. Apple's Python library writes them with a capital letter.
    private static func boolean(_ text: String?, or error: APIError) throws(APIError) -> Bool? {
        guard let text else { return nil }
        guard let value = Bool(text.lowercased()) else { throw error }
        return value
    }

    /// Whether a transaction passes the filters at this time.
    func includes(_ transaction: StoredTransaction, at time: Int64) -> Bool {
        let group = transaction.members.string("subscriptionGroupIdentifier") ?? ""
        return transaction.purchase >= startDate ?? .min && transaction.purchase < endDate ?? .max
            && (products.isEmpty || products.contains(transaction.product))
            && (types.isEmpty || types.contains(transaction.type?.rawValue ?? ""))
            && (groups.isEmpty || groups.contains(group))
            && (ownership == nil || ownership == transaction.ownership)
            && (isRevoked == nil || isRevoked == transaction.isRevoked(at: time))
    }

    /// The filters as text. The order of repeated parameters has no effect.
    var text: String {
        let numbers = [startDate, endDate].map { $0.map { String($0) } ?? "" }
        let lists = [products, types, groups].map { AppStoreJSON.array($0.sorted().map { .string($0) }).text() }
        let rest = [ownership ?? "", isRevoked.map { String($0) } ?? "", String(isDescending)]
        return (numbers + lists.map { String(decoding: $0, as: UTF8.self) } + rest).joined(separator: "|")
    }
}
