#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// A database that can't be used: its error, and what the operating system says about its files.
struct DatabaseFailure {
    let path: String
    let error: StoreError

    init(of path: String, _ error: StoreError) {
        self.path = path
        self.error = error
    }

    /// 66 if the content of the file is the reason, so that nothing restarts the server in vain; otherwise 73.
    var exitStatus: ExitCode {
        switch error.code {
        case .newerDatabase, .foreignDatabase, .notADatabase, .damaged: ExitCode(66)
        case .cannotOpen where InputReader.isDirectory(path): ExitCode(66)
        default: ExitCode(73)
        }
    }

    /// Prints the error, the obstacle and where the documentation explains the code.
    func report() {
        let obstacle =
            switch error.code {
            case .cannotOpen, .notWritable: Self.obstacle(to: path).map { "\($0) " } ?? ""
            default: ""
            }
        Terminal.printError("\(path): \(obstacle)\(error)")
        Terminal.printError("See \(ErrorDocumentation.link(to: error.code.rawValue))")
    }

    /// The reason for which the system denies this process the database, as a sentence; nil if it doesn't.
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
