import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Extend a Subscription Renewal Date.
    mutating func extend(_ call: Call) throws -> Answer {
        let original = try call.identifier(or: .invalidOriginalTransactionId)
        let request = try ExtensionRequest(call.object())
        let customer = try customer(original, in: call.scope, or: .originalTransactionIdNotFound)
        guard let transaction = customer.transactions.first(where: { $0.original == original }) else {
            throw APIError.originalTransactionIdNotFound
        }
        let earlier = customer.extensions[original, default: []]
        if let repeated = earlier.first(where: { $0.requestIdentifier == request.requestIdentifier }) {
            return Answer(body: repeated.response)
        }
        guard let subscription = customer.subscription(original) else {
            throw transaction.isSubscription
                ? APIError.originalTransactionIdNotFound : .subscriptionExtensionIneligible
        }
        try checkEligibility(of: subscription, ownedBy: customer, at: call.time)
        let response = try extend(subscription, by: request, for: call)
        try notify(.renewalExtended, about: original, for: call)
        return Answer(body: response)
    }

    /// Extend Subscription Renewal Dates for All Active Subscribers.
    mutating func extendAll(_ call: Call) throws -> Answer {
        let body = try call.object()
        let request = try ExtensionRequest(body)
        guard let product = body.string("productId"), !product.isEmpty else { throw APIError.invalidProductId }
        var storefronts: [String]?
        if let list = body["storefrontCountryCodes"], list != .null {
            let codes = list.array?.map { $0.string ?? "" } ?? [""]
            guard !codes.isEmpty else { throw APIError.invalidEmptyStorefrontCountryCodeList }
            guard codes.allSatisfy({ $0.utf8.count == 3 && $0.utf8.allSatisfy(\.isASCIIUppercaseLetter) }) else {
                throw APIError.invalidStorefrontCountryCode
            }
            storefronts = codes
        }
        let scope = scopes[call.scope] ?? Scope()
        let answer = Answer(body: ["requestIdentifier": .string(request.requestIdentifier)])
        guard !scope.massExtensions.contains(where: { $0.requestIdentifier == request.requestIdentifier }) else {
            return answer
        }
        var (succeeded, failed) = (0, 0)
        for customer in scope.customers {
            for subscription in customer.subscriptions
            where subscription.product == product && customer.status(of: subscription, at: call.time) == .active {
                let storefront = subscription.members.string("storefront") ?? ""
                guard storefronts?.contains(storefront) ?? true else { continue }
                do throws(APIError) {
                    try checkEligibility(of: subscription, ownedBy: customer, at: call.time)
                } catch {
                    failed += 1
                    continue
                }
                _ = try extend(subscription, by: request, for: call)
                succeeded += 1
            }
        }
        scopes[call.scope, default: Scope()].massExtensions.append(
            Scope.MassExtension(
                requestIdentifier: request.requestIdentifier, product: product, completion: call.time,
                succeeded: succeeded, failed: failed))
        notify(
            ofExtension: request, product: product, storefronts: storefronts, succeeded: succeeded, failed: failed,
            for: call)
        return answer
    }

    /// Get Status of Subscription Renewal Date Extensions. The fake completes them at once.
    func massExtension(_ call: Call) throws -> Answer {
        let all = scopes[call.scope]?.massExtensions ?? []
        guard
            let found = all.first(where: {
                $0.product == call.arguments.first && $0.requestIdentifier == call.arguments.last
            })
        else { throw APIError.statusRequestNotFound }
        return Answer(body: [
            "requestIdentifier": .string(found.requestIdentifier), "complete": true,
            "completeDate": .milliseconds(found.completion),
            "succeededCount": .number(AppStoreJSON.Number(found.succeeded)),
            "failedCount": .number(AppStoreJSON.Number(found.failed)),
        ])
    }

    private func checkEligibility(
        of subscription: StoredTransaction, ownedBy customer: Customer, at time: Int64
    ) throws(APIError) {
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

    /// The number of extensions that a subscription may have within 365 days.
    private static let maxExtensions = 2

    /// Extends a subscription's latest period, and returns the response.
    private mutating func extend(
        _ subscription: StoredTransaction, by request: ExtensionRequest, for call: Call
    ) throws -> AppStoreJSON.Object {
        let expiration = (subscription.expiration ?? call.time) + request.duration
        var response: AppStoreJSON.Object = [
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
                Customer.Extension(
                    requestIdentifier: request.requestIdentifier, time: call.time, response: response))
        }
        return response
    }
}

/// The members that both requests for extensions have.
@available(AppStoreServerAPI 1.0, *)
struct ExtensionRequest {
    let days: Int64
    let requestIdentifier: String

    init(_ body: AppStoreJSON.Object) throws(APIError) {
        guard let days = body["extendByDays"]?.number?.int64, (1...90).contains(days) else {
            throw .invalidExtendByDays
        }
        guard let reason = body["extendReasonCode"]?.number?.int64, (0...3).contains(reason) else {
            throw .invalidExtendReasonCode
        }
        guard let identifier = body.string("requestIdentifier"), (1...128).contains(identifier.count) else {
            throw .invalidRequestIdentifier
        }
        self.days = days
        requestIdentifier = identifier
    }

    /// The extension in milliseconds.
    var duration: Int64 { days * 86_400_000 }
}
