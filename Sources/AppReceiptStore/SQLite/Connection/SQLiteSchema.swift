#if Server
import AppReceiptFoundation
import GRDB

/// The tables. The signed data is in `token` and `der`; the other columns only serve to find and select it.
///
/// Dates are milliseconds since 1970. An environment is `production` or `sandbox`. The column `original` is an original
/// transaction identifier; the same number may be another purchase in another environment. `received` is when the
/// server received the row's data. Keys begin with the identifier, so that it is found without knowing its app.
enum SQLiteSchema {
    /// `ARKT`, which distinguishes the database from those of other programs.
    static let applicationIdentifier: Int64 = 0x4152_4B54

    /// Migrations are only ever added. After the first one, they only add tables, indexes and columns with defaults,
    /// because servers of the version before use the tables meanwhile. A database with an unknown migration belongs to
    /// a newer version.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("evidence") { database in
            try database.execute(sql: tables)
            try database.execute(sql: "PRAGMA application_id = \(applicationIdentifier)")
        }
        return migrator
    }

    private static let tables = """
        CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL);

        -- `revoked` and `ended` (the end of the period, or the date of a one-time purchase) select what is read first.
        CREATE TABLE transactions (
            app TEXT NOT NULL, environment TEXT NOT NULL, identifier TEXT NOT NULL, original TEXT NOT NULL,
            signed INTEGER NOT NULL, received INTEGER NOT NULL, revoked INTEGER NOT NULL, ended INTEGER NOT NULL,
            token TEXT NOT NULL, PRIMARY KEY (identifier, app, environment));
        CREATE INDEX transactions_original
        ON transactions (original, app, environment, revoked, ended, signed, identifier);

        CREATE TABLE renewals (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, signed INTEGER NOT NULL,
            received INTEGER NOT NULL, token TEXT NOT NULL, PRIMARY KEY (original, app, environment));

        -- The newest notification of each original transaction that states the status of the subscription.
        CREATE TABLE statuses (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, signed INTEGER NOT NULL,
            received INTEGER NOT NULL, token TEXT NOT NULL, PRIMARY KEY (original, app, environment));

        -- The original transaction is null for a notification about none, and if it was forgotten.
        CREATE TABLE notifications (
            identifier TEXT NOT NULL PRIMARY KEY, signed INTEGER NOT NULL, received INTEGER NOT NULL, type TEXT,
            subtype TEXT, original TEXT, app TEXT, environment TEXT) WITHOUT ROWID;
        CREATE INDEX notifications_original ON notifications (original, app, environment) WHERE original IS NOT NULL;

        -- `sole`: whether nothing else is stored about the original transactions of the receipt. It is looked up in the
        -- index alone, because the rows are as large as receipts.
        CREATE TABLE receipts (
            number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, app TEXT NOT NULL, environment TEXT NOT NULL,
            created INTEGER NOT NULL, received INTEGER NOT NULL, sole INTEGER NOT NULL, der BLOB NOT NULL);
        CREATE INDEX receipts_sole ON receipts (digest) WHERE sole = 1;
        CREATE TABLE receipt_originals (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL,
            receipt INTEGER NOT NULL REFERENCES receipts (number) ON DELETE CASCADE,
            canceled INTEGER NOT NULL, PRIMARY KEY (original, app, environment, receipt)) WITHOUT ROWID;
        CREATE INDEX receipt_originals_receipt ON receipt_originals (receipt);
        -- The other transactions in receipts, so that they are found.
        CREATE TABLE receipt_transactions (
            app TEXT NOT NULL, environment TEXT NOT NULL, identifier TEXT NOT NULL, original TEXT NOT NULL,
            PRIMARY KEY (identifier, app, environment)) WITHOUT ROWID;
        CREATE INDEX receipt_transactions_original ON receipt_transactions (original, app, environment);

        -- What remains of the transactions of forgotten purchases: their last states.
        CREATE TABLE tombstones (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, claims TEXT NOT NULL,
            PRIMARY KEY (original, app, environment, claims)) WITHOUT ROWID;

        -- Accounts are names, or hashes of names.
        CREATE TABLE account_bindings (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, app_account_token TEXT,
            token_signed INTEGER NOT NULL, account TEXT, PRIMARY KEY (original, app, environment)) WITHOUT ROWID;
        CREATE INDEX account_bindings_token ON account_bindings (app_account_token)
        WHERE app_account_token IS NOT NULL;
        CREATE INDEX account_bindings_account ON account_bindings (account) WHERE account IS NOT NULL;

        -- The entitlements of each purchase that were reported last, and when time alone may change them. Null for a
        -- forgotten purchase, of which nothing is reported, with the date it was forgotten.
        CREATE TABLE purchase_states (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, entitlements TEXT, due INTEGER,
            forgotten INTEGER, PRIMARY KEY (original, app, environment)) WITHOUT ROWID;
        CREATE INDEX purchase_states_due ON purchase_states (due) WHERE due IS NOT NULL;
        CREATE INDEX purchase_states_app ON purchase_states (app, environment, original)
        WHERE entitlements IS NOT NULL;

        -- What changed, and notifications to forward, whose type is null. Numbers are never used again.
        CREATE TABLE events (
            number INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT,
            product TEXT, account TEXT, former_account TEXT, type TEXT, date INTEGER NOT NULL, before TEXT, after TEXT,
            cause TEXT NOT NULL, notification_type TEXT, notification_uuid TEXT, body BLOB);
        CREATE INDEX events_app ON events (app, number) WHERE type IS NOT NULL;
        CREATE INDEX events_original ON events (original, app, environment) WHERE original IS NOT NULL;
        CREATE INDEX events_account ON events (account) WHERE account IS NOT NULL;
        CREATE INDEX events_former_account ON events (former_account) WHERE former_account IS NOT NULL;

        -- Up to which event each webhook has its deliveries. `removed` is since when it isn't configured any more.
        CREATE TABLE webhook_positions (
            webhook TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, removed INTEGER) WITHOUT ROWID;

        -- `due` is the time of the next attempt or the end of the lease, null if there is none. `failed` and `failure` are
        -- the date and the reason of the last failure.
        CREATE TABLE webhook_deliveries (
            number INTEGER PRIMARY KEY AUTOINCREMENT, webhook TEXT NOT NULL, event INTEGER NOT NULL,
            attempts INTEGER NOT NULL, first_due INTEGER NOT NULL, due INTEGER, failed INTEGER, failure TEXT);
        CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook, due) WHERE due IS NOT NULL;
        CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event);

        -- The requests to the App Store: `due` is the time of the next one, null if none is necessary.
        CREATE TABLE completions (
            app TEXT NOT NULL, environment TEXT NOT NULL, original TEXT NOT NULL, completed INTEGER,
            revision TEXT, attempts INTEGER NOT NULL, due INTEGER,
            PRIMARY KEY (app, environment, original)) WITHOUT ROWID;
        CREATE INDEX completions_due ON completions (app, environment, due) WHERE due IS NOT NULL;

        -- How far the App Store's notification history was read.
        CREATE TABLE catch_up_positions (
            app TEXT NOT NULL, environment TEXT NOT NULL, reached INTEGER, period_length INTEGER,
            PRIMARY KEY (app, environment)) WITHOUT ROWID;

        -- The periods of the App Store's notification history that have to be read again at `due`.
        CREATE TABLE notification_gaps (
            app TEXT NOT NULL, environment TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL,
            attempts INTEGER NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (app, environment, since)) WITHOUT ROWID;
        """
}

extension Database {
    /// The value of a setting; nil if it was never set.
    func value(of setting: Setting) throws -> DatabaseValue? {
        try DatabaseValue.fetchOne(
            cachedStatement(sql: "SELECT value FROM settings WHERE name = ?"), arguments: [setting.rawValue])
    }

    /// The number of times that purchases were forgotten.
    func forgetCount() throws -> Int64 { try value(of: .forgetCount).flatMap { Int64.fromDatabaseValue($0) } ?? 0 }

    /// Stores the value of a setting.
    func set(_ setting: Setting, to value: some DatabaseValueConvertible) throws {
        try execute(
            sql: "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", arguments: [setting.rawValue, value])
    }
}
#endif
