#if Server
/// An error of the database of stored evidence.
///
/// The text doesn't contain files, customers, apps, tokens or passwords, so it may be logged. Two errors are equal if
/// their codes are equal.
public struct StoreError: Error, Sendable {
    /// The kind of error.
    public let code: Code

    /// The database's own code, if the database returned the error: `SQLite 13`, `PostgreSQL 53100`.
    public let databaseCode: String?

    /// Why the database can't be reached, in its own words, which name its host and user; nil if it didn't say.
    package let reason: String?

    package init(_ code: Code, databaseCode: String? = nil, reason: String? = nil) {
        self.code = code
        self.databaseCode = databaseCode
        self.reason = reason
    }

    /// Converts any other error without its text, which may contain statements and file names.
    package init(_ error: any Error) {
        self = error as? StoreError ?? (error is CancellationError ? .canceled : .failed)
    }

    /// The kinds of errors. The raw values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case newerDatabase = "newer-database"
        case foreignDatabase = "foreign-database"
        case notADatabase = "not-a-database"
        case cannotOpen = "cannot-open"
        case notWritable = "not-writable"
        case fileGone = "file-gone"
        case damaged = "damaged"
        case full = "full"
        case locked = "locked"
        case databaseUnreachable = "database-unreachable"
        case notDurable = "not-durable"
        case failed = "failed"
        case busy = "busy"
        case tooMuchEvidence = "too-much-evidence"
        case untrustedRevocation = "untrusted-revocation"
        case closed = "closed"
        case canceled = "canceled"
    }

    /// The database was written by a newer version of this program.
    public static let newerDatabase = StoreError(.newerDatabase)
    /// The database belongs to another program.
    public static let foreignDatabase = StoreError(.foreignDatabase)
    /// The file isn't a database.
    public static let notADatabase = StoreError(.notADatabase)
    /// The file can't be opened or created.
    public static let cannotOpen = StoreError(.cannotOpen)
    /// The file is readable but not writable.
    public static let notWritable = StoreError(.notWritable)
    /// The file was deleted or replaced while it was open.
    public static let fileGone = StoreError(.fileGone)
    /// The database is damaged.
    public static let damaged = StoreError(.damaged)
    /// The disk is full.
    public static let full = StoreError(.full)
    /// Another process has locked the database.
    public static let locked = StoreError(.locked)
    /// The database server can't be reached, or doesn't respond. A write may be recorded nevertheless.
    public static let databaseUnreachable = StoreError(.databaseUnreachable)
    /// The database server doesn't synchronize its disk when it commits.
    public static let notDurable = StoreError(.notDurable)
    /// Another error of the database.
    public static let failed = StoreError(.failed)
    /// The limit of waiting writes is reached. Nothing was recorded; try again later.
    public static let busy = StoreError(.busy)
    /// The evidence for a response exceeds a limit. A response from a part of it could grant access to refunded
    /// purchases.
    public static let tooMuchEvidence = StoreError(.tooMuchEvidence)
    /// A root that isn't trusted any more signed a stored refund or upgrade. A response without it could grant access
    /// to refunded purchases.
    public static let untrustedRevocation = StoreError(.untrustedRevocation)
    /// The database was closed.
    public static let closed = StoreError(.closed)
    /// The task that reads was canceled. Nothing failed.
    public static let canceled = StoreError(.canceled)
}

extension StoreError: Hashable {
    /// Two errors are equal if their codes are equal.
    public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension StoreError: CustomStringConvertible {
    /// The reason in the words of the database, the problem, what to do, and the code.
    public var description: String {
        "\(reason.map { "\($0) " } ?? "")\(sentence) [\(code.rawValue)\(databaseCode.map { ", \($0)" } ?? "")]"
    }

    private var sentence: String {
        switch code {
        case .newerDatabase:
            "The database was written by a newer version. Use that version or a later one."
        case .foreignDatabase:
            "The database belongs to another program. Choose another file, which doesn't need to exist, or another database."
        case .notADatabase:
            "The file isn't an SQLite database. Restore the database or choose another file, which doesn't need to exist."
        case .cannotOpen:
            "The database can't be opened. Check that its folder exists and that the server has permission to use it."
        case .notWritable:
            "The database can't be written. Give the server's user permission to write the file and its folder, or its tables."
        case .fileGone:
            "The database file was deleted or replaced. Stop the server, restore the file and start the server again."
        case .damaged:
            "The database is damaged. Restore it from a backup, or start with a new one."
        case .full:
            "The disk is full. Free space for the database."
        case .locked:
            "The database is locked by another process. Retry, and end a process that locks it for more than five seconds."
        case .databaseUnreachable:
            "The database server can't be reached, or doesn't respond. Check that it runs, its address and the password."
        case .notDurable:
            "The database server doesn't synchronize its disk when it commits. Set fsync and synchronous_commit to on."
        case .failed:
            "The database operation failed. Look up the code in the database's documentation."
        case .busy:
            "Too many writes are waiting. Try again later."
        case .tooMuchEvidence:
            "The evidence for one receipt exceeds the limits of the database."
        case .untrustedRevocation:
            "A root that isn't trusted any more signed a stored refund or upgrade. Trust the root again, or delete the purchase."
        case .closed:
            "The database is closed because the server is stopping."
        case .canceled:
            "The operation was canceled."
        }
    }
}
#endif
