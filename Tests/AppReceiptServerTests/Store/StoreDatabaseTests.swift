#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import GRDB
import TestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("StoreDatabase")
struct StoreDatabaseTests {
    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("a file that is made, and those beside it, can be read by their owner only")
    func permissions() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            try await store.record(Proven.receipt(["1"]))
            for name in [path, path + "-wal", path + "-shm"] { #expect(try permissions(name) == 0o600) }
            try await store.close()
        }
    }

    @Test("an empty file becomes a store; that its group may read it stays so")
    func emptyFile() async throws {
        try await withDatabasePath { path async throws in
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            let store = try TransactionStore(testing: path)
            #expect(try await store.record(Proven.receipt(["1"])).isNew)
            #expect(try permissions(path) == 0o640)
            try await store.close()
        }
    }

    @Test(
        "a database that everybody may read becomes its owner's alone, with what stands beside it",
        arguments: [0o644, 0o606])
    func openToAll(_ mode: Int) async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            try await store.record(Proven.receipt(["1"]))
            // Another one has it open: the files beside it are there.
            for name in [path, path + "-wal", path + "-shm"] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: name)
            }
            let second = try TransactionStore(testing: path)
            #expect(try await second.known(["1"]).receipts.count == 1)
            for name in [path, path + "-wal", path + "-shm"] { #expect(try permissions(name) == 0o600) }
            try await second.close()
            try await store.close()
        }
    }

    @Test("a link to nothing makes a file that its owner only can read")
    func danglingLink() async throws {
        try await withDatabasePath { path async throws in
            let target = path + ".target"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            let store = try TransactionStore(testing: path)
            #expect(try await store.record(Proven.receipt(["1"])).isNew)
            for name in [target, target + "-wal", target + "-shm"] { #expect(try permissions(name) == 0o600) }
            try await store.close()
        }
    }

    @Test("what is no database of this program keeps its permissions")
    func otherFile() async throws {
        try await withDatabasePath { path async throws in
            try Data(String(repeating: "This is no database. ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(await refusal { try TransactionStore(testing: path) } == .notADatabase)
            #expect(try permissions(path) == 0o644)
        }
    }

    @Test("a store whose process was killed while it was made is made by the next one")
    func halfMade() async throws {
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            // All that the migrator has made when it begins with the first migration.
            try await queue.write {
                try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            }
            try queue.close()
            let store = try TransactionStore(testing: path)
            #expect(try await store.record(Proven.receipt(["1"])).isNew)
            try await store.close()
        }
    }

    @Test("every commit is synchronized, in the write-ahead log; foreign keys hold", arguments: StoreKind.allCases)
    func pragmas(_ kind: StoreKind) async throws {
        try await withDatabasePath { path async throws in
            let database = try StoreDatabase.writer(at: kind == .file ? path : nil)
            let values = try await database.write { database in
                try ["synchronous", "journal_mode", "foreign_keys", "busy_timeout"].map {
                    try String.fetchOne(database, sql: "PRAGMA \($0)")
                }
            }
            #expect(values == ["2", kind == .file ? "wal" : "memory", "1", "5000"])
            try database.close()
        }
    }

    @Test("a database of a newer version is refused and left as it is")
    func newer() async throws {
        try await withDatabasePath { path async throws in
            try await TransactionStore(testing: path).close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999')") }
            try queue.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(await refusal { try TransactionStore(testing: path) } == .newerDatabase)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("a database of another program is refused and left as it is")
    func foreign() async throws {
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE somebody (name TEXT)") }
            try queue.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(await refusal { try TransactionStore(testing: path) } == .foreignDatabase)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("what is no database is refused and left as it is")
    func noDatabase() async throws {
        try await withDatabasePath { path async throws in
            let text = Data(String(repeating: "This is no database. ", count: 100).utf8)
            try text.write(to: URL(fileURLWithPath: path))
            #expect(await refusal { try TransactionStore(testing: path) } == .notADatabase)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        }
    }

    @Test("a folder, and a file in a folder that does not exist, cannot be opened")
    func noFile() async throws {
        try await withDatabasePath { path async throws in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(await refusal { try TransactionStore(testing: folder) } == .cannotOpen)
            #expect(await refusal { try TransactionStore(testing: folder + "/none/state.sqlite") } == .cannotOpen)
        }
    }

    @Test("a database that cannot be written is refused")
    func notWritable() async throws {
        try await withDatabasePath { path async throws in
            try await TransactionStore(testing: path).close()
            // A write version that SQLite does not know makes the file one to be read only, for the superuser too.
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes[18] = 9
            try bytes.write(to: URL(fileURLWithPath: path))
            #expect(await refusal { try TransactionStore(testing: path) } == .notWritable)
        }
    }

    @Test("a key of accounts of another length makes the database a damaged one")
    func key() async throws {
        try await withDatabasePath { path async throws in
            try await TransactionStore(testing: path).close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "UPDATE settings SET value = x'00'") }
            try queue.close()
            #expect(await refusal { try TransactionStore(testing: path) } == .damaged)
        }
    }

    @Test("a database whose file was deleted or replaced acknowledges nothing more", arguments: [false, true])
    func fileGone(isReplaced: Bool) async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            let known = try Proven.receipt(["1"])
            #expect(try await store.record(known).isNew)
            try FileManager.default.removeItem(atPath: path)
            if isReplaced { #expect(FileManager.default.createFile(atPath: path, contents: Data())) }
            #expect(await refusal { try await store.record(Proven.receipt(["2"])) } == .fileGone)
            // What was written before is gone as well.
            #expect(await refusal { try await store.record(known) } == .fileGone)
            #expect(await refusal { try await store.check() } == .fileGone)
            try? await store.close()
        }
    }

    @Test("a database whose write-ahead log was deleted acknowledges nothing more")
    func logGone() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            #expect(try await store.record(Proven.receipt(["1"])).isNew)
            try FileManager.default.removeItem(atPath: path + "-wal")
            #expect(await refusal { try await store.record(Proven.receipt(["2"])) } == .fileGone)
            #expect(await refusal { try await store.check() } == .fileGone)
            try? await store.close()
        }
    }

    @Test("a store that could not write is not ready until it can")
    func readyAgain() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            try await store.check()
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            // Nothing was to be written, and so nothing failed.
            #expect(await refusal { try await store.check() } == nil)
            #expect(await refusal { try await store.record(Proven.receipt(["1"])) } == .locked)
            #expect(await refusal { try await store.check() } == .locked)
            try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            #expect(await refusal { try await store.check() } == nil)
            #expect(try await store.record(Proven.receipt(["1"])).isNew)
            try other.close()
            try await store.close()
        }
    }

    @Test("Errors say what to do, without statements and files")
    func errors() async throws {
        for code in StoreError.Code.allCases {
            let text = StoreError(code, sqliteCode: 14).description
            #expect(text.split(separator: ". ").count >= 3 || code == .closed, "The problem, then what to do.")
            #expect(text.hasSuffix(". [\(code.rawValue), SQLite 14]"))
        }
        let error = StoreError(DatabaseError(resultCode: .SQLITE_FULL, message: "secret", sql: "SELECT secret"))
        #expect(error == .full && error.sqliteCode == 13 && !"\(error)".contains("secret"))
    }
}
#endif
