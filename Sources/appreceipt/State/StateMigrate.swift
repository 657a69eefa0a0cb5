#if Server
import AppReceiptStore
import ArgumentParser

/// `appreceipt state migrate`: creates or migrates the tables.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Creates or migrates the tables, as a server does when it starts.",
        discussion: """
            Servers of the version before may go on meanwhile, but can't start again afterward.

            --check changes nothing and creates nothing, also while a server runs. Exit status with --check: 0 the \
            tables are up to date, 1 they would be created or migrated; otherwise 66 a newer version migrated them, or \
            they are another program's.

            Examples:
              appreceipt state migrate --check --database state.sqlite
              appreceipt state backup before-upgrade.sqlite --database state.sqlite && \
            appreceipt state migrate --database state.sqlite
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @Flag(help: "Only say what would be done.")
    var check = false

    func run() async throws {
        let location = try options.location(mustExist: false)
        let pending: PendingMigration?
        do throws(StoreError) {
            pending = try location.pendingMigration()
            if !check { try await location.openForAdministration().close() }
        } catch {
            throw DatabaseFailure.exit(location, error)
        }
        let text =
            switch pending {
            case nil: "The tables are up to date."
            case .creation: check ? "There are no tables yet. 'state migrate' or a server creates them." : "Created."
            case .migration:
                check
                    ? "The tables are of an older version. Back up the database, stop its servers, then run 'state migrate'."
                    : "Migrated."
            }
        try Terminal.write(text + "\n")
        guard !check || pending == nil else { throw ExitCode(1) }
    }
}
#endif
