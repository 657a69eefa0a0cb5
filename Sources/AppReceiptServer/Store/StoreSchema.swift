#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import GRDB
import AppReceiptSupport

/// The tables. The signed data is in `token` and `der`; the other columns only serve to find and select it.
///
/// Dates are milliseconds since 1970. An environment is `production` or `sandbox`. The column `original` (`line` before version 5) is
/// an original transaction identifier; the same number may be another purchase in another environment. A receipt is in
/// `sole_receipts` if nothing else is stored about any of its original transactions; triggers remove it, so that every writer does.
enum StoreSchema {
    /// `ARKT`, which distinguishes the database from those of other programs.
    static let applicationIdentifier: Int64 = 0x4152_4B54

    /// Migrations are only ever added. A database with an unknown migration belongs to a newer version.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL);

                    CREATE TABLE transactions (
                        app TEXT NOT NULL, environment TEXT NOT NULL, identifier TEXT NOT NULL, line TEXT NOT NULL,
                        signed INTEGER NOT NULL, token TEXT NOT NULL, PRIMARY KEY (app, environment, identifier));
                    CREATE INDEX transactions_line ON transactions (app, environment, line, signed);

                    CREATE TABLE renewals (
                        app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL, signed INTEGER NOT NULL,
                        token TEXT NOT NULL, PRIMARY KEY (app, environment, line));

                    CREATE TABLE notifications (
                        identifier TEXT NOT NULL PRIMARY KEY, signed INTEGER NOT NULL) WITHOUT ROWID;

                    CREATE TABLE receipts (
                        number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, app TEXT NOT NULL,
                        environment TEXT NOT NULL, created INTEGER NOT NULL, der BLOB NOT NULL);
                    CREATE TABLE receipt_lines (
                        app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL,
                        receipt INTEGER NOT NULL REFERENCES receipts (number) ON DELETE CASCADE,
                        PRIMARY KEY (app, environment, line)) WITHOUT ROWID;
                    CREATE INDEX receipt_lines_receipt ON receipt_lines (receipt);

                    CREATE TABLE line_owners (
                        app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL, app_account_token BLOB,
                        account BLOB, PRIMARY KEY (app, environment, line)) WITHOUT ROWID;
                    """)
            try database.execute(sql: "PRAGMA application_id = \(applicationIdentifier)")
        }
        // Revocations can be selected first, several receipts stored for an original transaction, and a newer appAccountToken replace an older one.
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    ALTER TABLE transactions ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX transactions_line;
                    CREATE INDEX transactions_line ON transactions (app, environment, line, revoked, signed);

                    CREATE TABLE new_receipt_lines (
                        app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL,
                        receipt INTEGER NOT NULL REFERENCES receipts (number) ON DELETE CASCADE,
                        canceled INTEGER NOT NULL, PRIMARY KEY (app, environment, line, receipt)) WITHOUT ROWID;
                    INSERT INTO new_receipt_lines SELECT app, environment, line, receipt, 1 FROM receipt_lines;
                    DROP TABLE receipt_lines;
                    ALTER TABLE new_receipt_lines RENAME TO receipt_lines;
                    CREATE INDEX receipt_lines_receipt ON receipt_lines (receipt);

                    ALTER TABLE line_owners ADD COLUMN token_signed INTEGER NOT NULL DEFAULT 0;
                    """)
            try markRevoked(database)
            try bindNewestTokens(database)
        }
        // The requests to the App Store: `due` is the time of the next one, null if none is necessary.
        migrator.registerMigration("3") { database in
            try database.execute(
                sql: """
                    CREATE TABLE completions (
                        app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL, completed INTEGER,
                        revision TEXT, attempts INTEGER NOT NULL, due INTEGER,
                        PRIMARY KEY (app, environment, line)) WITHOUT ROWID;
                    CREATE INDEX completions_due ON completions (due) WHERE due IS NOT NULL;
                    """)
        }
        // Rows without a receipt, which only an editor of the file leaves, don't stop the migrations from here on.
        //
        // The periods of the App Store's notification history that have to be read again at `due`.
        migrator.registerMigration("4", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    CREATE TABLE notification_gaps (
                        app TEXT NOT NULL, environment TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
                        attempts INTEGER NOT NULL, due INTEGER NOT NULL,
                        PRIMARY KEY (app, environment, since)) WITHOUT ROWID;
                    """)
        }
        // The names of the concepts, and due requests can be selected by app and environment.
        migrator.registerMigration("5", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    ALTER TABLE transactions RENAME COLUMN line TO original;
                    DROP INDEX transactions_line;
                    CREATE INDEX transactions_original ON transactions (app, environment, original, revoked, signed);

                    ALTER TABLE renewals RENAME COLUMN line TO original;

                    ALTER TABLE receipt_lines RENAME TO receipt_originals;
                    ALTER TABLE receipt_originals RENAME COLUMN line TO original;
                    DROP INDEX receipt_lines_receipt;
                    CREATE INDEX receipt_originals_receipt ON receipt_originals (receipt);

                    ALTER TABLE line_owners RENAME TO account_bindings;
                    ALTER TABLE account_bindings RENAME COLUMN line TO original;

                    ALTER TABLE completions RENAME COLUMN line TO original;
                    DROP INDEX completions_due;
                    CREATE INDEX completions_due ON completions (app, environment, due) WHERE due IS NOT NULL;
                    """)
        }
        // Only development versions wrote version 6, with a column in place of the table of version 7.
        migrator.registerMigration("6", foreignKeyChecks: .immediate) { _ in }
        // Most customers have one receipt and nothing else, so that one look-up replaces several for each original transaction. The marks
        // have a table of their own, because SQLite reads and writes a row with all pages of its receipt.
        migrator.registerMigration("7", foreignKeyChecks: .immediate) { database in
            let triggers =
                soleReceiptTriggers(insertingInto: ["transactions", "renewals", "receipt_originals"])
                + soleReceiptTriggersOfReceipts
            for (name, _, _) in triggers { try database.execute(sql: "DROP TRIGGER IF EXISTS \(name)") }
            if try database.columns(in: "receipts").contains(where: { $0.name == "sole" }) {
                try database.execute(sql: "ALTER TABLE receipts DROP COLUMN sole")
            }
            try database.execute(
                sql: """
                    CREATE TABLE sole_receipts (
                        receipt INTEGER PRIMARY KEY REFERENCES receipts (number) ON DELETE CASCADE)
                    """)
            try createTriggers(triggers, in: database)
        }
        // The newest periods of an original transaction can be selected by their end, whenever they were signed.
        migrator.registerMigration("8", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    ALTER TABLE transactions ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX transactions_original;
                    CREATE INDEX transactions_original
                    ON transactions (app, environment, original, revoked, ended, signed, identifier);
                    """)
            try setEnds(database)
        }
        // The newest notification of each original transaction that states the status of the subscription.
        migrator.registerMigration("9", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    CREATE TABLE statuses (
                        app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, signed INTEGER NOT NULL,
                        token TEXT NOT NULL, PRIMARY KEY (app, environment, original));
                    """)
            try createTriggers(soleReceiptTriggers(insertingInto: ["statuses"]), in: database)
        }
        return migrator
    }

    /// Sets `ended` to the end of the period in the token, or to the date of a one-time purchase.
    private static func setEnds(_ database: Database) throws {
        let last = try Int64.fetchOne(database, sql: "SELECT MAX(rowid) FROM transactions") ?? 0
        var number: Int64 = 0
        while number < last,
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT rowid, token FROM transactions WHERE rowid > ? ORDER BY rowid LIMIT 1"),
                arguments: [number])
        {
            number = row[0]
            let claims = members(ofToken: row[1])
            let dates = ["expiresDate", "purchaseDate"].compactMap { claims?[$0]?.number?.int64 }
            guard let ended = dates.first else { continue }
            try database.cachedStatement(sql: "UPDATE transactions SET ended = ? WHERE rowid = ?")
                .execute(arguments: [ended, number])
        }
    }

    /// What removes receipts from `sole_receipts`: the names of the triggers, their events, and the receipts.
    private typealias Trigger = (name: String, event: String, receipts: String)

    private static func soleReceiptTriggers(insertingInto tables: [String]) -> [Trigger] {
        let ofOriginal = """
            SELECT receipt FROM receipt_originals
            WHERE app = NEW.app AND environment = NEW.environment AND original = NEW.original
            """
        return tables.flatMap { table in
            [
                ("\(table)_inserted", "INSERT ON \(table)", ofOriginal),
                ("\(table)_moved", "UPDATE OF app, environment, original ON \(table)", ofOriginal),
            ]
        }
    }

    private static let soleReceiptTriggersOfReceipts: [Trigger] = [
        ("receipt_originals_released", "DELETE ON receipt_originals", "OLD.receipt"),
        ("receipt_originals_reassigned", "UPDATE ON receipt_originals", "OLD.receipt"),
        ("receipts_inserted", "INSERT ON receipts", "NEW.number"),
    ]

    private static func createTriggers(_ triggers: [Trigger], in database: Database) throws {
        for (name, event, receipts) in triggers {
            try database.execute(
                sql: """
                    CREATE TRIGGER \(name) AFTER \(event) BEGIN
                        DELETE FROM sole_receipts WHERE receipt IN (\(receipts));
                    END
                    """)
        }
    }

    /// Sets `revoked` where the token states a revocation. Whether the token is genuine is checked when it is read.
    private static func markRevoked(_ database: Database) throws {
        let rows = try Row.fetchCursor(database, sql: "SELECT rowid, token FROM transactions")
        var revoked: [Int64] = []
        while let row = try rows.next() {
            guard let number = Int64.fromDatabaseValue(row[0]), let members = members(ofToken: row[1]) else { continue }
            if members["revocationDate"] != nil { revoked.append(number) }
        }
        for number in revoked {
            try database.execute(sql: "UPDATE transactions SET revoked = 1 WHERE rowid = ?", arguments: [number])
        }
    }

    /// Binds each original transaction to its newest `appAccountToken`, where version 1 kept the first one that arrived.
    private static func bindNewestTokens(_ database: Database) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT app, environment, line, signed, token FROM transactions
                UNION ALL SELECT app, environment, line, signed, token FROM renewals
                """)
        var bindings: [StatementArguments] = []
        var accounts: Accounts?
        while let row = try rows.next() {
            guard let uuid = members(ofToken: row[4])?["appAccountToken"]?.string.flatMap({ UUID(uuidString: $0) }),
                let app = String.fromDatabaseValue(row[0]), let environment = String.fromDatabaseValue(row[1]),
                let original = String.fromDatabaseValue(row[2]), let signed = Int64.fromDatabaseValue(row[3])
            else { continue }
            if accounts == nil { accounts = try Accounts(database) }
            bindings.append([app, environment, original, accounts?.account(uuid).digest, signed])
        }
        for binding in bindings {
            try database.cachedStatement(
                sql: """
                    INSERT INTO line_owners (app, environment, line, app_account_token, token_signed)
                    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
                    SET app_account_token = excluded.app_account_token, token_signed = excluded.token_signed
                    WHERE (excluded.token_signed, excluded.app_account_token) > (token_signed, app_account_token)
                    """
            ).execute(arguments: binding)
        }
    }

    /// The claims in a stored token, unverified; nil if there are none.
    private static func members(ofToken value: DatabaseValue) -> JSONObject? {
        String.fromDatabaseValue(value).flatMap { try? UnverifiedSignedData(parsing: $0).claims.members }
    }
}
#endif
