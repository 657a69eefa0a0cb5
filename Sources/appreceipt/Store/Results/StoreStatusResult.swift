import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The subscriptions of a customer.
@available(AppStoreServerAPI 1.0, *)
struct StoreStatusResult: StoreResult {
    private let environment: ReceiptEnvironment.Base
    private let subscriptions: [AppStoreServerClient.SubscriptionStatuses.Subscription]
    private let rejected: [StoreRejection]
    private let entitlements: [Entitlement]

    init(_ statuses: AppStoreServerClient.SubscriptionStatuses, bundleIdentifier: String, at date: Date) {
        environment = statuses.environment
        subscriptions = statuses.subscriptions
        rejected = statuses.rejected.map { StoreRejection($0) }
        entitlements =
            Entitlements(
                bundleIdentifier: bundleIdentifier, environment: environment,
                transactions: subscriptions.map(\.transaction), renewals: subscriptions.map(\.renewalInfo),
                at: subscriptions.flatMap { [$0.transaction.signedDate, $0.renewalInfo.signedDate] }.reduce(date) {
                    max($0, $1)
                }
            ).all
    }

    var isSuccess: Bool { rejected.isEmpty }

    var signedDates: [Date] { subscriptions.flatMap { [$0.transaction.signedDate, $0.renewalInfo.signedDate] } }

    var json: JSONValue {
        [
            "products": .array(entitlements.map(json)),
            "subscriptions": .array(
                subscriptions.map { subscription in
                    [
                        "originalTransactionId": .string(subscription.originalTransactionIdentifier),
                        "transaction": .object(subscription.transaction.claims.members),
                        "renewalInfo": .object(subscription.renewalInfo.claims.members),
                        "unverified": [
                            "status": subscription.unverified.status.map { .number(JSONNumber($0.rawValue)) } ?? .null,
                            "subscriptionGroupIdentifier": .text(subscription.unverified.subscriptionGroupIdentifier),
                        ],
                    ]
                }),
            "rejected": StoreRejection.json(rejected), "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        let owned = EntitlementText(terminal: .output)
        let title = Terminal.output.styled("Subscriptions, \(environment.rawValue) (\(subscriptions.count))", .bold)
        var table = Table(["product", "original", "group", "renews", "unverified status"])
        for subscription in subscriptions {
            let renewal = subscription.renewalInfo.claims
            table.add([
                subscription.transaction.claims.productIdentifier ?? "?", subscription.originalTransactionIdentifier,
                subscription.unverified.subscriptionGroupIdentifier ?? "", Self.renewal(renewal),
                subscription.unverified.status.map(Self.name) ?? "",
            ])
        }
        let products =
            subscriptions.isEmpty && !rejected.isEmpty
            ? [StoreRejection.nothingVerified]
            : owned.products(entitlements) + owned.reasons(entitlements, nextStep: nextStep)
        return products + ["", title]
            + (subscriptions.isEmpty ? ["  none"] : table.lines(.output)) + StoreRejection.lines(rejected)
    }

    var notes: [String] { StoreRejection.notes(rejected) }

    private func json(_ entitlement: Entitlement) -> JSONValue {
        guard var object = entitlement.json.object else { return entitlement.json }
        object["nextStep"] = .text(nextStep(entitlement))
        return .object(object)
    }

    /// The next step. The entitlement's own would be to request the status, which is this answer.
    private func nextStep(_ entitlement: Entitlement) -> String? {
        let subscription = subscriptions.first {
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
            "The App Store's status, which isn't signed, \(status), but \(signed). Don't grant access, and ask again later."
    }

    private static func renewal(_ claims: RenewalInfoClaims) -> String {
        switch claims.autoRenewStatus {
        case .on:
            "\(claims.autoRenewProductIdentifier ?? "yes") \(claims.renewalDate.map(TransactionText.minute) ?? "")"
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
