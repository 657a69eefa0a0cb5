#if Server
import AppReceiptFoundation
import AppReceiptStore
import ArgumentParser

/// `appreceipt state`: the database of a server.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct State: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and repairs what is in a server's database.",
        discussion: """
            The server may run meanwhile.

            Exit status: 0 done, 1 not or only in part, and standard error says why, 64 wrong usage, 66 no such file, or \
            a database that this version can't use, 73 the database can't be opened, or a new file exists.
            """,
        subcommands: [
            StateStats.self, StateMigrate.self, StateBackup.self, StateExport.self, StateImport.self, StateVerify.self,
            StateForget.self, StatePrune.self, StateWebhooks.self,
        ])
}

/// The database of a server.
struct StateDatabaseOptions: ParsableArguments {
    @Option(
        help: .file("The database of the server: a file, or the address of a PostgreSQL database."),
        completion: .file())
    var database: String

    @Option(help: .file("A file with the password of the PostgreSQL database."), completion: .file())
    var databasePasswordFile: String?

    /// Calls `body` with the open database, and closes it.
    ///
    /// - Parameters:
    ///   - trust: What is trusted; nil for a command that reads no evidence.
    ///   - mustExist: Whether neither a file nor tables are created.
    ///   - body: Uses the database.
    /// - Throws: `ExitCode` after reporting an error of the database.
    func withStore<Result>(
        _ trust: TrustOptions? = nil, mustExist: Bool = true, _ body: (any EvidenceStore) async throws -> Result
    ) async throws -> Result {
        let location = try location(mustExist: mustExist)
        let verifiers = try trust?.verifiers()
        do {
            #if Postgres
            if mustExist, case .postgres(let address) = location, try location.pendingMigration() == .creation {
                Terminal.printError("\(address): The database has no tables of a server.")
                throw ExitCode(66)
            }
            #endif
            let store =
                try verifiers.map {
                    try location.openForAdministration(receipts: $0.receipts, signedData: $0.signedData)
                }
                ?? location.openForAdministration()
            let result: Result
            do {
                result = try await body(store)
            } catch {
                Terminal.clearProgress()
                try? await store.close()
                throw error
            }
            try await store.close()
            return result
        } catch let error as StoreError {
            throw DatabaseFailure.exit(location, error)
        }
    }

    /// Returns the place of the database.
    ///
    /// - Parameter mustExist: Whether a file must exist.
    /// - Throws: `ExitCode` 66 if there is no such file, and as `DatabaseInput` does.
    func location(mustExist: Bool = true) throws -> DatabaseLocation {
        let password = databasePasswordFile.map { (file: $0, source: "--database-password-file") }
        let location = try DatabaseInput.location(database, source: "--database", password: password)
        if mustExist, case .file(let path) = location, !FileManager.default.fileExists(atPath: path) {
            // A file in a folder that may not be searched is invisible too.
            let obstacle = DatabaseFailure.obstacle(to: path)
            Terminal.printError("\(path): \(obstacle ?? "The file doesn't exist.")")
            throw ExitCode(66)
        }
        return location
    }
}
#endif
