#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state webhooks`: the webhooks of a server, and the deliveries that failed.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateWebhooks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Lists webhooks and the deliveries to them that failed, and sends these again.",
        subcommands: [StateWebhooksList.self, StateWebhooksReplay.self],
        defaultSubcommand: StateWebhooksList.self)
}

/// `appreceipt state webhooks list`: the webhooks of a server, and the deliveries that failed.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateWebhooksList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists webhooks and the deliveries to them that failed.",
        discussion: """
            A webhook is listed with the eight digits that the server's log has, and with its address without query. \
            Deliveries to a webhook that isn't configured any more wait until it is configured again. A delivery is \
            given up after three days, or after an answer that is final.

            With --format json: {"webhooks": [{"webhook", "app", "url", "removedDate", "waiting", "dead"}], \
            "deliveries": [{"number", "webhook", "app", "url", "identifier", "type", "cursor", "attempts", "failure", \
            "failedDate", "dueDate"}]}.

            Examples:
              appreceipt state webhooks list --database state.sqlite
              appreceipt state webhooks list --database state.sqlite --format json
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    private static let maxListed = 10_000

    func run() async throws {
        let (webhooks, failed) = try await options.withStore { store in
            (try await store.webhooks(), try await store.failedDeliveries(limit: Self.maxListed))
        }
        try write(webhooks, failed)
    }

    private func write(_ webhooks: [WebhookStatus], _ deliveries: [WebhookDelivery]) throws {
        if format == .json {
            return try JSONOutput.write(json: [
                "webhooks": .array(webhooks.map { Self.json($0) }),
                "deliveries": .array(deliveries.map { Self.json($0) }),
            ])
        }
        for status in webhooks {
            let name = WebhookName(parsing: status.webhook)
            let since = status.removed.map { RFC3339.string(from: Date(milliseconds: $0)) }
            let removed = since.map { "  not configured since \($0)" } ?? ""
            try Terminal.write(
                "\(name.fingerprint)  \(name.app)  \(name.shownURL)  \(status.waiting) waiting, \(status.dead) "
                    + "given up\(removed)\n")
        }
        guard !deliveries.isEmpty else { return try Terminal.write("No delivery failed.\n") }
        for delivery in deliveries {
            let content =
                switch delivery.content {
                case .event(let event): event.type.rawValue
                case .notification: "notification"
                }
            let attempts = delivery.attempts == 1 ? "1 attempt" : "\(delivery.attempts) attempts"
            let failure =
                delivery.failure.map { "  \($0.reason) at \(RFC3339.string(from: Date(milliseconds: $0.date)))" } ?? ""
            let webhook = WebhookName(parsing: delivery.webhook).fingerprint
            let next = delivery.due.map { "next \(RFC3339.string(from: Date(milliseconds: $0)))" } ?? "given up"
            try Terminal.write(
                "\(delivery.number)  \(content) (\(delivery.identifier))  \(webhook)  \(attempts)\(failure)  \(next)\n")
        }
    }

    private static func text(_ milliseconds: Int64?) -> AppStoreJSON {
        milliseconds.map { .string(RFC3339.string(from: Date(milliseconds: $0))) } ?? .null
    }

    private static func members(of webhook: String) -> AppStoreJSON.Object {
        let name = WebhookName(parsing: webhook)
        return [
            "webhook": .string(name.fingerprint), "app": .string(name.app), "url": .string(name.shownURL),
        ]
    }

    private static func json(_ status: WebhookStatus) -> AppStoreJSON {
        var object = members(of: status.webhook)
        object["removedDate"] = text(status.removed)
        object["waiting"] = .number(AppStoreJSON.Number(status.waiting))
        object["dead"] = .number(AppStoreJSON.Number(status.dead))
        return .object(object)
    }

    private static func json(_ delivery: WebhookDelivery) -> AppStoreJSON {
        var object: AppStoreJSON.Object = ["number": .number(AppStoreJSON.Number(delivery.number))]
        for member in members(of: delivery.webhook).members { object[member.name] = member.value }
        object["identifier"] = .string(delivery.identifier)
        switch delivery.content {
        case .event(let event):
            object["type"] = .string(event.type.rawValue)
            object["cursor"] = .string(String(event.cursor))
        case .notification:
            object["type"] = "notification"
            object["cursor"] = .null
        }
        object["attempts"] = .number(AppStoreJSON.Number(delivery.attempts))
        object["failure"] = delivery.failure.map { .string($0.reason) } ?? .null
        object["failedDate"] = text(delivery.failure?.date)
        object["dueDate"] = text(delivery.due)
        return .object(object)
    }
}
#endif
