#if Server
import GRDB

/// Why the store could not do what it was asked for. The text names no file, customer, app or token and may be logged.
///
/// Equal are errors with the same code.
public struct StoreError: Error, Sendable {
    /// What went wrong.
    public let code: Code

    /// SQLite's extended result code, where it was SQLite that refused.
    public let sqliteCode: Int32?

    init(_ code: Code, sqliteCode: Int32? = nil) {
        self.code = code
        self.sqliteCode = sqliteCode
    }

    /// What goes wrong, stable from release to release.
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
        case failed = "failed"
        case busy = "busy"
        case tooMuchEvidence = "too-much-evidence"
        case closed = "closed"
    }

    /// The database was written by a newer version of this program.
    public static let newerDatabase = StoreError(.newerDatabase)
    /// The database belongs to another program.
    public static let foreignDatabase = StoreError(.foreignDatabase)
    /// The file is no database.
    public static let notADatabase = StoreError(.notADatabase)
    /// The file cannot be opened or made.
    public static let cannotOpen = StoreError(.cannotOpen)
    /// The file may be read and not written.
    public static let notWritable = StoreError(.notWritable)
    /// The file was deleted or replaced while it was open.
    public static let fileGone = StoreError(.fileGone)
    /// What is in the database does not hang together.
    public static let damaged = StoreError(.damaged)
    /// The disk is full.
    public static let full = StoreError(.full)
    /// Another process holds the database.
    public static let locked = StoreError(.locked)
    /// Anything else that SQLite refuses.
    public static let failed = StoreError(.failed)
    /// As many writes wait as may: nothing was recorded, and the same may be recorded a moment later.
    public static let busy = StoreError(.busy)
    /// The evidence that an answer needs exceeds a limit, and an answer from a part of it could grant what was refunded.
    public static let tooMuchEvidence = StoreError(.tooMuchEvidence)
    /// The store was closed.
    public static let closed = StoreError(.closed)
}

extension StoreError: Hashable {
    /// Equal are errors with the same code.
    public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension StoreError {
    /// What was thrown, without its text: SQLite's may hold statements and file names.
    init(_ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.failed)
            return
        }
        let code: Code =
            switch error.resultCode {
            case .SQLITE_NOTADB: .notADatabase
            case .SQLITE_CANTOPEN: .cannotOpen
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .notWritable
            case .SQLITE_CORRUPT: .damaged
            case .SQLITE_FULL: .full
            case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
            default: .failed
            }
        self.init(code, sqliteCode: error.extendedResultCode.rawValue)
    }
}

extension StoreError: CustomStringConvertible {
    /// What happened and what to do, with the code.
    public var description: String {
        let number = sqliteCode.map { ", SQLite \($0)" } ?? ""
        return "\(sentence) [\(code.rawValue)\(number)]"
    }

    private var sentence: String {
        switch code {
        case .newerDatabase:
            "The database was written by a newer version: start that version, or one newer still, on it."
        case .foreignDatabase:
            "The database belongs to another program: name a file of its own for the server, which need not exist."
        case .notADatabase:
            "The file is no SQLite database: name another, which need not exist, or put the right one in its place."
        case .cannotOpen:
            "The database cannot be opened: see that its folder exists and that the server may use it."
        case .notWritable:
            "The database cannot be written: let the server's user write the file and its folder."
        case .fileGone:
            "The database's file was deleted or replaced: stop the server, put the file back and start it again."
        case .damaged:
            "The database is damaged: restore it from a copy, or begin with a new one."
        case .full:
            "The disk is full: make room for the database."
        case .locked:
            "Another process holds the database: let one server at a time write it."
        case .failed:
            "The database refused what it was asked for: look the number up in SQLite's list of result codes."
        case .busy:
            "Too many writes are waiting: ask again in a moment."
        case .tooMuchEvidence:
            "The evidence for one receipt exceeds the store's limits: raise them."
        case .closed:
            "The store was closed: the server is going down."
        }
    }
}
#endif
