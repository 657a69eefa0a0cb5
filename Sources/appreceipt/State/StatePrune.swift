#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state prune`: deletes old notifications.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StatePrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes old notifications from the history.",
        discussion: """
            Deletes the record that a notification was received, if Apple signed it before. The transaction, the \
            renewal information and the status that it contained stay, so entitlements and refunds don't change. What \
            is lost: the notification in the evidence of its purchase and on the page, and that it is known. One that \
            arrives again is new: it is listed again, and forwarded to webhooks again.

            Apple's notification history goes back 180 days, so older ones don't arrive again. Some are deleted at a \
            time: a server that runs writes in between.

            Examples:
              appreceipt state prune --notifications-older-than 365 --dry-run --database state.sqlite
              appreceipt state prune --notifications-older-than 365 --database state.sqlite
            """)

    @Option(help: ArgumentHelp("The age in days.", valueName: "days"))
    var notificationsOlderThan: Int

    @Flag(help: "Only count them.")
    var dryRun = false

    @OptionGroup
    var options: StateDatabaseOptions

    func validate() throws {
        guard (1...36_500).contains(notificationsOlderThan) else {
            throw ValidationError("--notifications-older-than: Expected 1 to 36500 days.")
        }
    }

    func run() async throws {
        let date = (Date().milliseconds ?? 0) - Int64(notificationsOlderThan) * 86_400_000
        let count = try await options.withStore { store in
            var (progress, count) = (StateProgress(), 0)
            try await store.forEachPage(of: .notification) { rows in
                let old = rows.filter { $0.signed.map { $0 < date } ?? false }
                if !dryRun, !old.isEmpty { try await store.removeNotifications(old) }
                count += old.count
                progress.add(rows.count, of: .notification)
            }
            Terminal.clearProgress()
            return count
        }
        try Terminal.write("Notifications \(dryRun ? "that would be deleted" : "deleted"): \(count)\n")
    }
}
#endif
