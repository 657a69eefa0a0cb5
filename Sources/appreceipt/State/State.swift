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

            Exit status: 0 done, 1 something to replay is unknown or its webhook isn't configured any more, 64 wrong \
            usage, 66 no such file, or a database that this version can't use, 73 the database can't be opened.
            """,
        subcommands: [StateWebhooks.self])
}

/// The database of a server.
struct StateDatabaseOptions: ParsableArguments {
    @Option(
        help: .file("The database of the server: a file, or the address of a PostgreSQL database."),
        completion: .file())
    var database: String

    @Option(help: .file("A file with the password of the PostgreSQL database."), completion: .file())
    var databasePasswordFile: String?

    /// The place of the database.
    ///
    /// - Throws: `ExitCode` 66 if there is no such file, and as `DatabaseInput` does.
    func location() throws -> DatabaseLocation {
        let password = databasePasswordFile.map { (file: $0, source: "--database-password-file") }
        let location = try DatabaseInput.location(database, source: "--database", password: password)
        if case .file(let path) = location, !FileManager.default.fileExists(atPath: path) {
            // A file in a folder that may not be searched is invisible too.
            let obstacle = DatabaseFailure.obstacle(to: path)
            Terminal.printError("\(path): \(obstacle ?? "The file doesn't exist.")")
            throw ExitCode(66)
        }
        return location
    }
}
#endif
