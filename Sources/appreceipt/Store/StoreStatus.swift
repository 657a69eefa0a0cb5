import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store status`
@available(AppStoreServerAPI 1.0, *)
struct StoreStatus: StoreCustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the subscriptions of a customer with their renewal, verified, and what the customer owns.",
        discussion: """
            What the customer owns is derived from the signed transactions and renewal information. The status that \
            the App Store adds isn't signed, so it is shown as unverified and has no effect.

            With --format json: {"products": [as in 'appreceipt purchases'], "subscriptions": \
            [{"originalTransactionId", "transaction", "renewalInfo", "unverified": {"status", \
            "subscriptionGroupIdentifier"}}], "rejected": […], "environment"}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store status 2000000000000001 OPTIONS
              appreceipt store status --receipt receipt OPTIONS --format json | jq .products

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let statuses = try await client.subscriptionStatuses(ofCustomer: identifier)
        let (transactions, renewals) = (
            statuses.subscriptions.map(\.transaction), statuses.subscriptions.map(\.renewalInfo)
        )
        let text = SubscriptionText(statuses: statuses)
        let owned = client.entitlements(from: transactions, renewals: renewals, in: statuses.environment)
        return StoreResult(
            json: text.json(owned), lines: text.lines(owned), notes: statuses.rejected.notes,
            isSuccess: statuses.rejected.isEmpty,
            signedDates: transactions.map(\.signedDate) + renewals.map(\.signedDate))
    }
}

/// The subscriptions of a customer, and what the customer owns, as JSON and text.
@available(AppStoreServerAPI 1.0, *)
private struct SubscriptionText {
    let statuses: AppStoreServerClient.SubscriptionStatuses

    func json(_ entitlements: [Entitlement]) -> AppStoreJSON {
        [
            "products": .array(
                entitlements.map { entitlement in
                    var object = entitlement.json.object ?? [:]
                    object["nextStep"] = .text(nextStep(entitlement))
                    return .object(object)
                }),
            "subscriptions": .array(
                statuses.subscriptions.map { subscription in
                    [
                        "originalTransactionId": .string(subscription.originalTransactionIdentifier),
                        "transaction": .object(subscription.transaction.claims.members),
                        "renewalInfo": .object(subscription.renewalInfo.claims.members),
                        "unverified": [
                            "status": subscription.unverified.status.map { .number(AppStoreJSON.Number($0.rawValue)) }
                                ?? .null,
                            "subscriptionGroupIdentifier": .text(subscription.unverified.subscriptionGroupIdentifier),
                        ],
                    ]
                }),
            "rejected": statuses.rejected.json, "environment": .string(statuses.environment.rawValue),
        ]
    }

    func lines(_ entitlements: [Entitlement]) -> [String] {
        let subscriptions = statuses.subscriptions
        let title = "Subscriptions, \(statuses.environment.rawValue) (\(subscriptions.count))"
        var table = Table(columns: ["product", "original", "group", "renews", "unverified status"])
        for subscription in subscriptions {
            table.add([
                subscription.transaction.claims.productIdentifier ?? "?", subscription.originalTransactionIdentifier,
                subscription.unverified.subscriptionGroupIdentifier ?? "",
                Self.renewal(subscription.renewalInfo.claims), subscription.unverified.status.map(Self.name) ?? "",
            ])
        }
        let owned = EntitlementText(terminal: .output)
        let products =
            subscriptions.isEmpty && !statuses.rejected.isEmpty
            ? [StoreResult.nothingVerified]
            : owned.products(entitlements) + owned.reasons(entitlements, nextStep: nextStep)
        return products + ["", Terminal.output.styled(title, as: .bold)]
            + (subscriptions.isEmpty ? ["  none"] : table.lines(.output)) + statuses.rejected.lines
    }

    /// Returns the next step. The entitlement's own would be to request the status, which is this response.
    private func nextStep(_ entitlement: Entitlement) -> String? {
        let subscription = statuses.subscriptions.first {
            $0.originalTransactionIdentifier == entitlement.originalTransactionIdentifier
        }
        guard entitlement.state == .renewalUnknown, let subscription else { return entitlement.nextStep }
        let status = subscription.unverified.status.map { "is \(Self.name($0))" } ?? "is missing"
        let renewal = subscription.renewalInfo.claims
        let explains = renewal.isInBillingRetryPeriod == true || renewal.expirationIntent != nil
        let signed =
            explains
            ? "the signed renewal information doesn't confirm it"
            : "the signed renewal information has neither isInBillingRetryPeriod nor expirationIntent"
        return
            "The App Store's status, which isn't signed, \(status), but \(signed). Don't grant access, and try again "
            + "later."
    }

    private static func renewal(_ claims: RenewalInfoClaims) -> String {
        switch claims.autoRenewStatus {
        case .on:
            "\(claims.autoRenewProductIdentifier ?? "yes") \(claims.renewalDate.map(DateText.minute) ?? "")"
        case .off: "no"
        default: ""
        }
    }

    private static func name(_ status: SubscriptionStatus) -> String {
        switch status {
        case .active: "1 active"
        case .expired: "2 expired"
        case .billingRetry: "3 billing retry"
        case .billingGracePeriod: "4 grace period"
        case .revoked: "5 revoked"
        default: status.description
        }
    }
}
