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
        discussion: """
            A webhook is listed with the eight digits that the server's log has, and with its address without query. \
            Deliveries to a webhook that isn't configured any more wait until it is configured again.

            A delivery is given up after three days, or after an answer that is final. --replay sends it again now, and \
            also one that is tried later: the server that runs with the database sends it, or the next one, and \
            tries it for three days from now.

            With --format json: {"webhooks": [{"webhook", "app", "url", "removedDate", "waiting", "dead"}], \
            "deliveries": [{"number", "webhook", "app", "url", "identifier", "type", "cursor", "attempts", "failure", \
            "failedDate", "dueDate"}]}; with --replay {"replayed", "unknown", "removed"}, the numbers of deliveries.

            Examples:
              appreceipt state webhooks --database state.sqlite
              appreceipt state webhooks --database state.sqlite --replay all
              appreceipt state webhooks --database state.sqlite --replay 17 --replay 18
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @Option(help: ArgumentHelp("The number of a delivery to send again, or all. May be repeated.", valueName: "number"))
    var replay: [String] = []

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    private static let maxListed = 10_000

    func validate() throws {
        guard replay.allSatisfy({ $0 == "all" || Int64($0) != nil }) else {
            throw ValidationError("--replay: Expected the number of a delivery, or all.")
        }
    }

    func run() async throws {
        let database = try options.location()
        var isComplete = true
        do throws(StoreError) {
            let store = try database.openForAdministration()
            if replay.isEmpty {
                let (webhooks, failed) = (
                    try await store.webhooks(), try await store.failedDeliveries(limit: Self.maxListed)
                )
                try? write(webhooks, failed)
            } else {
                let numbers = replay.contains("all") ? nil : Set(replay.compactMap { Int64($0) }).sorted()
                let result = try await store.replayFailedDeliveries(numbers, at: Date().milliseconds ?? 0)
                isComplete = report(result, of: numbers)
            }
            try await store.close()
        } catch {
            throw DatabaseFailure.exit(database, error)
        }
        guard isComplete else { throw ExitCode(1) }
    }

    // MARK: The list

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

    // MARK: Replaying

    /// Writes what was replayed, and what wasn't.
    ///
    /// - Returns: Whether everything was replayed.
    private func report(_ result: ReplayResult, of requested: [Int64]?) -> Bool {
        let found = Set(result.replayed + result.removed)
        let unknown = (requested ?? []).filter { !found.contains($0) }
        if format == .json {
            func list(_ numbers: [Int64]) -> AppStoreJSON {
                .array(numbers.map { .number(AppStoreJSON.Number($0)) })
            }
            try? JSONOutput.write(json: [
                "replayed": list(result.replayed), "unknown": list(unknown), "removed": list(result.removed),
            ])
        } else {
            try? Terminal.write("Replayed: \(result.replayed.count)\n")
        }
        if !unknown.isEmpty {
            Terminal.printError(
                "--replay: No delivery that failed has the number \(Self.text(unknown)). List them without it.")
        }
        if !result.removed.isEmpty {
            Terminal.printError(
                "Not replayed, because their webhooks aren't configured any more: \(Self.text(result.removed)). "
                    + "Configure the webhook again with the same address first.")
        }
        return unknown.isEmpty && result.removed.isEmpty
    }

    private static func text(_ numbers: [Int64]) -> String {
        let shown = numbers.prefix(10).map { String($0) }.joined(separator: ", ")
        return numbers.count > 10 ? shown + ", …" : shown
    }
}
#endif
