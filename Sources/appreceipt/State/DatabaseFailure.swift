#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// A database that can't be used: its error, and what the operating system says about its files.
struct DatabaseFailure {
    /// The database; nil for one in memory.
    let location: DatabaseLocation?
    let error: StoreError

    init(of location: DatabaseLocation?, _ error: StoreError) {
        self.location = location
        self.error = error
    }

    /// The path; nil if the database isn't a file.
    private var path: String? { if case .file(let path) = location { path } else { nil } }

    /// The name for messages.
    private var name: String {
        switch location {
        case .file(let path): path
        #if Postgres
        case .postgres(let address): "\(address)"
        #endif
        case nil: "The database"
        }
    }

    /// 66 if the content of the file is the reason, so that nothing restarts the server in vain; otherwise 73.
    var exitStatus: ExitCode {
        switch error.code {
        case .newerDatabase, .foreignDatabase, .notADatabase, .damaged: ExitCode(66)
        case .cannotOpen where path.map({ InputReader.isDirectory($0) }) == true: ExitCode(66)
        default: ExitCode(73)
        }
    }

    /// Reports an error.
    ///
    /// - Returns: The exit status to throw.
    static func exit(_ location: DatabaseLocation?, _ error: StoreError) -> ExitCode {
        let failure = DatabaseFailure(of: location, error)
        failure.report()
        return failure.exitStatus
    }

    /// Prints the error, the obstacle and where the documentation explains the code.
    func report() {
        Terminal.printError("\(name): \(obstacle.map { "\($0) " } ?? "")\(error)")
        Terminal.printError("See \(ErrorDocumentation.link(to: error.code.rawValue))")
    }

    /// The reason in the words of the system; nil if it has none.
    private var obstacle: String? {
        switch (location, error.code) {
        case (.file(let path), .cannotOpen), (.file(let path), .notWritable): Self.obstacle(to: path)
        default: nil
        }
    }

    /// Returns the reason for which the system denies this process the database, as a sentence; nil if it doesn't.
    static func obstacle(to database: String) -> String? {
        if InputReader.isDirectory(database) { return "It is a folder. Name a file in it." }
        let files = FileManager.default
        let folder = database.lastIndex(of: "/").map { String(database[...$0]) } ?? "."
        guard files.fileExists(atPath: folder) else { return "The folder \(folder) doesn't exist." }
        // SQLite also writes its log, and creates it in the folder.
        let existing = ["", "-wal", "-shm"].map { database + $0 }.filter { files.fileExists(atPath: $0) }
        for path in existing + [folder] {
            guard unsafe access(path, path == folder ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 else { continue }
            let reason = errno
            guard reason == EACCES || reason == EPERM else {
                return unsafe "\(path == database ? "" : "\(path): ")\(String(cString: strerror(reason)))."
            }
            let owner = try? files.attributesOfItem(atPath: path)[.ownerAccountName] as? String
            let belongs = owner.map { " It belongs to the user \($0)." } ?? ""
            return "This process may not read and write \(path == database ? "it" : path).\(belongs)"
        }
        return nil
    }
}
#endif
