#if Server
import AppReceiptFoundation
import AppReceiptStore
import ArgumentParser

/// `appreceipt state backup`: copies an SQLite database.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies an SQLite database while a server writes it, and checks the copy.",
        discussion: """
            The copy is one file that only its owner can read. It has everything that was acknowledged before the \
            command began, and its integrity is checked before the command succeeds. To restore it, stop the server, \
            replace the database by it, and remove the files that end in -wal, -shm and -lock.

            For PostgreSQL, the command names pg_dump, and exits with 64. To move to another engine: see 'appreceipt \
            help state export'.

            Exit status: 0 done, 66 no such database, or it is damaged or another program's, 73 the file exists or can't \
            be created.

            Examples:
              appreceipt state backup /backup/state.sqlite --database /var/lib/appreceipt/state.sqlite
              appreceipt state backup "/backup/$(date +%F).sqlite" --database state.sqlite
            """)

    @Argument(help: "The new file.", completion: .file())
    var file: String

    @OptionGroup
    var options: StateDatabaseOptions

    func run() async throws {
        let location = try options.location()
        guard case .file(let path) = location else {
            throw UsageError.exit(
                "The database is PostgreSQL's, whose own program copies it: pg_dump --format=custom --file="
                    + "\(Terminal.quotedForShell(file)) ADDRESS. To restore it: pg_restore --clean --if-exists "
                    + "--dbname=ADDRESS \(Terminal.quotedForShell(file))")
        }
        guard !FileManager.default.fileExists(atPath: file) else {
            Terminal.printError("\(file): The file exists. Name another one.")
            throw ExitCode(73)
        }
        do throws(StoreError) {
            try SQLiteStore.backup(path, to: file) { done, all in
                Terminal.showProgress("\(all > 0 ? done * 100 / all : 100)%")
            }
        } catch {
            Terminal.clearProgress()
            // Whether the copy or the database is the reason.
            let isCopy = error == .cannotOpen || error == .full
            throw DatabaseFailure.exit(.file(isCopy ? file : path), error)
        }
        Terminal.clearProgress()
        Terminal.note("\(file): The copy is complete, and its integrity was checked.")
    }
}
#endif
