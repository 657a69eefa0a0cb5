import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store notifications`
@available(AppStoreServerAPI 1.0, *)
struct StoreNotifications: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Shows the notifications that the App Store sent to your server, or tried to send, verified.",
        discussion: """
            The App Store keeps notifications for 180 days. Without --environment, requests go to production, and to \
            the sandbox only if production doesn't accept the app.

            --only-failures shows what your server hasn't accepted, including what the App Store still tries to send. \
            To make up for an outage, post each {"signedPayload": …} of the JSON to your server, which has to expect \
            repeated notifications anyway.

            With --format json: {"notifications": [{"signedPayload", "notification", "transaction", "renewalInfo", \
            "appTransaction": claims in Apple's names or null, "unverified": {"sendAttempts": [{"attemptDate", \
            "sendAttemptResult"}]}}], "rejected": […], "environment"}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store notifications OPTIONS --only-failures \\
                --from 2026-11-01T00:00:00Z --to 2026-11-08T00:00:00Z
              appreceipt store notifications OPTIONS --from 2026-11-01T00:00:00Z --type REFUND
              appreceipt store notifications OPTIONS --from 2026-11-01T00:00:00Z --transaction 2000000000000001

            \(StoreHelp.exitStatus)
            """)

    @Option(
        help: .date("The beginning, such as 2026-11-01T00:00:00Z, at most 180 days ago."),
        transform: ArgumentConversion.date)
    var from: Date

    @Option(help: .date("The end, such as 2026-11-08T00:00:00Z. (default: now)"), transform: ArgumentConversion.date)
    var to: Date?

    @Flag(help: "Only notifications that your server hasn't accepted.")
    var onlyFailures = false

    @Option(
        help: .id("Only notifications about the customer of this transaction."),
        transform: ArgumentConversion.transactionIdentifier)
    var transaction: String?

    @Option(help: "Only notifications of this type, such as DID_RENEW.", transform: ArgumentConversion.nonEmpty)
    var type: String?

    @Option(
        help: "With --type: only notifications of this subtype, such as BILLING_RECOVERY.",
        transform: ArgumentConversion.nonEmpty)
    var subtype: String?

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func validate() throws {
        guard transaction == nil || type == nil else {
            throw ValidationError("Pass --transaction or --type: Apple accepts one filter.")
        }
        guard subtype == nil || type != nil else { throw ValidationError("--subtype requires --type.") }
        if let to, from >= to { throw ValidationError("--from must be before --to.") }
    }

    private var filter: AppStoreServerClient.NotificationHistoryQuery.Filter? {
        if let transaction { return .transaction(transaction) }
        return type.map {
            .type(NotificationType(rawValue: $0), subtype: subtype.map { NotificationSubtype(rawValue: $0) })
        }
    }

    func result(
        from client: AppStoreServerClient, progress: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let query = AppStoreServerClient.NotificationHistoryQuery(
            from: from, to: to ?? client.configuration.clock.now(), filter: filter, onlyFailures: onlyFailures)
        return try await client.inFirstEnvironment { (environment) async throws(AppStoreServerError) in
            let pages = try await client.notificationHistory(query, in: environment).all { page in
                progress.add(
                    page.notifications.count, named: "notifications", in: page.environment, hasMore: page.hasMore)
            }
            return StoreResult(
                pages.flatMap(\.notifications),
                rejected: .joined(pages.map { ($0.notifications.count, $0.rejected) }), in: environment)
        } mayContinue: {
            progress.pageCount == 0
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension StoreResult {
    /// Notifications that the App Store sent, or tried to send.
    fileprivate init(
        _ notifications: [AppStoreServerClient.SentNotification], rejected: [AppStoreServerClient.RejectedItem],
        in environment: AppStoreEnvironment
    ) {
        let title = Terminal.output.styled("Notifications, \(environment.rawValue) (\(notifications.count))", as: .bold)
        var table = Table(columns: ["signed (UTC)", "type", "subtype", "product", "unverified attempts"])
        for sent in notifications {
            let claims = sent.notification.claims
            table.add([
                DateText.minute(sent.notification.signedDate), claims.notificationType?.rawValue ?? "?",
                claims.subtype?.rawValue ?? "", sent.notification.transaction?.claims.productIdentifier ?? "",
                sent.attempts.joined(separator: ", "),
            ])
        }
        self.init(
            json: [
                "notifications": .array(notifications.map(\.json)), "rejected": rejected.json,
                "environment": .string(environment.rawValue),
            ],
            lines: [title] + (notifications.isEmpty ? ["  none"] : table.lines(.output)) + rejected.lines,
            notes: rejected.isEmpty ? [] : ["\(rejected.count) rejected."], isSuccess: rejected.isEmpty)
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient.SentNotification {
    /// The notification as it was signed, its claims and those of its tokens, and the attempts to send it.
    var json: AppStoreJSON {
        func claims(_ members: AppStoreJSON.Object?) -> AppStoreJSON { members.map { .object($0) } ?? .null }
        return [
            "signedPayload": .string(notification.notification.token),
            "notification": claims(notification.claims.members),
            "transaction": claims(notification.transaction?.claims.members),
            "renewalInfo": claims(notification.renewalInfo?.claims.members),
            "appTransaction": claims(notification.appTransaction?.claims.members),
            "unverified": [
                "sendAttempts": .array(
                    unverified.sendAttempts.map { attempt in
                        [
                            "attemptDate": .milliseconds(attempt.date),
                            "sendAttemptResult": .text(attempt.result?.rawValue),
                        ]
                    })
            ],
        ]
    }

    /// The attempts to send it, for example "2024-07-02 15:04 TIMED_OUT".
    var attempts: [String] {
        unverified.sendAttempts.map { attempt in
            [attempt.date.map(DateText.minute), attempt.result?.rawValue].compactMap(\.self).joined(separator: " ")
        }
    }
}
