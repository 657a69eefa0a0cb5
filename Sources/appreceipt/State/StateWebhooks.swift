#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state webhooks`: deliveries that were given up.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateWebhooks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Lists the deliveries to webhooks that were given up, and replays them.",
        discussion: """
            A delivery is given up after three days, or after an answer that is final. A replayed one is sent again by \
            the next server that runs with the database, and tried for three days from now.

            Examples:
              appreceipt state webhooks --database state.sqlite
              appreceipt state webhooks --database state.sqlite --replay all
              appreceipt state webhooks --database state.sqlite --replay 17 --replay 18
            """)

    @Option(help: .file("The database of the server."), completion: .file())
    var database: String

    @Option(help: ArgumentHelp("The number of a delivery to replay, or all. May be repeated.", valueName: "number"))
    var replay: [String] = []

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    private static let maxListed = 10_000

    func validate() throws {
        guard replay.allSatisfy({ $0 == "all" || Int64($0) != nil }) else {
            throw ValidationError("--replay: Expected the number of a delivery, or all.")
        }
    }

    func run() async throws {
        guard FileManager.default.fileExists(atPath: database) else {
            Terminal.printError("\(database): The file doesn't exist.")
            throw ExitCode(66)
        }
        let verifiers = try trust.verifiers()
        var isMissing = false
        do throws(StoreError) {
            let store = try SQLiteStore(
                path: database, receipts: verifiers.receipts, signedData: verifiers.signedData)
            if replay.isEmpty {
                let dead = try await store.deadDeliveries(limit: Self.maxListed)
                try? write(dead)
            } else {
                let numbers = replay.contains("all") ? nil : replay.compactMap { Int64($0) }
                let now = Date().milliseconds ?? 0
                let count = try await store.replayDeadDeliveries(numbers, at: now)
                try? write(replayed: count)
                isMissing = numbers.map { Set($0).count > count } ?? false
            }
            try await store.close()
        } catch {
            Terminal.printError("\(database): \(error)")
            throw ExitCode(73)
        }
        guard !isMissing else {
            Terminal.printError("--replay: Not every number is of a delivery that was given up. List them without it.")
            throw ExitCode(1)
        }
    }

    private func write(_ deliveries: [WebhookDelivery]) throws {
        if format == .json {
            return try JSONOutput.write(json: ["deliveries": .array(deliveries.map { Self.json($0) })])
        }
        guard !deliveries.isEmpty else { return try Terminal.write("No delivery was given up.\n") }
        for delivery in deliveries {
            let content =
                switch delivery.content {
                case .event(let event): "\(event.type.rawValue) (event \(event.cursor))"
                case .notification: "notification"
                }
            let failure = delivery.failure.map { "  \($0.reason) at \(RFC3339.string(from: Self.date($0)))" } ?? ""
            try Terminal.write(
                "\(delivery.number)  \(content)  \(delivery.webhook)  \(delivery.attempts) attempts\(failure)\n")
        }
    }

    private func write(replayed count: Int) throws {
        if format == .json { return try JSONOutput.write(json: ["replayed": .number(AppStoreJSON.Number(count))]) }
        try Terminal.write("Replayed: \(count)\n")
    }

    private static func date(_ failure: DeliveryFailure) -> Date {
        Date(timeIntervalSince1970: Double(failure.date) / 1000)
    }

    private static func json(_ delivery: WebhookDelivery) -> AppStoreJSON {
        var object: AppStoreJSON.Object = [
            "number": .number(AppStoreJSON.Number(delivery.number)), "webhook": .string(delivery.webhook),
            "attempts": .number(AppStoreJSON.Number(delivery.attempts)),
        ]
        if let failure = delivery.failure {
            object["failure"] = .string(failure.reason)
            object["failedDate"] = .string(RFC3339.string(from: date(failure)))
        }
        if case .event(let event) = delivery.content {
            object["type"] = .string(event.type.rawValue)
            object["cursor"] = .string(String(event.cursor))
        } else {
            object["type"] = "notification"
        }
        return .object(object)
    }
}
#endif
