import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// Get All Subscription Statuses.
    func statuses(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let customer = try customer(call.identifier(), call)
        var wanted: Set<Int64> = []
        for text in call.values("status") {
            guard let status = Int64(text), (1...5).contains(status) else { throw FakeServerError.invalidStatus }
            wanted.insert(status)
        }
        var groups: [(name: String, subscriptions: [JSONValue])] = []
        for subscription in customer.subscriptions {
            let status = customer.status(of: subscription, at: call.time).rawValue
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            let item: JSONValue = [
                "originalTransactionId": .string(subscription.original),
                "status": .number(JSONNumber(status)),
                "signedTransactionInfo": .string(try call.token(subscription, of: customer)),
                "signedRenewalInfo": .string(try call.renewalToken(subscription, of: customer)),
            ]
            let name = subscription.members.string("subscriptionGroupIdentifier") ?? ""
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].subscriptions.append(item)
            } else {
                groups.append((name, [item]))
            }
        }
        var body = call.appMembers
        body["data"] = .array(
            groups.map { group in
                [
                    "subscriptionGroupIdentifier": .string(group.name), "lastTransactions": .array(group.subscriptions),
                ]
            })
        return FakeServerAnswer(body: body)
    }
}
