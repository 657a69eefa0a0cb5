#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@testable import AppReceiptStore

@Suite("SQLiteDatabase")
struct SQLiteDatabaseTests {
    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("A new database and its auxiliary files are readable only by their owner")
    func permissions() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            try await store.record(StoreFixtures.receipt(["1"]))
            for name in [path, path + "-wal", path + "-shm"] { #expect(try permissions(name) == 0o600) }
            try await store.close()
        }
    }

    @Test("The lock's file has the owner and the permissions of the database", .enabled(if: geteuid() == 0))
    func lockOwner() async throws {
        try await withDatabasePath { path async throws in
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o640, .ownerAccountID: 4242, .groupOwnerAccountID: 4243], ofItemAtPath: path)
            try await SQLiteStore(testing: path).close()
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "-lock")
            #expect((attributes[.ownerAccountID] as? NSNumber)?.intValue == 4242)
            #expect((attributes[.groupOwnerAccountID] as? NSNumber)?.intValue == 4243)
            #expect(try permissions(path + "-lock") == 0o640)
        }
    }

    @Test("A lock's file that can't be opened isn't an obstacle")
    func lockUnavailable() async throws {
        try await withDatabasePath { path async throws in
            try FileManager.default.createDirectory(atPath: path + "-lock", withIntermediateDirectories: false)
            let store = try SQLiteStore(testing: path)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            try await store.close()
        }
    }

    @Test("A database is opened for its operator without a search for refunds of former roots, and isn't changed by it")
    func administrating() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            try await store.record(StoreFixtures.receipt(["1"]))
            try await store.close()
            func roots() async throws -> DatabaseValue? {
                let queue = try DatabaseQueue(path: path)
                defer { try? queue.close() }
                return try await queue.read { try $0.value(of: .trustedRoots) }
            }
            let before = try await roots()
            try await SQLiteStore(administrating: path).close()
            #expect(try await roots() == before)
        }
    }

    @Test("A read that is canceled isn't a failure of the database")
    func canceled() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            let code = await Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await rejection { try await store.webhooks() }
            }.value
            #expect(code == .canceled)
            try await store.close()
        }
    }

    @Test("Servers that open a new or an old database together wait for each other", arguments: [false, true])
    func together(isOld: Bool) async throws {
        try await withDatabasePath { path async throws in
            if isOld {
                let queue = try DatabaseQueue(path: path)
                try SQLiteSchema.migrator.migrate(queue, upTo: "evidence")
                try queue.close()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        let store = try SQLiteStore(testing: path)
                        #expect(
                            try await store.record(
                                StoreFixtures.transaction(StoreFixtures.period("\(number)", of: "\(number)"))
                            ).isNew)
                        try await store.close()
                    }
                }
                try await group.waitForAll()
            }
            let store = try SQLiteStore(testing: path)
            #expect(try await store.statistics().transactions == 8)
            try await store.close()
        }
    }

    @Test("An empty file becomes a store and keeps its group permissions")
    func emptyFile() async throws {
        try await withDatabasePath { path async throws in
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            let store = try SQLiteStore(testing: path)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            #expect(try permissions(path) == 0o640)
            try await store.close()
        }
    }

    @Test(
        "A world-readable database and its auxiliary files are restricted to their owner",
        arguments: [0o644, 0o606])
    func openToAll(_ mode: Int) async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            try await store.record(StoreFixtures.receipt(["1"]))
            // The auxiliary files exist while the first store is open.
            for name in [path, path + "-wal", path + "-shm"] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: name)
            }
            let second = try SQLiteStore(testing: path)
            #expect(try await second.known(["1"]).receipts.count == 1)
            for name in [path, path + "-wal", path + "-shm"] { #expect(try permissions(name) == 0o600) }
            try await second.close()
            try await store.close()
        }
    }

    @Test("A dangling link creates a file that only its owner can read")
    func danglingLink() async throws {
        try await withDatabasePath { path async throws in
            let target = path + ".target"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            let store = try SQLiteStore(testing: path)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            for name in [target, target + "-wal", target + "-shm"] { #expect(try permissions(name) == 0o600) }
            try await store.close()
        }
    }

    @Test("A file that isn't a database of this program keeps its permissions")
    func otherFile() async throws {
        try await withDatabasePath { path async throws in
            try Data(String(repeating: "This isn't a database. ", count: 100).utf8).write(
                to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(await rejection { try SQLiteStore.check(testing: path) } == .notADatabase)
            #expect(await rejection { try SQLiteStore(testing: path) } == .notADatabase)
            #expect(try permissions(path) == 0o644)
        }
    }

    @Test("A store whose process was killed during its creation can be opened")
    func halfCreated() async throws {
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            // The migrator creates only this table before the first migration.
            try await queue.write {
                try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            }
            try queue.close()
            let store = try SQLiteStore(testing: path)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            try await store.close()
        }
    }

    @Test(
        "Commits are synchronized to the write-ahead log, and foreign keys are enforced", arguments: Location.allCases)
    func pragmas(_ location: Location) async throws {
        try await withDatabasePath { path async throws in
            let database = try SQLiteDatabase.writer(at: location == .file ? path : nil)
            let values = try await database.write { database in
                try ["synchronous", "journal_mode", "foreign_keys", "busy_timeout"].map {
                    try String.fetchOne(database, sql: "PRAGMA \($0)")
                }
            }
            #expect(values == ["2", location == .file ? "wal" : "memory", "1", "5000"])
            try database.close()
        }
    }

    @Test("A database of a newer version is rejected and not changed")
    func newer() async throws {
        try await withDatabasePath { path async throws in
            try await SQLiteStore(testing: path).close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999')") }
            try queue.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(await rejection { try SQLiteStore.check(testing: path) } == .newerDatabase)
            #expect(await rejection { try SQLiteStore(testing: path) } == .newerDatabase)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("A database of another program is rejected and not changed")
    func foreign() async throws {
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE somebody (name TEXT)") }
            try queue.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(await rejection { try SQLiteStore.check(testing: path) } == .foreignDatabase)
            #expect(await rejection { try SQLiteStore(testing: path) } == .foreignDatabase)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("A file that isn't a database is rejected and not changed")
    func noDatabase() async throws {
        try await withDatabasePath { path async throws in
            let text = Data(String(repeating: "This isn't a database. ", count: 100).utf8)
            try text.write(to: URL(fileURLWithPath: path))
            #expect(await rejection { try SQLiteStore.check(testing: path) } == .notADatabase)
            #expect(await rejection { try SQLiteStore(testing: path) } == .notADatabase)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        }
    }

    @Test("A check creates and changes no file, also while the database is open")
    func check() async throws {
        try await withDatabasePath { path async throws in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            // A name that has to be escaped in an address.
            let path = folder.appendingPathComponent("50%3F?#ä.sqlite").path
            func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
            #expect(try SQLiteStore.check(testing: path) == 0)
            #expect(try names().isEmpty)
            let store = try SQLiteStore(testing: path, .testsAndFormer)
            try await store.record(
                StoreFixtures.transaction(
                    StoreFixtures.period("1", refund: "2024-07-01T00:00:00Z"), by: StoreFixtures.formerPKI))
            let open = try names()
            // The refund is in the log only.
            #expect(try SQLiteStore.check(testing: path) == 1)
            #expect(try SQLiteStore.check(testing: path, .testsAndFormer) == 0)
            #expect(try names() == open)
            try await store.check()
            try await store.close()
            // A copy of the file alone, as a backup is.
            for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
            let (closed, before) = (try names(), try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(try SQLiteStore.check(testing: path) == 1)
            #expect(try SQLiteStore.check(testing: path, .testsAndFormer) == 0)
            #expect(try names() == closed)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("A folder, and a file in a folder that doesn't exist, can't be opened")
    func noFile() async throws {
        try await withDatabasePath { path async throws in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(await rejection { try SQLiteStore(testing: folder) } == .cannotOpen)
            #expect(await rejection { try SQLiteStore(testing: folder + "/none/state.sqlite") } == .cannotOpen)
        }
    }

    @Test("A database that isn't writable is rejected")
    func notWritable() async throws {
        try await withDatabasePath { path async throws in
            try await SQLiteStore(testing: path).close()
            // SQLite opens a file with an unknown write version as read-only, even for the superuser.
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes[18] = 9
            try bytes.write(to: URL(fileURLWithPath: path))
            #expect(await rejection { try SQLiteStore(testing: path) } == .notWritable)
        }
    }

    @Test("A database whose account key has the wrong length is damaged")
    func key() async throws {
        try await withDatabasePath { path async throws in
            try await SQLiteStore(testing: path).close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "UPDATE settings SET value = x'00'") }
            try queue.close()
            #expect(await rejection { try SQLiteStore.check(testing: path) } == .damaged)
            #expect(await rejection { try SQLiteStore(testing: path) } == .damaged)
        }
    }

    @Test(
        "A store whose database file was deleted or replaced acknowledges no further writes", arguments: [false, true])
    func fileGone(isReplaced: Bool) async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            let known = try StoreFixtures.receipt(["1"])
            #expect(try await store.record(known).isNew)
            try FileManager.default.removeItem(atPath: path)
            if isReplaced { #expect(FileManager.default.createFile(atPath: path, contents: Data())) }
            #expect(await rejection { try await store.record(StoreFixtures.receipt(["2"])) } == .fileGone)
            // Known data is gone too.
            #expect(await rejection { try await store.record(known) } == .fileGone)
            #expect(await rejection { try await store.check() } == .fileGone)
            try? await store.close()
        }
    }

    @Test("A store whose write-ahead log was deleted acknowledges no further writes")
    func logGone() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            try FileManager.default.removeItem(atPath: path + "-wal")
            #expect(await rejection { try await store.record(StoreFixtures.receipt(["2"])) } == .fileGone)
            #expect(await rejection { try await store.check() } == .fileGone)
            try? await store.close()
        }
    }

    @Test("A store whose last write failed isn't ready until a write succeeds")
    func readyAgain() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            try await store.check()
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            // No write has failed yet.
            #expect(await rejection { try await store.check() } == nil)
            #expect(await rejection { try await store.record(StoreFixtures.receipt(["1"])) } == .locked)
            #expect(await rejection { try await store.check() } == .locked)
            try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            #expect(await rejection { try await store.check() } == nil)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            try other.close()
            try await store.close()
        }
    }

    @Test("Errors of SQLite have its code, but not its text")
    func errors() async throws {
        let error = StoreError(sqlite: DatabaseError(resultCode: .SQLITE_FULL, message: "secret", sql: "SELECT secret"))
        #expect(error == .full && error.databaseCode == "SQLite 13" && !"\(error)".contains("secret"))
    }

    // MARK: Copies

    @Test("A copy is complete although others write meanwhile, who don't wait, and an existing file stays")
    func backup() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            try await store.record(StoreFixtures.receipt(["1"]))
            // Large, so that it is copied in several steps.
            try await store.database.write {
                try $0.execute(sql: "INSERT INTO settings VALUES ('large', randomblob(16777216))")
            }
            let other = try DatabaseQueue(path: path)
            let copy = path + "-copy"
            var steps = 0
            try SQLiteStore.backup(path, to: copy) { _, _ in
                steps += 1
                // Fails at once if it would have to wait.
                let write = Result {
                    try other.write {
                        try $0.execute(sql: "INSERT INTO settings VALUES (?, 1)", arguments: ["\(steps)"])
                    }
                }
                #expect(throws: Never.self) { try write.get() }
            }
            #expect((2..<100).contains(steps))
            try other.close()
            try await store.close()
            #expect(try permissions(copy) == 0o600)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: (path as NSString).deletingLastPathComponent)
            #expect(!names.contains { $0.hasPrefix("state.sqlite-copy-") })
            let restored = try SQLiteStore(testing: copy)
            #expect(try await restored.known(["1"]).receipts.count == 1)
            #expect(
                try await restored.database.read {
                    try Int.fetchOne($0, sql: "SELECT 1 FROM settings WHERE name = '1'")
                } == nil)
            try await restored.close()
            #expect(await rejection { try SQLiteStore.backup(path, to: copy) { _, _ in } } == .cannotOpen)
            #expect(FileManager.default.fileExists(atPath: copy))
        }
    }

    @Test("A copy of a damaged database or of another program's isn't left behind")
    func badBackup() async throws {
        try await withDatabasePath { path async throws in
            try Data(repeating: 7, count: 10_000).write(to: URL(fileURLWithPath: path))
            #expect(await rejection { try SQLiteStore.backup(path, to: path + "2") { _, _ in } } == .notADatabase)
            #expect(!FileManager.default.fileExists(atPath: path + "2"))
        }
    }

    @Test("A store that closes doesn't wait for a reader, who would make the writes of others wait too")
    func closesBesideReader() async throws {
        try await withDatabasePath { path async throws in
            let waits = LockedValueBox(0)
            let database = try SQLiteDatabase.writer(
                at: path,
                busyMode: .callback { _ in
                    waits.withLock { $0 += 1 }
                    return false
                })
            let reader = try DatabaseQueue(path: path)
            func log() throws -> Int {
                try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count
            }
            try await reader.read { reader in
                _ = try Int.fetchOne(reader, sql: "SELECT COUNT(*) FROM settings")
                try database.writeWithoutTransaction { database in
                    try database.execute(sql: "INSERT INTO settings VALUES ('a', 1)")
                    #expect(throws: DatabaseError.self) { try SQLiteDatabase.emptyLog(of: database) }
                }
            }
            #expect(waits.withLock(\.self) == 0)
            #expect(try log() > 0)
            try await database.writeWithoutTransaction { try SQLiteDatabase.emptyLog(of: $0) }
            #expect(try log() == 0)
            try reader.close()
            try database.close()
        }
    }

    @Test("What a start would do to the tables is known without changing or creating anything")
    func migration() async throws {
        try await withDatabasePath { path async throws in
            let location = DatabaseLocation.file(path)
            #expect(try location.pendingMigration() == .creation)
            #expect(!FileManager.default.fileExists(atPath: path))
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(try location.pendingMigration() == .creation)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
            try await location.openForAdministration().close()
            #expect(try location.pendingMigration() == nil)
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('later')") }
            #expect(await rejection { try location.pendingMigration() } == .newerDatabase)
            try await queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations") }
            #expect(try location.pendingMigration() == .migration)
            try queue.close()
        }
    }
}
#endif
