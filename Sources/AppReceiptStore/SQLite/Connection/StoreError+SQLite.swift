#if Server
import GRDB

extension StoreError {
    /// Converts an error of SQLite without its text, which may contain statements and file names.
    init(sqlite error: any Error) {
        guard let error = error as? DatabaseError else {
            self.init(error)
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
        self.init(code, databaseCode: "SQLite \(error.extendedResultCode.rawValue)")
    }
}
#endif
