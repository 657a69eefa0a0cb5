"""The plans of every statement that a server sends, in a large PostgreSQL database: none may read more as the tables grow.

The database is filled with rows of the sizes of keys, but with short evidence that doesn't verify. PLAN_ROWS is the number
of transactions (default: 200,000). Ten million take a quarter of an hour.
"""

import collections
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import time

import made
import pytest
from running import becomes, clean_environment
from test_postgres import database, pytestmark, serve_shared  # noqa: F401

ROWS = int(os.environ.get("PLAN_ROWS", "200000"))
PERIODS = 5
PURCHASES = ROWS // PERIODS
#: The rows that a node of a plan may read. A page has 1,000, of an app that has a tenth of them.
MAX_ROWS = 20_000
#: The rows of the largest table that is counted for metrics.
COUNTED = 1_000_000
REPEATS = 7
LARGE = {
    "purchases", "transactions", "renewals", "statuses", "notifications", "receipts", "receipt_originals",
    "receipt_transactions", "tombstones", "events", "completions", "webhook_deliveries",
}  # fmt: skip

PARTITIONS = pathlib.Path(__file__).parents[2] / "deploy" / "partitions.sql"

# One app has nine tenths of the purchases, and one purchase of a hundred is of the sandbox.
KEY = """CASE WHEN n % 10 < 9 THEN 'com.example.large' ELSE 'com.example.small' END,
    CASE WHEN n % 100 = 0 THEN 'sandbox' ELSE 'production' END, (300000000000000 + n)::text"""
DATE = "1700000000000 + n"
FILL = f"""
INSERT INTO purchases (app, environment, original, account, app_account_token, due, entitlements)
    SELECT {KEY}, CASE WHEN n % 4 < 3 THEN 'user-' || n END,
    CASE WHEN n % 4 = 3 THEN md5(n::text)::uuid::text END, CASE WHEN n % 3 = 0 THEN 4000000000000 + n END,
    CASE WHEN n % 20 = 0 THEN '[]' ELSE real.entitlements END
    FROM generate_series(1, {PURCHASES}) n, (SELECT entitlements FROM purchases LIMIT 1) real;
INSERT INTO transactions SELECT {KEY}, (400000000000000 + n * {PERIODS}::bigint + period)::text, {DATE}, {DATE}, n % 50 = 0, {DATE}, 'x'
    FROM generate_series(1, {PURCHASES}) n, generate_series(1, {PERIODS}) period;
INSERT INTO renewals SELECT {KEY}, {DATE}, {DATE}, 'x' FROM generate_series(1, {PURCHASES}) n;
INSERT INTO statuses SELECT {KEY}, {DATE}, {DATE}, 'x' FROM generate_series(1, {PURCHASES}) n;
INSERT INTO notifications SELECT {KEY}, md5(n::text || period), {DATE}, {DATE}, 'DID_RENEW', NULL
    FROM generate_series(1, {PURCHASES}) n, generate_series(1, {PERIODS}) period;
INSERT INTO receipts SELECT {KEY}, decode(md5(n::text), 'hex'), {DATE}, {DATE}, 'x' FROM generate_series(1, {PURCHASES}) n;
INSERT INTO receipt_originals SELECT {KEY}, (300000000000000 + n)::text, decode(md5(n::text), 'hex'), {DATE}, n % 50 = 0
    FROM generate_series(1, {PURCHASES}) n;
INSERT INTO receipt_transactions SELECT {KEY}, (400000000000000 + n * {PERIODS}::bigint + period)::text
    FROM generate_series(1, {PURCHASES}) n, generate_series(1, {PERIODS}) period;
INSERT INTO tombstones SELECT {KEY}, decode(md5(n::text), 'hex'), 'x' FROM generate_series(1, {PURCHASES}) n WHERE n % 100 = 1;
INSERT INTO completions SELECT {KEY}, {DATE}, 'x', 0, CASE WHEN n % 1000 = 0 THEN 4000000000000 + n END, NULL, NULL
    FROM generate_series(1, {PURCHASES}) n;
INSERT INTO events (number, app, environment, original, product, account, type, date, cause)
    SELECT n, {KEY}, 'pro', 'user-' || n, 'activated', {DATE}, 'transaction' FROM generate_series(1, {PURCHASES}) n;
INSERT INTO webhook_deliveries (webhook, event, attempts, first_due, due)
    SELECT 'com.example.large https://example.com/hook', n, 1, {DATE}, 4000000000000 + n FROM generate_series(1, {PURCHASES}) n;
UPDATE counters SET value = {PURCHASES} WHERE name = 'events';
ANALYZE;
"""


def nodes(plan):
    """The nodes of a plan."""
    yield plan
    for inner in plan.get("Plans", []):
        yield from nodes(inner)


def rows_read(node):
    """The rows that a scan read, also those that it didn't return."""
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return (node["Actual Rows"] + removed) * node["Actual Loops"]


def plans(log):
    """The plans in a log of `auto_explain`: the text of each statement, and the root of its plan."""
    lines = log.splitlines()
    for index, line in enumerate(lines):
        if not line.endswith("plan:"):
            continue
        end = index + 1
        while end < len(lines) and lines[end].startswith("\t"):
            end += 1
        entry = json.loads("\n".join(lines[index + 1 : end]))
        yield entry["Query Text"], entry["Plan"]


def export(command, database):
    """Exports the database, at most a million rows, and returns their number."""
    exporting = subprocess.Popen(
        [command.path, "state", "export", "--database", database.address], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=clean_environment(), text=True)  # fmt: skip
    with exporting:
        return sum(1 for _ in itertools.islice(exporting.stdout, 1_000_000))


def sizes(database):
    """The bytes for each row of the tables, with their indexes."""
    for table in sorted(LARGE):
        rows = int(database.query(f"SELECT count(*) FROM {table}")[0])
        parts = f"(SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('{table}'))"
        size = int(database.query(f"SELECT coalesce({parts}, pg_total_relation_size('{table}'))")[0])
        yield table, rows, size


@pytest.mark.parametrize("is_partitioned", [False, True])
def test_no_statement_reads_more_in_a_large_database(command, database, serve, serve_shared, tmp_path, is_partitioned):
    # Evidence that verifies, beside the rows that don't.
    customers = made.customers(command, tmp_path / "made", REPEATS)
    first = serve_shared()
    assert first.post("/v1/signed-data/verify", {"token": customers[0].transaction}).json["verdict"] == "valid"
    first.kill()
    database.query("DELETE FROM events")
    if is_partitioned:
        database.query(PARTITIONS.read_text())
    started = time.monotonic()
    for statement in FILL.split(";\n"):
        if statement.strip():
            database.query(statement, timeout=3600)
    form = "partitioned, " if is_partitioned else ""
    print(f"\n{ROWS} transactions of {PURCHASES} purchases, {form}filled in {time.monotonic() - started:.0f} s")
    for setting in [
        "session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0", "auto_explain.log_analyze = on",
        "auto_explain.log_timing = off", "auto_explain.log_format = json",
    ]:  # fmt: skip
        database.query(f"ALTER DATABASE {database.name} SET {setting}")
    log = pathlib.Path(database.folder, "log")
    before = log.stat().st_size
    server = serve_shared()
    times = {}

    def repeat(name, send):
        taken = []
        for number in range(REPEATS):
            begun = time.monotonic()
            answer = send(customers[number], number * 997 % PURCHASES)
            taken.append(time.monotonic() - begun)
            assert answer.status < 500, (name, answer.body, server.errors[-600:])
        times[name] = statistics.median(taken)

    def original(number):
        return str(300_000_000_000_001 + number)

    search = {"Content-Type": "application/json"}
    for name, send in {
        "notification": lambda one, _: server.post("/v1/notifications", {"signedPayload": one.notification}),
        "verifyReceipt": lambda one, _: server.post("/verifyReceipt", {"receipt-data": one.receipt}, X_Account=one.account),
        "validate": lambda one, _: server.post("/v1/receipts/validate", {"receipt": one.receipt}),
        "evidence": lambda one, _: server.post(f"/v1/accounts/{one.account}/evidence", {"evidence": [one.transaction]}),
        "entitlements": lambda one, _: server.get(f"/v1/accounts/{one.account}/entitlements"),
        "entitlements of a row": lambda _, n: server.get(f"/v1/accounts/user-{n}/entitlements"),
        "purchase": lambda _, n: server.get(f"/v1/purchases/{original(n)}"),
        "purchase by transaction": lambda _, n: server.get(f"/v1/purchases/{400_000_000_000_000 + n * PERIODS + 2}"),
        "purchases": lambda _, n: server.get("/v1/purchases?limit=100"),
        "purchases of a small app": lambda _, n: server.get("/v1/purchases?limit=100&bundle-id=com.example.small"),
        "purchases of the sandbox": lambda _, n: server.get("/v1/purchases?limit=100&environment=sandbox"),
        "events": lambda _, n: server.get(f"/v1/events?after={n}&limit=1000"),
        "events of a small app": lambda _, n: server.get(f"/v1/events?after={n}&limit=1000&bundle-id=com.example.small"),
        "page": lambda _, n: server.request(
            "POST", "/v1/inspector/examine", json.dumps({"search": f"user-{n}"}), search),
        "bind": lambda _, n: server.request("PUT", f"/v1/accounts/bound/purchases/{original(n)}"),
        "forget": lambda _, n: server.request("DELETE", f"/v1/accounts/user-{n}"),
        "ready": lambda *_: server.get("/readyz"),
        "metrics": lambda *_: server.get("/metrics"),
    }.items():  # fmt: skip
        repeat(name, send)
    server.terminate()
    server.wait()
    exported = export(command, database)
    # The log of the last session may be written after the server ended.
    becomes(lambda: not database.query("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' "
                                       f"AND datname = '{database.name}' AND pid <> pg_backend_pid()"), 10,
            lambda: "A session hasn't ended.")  # fmt: skip
    with log.open() as file:
        file.seek(before)
        found = list(plans(file.read()))
    assert len(found) > 100 and exported > min(ROWS, 900_000), (len(found), exported)
    offenders = {}
    most = 0
    for text, plan in found:
        reads = collections.Counter()
        for node in nodes(plan):
            # The parts of a divided table count together.
            table = re.sub(r"_part\d+$", "", node.get("Relation Name", ""))
            if table in LARGE:
                reads[table if is_partitioned else (table, id(node))] += rows_read(node)
        for table, read in reads.items():
            # Only smaller tables are counted.
            is_count = "reltuples" in text
            most = max(most, 0 if is_count else read)
            if read > (COUNTED if is_count else MAX_ROWS):
                offenders[" ".join(text.split())] = (table, read)
    for name, seconds in times.items():
        print(f"{seconds * 1000:8.1f} ms  {name}")
    for table, rows, size in sizes(database):
        print(f"{size / rows:8.0f} bytes a row  {table}, {rows} rows")
    print(f"{exported} rows exported")
    print(f"{len(found)} plans of {len({text for text, _ in found})} statements; a scan reads at most {most} rows, but for counts")
    assert not offenders, "\n".join(f"{value}: {text}" for text, value in offenders.items())
