"""Acknowledged evidence is on disk: servers are killed at random moments while clients write."""

import contextlib
import http.client
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import threading
import time

import made
import pytest
from running import ROOT, becomes

KILLS = 16
CLIENTS = 6
CUSTOMERS_PER_KILL = 16


class Acknowledged:
    """The writes that the server has acknowledged."""

    def __init__(self):
        self._lock = threading.Lock()
        self._kept = set()
        self._changed = threading.Condition(self._lock)

    def add(self, kind, customer):
        with self._lock:
            self._kept.add((kind, customer.app))
            self._changed.notify_all()

    def wait_for(self, count, timeout):
        with self._lock:
            return self._changed.wait_for(lambda: len(self._kept) >= count, timeout)

    def of(self, kind, customers):
        with self._lock:
            return [customer for customer in customers if (kind, customer.app) in self._kept]

    def __len__(self):
        with self._lock:
            return len(self._kept)


def write(server, customers, acknowledged):
    """Posts the data of each customer until the server is killed."""
    for customer in customers:
        posts = [
            ("notification", "/v1/notifications?report=true", {"signedPayload": customer.notification}),
            ("receipt", "/verifyReceipt", {"receipt-data": customer.receipt}),
            ("transaction", "/v1/signed-data/verify", {"token": customer.transaction}),
        ]
        random.shuffle(posts)
        for kind, path, body in posts:
            try:
                answer = server.post(path, body, X_Account=customer.account)
            except (OSError, http.client.HTTPException):
                return
            assert answer.status == 200
            assert answer.json.get("status", 0) == 0
            acknowledged.add(kind, customer)


def check(server, customers, acknowledged):
    """Checks that the server knows all acknowledged evidence."""
    for customer in acknowledged.of("notification", customers):
        answer = server.post("/v1/notifications?report=true", {"signedPayload": customer.notification})
        assert (answer.status, answer.json["repeated"]) == (200, True), customer.app
        # Without an account, so that this request doesn't bind the purchase.
        renewed = server.post("/verifyReceipt", {"receipt-data": customer.receipt}).json
        known = [transaction["transaction_id"] for transaction in renewed["latest_receipt_info"]]
        assert made.RENEWAL in known, customer.app
    for customer in acknowledged.of("receipt", customers):
        own = server.post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account=customer.account)
        assert own.headers["X-Replay"] == "0", customer.app
        other = server.post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="somebody-else")
        assert int(other.headers["X-Replay"]) >= 1, customer.app
    for customer in acknowledged.of("transaction", customers):
        other = server.post("/v1/signed-data/verify", {"token": customer.transaction}, X_Account="somebody-else")
        assert len(other.json["replays"]) == 1, customer.app


def assert_sound(database, copy):
    """Checks a copy of the database of a killed server, because opening the original would change it."""
    copy.mkdir()
    for suffix in ("", "-wal", "-shm"):
        file = database.with_name(database.name + suffix)
        if file.exists():
            shutil.copy(file, copy / file.name)
    connection = sqlite3.connect(copy / database.name)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_acknowledged_evidence_survives_kills_at_random_moments(command, serve, tmp_path):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    random.seed(seed)
    database = tmp_path / "state.sqlite"
    everybody = made.customers(command, tmp_path / "made", KILLS * CUSTOMERS_PER_KILL)
    flags = ["--database", database, *made.roots(command, tmp_path / "made")]
    acknowledged = Acknowledged()
    in_flight = 0
    for kill in range(KILLS):
        server = serve(*flags)
        group = everybody[kill * CUSTOMERS_PER_KILL : (kill + 1) * CUSTOMERS_PER_KILL]
        parts = [group[client::CLIENTS] for client in range(CLIENTS)]
        clients = [threading.Thread(target=write, args=(server, part, acknowledged)) for part in parts]
        before = len(acknowledged)
        for client in clients:
            client.start()
        assert acknowledged.wait_for(before + random.randint(1, 2 * CUSTOMERS_PER_KILL), timeout=10)
        time.sleep(random.random() * 0.005)
        in_flight += any(client.is_alive() for client in clients)
        server.kill()
        for client in clients:
            client.join(10)
        assert_sound(database, tmp_path / f"copy-{kill}")
        if kill % 4 == 3:
            # A restarted server recovers the database, is checked, and killed as well.
            server = serve(*flags)
            check(server, group, acknowledged)
            server.kill()
    assert in_flight > KILLS / 2, "Most kills happened while no client was writing."
    assert len(acknowledged) > KILLS * 10
    server = serve(*flags)
    check(server, everybody, acknowledged)
    server.terminate()
    assert server.wait() == 0
    assert_sound(database, tmp_path / "copy-last")
    print(f"{KILLS} kills, {len(acknowledged)} writes acknowledged and found")


def test_a_server_whose_disk_is_full_is_not_ready_until_there_is_room(command, serve, tmp_path):
    """A limit on the size of files simulates a full disk."""
    database = tmp_path / "state.sqlite"
    receipts = [
        made.receipt(command, tmp_path / "made", f"com.example.app{number}", options=("--subscription", "monthly:40"))
        for number in range(12)
    ]
    server = serve("--database", database, "--root", tmp_path / "made" / "root.pem")
    log = database.with_name("state.sqlite-wal")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (log.stat().st_size + 100_000, resource.RLIM_INFINITY))
    statuses = []
    for receipt in receipts:
        statuses.append(server.post("/verifyReceipt", {"receipt-data": receipt}).json["status"])
        if statuses[-1] != 0:
            break
    assert statuses[0] == 0 and 21100 <= statuses[-1] < 21200
    for _ in range(3):
        answer = server.get("/readyz")
        assert answer.status == 503 and answer.json["status"] != "ready"
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert server.get("/readyz").status == 200
    assert server.post("/verifyReceipt", {"receipt-data": receipts[-1]}).json["status"] == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_full_file_system_is_not_ready_although_the_files_have_free_pages(command, serve, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], check=True)
    try:
        receipt = made.receipt(command, tmp_path / "made", "com.example.app")
        server = serve("--database", folder / "state.sqlite", "--root", tmp_path / "made" / "root.pem")
        ballast = os.open(folder / "ballast", os.O_WRONLY | os.O_CREAT)
        with contextlib.suppress(OSError):
            while True:
                os.write(ballast, bytes(4096))
        os.close(ballast)
        assert server.post("/verifyReceipt", {"receipt-data": receipt}).json["status"] == 21100
        for _ in range(3):
            assert server.get("/readyz").status == 503
        (folder / "ballast").unlink()
        assert server.get("/readyz").status == 200
        assert server.post("/verifyReceipt", {"receipt-data": receipt}).json["status"] == 0
        assert server.errors.count("The database works again") == 1
        server.terminate()
        server.wait()
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def test_readiness_is_answered_within_seconds_while_another_process_locks_the_database(command, serve, tmp_path):
    receipt = made.receipt(command, tmp_path / "made", "com.example.app")
    server = serve("--database", tmp_path / "state.sqlite", "--root", tmp_path / "made" / "root.pem")
    with sqlite3.connect(tmp_path / "state.sqlite", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert server.post("/verifyReceipt", {"receipt-data": receipt}).json["status"] == 21100
        begun = time.monotonic()
        assert server.get("/readyz").status == 503
        assert time.monotonic() - begun < 5
        other.execute("ROLLBACK")
    becomes(lambda: server.get("/readyz").status == 200, 10, lambda: server.errors[-500:])


def test_the_database_can_be_copied_while_it_is_written(command, serve, tmp_path):
    """The backup of docs/deployment.md: VACUUM INTO while the server runs."""
    customers = made.customers(command, tmp_path / "made", 8)
    database, copy = tmp_path / "state.sqlite", tmp_path / "copy.sqlite"
    flags = made.roots(command, tmp_path / "made")
    server = serve("--database", database, *flags)
    acknowledged = Acknowledged()
    write(server, customers[:4], acknowledged)
    writer = threading.Thread(target=write, args=(server, customers[4:], Acknowledged()))
    writer.start()
    connection = sqlite3.connect(database, timeout=5)
    connection.execute("VACUUM INTO ?", (str(copy),))
    connection.close()
    writer.join(10)
    assert server.get("/readyz").json == {"status": "ready"}
    restored = serve("--database", copy, *flags)
    check(restored, customers[:4], acknowledged)


def test_a_purchase_can_be_deleted_while_the_server_runs(command, serve, tmp_path):
    """The test executes the statements of docs/deployment.md."""
    customer = made.customers(command, tmp_path / "made", 1)[0]
    database = tmp_path / "state.sqlite"
    flags = ["--database", database, *made.roots(command, tmp_path / "made")]
    server = serve(*flags)
    write(server, [customer], Acknowledged())
    # An older receipt that is stored for another subscription, so no table lists the purchase for it; and a receipt of
    # another customer.
    older = made.receipt(
        command, tmp_path / "older", customer.app,
        options=("--subscription", "monthly:1", "--subscription", "other:1", "--created", "2024-06-20T15:04:05Z"),
    )  # fmt: skip
    others = made.receipt(
        command, tmp_path / "others", "com.example.others", options=("--purchase", "pro", "--first-transaction", "7")
    )
    for receipt in (older, others):
        assert server.post("/verifyReceipt", {"receipt-data": receipt}).json["status"] == 0
    text = (ROOT / "docs" / "deployment.md").read_text()
    statements = re.search(r'"(PRAGMA foreign_keys = ON; BEGIN IMMEDIATE;.*?COMMIT;)"', text, re.DOTALL).group(1)
    connection = sqlite3.connect(database, timeout=5)
    count_containing = "SELECT COUNT(*), SUM(instr(der, ?) > 0) FROM receipts"
    assert connection.execute(count_containing, [made.ORIGINAL.encode()]).fetchone() == (3, 2)
    connection.executescript(statements)
    tables = ("receipts", "receipt_originals", "transactions", "renewals", "account_bindings")
    left = {table: connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in tables}
    assert connection.execute("SELECT app FROM receipts").fetchall() == [("com.example.others",)]
    connection.close()
    # The transaction of the other purchase is still stored, with its account binding.
    assert left == {"receipts": 1, "receipt_originals": 1, "transactions": 1, "renewals": 0, "account_bindings": 1}
    server.terminate()
    assert server.wait() == 0
    server = serve(*flags)
    answer = server.post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="somebody-else")
    assert answer.headers["X-Replay"] == "0"
    known = [transaction["transaction_id"] for transaction in answer.json["latest_receipt_info"]]
    assert made.RENEWAL not in known


def test_two_servers_on_one_machine_share_a_database(command, serve, tmp_path):
    customers = made.customers(command, tmp_path / "made", 12)
    database = tmp_path / "state.sqlite"
    flags = ["--database", database, *made.roots(command, tmp_path / "made")]
    servers = [serve(*flags), serve(*flags)]
    acknowledged = Acknowledged()
    writers = [
        threading.Thread(target=write, args=(server, part, acknowledged))
        for server, part in zip(servers, (customers[:6], customers[6:]))
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(10)
    assert len(acknowledged) == 3 * len(customers)
    check(servers[0], customers[6:], acknowledged)
    check(servers[1], customers[:6], acknowledged)


def test_servers_that_start_together_on_a_new_database_all_run(command, serve, tmp_path):
    customers = made.customers(command, tmp_path / "made", 1)
    flags = ["--database", tmp_path / "state.sqlite", *made.roots(command, tmp_path / "made")]
    started = []
    starters = [threading.Thread(target=lambda: started.append(serve(*flags))) for _ in range(6)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join(60)
    assert len(started) == 6
    for server in started:
        assert server.post("/verifyReceipt", {"receipt-data": customers[0].receipt}).status == 200
