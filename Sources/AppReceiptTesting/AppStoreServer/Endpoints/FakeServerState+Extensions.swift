import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// Extend a Subscription Renewal Date.
    mutating func extend(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let original = try call.identifier(or: .invalidOriginalTransactionId)
        let request = try FakeServerExtendRequest(call.object())
        let customer = try customer(original, call, or: .originalTransactionIdNotFound)
        guard let transaction = customer.transactions.first(where: { $0.original == original }) else {
            throw FakeServerError.originalTransactionIdNotFound
        }
        let earlier = customer.extensions[original, default: []]
        if let repeated = earlier.first(where: { $0.requestIdentifier == request.requestIdentifier }) {
            return FakeServerAnswer(body: repeated.response)
        }
        guard let subscription = customer.subscription(original) else {
            throw transaction.isSubscription
                ? FakeServerError.originalTransactionIdNotFound : .subscriptionExtensionIneligible
        }
        try checkEligibility(of: subscription, customer, at: call.time)
        let response = try extend(subscription, by: request, call)
        try notify(.renewalExtended, about: original, call)
        return FakeServerAnswer(body: response)
    }

    /// Extend Subscription Renewal Dates for All Active Subscribers.
    mutating func extendAll(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let body = try call.object()
        let request = try FakeServerExtendRequest(body)
        guard let product = body.string("productId"), !product.isEmpty else { throw FakeServerError.invalidProductId }
        var storefronts: [String]?
        if let list = body["storefrontCountryCodes"], list != .null {
            let codes = list.array?.map { $0.string ?? "" } ?? [""]
            guard !codes.isEmpty else { throw FakeServerError.invalidEmptyStorefrontCountryCodeList }
            guard codes.allSatisfy({ $0.utf8.count == 3 && $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } }) else {
                throw FakeServerError.invalidStorefrontCountryCode
            }
            storefronts = codes
        }
        let scope = scopes[call.scope] ?? FakeServerScope()
        let answer = FakeServerAnswer(body: ["requestIdentifier": .string(request.requestIdentifier)])
        guard !scope.massExtensions.contains(where: { $0.requestIdentifier == request.requestIdentifier }) else {
            return answer
        }
        var (succeeded, failed) = (0, 0)
        for customer in scope.customers {
            for subscription in customer.subscriptions
            where subscription.product == product && customer.status(of: subscription, at: call.time) == .active {
                let storefront = subscription.members.string("storefront") ?? ""
                guard storefronts?.contains(storefront) ?? true else { continue }
                do throws(FakeServerError) {
                    try checkEligibility(of: subscription, customer, at: call.time)
                } catch {
                    failed += 1
                    continue
                }
                _ = try extend(subscription, by: request, call)
                succeeded += 1
            }
        }
        scopes[call.scope, default: FakeServerScope()].massExtensions.append(
            FakeServerMassExtension(
                requestIdentifier: request.requestIdentifier, product: product, completion: call.time,
                succeeded: succeeded, failed: failed))
        notifyOfSummary(request, product, storefronts, succeeded: succeeded, failed: failed, call)
        return answer
    }

    /// Get Status of Subscription Renewal Date Extensions. The fake completes them at once.
    func massExtension(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let all = scopes[call.scope]?.massExtensions ?? []
        guard
            let found = all.first(where: {
                $0.product == call.arguments.first && $0.requestIdentifier == call.arguments.last
            })
        else { throw FakeServerError.statusRequestNotFound }
        return FakeServerAnswer(body: [
            "requestIdentifier": .string(found.requestIdentifier), "complete": true,
            "completeDate": .milliseconds(found.completion),
            "succeededCount": .number(JSONNumber(found.succeeded)), "failedCount": .number(JSONNumber(found.failed)),
        ])
    }

    private func checkEligibility(
        of subscription: FakeServerTransaction, _ customer: FakeServerCustomer, at time: Int64
    ) throws(FakeServerError) {
        switch subscription.ownership {
        case PurchaseOwnership.familyShared.rawValue: throw .familySharedSubscriptionExtensionIneligible
        case "ASSIGNED": throw .assignedSubscriptionExtensionIneligible
        default: break
        }
        guard customer.status(of: subscription, at: time) == .active, subscription.expiration != nil else {
            throw .subscriptionExtensionIneligible
        }
        let year: Int64 = 365 * 86_400_000
        let recent = customer.extensions[subscription.original, default: []].filter { $0.time > time - year }
        guard recent.count < Self.maxExtensions else { throw .subscriptionMaxExtension }
    }

    /// How many extensions a subscription may have within 365 days.
    private static let maxExtensions = 2

    /// Extends a subscription's latest period, and returns the response.
    private mutating func extend(
        _ subscription: FakeServerTransaction, by request: FakeServerExtendRequest, _ call: FakeServerCall
    ) throws -> JSONObject {
        let expiration = (subscription.expiration ?? call.time) + request.duration
        var response: JSONObject = [
            "originalTransactionId": .string(subscription.original), "success": true,
            "effectiveDate": .milliseconds(expiration),
        ]
        response["webOrderLineItemId"] = subscription.members["webOrderLineItemId"]
        let number = nextNumber()
        withCustomer(subscription.identifier, in: call.scope) { customer in
            for index in customer.transactions.indices
            where customer.transactions[index].identifier == subscription.identifier {
                customer.transactions[index].members["expiresDate"] = .milliseconds(expiration)
                customer.transactions[index].modification = number
            }
            if let renewal = customer.renewals[subscription.original]?.milliseconds("renewalDate") {
                customer.renewals[subscription.original]?["renewalDate"] = .milliseconds(renewal + request.duration)
            }
            customer.extensions[subscription.original, default: []].append(
                FakeServerExtension(
                    requestIdentifier: request.requestIdentifier, time: call.time, response: response))
        }
        return response
    }
}
