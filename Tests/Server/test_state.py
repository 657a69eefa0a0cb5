"""`appreceipt state` beside running servers: copies while clients write, and moves between engines with the same answers."""

import json
import os
import threading

import made
import pytest
from test_durability import Acknowledged, check, write
from test_postgres import Database


def refund(command, folder, app):
    """The refund of a customer's separate purchase, signed later."""
    command.make(
        "transaction", folder, "--name", f"{app}.refund", "--bundle-id", app, "--environment", "production",
        "--product", "lifetime", "--transaction-id", str(7_000_000_001), "--revoked", "2024-08-01T00:00:00Z",
        "--signed", "2024-08-02T00:00:00Z",
    )  # fmt: skip
    return (folder / f"{app}.refund").read_text().strip()


def answers(server, customers):
    """What a server says about customers, without when it says it."""
    found = {}
    for customer in customers:
        entitlements = server.get(f"/v1/accounts/{customer.account}/entitlements")
        purchase = server.get(f"/v1/purchases/{made.ORIGINAL}?bundle-id={customer.app}")
        assert entitlements.status == purchase.status == 200, (entitlements.body, purchase.body)
        found[customer.account] = [{k: v for k, v in one.json.items() if k != "at"} for one in (entitlements, purchase)]
    found["purchases"] = server.get("/v1/purchases?limit=1000").json
    found["events"] = server.get("/v1/events?limit=1000").json
    return found


def state(command, *arguments, status=0):
    """Runs a command on a database."""
    done = command.run("state", *arguments)
    assert done.returncode == status, (arguments, done.stdout, done.stderr)
    return done


def test_a_backup_while_clients_write_has_everything_that_was_acknowledged(command, serve, tmp_path):
    customers = made.customers(command, tmp_path / "made", 8)
    database, copy = tmp_path / "state.sqlite", tmp_path / "copy.sqlite"
    flags = made.roots(command, tmp_path / "made")
    server = serve("--database", database, *flags)
    acknowledged, later = Acknowledged(), Acknowledged()
    write(server, customers[:4], acknowledged)
    writer = threading.Thread(target=write, args=(server, customers[4:], later))
    writer.start()
    state(command, "backup", copy, "--database", database)
    verified = state(command, "verify", "--database", database, *flags)
    assert "Every row verifies." in verified.stdout
    writer.join(10)
    check(server, customers[4:], later)
    state(command, "verify", "--database", copy, *flags)
    check(serve("--database", copy, *flags), customers[:4], acknowledged)


def test_a_running_server_notices_a_forgotten_purchase(command, serve, tmp_path):
    customer = made.customers(command, tmp_path / "made", 1)[0]
    flags = ["--database", tmp_path / "state.sqlite", *made.roots(command, tmp_path / "made")]
    server = serve(*flags)
    write(server, [customer], Acknowledged())
    assert server.post("/verifyReceipt", {"receipt-data": customer.receipt}).json["status"] == 0
    for purchase in (made.ORIGINAL, str(7_000_000_001)):
        assert state(command, "forget", "--purchase", purchase, *flags).stdout == "Purchases deleted: 1\n"
    assert server.get(f"/v1/accounts/{customer.account}/entitlements").status == 404
    # The same receipt is recorded again, although the server recorded it before.
    assert server.post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="other").headers["X-Replay"] == "0"
    state(command, "forget", "--account", "other", *flags)
    state(command, "forget", "--account", "other", *flags, status=1)


@pytest.fixture
def addresses(command, tmp_path):
    """The databases of a move: SQLite, PostgreSQL if there is one, and SQLite."""
    first, last = tmp_path / "first.sqlite", tmp_path / "last.sqlite"
    built = command.run("serve", "--check", "--database", "postgres:///?host=/nonexistent")
    if "built without PostgreSQL" in built.stderr or not os.environ.get("POSTGRES_TEST_ADDRESS"):
        yield [first, last]
        return
    database = Database()
    yield [first, database.address, last]
    database.drop()


@pytest.mark.parametrize("hashes", [False, True])
def test_a_server_moves_between_engines_with_the_same_answers(command, serve, tmp_path, addresses, hashes):
    customers = made.customers(command, tmp_path / "made", 6)
    forgotten = customers.pop()
    refunded = refund(command, tmp_path / "made", customers[0].app)
    roots = made.roots(command, tmp_path / "made")
    flags = [*roots, *(["--hash-accounts"] if hashes else [])]
    server = serve("--database", addresses[0], *flags)
    write(server, [*customers, forgotten], Acknowledged())
    assert server.post("/v1/signed-data/verify", {"token": refunded}).status == 200
    assert server.request("DELETE", f"/v1/accounts/{forgotten.account}").status == 200
    before = answers(server, customers)
    assert "refunded" in json.dumps(before)
    for source, target in zip(addresses, addresses[1:]):
        server.terminate()
        assert server.wait() == 0
        exported = state(command, "export", "--database", source).stdout
        (tmp_path / "export").write_text(exported)
        for attempt in range(2):
            report = json.loads(
                state(command, "import", tmp_path / "export", "--database", target, *roots, "--format", "json").stdout
            )
            assert report["isComplete"] and report["rejected"] == {} and (report["stored"] == {}) == bool(attempt)
        # Which account hashes belong to is known without a flag.
        server = serve("--database", target, *roots)
        assert answers(server, customers) == before
        assert server.get(f"/v1/accounts/{forgotten.account}/entitlements").status == 404
        # A notification that is repeated is known.
        repeated = server.post("/v1/notifications?report=true", {"signedPayload": customers[1].notification})
        assert repeated.json["repeated"]
        assert "Every row verifies." in state(command, "verify", "--database", target, *roots).stdout
        old = server.post("/v1/signed-data/verify", {"token": customers[0].transaction})
        assert old.status == 200
        assert answers(server, customers) == before
