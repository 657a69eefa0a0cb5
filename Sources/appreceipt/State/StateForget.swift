#if Server
import AppReceiptKit
import AppReceiptStore
import ArgumentParser

/// `appreceipt state forget`: deletes purchases, and keeps their refunds.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Deletes the purchases of an account, or one purchase, and keeps whether they were refunded.",
        discussion: """
            Deletes all evidence about the purchases, their account and the account's name in events. What remains of \
            each transaction is a tombstone: its identifiers, when Apple signed it last, and whether it was revoked \
            then. So an old receipt doesn't grant again what was refunded. A server that runs notices it at once. It \
            can't be undone, and the command doesn't ask.

            Trust the roots that the server trusts: only evidence that verifies leaves a tombstone.

            Exit status: 0 done, 1 nothing is known about the account or purchase, or a root that isn't trusted signed \
            a refund, 64 wrong usage, also if several apps or environments have the purchase, 66 or 73 the database.

            Examples:
              appreceipt state forget --account user-42 --database state.sqlite
              appreceipt state forget --purchase 550000000000001 --database state.sqlite
              appreceipt state forget --purchase 550000000000001 --bundle-id com.example.app --environment production \
            --database state.sqlite
            """)

    @Option(
        help: ArgumentHelp("The account, as the back end names it.", valueName: "name"),
        transform: ArgumentConversion.nonEmpty)
    var account: String?

    @Option(
        help: .id("A purchase, by its original transaction identifier or that of any of its transactions."),
        transform: ArgumentConversion.nonEmpty)
    var purchase: String?

    @Option(help: .id("The app. (default: all of an account; the only one that has the purchase)"))
    var bundleId: String?

    @Option(help: "The environment of the purchase. (default: the only one that has it)")
    var environment: AppStoreEnvironment?

    @OptionGroup
    var options: StateDatabaseOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    func validate() throws {
        guard (account == nil) != (purchase == nil) else { throw ValidationError("Pass --account or --purchase.") }
        guard environment == nil || purchase != nil else {
            throw ValidationError("--environment requires --purchase: an account is forgotten in each environment.")
        }
    }

    func run() async throws {
        let forgotten = try await options.withStore(trust) { store -> ForgottenPurchases? in
            do {
                if let account { return try await store.forget(account, in: bundleId.map { [$0] }) }
                guard let original = try await original(in: store) else { return nil }
                return try await store.forget(original)
            } catch let error as StoreError where error == .untrustedRevocation {
                Terminal.printError(
                    "A root that isn't trusted signed a refund of the purchases. Trust it with --root, as the server does."
                )
                throw ExitCode(1)
            }
        }
        guard let forgotten else {
            Terminal.printError(
                "Nothing is known about this \(account == nil ? "purchase" : "account") in the database.")
            throw ExitCode(1)
        }
        try Terminal.write("Purchases deleted: \(forgotten.count)\n")
    }

    /// Returns the purchase; nil if it is unknown.
    ///
    /// - Throws: `ExitCode` 64 if there are several.
    private func original(in store: any EvidenceStore) async throws -> ScopedOriginal? {
        let found = try await store.originals(of: purchase ?? "").filter {
            bundleId == nil || bundleId == $0.scope.app
        }.filter { environment == nil || environment == $0.scope.environment }
        guard found.count > 1 else { return found.first }
        let names = found.map { "\($0.scope.app) \($0.scope.environment.rawValue) \($0.originalTransactionIdentifier)" }
        throw UsageError.exit(
            "Several purchases have this identifier: \(names.joined(separator: ", ")). Pass --bundle-id, --environment "
                + "or the original transaction identifier.")
    }
}
#endif
