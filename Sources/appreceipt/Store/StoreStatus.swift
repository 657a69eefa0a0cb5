import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store status`
@available(AppStoreServerAPI 1.0, *)
struct StoreStatus: AsyncParsableCommand {
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

    func run() async throws {
        let customer = try customer.customer(options)
        try await options.run(environments: customer.environments) { (client) async throws(AppStoreServerError) in
            try await result(forCustomer: customer.identifier, from: client)
        }
    }

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient
    ) async throws(AppStoreServerError) -> StoreStatusResult {
        StoreStatusResult(
            try await client.subscriptionStatuses(ofCustomer: identifier), bundleIdentifier: client.bundleIdentifier,
            at: client.configuration.clock.now())
    }
}

/// The subscriptions of a customer.
@available(AppStoreServerAPI 1.0, *)
struct StoreStatusResult: StoreResult {
    private let environment: AppStoreEnvironment
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

    var json: AppStoreJSON {
        [
            "products": .array(entitlements.map(json)),
            "subscriptions": .array(
                subscriptions.map { subscription in
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
            "rejected": StoreRejection.json(rejected), "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        let owned = EntitlementText(terminal: .output)
        let title = Terminal.output.styled("Subscriptions, \(environment.rawValue) (\(subscriptions.count))", as: .bold)
        var table = Table(columns: ["product", "original", "group", "renews", "unverified status"])
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

    private func json(_ entitlement: Entitlement) -> AppStoreJSON {
        guard var object = entitlement.json.object else { return entitlement.json }
        object["nextStep"] = .text(nextStep(entitlement))
        return .object(object)
    }

    /// The next step. The entitlement's own would be to request the status, which is this response.
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
