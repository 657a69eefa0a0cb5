-- Divides the tables of evidence by the hash of the original transaction, so that a table of billions of rows is stored,
-- vacuumed and indexed in parts. Run it once, while no server runs, after the tables exist:
--
--   appreceipt state migrate --database postgres://receipts@db.example.com/receipts
--   psql -h db.example.com -U receipts -d receipts --single-transaction -v ON_ERROR_STOP=1 -f partitions.sql
--
-- It copies what the tables contain. The servers' statements stay as they are: app, environment and original transaction are
-- in every primary key. Indexes get the names that PostgreSQL gives them, and grants to other roles have to be repeated.
DO $$
DECLARE
    parts CONSTANT integer := 16;
    divided text;
BEGIN
    FOREACH divided IN ARRAY ARRAY[
        'purchases', 'transactions', 'renewals', 'statuses', 'notifications', 'receipts', 'receipt_originals',
        'receipt_transactions', 'tombstones', 'completions']
    LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO former', divided);
        EXECUTE format('CREATE TABLE %I (LIKE former INCLUDING ALL) PARTITION BY HASH (original)', divided);
        FOR part IN 0 .. parts - 1 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s) %s',
                divided || '_part' || part, divided, parts, part,
                CASE WHEN divided = 'purchases' THEN 'WITH (fillfactor = 85)' END);
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT * FROM former', divided);
        DROP TABLE former;
        EXECUTE format('ANALYZE %I', divided);
    END LOOP;
END $$;
