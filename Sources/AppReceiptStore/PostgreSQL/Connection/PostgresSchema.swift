#if Postgres

/// The tables, and their creation and migration.
///
/// They contain what those of SQLite contain. Differences: the account and the reported entitlements of a purchase are
/// one row, which a write locks; a receipt's key begins with its first original transaction; keys have empty texts
/// where the values of a notification are unknown. App, environment and original transaction lead every key of
/// evidence, so that the tables can be divided by them.
enum PostgresSchema {
    /// Migrations are only ever added: the first one creates version 1 from nothing. The others only add tables,
    /// indexes and columns with defaults, because servers of the version before use the tables meanwhile.
    private static let migrations = [tables]

    /// A lock that one server at a time has while it migrates: `ARKT`, as in SQLite's files.
    private static let lock: Int64 = 0x4152_4B54

    /// Creates or migrates the tables. Servers that start at once wait for each other.
    ///
    /// - Throws: `newerDatabase`, or `foreignDatabase` if another program has a table with the name of one.
    static func migrate(_ session: PostgresSession) throws(StoreError) {
        if try version(in: session) == migrations.count { return }
        try session.write(patience: PostgresSession.longPatience) { transaction throws(StoreError) in
            _ = try transaction.run("SELECT pg_advisory_xact_lock($1)", values: [.integer(lock)])
            let version = try transaction.run(versions).integer == nil ? 0 : Self.version(transaction)
            guard version <= migrations.count else { throw .newerDatabase }
            let statements = migrations[version...].flatMap { migration in
                migration.split(separator: ";").map { PostgresStatement(String($0)) }
            }
            guard !statements.isEmpty else { return }
            _ = try transaction.run(
                statements + [
                    PostgresStatement("DELETE FROM appreceipt_schema"),
                    PostgresStatement(
                        "INSERT INTO appreceipt_schema VALUES ($1)", values: [.integer(Int64(migrations.count))]),
                ])
        }
    }

    /// Whether the next start creates or migrates the tables; nil if neither. Changes nothing.
    ///
    /// - Throws: `newerDatabase`.
    static func migration(_ session: PostgresSession) throws(StoreError) -> PendingMigration? {
        switch try version(in: session) {
        case 0: .creation
        case migrations.count: nil
        default: .migration
        }
    }

    /// Whether the tables exist and are of this version.
    ///
    /// - Throws: `newerDatabase`.
    static func isCurrent(_ session: PostgresSession) throws(StoreError) -> Bool {
        try version(in: session) == migrations.count
    }

    /// The version of the tables; 0 without any.
    private static func version(in session: PostgresSession) throws(StoreError) -> Int {
        guard try session.read([PostgresStatement(versions)]).first?.integer != nil else { return 0 }
        let result = try session.read([PostgresStatement("SELECT max(version) FROM appreceipt_schema")]).first
        let version = Int(result?.integer ?? 0)
        guard version <= migrations.count else { throw .newerDatabase }
        return version
    }

    private static func version(_ transaction: PostgresTransaction) throws(StoreError) -> Int {
        Int(try transaction.run("SELECT max(version) FROM appreceipt_schema").integer ?? 0)
    }

    /// The table of the version in the current schema; null if there is none.
    private static let versions = """
        SELECT c.oid::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relname = 'appreceipt_schema'
        """

    private static let key = """
        app text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL, original text COLLATE "C" NOT NULL
        """

    private static let tables = """
        CREATE TABLE appreceipt_schema (version integer NOT NULL);
        CREATE TABLE settings (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
        CREATE TABLE counters (name text COLLATE "C" PRIMARY KEY, value bigint NOT NULL);
        INSERT INTO counters VALUES ('events', 0), ('forgotten', 0);
        CREATE TABLE commits (session text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, date bigint NOT NULL);
        CREATE TABLE purchases (
            \(key), app_account_token text COLLATE "C", token_signed bigint NOT NULL DEFAULT 0,
            account text COLLATE "C", entitlements text DEFAULT '[]', due bigint, forgotten bigint,
            PRIMARY KEY (app, environment, original)) WITH (fillfactor = 85);
        CREATE INDEX purchases_original ON purchases (original);
        CREATE INDEX purchases_token ON purchases (app_account_token) WHERE app_account_token IS NOT NULL;
        CREATE INDEX purchases_account ON purchases (account) WHERE account IS NOT NULL;
        CREATE INDEX purchases_due ON purchases (due) WHERE due IS NOT NULL;
        CREATE TABLE transactions (
            \(key), identifier text COLLATE "C" NOT NULL, signed bigint NOT NULL, received bigint NOT NULL,
            revoked boolean NOT NULL, ended bigint NOT NULL, token text NOT NULL,
            PRIMARY KEY (app, environment, original, identifier));
        CREATE INDEX transactions_identifier ON transactions (identifier);
        CREATE INDEX transactions_revoked ON transactions (app, environment, original, identifier) WHERE revoked;
        CREATE TABLE renewals (
            \(key), signed bigint NOT NULL, received bigint NOT NULL, token text NOT NULL,
            PRIMARY KEY (app, environment, original));
        CREATE TABLE statuses (
            \(key), signed bigint NOT NULL, received bigint NOT NULL, token text NOT NULL,
            PRIMARY KEY (app, environment, original));
        CREATE TABLE notifications (
            \(key), identifier text COLLATE "C" NOT NULL, signed bigint NOT NULL, received bigint NOT NULL, type text,
            subtype text, PRIMARY KEY (app, environment, original, identifier));
        CREATE TABLE receipts (
            \(key), digest bytea NOT NULL, created bigint NOT NULL, received bigint NOT NULL, der bytea NOT NULL,
            PRIMARY KEY (app, environment, original, digest));
        ALTER TABLE receipts ALTER COLUMN der SET STORAGE EXTERNAL;
        CREATE TABLE receipt_originals (
            \(key), home text COLLATE "C" NOT NULL, digest bytea NOT NULL, created bigint NOT NULL,
            canceled boolean NOT NULL, PRIMARY KEY (app, environment, original, home, digest));
        CREATE INDEX receipt_originals_receipt ON receipt_originals (app, environment, home, digest);
        CREATE INDEX receipt_originals_canceled
        ON receipt_originals (app, environment, original, home, digest) WHERE canceled;
        CREATE TABLE receipt_transactions (
            \(key), identifier text COLLATE "C" NOT NULL, PRIMARY KEY (app, environment, original, identifier));
        CREATE INDEX receipt_transactions_identifier ON receipt_transactions (identifier);
        CREATE TABLE tombstones (
            \(key), digest bytea NOT NULL, claims text NOT NULL, PRIMARY KEY (app, environment, original, digest));
        CREATE TABLE events (
            number bigint PRIMARY KEY, app text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL,
            original text COLLATE "C", product text, account text COLLATE "C", former_account text COLLATE "C",
            type text, date bigint NOT NULL, before text, after text, cause text NOT NULL, notification_type text,
            notification_uuid text, body bytea);
        CREATE INDEX events_app ON events (app, number) WHERE type IS NOT NULL;
        CREATE INDEX events_original ON events (app, environment, original) WHERE original IS NOT NULL;
        CREATE INDEX events_account ON events (account) WHERE account IS NOT NULL;
        CREATE INDEX events_former_account ON events (former_account) WHERE former_account IS NOT NULL;
        CREATE TABLE webhook_positions (
            webhook text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, removed bigint);
        CREATE TABLE webhook_deliveries (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, webhook text COLLATE "C" NOT NULL,
            event bigint NOT NULL, attempts bigint NOT NULL, first_due bigint NOT NULL, due bigint, failed bigint,
            failure text);
        CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook, due, number) WHERE due IS NOT NULL;
        CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event);
        CREATE TABLE completions (
            \(key), completed bigint, revision text, attempts bigint NOT NULL, due bigint, holder text COLLATE "C",
            lease bigint, PRIMARY KEY (app, environment, original));
        CREATE INDEX completions_due ON completions (app, environment, due) WHERE due IS NOT NULL;
        CREATE TABLE catch_up_positions (
            app text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL, reached bigint,
            period_length bigint, PRIMARY KEY (app, environment));
        CREATE TABLE notification_gaps (
            app text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL, since bigint NOT NULL,
            until bigint NOT NULL, attempts bigint NOT NULL, due bigint NOT NULL,
            PRIMARY KEY (app, environment, since));
        """
}
#endif
