#if Server
import GRDB

/// The tables. What is proven stands in `token` and `der`; the other columns say where to find it and count for nothing.
///
/// Dates are milliseconds since 1970. An environment is `production` or `sandbox`. A line is an original transaction
/// identifier; the same number may be another purchase in another environment.
enum StoreSchema {
    /// `ARKT`, by which the database is told from those of other programs.
    static let applicationIdentifier: Int64 = 0x4152_4B54

    /// Migrations are only ever added. A database with one that is not here belongs to a newer version.
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
        return migrator
    }
}
#endif
