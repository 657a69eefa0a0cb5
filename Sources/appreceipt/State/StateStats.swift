#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state stats`: what is in a database.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateStats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Counts what is in a database.",
        discussion: """
            Nothing is verified: see 'appreceipt state verify'. To count takes time in a large database; of tables \
            with more than a million rows, PostgreSQL estimates the number.

            With --format json: {"engine", "schemaVersion", "bytes", "apps": [{"bundleIdentifier", "environment"}], \
            "rows": {"transactions", "renewals", "statuses", "notifications", "receipts", "tombstones"}, "purchases": \
            those with an account, "accounts", "oldestSignedDate", "newestSignedDate", "events": {"count", "newest"}, \
            "deliveries": {"waiting", "dead"}, "completions": requests to the App Store that wait}.

            Examples:
              appreceipt state stats --database state.sqlite
              appreceipt state stats --database postgres://receipts@db.example.com/receipts --format json
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    /// What is counted.
    private struct Counts {
        let statistics: StoreStatistics
        let details: StoreDetails
        let scopes: [AppScope]
        let lastEvent: Int64
        let completions: Int

        var rows: [(name: String, count: Int)] {
            [
                ("transactions", statistics.transactions), ("renewals", statistics.renewals),
                ("statuses", details.statuses), ("notifications", statistics.notifications),
                ("receipts", statistics.receipts), ("tombstones", details.tombstones),
            ]
        }

        var waiting: Int { statistics.webhooks.reduce(0) { $0 + $1.waiting } }
        var dead: Int { statistics.webhooks.reduce(0) { $0 + $1.dead } }
    }

    func run() async throws {
        let counts = try await options.withStore { store in
            Counts(
                statistics: try await store.statistics(), details: try await store.details(),
                scopes: try await store.scopes(), lastEvent: try await store.identity().lastEvent,
                completions: try await store.pendingCompletions())
        }
        if format == .json {
            try JSONOutput.write(json: Self.json(counts))
        } else {
            try Terminal.write(lines: Self.lines(counts))
        }
    }

    private static func lines(_ counts: Counts) -> [String] {
        let details = counts.details
        var facts: [(name: String, value: String?)] = [
            ("engine", details.engine), ("schema version", String(details.schemaVersion)),
            ("size", "\(BatchProgress.grouped(Int(details.bytes))) bytes"),
        ]
        for scope in counts.scopes { facts.append(("app", "\(scope.app), \(scope.environment.rawValue)")) }
        for (name, count) in counts.rows { facts.append((name, BatchProgress.grouped(count))) }
        let (purchases, accounts) = (counts.statistics.accountBindings, details.accounts)
        facts.append(("purchases", "\(BatchProgress.grouped(purchases)) with an account"))
        facts.append(("accounts", BatchProgress.grouped(accounts)))
        if let signed = details.signed {
            facts.append(("oldest signed", DateText.second(Date(milliseconds: signed.lowerBound))))
            facts.append(("newest signed", DateText.second(Date(milliseconds: signed.upperBound))))
        }
        facts.append(("events", "\(BatchProgress.grouped(details.events)), the newest is \(counts.lastEvent)"))
        facts.append(("deliveries", "\(counts.waiting) waiting, \(counts.dead) given up"))
        facts.append(("requests", "\(counts.completions) to the App Store wait"))
        return Table(facts: facts).lines(.output)
    }

    private static func json(_ counts: Counts) -> AppStoreJSON {
        let details = counts.details
        var object: AppStoreJSON.Object = ["engine": .string(details.engine)]
        object["schemaVersion"] = number(details.schemaVersion)
        object["bytes"] = number(Int(details.bytes))
        object["apps"] = .array(counts.scopes.map { json($0) })
        var rows: AppStoreJSON.Object = [:]
        for (name, count) in counts.rows { rows[name] = number(count) }
        object["rows"] = .object(rows)
        object["purchases"] = number(counts.statistics.accountBindings)
        object["accounts"] = number(details.accounts)
        object["oldestSignedDate"] = date(details.signed?.lowerBound)
        object["newestSignedDate"] = date(details.signed?.upperBound)
        object["events"] = ["count": number(details.events), "newest": .string(String(counts.lastEvent))]
        object["deliveries"] = ["waiting": number(counts.waiting), "dead": number(counts.dead)]
        object["completions"] = number(counts.completions)
        return .object(object)
    }

    private static func json(_ scope: AppScope) -> AppStoreJSON {
        ["bundleIdentifier": .string(scope.app), "environment": .string(scope.environment.rawValue)]
    }

    private static func number(_ number: Int) -> AppStoreJSON { .number(AppStoreJSON.Number(number)) }

    private static func date(_ milliseconds: Int64?) -> AppStoreJSON {
        milliseconds.map { .string(RFC3339.string(from: Date(milliseconds: $0))) } ?? .null
    }
}
#endif
