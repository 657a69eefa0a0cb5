#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state webhooks replay`: resends failed deliveries.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateWebhooksReplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Resends failed deliveries.",
        discussion: """
            The server that runs with the database sends them now, also those that are to be tried later, and tries \
            them for three days from now. If none runs, the next one does.

            With --format json: {"replayed", "unknown", "removed"}, the numbers of deliveries.

            Examples:
              appreceipt state webhooks replay all --database state.sqlite
              appreceipt state webhooks replay 17 18 --database state.sqlite
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @Argument(help: ArgumentHelp("The numbers of the deliveries, or all.", valueName: "number"))
    var numbers: [String]

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    func validate() throws {
        guard numbers == ["all"] || numbers.allSatisfy({ Int64($0) != nil }) else {
            throw ValidationError("Expected numbers of deliveries, or all.")
        }
    }

    func run() async throws {
        let requested = numbers == ["all"] ? nil : Set(numbers.compactMap { Int64($0) }).sorted()
        let result = try await options.withStore { store in
            try await store.replayFailedDeliveries(requested, at: Date().milliseconds ?? 0)
        }
        guard report(result, of: requested) else { throw ExitCode(1) }
    }

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
                "No delivery that failed has the number \(Self.text(unknown)). See 'appreceipt state webhooks list'.")
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
