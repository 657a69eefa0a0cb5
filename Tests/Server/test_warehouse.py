"""The warehouse of docs/customers.md: its files and statements, as they are there, against a running server."""

import fcntl
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

import made
import pytest
from running import ROOT
from test_customers import examples

# `scripts/test-server.sh --prepare` installs them. DuckDB's command is beside the interpreter.
PATH = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
MISSING = [program for program in ("curl", "duckdb", "flock", "jq") if not shutil.which(program, path=PATH)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"Not installed: {', '.join(MISSING)}")

APP = "com.example.app"
#: The members of an entitlement that may change without an event.
UNREPORTED = {"asOf", "reason", "nextStep", "willRenew", "renewsAs", "ownership"}


class Warehouse:
    """A folder with the files of the document, for a server."""

    def __init__(self, folder):
        self.folder = folder
        self.limit = 1000
        folder.mkdir()
        statements, *self.queries = examples("customers.md", "sql")
        (self.folder / "warehouse.sql").write_text(statements)

    def run(self, server, path=PATH):
        """Runs the script in a process group of its own, and returns its exit status and output."""
        (script,) = examples("customers.md", "sh")
        for text, replacement in ((":8080/", f":{server.port}/"), ("limit=1000", f"limit={self.limit}")):
            assert script.count(text) == 1
            script = script.replace(text, replacement)
        (self.folder / "warehouse.sh").write_text(script)
        return subprocess.run(
            ["sh", "warehouse.sh"], cwd=self.folder, env={**os.environ, "PATH": path}, capture_output=True, text=True,
            start_new_session=True,
        )  # fmt: skip

    def update(self, server):
        done = self.run(server)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def restart(self, server):
        """Begins with the first event again, as the document says."""
        text = (ROOT / "docs" / "customers.md").read_text()
        (statement,) = re.findall(r"^\$ duckdb warehouse.db '(.*)'$", text, re.M)
        assert self.rows(statement) == []
        self.update(server)

    def rows(self, query):
        """The rows of a query, which is read from a file, as objects."""
        done = subprocess.run(
            [shutil.which("duckdb", path=PATH), "-bail", "-json", "warehouse.db"],
            cwd=self.folder, input=query, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "[]")

    def entitlements(self, query="FROM entitlements", without=()):
        """The entitlements of a table, in the form of the server, without some of their members."""
        described = [f"strftime({name}, '%Y-%m-%dT%H:%M:%S.%gZ') AS {name}" for name in ("since", "until", '"asOf"')]
        rows = self.rows(f"SELECT * REPLACE ({', '.join(described)}) {query}")
        skipped = {"cursor", "type", "at", "formerAccount", "replacedAt", *without}
        return sorted(json.dumps({k: v for k, v in row.items() if k not in skipped}, sort_keys=True) for row in rows)


@pytest.fixture
def warehouse(tmp_path):
    return Warehouse(tmp_path / "warehouse")


def listed(server, without=()):
    """The entitlements of the list."""
    found, after = [], ""
    while after is not None:
        page = server.get("/v1/purchases?limit=1000" + (after and f"&after={after}")).json
        for purchase in page["purchases"]:
            for product in purchase["products"]:
                row = {**product, **{name: purchase[name] for name in ("environment", "bundleIdentifier", "account")}}
                for date in ("since", "until", "asOf"):
                    if row[date] and "." not in row[date]:
                        row[date] = row[date].replace("Z", ".000Z")
                found.append(json.dumps({k: v for k, v in row.items() if k not in without}, sort_keys=True))
        after = page["next"]
    return sorted(found)


def is_equal_to_the_list(warehouse, server):
    """Whether the entitlements and the last events of the warehouse are the list."""
    last = "FROM history WHERE replacedAt IS NULL"
    return warehouse.entitlements() == listed(server) and warehouse.entitlements(last, UNREPORTED) == listed(
        server, UNREPORTED
    )


class Customers:
    """Customers of an app, who buy things from a server."""

    def __init__(self, command, folder):
        self.command, self.folder, self.count = command, folder, 0
        # So that the folder has both roots.
        self.receipt = made.receipt(command, folder, APP, options=("--subscription", "monthly:3", "--purchase", "pro"))
        self.sign("transaction", "--product", "none")
        self.flags = made.roots(command, folder)

    def sign(self, kind, *options):
        self.count += 1
        name = f"{self.count}.jws"
        self.command.make(
            kind, self.folder, "--bundle-id", APP, "--environment", "production", "--name", name, *options
        )
        return (self.folder / name).read_text().strip()

    def buy(self, server, account, number, product, *options):
        signed = ("--product", product, "--transaction-id", str(number), "--purchased", "2024-06-30T00:00:00Z")
        token = self.sign("transaction", *signed, *options)
        answer = server.post(f"/v1/accounts/{account}/evidence", {"evidence": [token]})
        assert (answer.status, answer.json["rejected"]) == (200, [])

    def buy_coins(self, server, account, number, *options, day=1):
        signed = f"2024-07-{day:02}T00:00:00Z"
        self.buy(server, account, number, "coins", "--claim", 'type="Consumable"', "--signed", signed, *options)

    def refund(self, server, account, number, *options, day):
        self.buy_coins(server, account, number, "--revoked", f"2024-07-{day:02}T00:00:00Z", *options, day=day)

    def subscribe(self, server, account, number, product="plus", *options):
        self.buy(server, account, number, product, "--expires", "2099-01-01T00:00:00Z", *options)

    def notify(self, server, *options):
        assert server.post("/v1/notifications", {"signedPayload": self.sign("notification", *options)}).status < 300


@pytest.fixture
def customers(command, tmp_path):
    return Customers(command, tmp_path / "made")


def test_a_run_beside_another_one_changes_nothing(customers, serve, warehouse, tmp_path):
    server = serve(*customers.flags, "--database", tmp_path / "state.sqlite")
    with open(warehouse.folder / "running", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = warehouse.run(server)
        assert (done.returncode, done.stderr) == (1, "Another run has not ended.\n")
        assert not (warehouse.folder / "warehouse.db").exists()
    warehouse.update(server)


def test_the_entitlements_and_the_last_events_are_the_list(customers, serve, warehouse, tmp_path):
    (tmp_path / "token").write_text("secret")
    (warehouse.folder / "token").write_text("secret")
    open_server = serve(*customers.flags, "--database", tmp_path / "state.sqlite")
    # Without events.
    warehouse.update(open_server)
    assert warehouse.rows("FROM events") == warehouse.rows("FROM entitlements") == []
    customers.subscribe(open_server, "ann", 1001, "plus")
    upgrade = ("--original-id", "1001", "--signed", "2024-07-03T00:00:00Z")
    customers.subscribe(open_server, "ann", 1002, "plus.yearly", *upgrade)
    # A purchase whose kind becomes known later.
    customers.buy(open_server, "bob", 1010, "coins", "--claim", "type=null", "--signed", "2024-07-01T00:00:00Z")
    customers.buy_coins(open_server, "bob", 1010, day=2)
    customers.buy_coins(open_server, "bob", 1011, "--original-id", "1010")
    posted = open_server.post("/v1/accounts/cat/evidence", {"evidence": [customers.receipt]})
    assert posted.json["rejected"] == []
    assert open_server.request("PUT", "/v1/accounts/dan/purchases/1010").status == 204
    customers.notify(open_server, "--type", "RESCIND_CONSENT")
    # It became known whether it renews, which has no event.
    renewal = ("--product", "plus.yearly", "--transaction-id", "1002", "--expires", "2099-01-01T00:00:00Z")
    customers.notify(
        open_server, "--type", "DID_CHANGE_RENEWAL_STATUS", *renewal, "--original-id", "1001",
        "--purchased", "2024-06-30T00:00:00Z", "--signed", "2024-07-04T00:00:00Z",
    )  # fmt: skip
    warehouse.update(open_server)
    assert is_equal_to_the_list(warehouse, open_server)
    events = open_server.get("/v1/events?limit=1000").json["events"]
    rows = warehouse.rows("FROM events ORDER BY cursor")
    own = ("type", "environment", "bundleIdentifier", "account", "formerAccount")
    assert [[row[name] for name in own] for row in rows] == [[event[name] for name in own] for event in events]
    assert set(rows[0]) - set(own) - {"cursor", "at"} == set(events[0]["after"]) - {"environment"}
    # Nothing is loaded twice, and pages are the same as everything at once.
    warehouse.update(open_server)
    assert warehouse.rows("FROM events ORDER BY cursor") == rows
    warehouse.limit = 2
    warehouse.restart(open_server)
    assert warehouse.rows("FROM events ORDER BY cursor") == rows
    assert is_equal_to_the_list(warehouse, open_server)
    open_server.terminate()
    assert open_server.wait() == 0
    server = serve(*customers.flags, "--database", tmp_path / "state.sqlite", "--token-file", tmp_path / "token")
    warehouse.update(server)
    assert warehouse.rows("FROM events ORDER BY cursor") == rows
    active, days, _, accounts = warehouse.queries
    counted = [{"bundleIdentifier": APP, "productIdentifier": "plus.yearly", "count_star()": 1}]
    assert warehouse.rows(active) == counted
    # The whole history was learned just now.
    today = warehouse.rows(f"SELECT * EXCLUDE day FROM ({days})")
    assert today == counted
    assert warehouse.rows(f'UPDATE events SET "at" = "at" - INTERVAL 60 HOURS; {days}')[0]["count_star()"] == 1
    assert len(warehouse.rows(days)) == 3
    changed = {(row["formerAccount"], row["account"]) for row in warehouse.rows(accounts)}
    assert changed == {("bob", "dan")}
    assert warehouse.rows("SELECT environment FROM events WHERE type = 'consentRescinded'") == [
        {"environment": "production"}
    ]


def test_refunds_are_counted_once(customers, serve, warehouse, tmp_path):
    server = serve(*customers.flags, "--database", tmp_path / "state.sqlite")
    for number in range(1, 6):
        customers.buy_coins(server, f"user-{number}", 2000 + number, "--claim", "quantity=9")
    for day, percentage in enumerate((20_000, 33_333), 3):
        claims = ("quantity=9", f"revocationPercentage={percentage}", 'revocationType="REFUND_PRORATED"')
        part = [option for claim in claims for option in ("--claim", claim)]
        customers.refund(server, "user-1", 2001, *part, day=day)
    for number in (2, 3, 4):
        customers.refund(server, f"user-{number}", 2000 + number, day=3)
    # One that is reversed, and one that is told again, to another account.
    customers.buy_coins(server, "user-3", 2003, day=5)
    warehouse.update(server)
    assert server.request("DELETE", "/v1/accounts/user-4").status == 200
    customers.refund(server, "other", 2004, day=3)
    told = [event["type"] for event in server.get("/v1/events?limit=1000").json["events"]]
    assert (told.count("refunded"), told.count("refundReversed")) == (6, 1)
    warehouse.update(server)
    refunds = {row["transactionIdentifier"]: row for row in warehouse.rows(warehouse.queries[2])}
    found = {number: (row["state"], row["refundedPercentage"], row["until"]) for number, row in refunds.items()}
    date = "2024-07-03 00:00:00+00"
    assert found == {
        "2001": ("owned", 33.333, None), "2002": ("refunded", None, date), "2004": ("refunded", None, date)
    }  # fmt: skip
    assert refunds["2001"]["toldAt"] < refunds["2001"]["at"]
    assert is_equal_to_the_list(warehouse, server)


def test_forgotten_accounts_disappear(customers, serve, warehouse, tmp_path):
    server = serve(*customers.flags, "--database", tmp_path / "state.sqlite")
    for number in range(4):
        customers.subscribe(server, f"user-{number}", 3000 + number)
        customers.buy_coins(server, f"user-{number}", 3010 + number)
    # Two consumables of an original transaction, of which one is submitted again.
    customers.buy_coins(server, "user-0", 3020, "--original-id", "3010")
    assert server.request("PUT", "/v1/accounts/other/purchases/3013").status == 204
    warehouse.update(server)
    for number in (0, 1, 3):
        assert server.request("DELETE", f"/v1/accounts/user-{number}").status == 200
    customers.buy_coins(server, "new", 3020, "--original-id", "3010")
    warehouse.update(server)
    assert is_equal_to_the_list(warehouse, server)
    known = {row["account"] for row in warehouse.rows("SELECT DISTINCT account FROM entitlements")}
    assert known == {"user-2", "other", "new"}
    # A warehouse that begins now has the same entitlements, and no name of a forgotten account.
    warehouse.restart(server)
    assert is_equal_to_the_list(warehouse, server)
    names = warehouse.rows("SELECT DISTINCT unnest([account, formerAccount]) AS name FROM events")
    assert {row["name"] for row in names} == {*known, None}


def test_a_restored_database_is_noticed(customers, command, serve, warehouse, tmp_path):
    database = tmp_path / "state.sqlite"
    server = serve(*customers.flags, "--database", database)
    customers.buy_coins(server, "ann", 4001)
    assert command.run("state", "backup", tmp_path / "copy.sqlite", "--database", database).returncode == 0
    for number in range(3):
        customers.buy_coins(server, "lost", 4010 + number)
    warehouse.update(server)
    server.terminate()
    assert server.wait() == 0
    server = serve(*customers.flags, "--database", tmp_path / "copy.sqlite")
    before = warehouse.rows("FROM events ORDER BY cursor")
    # The cursor is beyond the last event, after it, and of another event.
    for number, error in enumerate(["400", "was restored", "was restored", "was restored"]):
        customers.buy_coins(server, "new", 4020 + number)
        done = warehouse.run(server)
        assert done.returncode != 0
        assert error in done.stderr
        assert warehouse.rows("FROM events ORDER BY cursor") == before
    warehouse.restart(server)
    assert is_equal_to_the_list(warehouse, server)
    assert [row["cursor"] for row in warehouse.rows("FROM events ORDER BY cursor")] == [1, 2, 3, 4, 5]


def test_a_run_that_is_killed_at_any_step_changes_nothing(customers, serve, warehouse, tmp_path):
    server = serve(*customers.flags, "--database", tmp_path / "state.sqlite")
    customers.subscribe(server, "ann", 5001)
    customers.subscribe(server, "bob", 5002)
    warehouse.update(server)
    customers.subscribe(server, "cat", 5003)
    assert server.request("DELETE", "/v1/accounts/bob").status == 200
    tables = ("events", "entitlements", "progress")
    everything = " UNION ALL ".join(f"SELECT to_json({name}) FROM {name}" for name in tables)
    before = warehouse.rows(everything)
    # The program of each step, the last of which is the transaction. It fails too if a file is cut off.
    programs = ["duckdb", *["curl", "jq", "curl"] * 2, "duckdb"]
    for step in range(len(programs) + 1):
        # Kills the script and its programs at this call.
        folder = tmp_path / f"step-{step}"
        folder.mkdir()
        for name in ("curl", "jq", "duckdb"):
            (folder / name).write_text(
                f"""#!/bin/sh
                echo {name} >>{folder}/calls
                [ "$(wc -l <{folder}/calls)" != {step + 1} ] || kill -9 0
                [ {step} != {len(programs)} ] || echo "{{" >>purchases.ndjson
                exec {shutil.which(name, path=PATH)} "$@"
                """
            )
            (folder / name).chmod(0o755)
        done = warehouse.run(server, os.pathsep.join([str(folder), PATH]))
        assert done.returncode == (-signal.SIGKILL if step < len(programs) else 1)
        assert (folder / "calls").read_text().split() == programs[: step + 1]
        assert warehouse.rows(everything) == before
    warehouse.update(server)
    assert is_equal_to_the_list(warehouse, server)
    assert {row["account"] for row in warehouse.rows("FROM events")} == {"ann", "cat"}


@pytest.fixture
def batch(command, warehouse):
    """Runs a command of docs/scale-out.md, which the pattern selects, in the folder of the warehouse."""
    folder = warehouse.folder
    (folder / "Samples").symlink_to(ROOT / "Samples")
    (folder / "appreceipt").symlink_to(pathlib.Path(command.path).resolve())
    environment = {**os.environ, "PATH": os.pathsep.join([str(folder), PATH])}
    blocks = "".join(examples("scale-out.md", "console"))
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", blocks, re.M)

    def run(end, change=lambda text: text):
        (text,) = [text for text in commands if text.endswith(end)]
        done = subprocess.run(["bash", "-c", change(text)], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run


def test_the_results_of_a_batch_have_types(batch, warehouse):
    """The commands and the first statement of docs/scale-out.md."""
    # Some of the receipts are invalid.
    batch("> receipts.txt")
    batch("> owned.csv")
    batch("> owned.csv", lambda text: text.replace("csv", "ndjson"))
    statement = examples("scale-out.md", "sql")[0]
    rows = warehouse.rows(statement)
    assert rows == warehouse.rows(statement.replace("csv", "ndjson"))
    assert [row["line"] for row in rows] == [1, 1, 1, 1, 2, 3]
    assert (rows[0]["since"], rows[0]["transaction"]) == ("2024-07-01 15:04:05+00", "550000000000001")


def test_sales_are_counted_once_from_transactions(batch, customers, warehouse):
    """The command, the statement and the schema of docs/scale-out.md for transactions."""

    def token(number, price, currency, *options, day=1):
        return customers.sign(
            "transaction", "--product", "plus", "--transaction-id", str(number),
            "--purchased", "2024-06-30T10:00:00Z", "--expires", "2024-07-30T10:00:00Z",
            "--signed", f"2024-07-{day:02}T00:00:00Z", "--claim", f"price={price}",
            "--claim", f'currency="{currency}"', *options,
        )  # fmt: skip

    tokens = [
        token(1, 9990, "EUR"), token(1, 9990, "EUR", day=2), token(2, 1010, "EUR"), token(3, 1_200_000, "JPY"),
        token(4, 500, "EUR", "--environment", "sandbox"),
        token(2, 1010, "EUR", "--revoked", "2024-07-05T00:00:00Z", day=5),
        token(6, 600_000, "JPY", "--revoked", "2024-07-05T00:00:00Z", "--claim", "revocationPercentage=50000"),
        customers.sign("notification", "--type", "SUBSCRIBED", "--product", "plus", "--transaction-id", "5"),
    ]  # fmt: skip
    lines = [*(json.dumps({"id": "x", "signedPayload": token}) for token in tokens), "nonsense", customers.receipt]
    (warehouse.folder / "notifications.ndjson.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    flags = shlex.join(map(str, customers.flags))
    batch("> transactions.ndjson", lambda text: text.replace("com.example.app", f"com.example.app {flags}"))
    sales = warehouse.rows(examples("scale-out.md", "sql")[1])
    assert [
        (row["month"], row["currency"], row["purchases"], float(row["sales"]), float(row["refunded"])) for row in sales
    ] == [
        ("2024-06-01", "EUR", 2, 11.0, 1.01), ("2024-06-01", "JPY", 2, 1800.0, 300.0), ("2024-07-01", "USD", 1, 10.99, 0.0)
    ]  # fmt: skip
    # The schema of BigQuery: every field in its order, with a type that reads each value.
    schema = json.loads((ROOT / "docs" / "transactions.bigquery.json").read_text())
    types = {
        "INTEGER": "BIGINT", "STRING": "TEXT", "TIMESTAMP": "TIMESTAMPTZ", "NUMERIC": "DECIMAL(38, 9)",
        "BOOLEAN": "BOOLEAN", "JSON": "JSON",
    }  # fmt: skip
    rows = [json.loads(line) for line in (warehouse.folder / "transactions.ndjson").read_text().splitlines()]
    assert {tuple(row) for row in rows} == {tuple(field["name"] for field in schema)}
    columns = ", ".join(f"\"{field['name']}\": '{types[field['type']]}'" for field in schema)
    read = warehouse.rows(f"SELECT * FROM read_ndjson('transactions.ndjson', columns = {{{columns}}})")
    for row, typed in zip(rows, read, strict=True):
        assert {name for name, value in row.items() if value is None} == {
            name for name, value in typed.items() if value is None
        }
    forms = {"STRING": str, "TIMESTAMP": str, "NUMERIC": (str, int, float), "INTEGER": int, "BOOLEAN": bool, "JSON": dict}
    for field in schema:
        values = [row[field["name"]] for row in rows if row[field["name"]] is not None]
        assert all(isinstance(value, forms[field["type"]]) for value in values), field
        assert field["mode"] != "REQUIRED" or len(values) == len(rows)


def test_the_records_of_a_customer_are_combined_after_sorting(batch, customers, warehouse):
    """The commands of docs/scale-out.md for customers."""
    day = ("--purchased", "2024-06-30T00:00:00Z", "--product", "pro", "--transaction-id")
    bought = [customers.sign("transaction", *day, str(number)) for number in (1, 2)]
    revoked = ("--signed", "2024-07-05T00:00:00Z", "--revoked", "2024-07-04T00:00:00Z")
    refund = customers.sign("transaction", *day, "1", *revoked)
    (warehouse.folder / "export.csv").write_text(
        f"user_id,token\nann,{bought[0]}\nbob,{bought[1]}\nann,{refund}\nbob,x\n"
    )
    batch("TO 'users.csv'\"")
    flags = shlex.join(map(str, customers.flags))
    batch("> customers.csv", lambda text: text.replace("com.example.app", f"com.example.app {flags}"))
    assert (warehouse.folder / "customers.csv").read_text().splitlines() == [
        "id,verdict,code,product,isActive,state,until", "ann,valid,,pro,false,refunded,2024-07-04T00:00:00Z",
        "bob,valid,,pro,true,owned,", "bob,invalid,input-unrecognized,,,,",
    ]  # fmt: skip
