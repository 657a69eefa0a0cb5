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

    /// The refunded transactions. The end of family sharing is a revocation and not a refund.
    private func refunds(of customer: Customer, at time: Int64) -> [StoredTransaction] {
        customer.transactions.filter { transaction in
            transaction.isRevoked(at: time) && transaction.ownership == PurchaseOwnership.purchased.rawValue
                && transaction.members.string("revocationType") != "FAMILY_REVOKE"
        }
    }
}
