import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store notifications`
@available(AppStoreServerAPI 1.0, *)
struct StoreNotifications: AsyncParsableCommand {
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
        help: ArgumentHelp(
            "The beginning, such as 2026-11-01T00:00:00Z, at most 180 days ago.", valueName: "date"),
        transform: ArgumentConversion.date)
    var from: Date

    @Option(
        help: ArgumentHelp("The end, such as 2026-11-08T00:00:00Z. (default: now)", valueName: "date"),
        transform: ArgumentConversion.date)
    var to: Date?

    @Flag(help: "Only notifications that your server hasn't accepted.")
    var onlyFailures = false

    @Option(
        help: ArgumentHelp("Only notifications about the customer of this transaction.", valueName: "id"),
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

    func run() async throws {
        let progress = StoreProgress()
        try await options.run(progress: progress) { (client) async throws(AppStoreServerError) in
            try await result(from: client, progress: progress)
        }
    }

    func result(
        from client: AppStoreServerClient, progress: StoreProgress = StoreProgress()
    ) async throws(AppStoreServerError) -> StoreNotificationsResult {
        let query = AppStoreServerClient.NotificationHistoryQuery(
            from: from, to: to ?? client.configuration.clock.now(), filter: filter, onlyFailures: onlyFailures)
        return try await client.inFirstEnvironment {
            (environment) async throws(AppStoreServerError) -> StoreNotificationsResult in
            let pages = try await client.notificationHistory(query, in: environment).all { page in
                progress.add(
                    page.notifications.count, named: "notifications", in: page.environment, hasMore: page.hasMore)
            }
            return StoreNotificationsResult(pages, in: environment)
        } mayContinue: {
            progress.pageCount == 0
        }
    }
}

/// Notifications that the App Store sent, or tried to send.
@available(AppStoreServerAPI 1.0, *)
struct StoreNotificationsResult: StoreResult {
    let environment: AppStoreEnvironment
    let notifications: [AppStoreServerClient.SentNotification]
    let rejected: [StoreRejection]

    init(_ pages: [AppStoreServerClient.NotificationHistoryPage], in environment: AppStoreEnvironment) {
        self.environment = environment
        notifications = pages.flatMap(\.notifications)
        var offset = 0
        var rejected: [StoreRejection] = []
        for page in pages {
            rejected += page.rejected.map { StoreRejection($0, offset: offset) }
            offset += page.notifications.count + page.rejected.count
        }
        self.rejected = rejected
    }

    var isSuccess: Bool { rejected.isEmpty }

    var json: AppStoreJSON {
        [
            "notifications": .array(notifications.map(Self.json)), "rejected": StoreRejection.json(rejected),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        let title = Terminal.output.styled("Notifications, \(environment.rawValue) (\(notifications.count))", as: .bold)
        var table = Table(columns: ["signed (UTC)", "type", "subtype", "product", "unverified attempts"])
        for sent in notifications {
            let claims = sent.notification.claims
            table.add([
                DateText.minute(sent.notification.signedDate), claims.notificationType?.rawValue ?? "?",
                claims.subtype?.rawValue ?? "", sent.notification.transaction?.claims.productIdentifier ?? "",
                Self.attempts(sent).joined(separator: ", "),
            ])
        }
        return [title] + (notifications.isEmpty ? ["  none"] : table.lines(.output)) + StoreRejection.lines(rejected)
    }

    var notes: [String] { rejected.isEmpty ? [] : ["\(rejected.count) rejected."] }

    /// The notification as it was signed, its claims and those of its tokens, and the attempts to send it.
    static func json(_ sent: AppStoreServerClient.SentNotification) -> AppStoreJSON {
        [
            "signedPayload": .string(sent.notification.notification.token),
            "notification": .object(sent.notification.claims.members),
            "transaction": sent.notification.transaction.map { .object($0.claims.members) } ?? .null,
            "renewalInfo": sent.notification.renewalInfo.map { .object($0.claims.members) } ?? .null,
            "appTransaction": sent.notification.appTransaction.map { .object($0.claims.members) } ?? .null,
            "unverified": [
                "sendAttempts": .array(
                    sent.unverified.sendAttempts.map { attempt in
                        [
                            "attemptDate": .milliseconds(attempt.date),
                            "sendAttemptResult": .text(attempt.result?.rawValue),
                        ]
                    })
            ],
        ]
    }

    /// For example "2024-07-02 15:04 TIMED_OUT".
    static func attempts(_ sent: AppStoreServerClient.SentNotification) -> [String] {
        sent.unverified.sendAttempts.map { attempt in
            [attempt.date.map(DateText.minute), attempt.result?.rawValue].compactMap(\.self).joined(
                separator: " ")
        }
    }
}
