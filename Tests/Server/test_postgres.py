"""Servers that share a PostgreSQL database: kills of servers and of the database while clients write, and starts at once.

Needs a command with the trait Postgres, and the environment of scripts/with-postgres.sh.
"""

import concurrent.futures
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid

import made
import pytest
from running import becomes
from test_durability import Acknowledged

ADDRESS = os.environ.get("POSTGRES_TEST_ADDRESS")
KILLS = 6
CLIENTS = 6
CUSTOMERS_PER_KILL = 10

pytestmark = pytest.mark.skipif(not ADDRESS, reason="scripts/with-postgres.sh sets POSTGRES_TEST_ADDRESS")


class Database:
    """An empty database of the test server."""

    def __init__(self):
        self.name = "test_" + uuid.uuid4().hex
        self.query(f"CREATE DATABASE {self.name}", address=ADDRESS)
        parts = urllib.parse.urlsplit(ADDRESS)
        self.address = parts._replace(path="/" + self.name).geturl()
        self.folder = urllib.parse.parse_qs(parts.query)["host"][0]
        port = os.environ["POSTGRES_TEST_PORT"]
        self.tcp_address = f"postgres://appreceipt@127.0.0.1:{port}/{self.name}"

    def query(self, sql, address=None, timeout=30):
        """Runs a statement, and returns the lines of its result."""
        psql = pathlib.Path(os.environ["POSTGRES_TEST_BIN"], "psql")
        done = subprocess.run(
            [psql, address or self.address, "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-Atc", sql],
            capture_output=True, text=True, timeout=timeout,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def accepts_connections(self):
        """Whether the database server answers."""
        ready = pathlib.Path(os.environ["POSTGRES_TEST_BIN"], "pg_isready")
        return subprocess.run([ready, "-q", "-d", self.address], timeout=10).returncode == 0

    def drop(self):
        self.query(f"DROP DATABASE {self.name} WITH (FORCE)", address=ADDRESS)


def control(*arguments):
    """Stops or starts the database server."""
    subprocess.run([os.environ["POSTGRES_TEST_CONTROL"], *arguments], check=True, timeout=60, capture_output=True)


@pytest.fixture
def database(command):
    checked = command.run("serve", "--check", "--database", "postgres:///?host=/nonexistent")
    if "built without PostgreSQL" in checked.stderr:
        pytest.skip("The command was built without the trait Postgres.")
    made = Database()
    yield made
    made.drop()


@pytest.fixture
def serve_shared(serve, command, database, tmp_path):
    """Starts servers of the database, which trust the roots of the test data."""

    def start(*flags):
        return serve("--database", database.address, *made.roots(command, tmp_path / "made"), *flags)

    return start


def write(servers, customers, acknowledged, ends):
    """Posts the data of each customer to any server until `ends` is set. A request that fails is sent again."""
    for customer in customers:
        posts = [
            ("notification", "/v1/notifications?report=true", {"signedPayload": customer.notification}),
            ("receipt", "/verifyReceipt", {"receipt-data": customer.receipt}),
            ("transaction", "/v1/signed-data/verify", {"token": customer.transaction}),
        ]
        random.shuffle(posts)
        for kind, path, body in posts:
            while not ends.is_set():
                try:
                    answer = random.choice(servers()).post(path, body, X_Account=customer.account)
                except (OSError, http.client.HTTPException):
                    time.sleep(0.02)
                    continue
                if answer.status == 200 and answer.json.get("status", 0) == 0:
                    acknowledged.add(kind, customer)
                    break
                assert answer.status == 500 or answer.json["status"] in (21005, 21100), answer.body
                time.sleep(0.02)


def check(server, customers, acknowledged):
    """Checks that a server knows all acknowledged evidence."""
    for customer in acknowledged.of("notification", customers):
        answer = server.post("/v1/notifications?report=true", {"signedPayload": customer.notification})
        assert (answer.status, answer.json["repeated"]) == (200, True), customer.app
    for customer in acknowledged.of("receipt", customers):
        other = server.post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="somebody-else")
        assert int(other.headers["X-Replay"]) >= 1, customer.app
    for customer in acknowledged.of("transaction", customers):
        other = server.post("/v1/signed-data/verify", {"token": customer.transaction}, X_Account="somebody-else")
        assert len(other.json["replays"]) == 1, customer.app


def events(server, limit=500):
    """All events, read page by page."""
    cursor, found = 0, []
    while True:
        page = server.get(f"/v1/events?after={cursor}&limit={limit}").json
        found += page["events"]
        if not page["events"]:
            return found
        cursor = page["next"]


def assert_once(found):
    """Checks that no event is there twice: their cursors are unique, and each purchase was activated once."""
    cursors = [int(event["cursor"]) for event in found]
    assert cursors == sorted(set(cursors))
    first = [(event["bundleIdentifier"], event["originalTransactionIdentifier"]) for event in found if not event["before"]]
    assert len(first) == len(set(first))


def test_acknowledged_evidence_survives_kills_of_servers_and_of_the_database(
    command, serve_shared, database, tmp_path
):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    random.seed(seed)
    everybody = made.customers(command, tmp_path / "made", KILLS * CUSTOMERS_PER_KILL)
    running = [serve_shared(), serve_shared()]
    acknowledged, ends = Acknowledged(), threading.Event()
    parts = [everybody[client::CLIENTS] for client in range(CLIENTS)]
    clients = [
        threading.Thread(target=write, args=(lambda: running, part, acknowledged, ends)) for part in parts
    ]
    for client in clients:
        client.start()
    kills = {"server": 0, "database": 0}
    for kill in range(KILLS):
        target = len(acknowledged) + random.randint(5, 2 * CUSTOMERS_PER_KILL)
        assert acknowledged.wait_for(min(target, 3 * len(everybody)), timeout=30)
        time.sleep(random.random() * 0.02)
        if not any(client.is_alive() for client in clients):
            break
        if kill % 2:
            control("stop", "-m", "immediate")
            time.sleep(random.random() * 0.3)
            control("start")
            kills["database"] += 1
        else:
            victim = random.randrange(2)
            running[victim].kill()
            running[victim] = serve_shared()
            kills["server"] += 1
    for client in clients:
        client.join(60)
    ends.set()
    assert min(kills.values()) >= 2, f"The clients were done too early: {kills}"
    assert len(acknowledged) == 3 * len(everybody)
    for server in running:
        check(server, everybody, acknowledged)
    found = [events(server) for server in running]
    assert found[0] == found[1]
    assert_once(found[0])
    print(f"{kills}, {len(acknowledged)} writes acknowledged and found, {len(found[0])} events")


def test_a_database_that_is_down_is_said_within_two_seconds_and_used_again_within_one(
    command, serve_shared, database, tmp_path
):
    customers = made.customers(command, tmp_path / "made", 2)
    server = serve_shared()
    assert server.post("/verifyReceipt", {"receipt-data": customers[0].receipt}).json["status"] == 0
    for mode in ("immediate", "fast"):
        control("stop", "-m", mode)
        try:
            for customer in customers:
                start = time.monotonic()
                answer = server.post("/verifyReceipt", {"receipt-data": customer.receipt})
                assert answer.json["status"] == 21100
                assert time.monotonic() - start < 2
            assert server.get("/healthz").status == 200
            assert server.get("/readyz").status == 503
            notification = server.post("/v1/notifications", {"signedPayload": customers[1].notification})
            assert notification.status == 500
        finally:
            control("start")
        becomes(database.accepts_connections, 10, lambda: "The database doesn't start.")
        start = time.monotonic()
        becomes(lambda: server.get("/readyz").status == 200, 1, lambda: "The server isn't ready again.")
        assert server.post("/verifyReceipt", {"receipt-data": customers[0].receipt}).json["status"] == 0
        assert time.monotonic() - start < 1
    # The reason in the words of libpq, and that it is over.
    assert any("database-unreachable" in line and "connection to server" in line for line in server.lines)
    assert any("The database works again" in line for line in server.lines)


def test_a_database_that_stops_responding_is_said_within_two_seconds(command, serve, database, tmp_path):
    """A proxy that stops forwarding is a network that is cut."""
    customer, new = made.customers(command, tmp_path / "made", 2)
    with Proxy(pathlib.Path(database.folder, f".s.PGSQL.{os.environ['POSTGRES_TEST_PORT']}")) as proxy:
        address = f"postgres://appreceipt@127.0.0.1:{proxy.port}/{database.name}?sslmode=disable"
        server = serve("--database", address, *made.roots(command, tmp_path / "made"))
        assert server.post("/verifyReceipt", {"receipt-data": customer.receipt}).json["status"] == 0
        proxy.forwards.clear()
        for path, body in (
            # What isn't stored yet would be read and written.
            ("/verifyReceipt", {"receipt-data": new.receipt}),
            ("/verifyReceipt", {"receipt-data": customer.receipt}),
            ("/v1/notifications", {"signedPayload": customer.notification}),
        ):
            start = time.monotonic()
            answer = server.post(path, body)
            assert answer.json.get("status", answer.status) in (21100, 500)
            assert time.monotonic() - start < 2
        assert server.get("/healthz").status == 200
        assert server.get("/readyz").status == 503
        proxy.forwards.set()
        becomes(lambda: server.get("/readyz").status == 200, 3, lambda: "The server isn't ready again.")
        assert server.post("/v1/notifications", {"signedPayload": customer.notification}).status == 200


def test_a_server_goes_on_while_the_next_version_adds_to_the_tables(command, database, serve_shared, tmp_path):
    customers = made.customers(command, tmp_path / "made", 4)
    server, acknowledged, ends = serve_shared(), Acknowledged(), threading.Event()
    write(lambda: [server], customers[:2], acknowledged, ends)
    database.query("UPDATE appreceipt_schema SET version = version + 1")
    for table in database.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        database.query(f"ALTER TABLE {table} ADD COLUMN added bigint NOT NULL DEFAULT 0")
    write(lambda: [server], customers, acknowledged, ends)
    check(server, customers, acknowledged)
    refused = command.run("serve", "--check", "--database", database.address)
    assert refused.returncode == 66 and "newer" in refused.stderr


class Proxy:
    """Forwards connections on loopback to a socket, while `forwards` is set."""

    def __init__(self, target):
        self.target = str(target)
        self.forwards = threading.Event()
        self.forwards.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.forwards.set()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            upstream = socket.socket(socket.AF_UNIX)
            upstream.connect(self.target)
            for source, sink in ((client, upstream), (upstream, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                self.forwards.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def test_servers_that_start_together_on_an_empty_database_all_run(command, serve_shared, database, tmp_path):
    customers = made.customers(command, tmp_path / "made", 1)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        started = list(pool.map(lambda _: serve_shared(), range(4)))
    for server in started:
        assert server.post("/verifyReceipt", {"receipt-data": customers[0].receipt}).json["status"] == 0
    assert database.query("SELECT version FROM appreceipt_schema") == ["1"]
    assert database.query("SELECT count(*) FROM settings WHERE name = 'account-key'") == ["1"]


def test_nothing_counts_twice_on_two_servers(command, serve_shared, database, tmp_path):
    customers = made.customers(command, tmp_path / "made", 20)
    servers = [serve_shared(), serve_shared()]

    def post(server, customer):
        answer = server.post("/v1/notifications?report=true", {"signedPayload": customer.notification})
        assert answer.status == 200
        return not answer.json["repeated"]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = [(server, customer) for customer in customers for server in servers * 2]
        new = sum(pool.map(lambda job: post(*job), jobs))
    assert new == len(customers)
    found = [events(server, limit=3) for server in servers]
    assert found[0] == found[1] and len(found[0]) == len(customers)
    assert_once(found[0])
    # A cursor of one server is valid on the other one.
    middle = found[0][9]["cursor"]
    assert servers[1].get(f"/v1/events?after={middle}").json["events"] == found[0][10:]


def test_replays_are_seen_across_servers_and_forgetting_is_too(command, serve_shared, database, tmp_path):
    customer = made.customers(command, tmp_path / "made", 1)[0]
    servers = [serve_shared(), serve_shared()]
    own = servers[0].post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="ann")
    assert own.headers["X-Replay"] == "0"
    other = servers[1].post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="ben")
    assert int(other.headers["X-Replay"]) >= 1
    assert servers[1].request("DELETE", "/v1/accounts/ann").status in (200, 204)
    other = servers[0].post("/verifyReceipt", {"receipt-data": customer.receipt}, X_Account="ben")
    assert other.headers["X-Replay"] == "0"


def test_an_address_is_checked_before_the_server_starts(command, serve, database, tmp_path):
    password = tmp_path / "password"
    password.write_text("test-password\n")
    password.chmod(0o600)
    with_password = database.tcp_address.replace("@", ":test-password@", 1)
    for address in (with_password, database.tcp_address + "?password=test-password"):
        refused = command.run("serve", "--check", "--database", address)
        assert refused.returncode == 64 and "test-password" not in refused.stderr
    for address in ("postgres://db/x?unknown=1", "postgres://[::1/x"):
        assert command.run("serve", "--check", "--database", address).returncode == 64
    wrong = command.run("serve", "--check", "--database", database.tcp_address, environment={"PGPASSWORD": "wrong"})
    assert wrong.returncode == 73 and "password authentication failed" in wrong.stderr
    assert "database-unreachable" in wrong.stderr
    for flags, environment in (
        (["--database-password-file", password], {}),
        ([], {"PGPASSWORD": "test-password"}),
        ([], {"APPRECEIPT_DATABASE_PASSWORD_FILE": str(password)}),
    ):
        checked = command.run("serve", "--check", "--database", database.tcp_address, *flags, environment=environment)
        assert checked.returncode == 0, checked.stderr
    # Nothing is created.
    assert database.query("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"]
    misplaced = command.run("serve", "--check", "--database", "state.sqlite", "--database-password-file", password)
    assert misplaced.returncode == 64
    server = serve("--database", database.tcp_address, "--database-password-file", password)
    assert server.get("/readyz").status == 200
    listed = command.run(
        "state", "webhooks", "--database", database.tcp_address, "--database-password-file", password)
    assert (listed.returncode, listed.stdout) == (0, "No delivery failed.\n"), listed.stderr
    database.query(f"ALTER DATABASE {database.name} SET synchronous_commit = off")
    refused = command.run("serve", "--check", "--database", database.address)
    assert refused.returncode == 73 and "not-durable" in refused.stderr
    database.query(f"ALTER DATABASE {database.name} RESET synchronous_commit")
    database.query("UPDATE appreceipt_schema SET version = 99")
    refused = command.run("serve", "--check", "--database", database.address)
    assert refused.returncode == 66 and "newer-database" in refused.stderr


def test_a_delivery_to_a_webhook_is_sent_once_by_two_servers(command, database, tmp_path, serve):
    customers = made.customers(command, tmp_path / "made", 10)
    received, lock = [], threading.Lock()

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                received.append(self.headers["webhook-id"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    (tmp_path / "secret").write_text("whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" + "\n")
    config = tmp_path / "config.json"
    url = f"http://127.0.0.1:{receiver.server_address[1]}/hook"
    hook = {"url": url, "secret-file": str(tmp_path / "secret"), "format": "standard"}
    config.write_text(json.dumps({
        "apps": [{"bundle-id": customer.app, "webhooks": [hook]} for customer in customers],
        "allow-webhook-host": ["127.0.0.1"], "environment": ["production"],
    }))  # fmt: skip
    flags = ["--database", database.address, "--config", config, *made.roots(command, tmp_path / "made")]
    servers = [serve(*flags), serve(*flags)]
    becomes(
        lambda: database.query("SELECT count(*) FROM webhook_positions") == ["10"], 20,
        lambda: "The webhooks have no positions.")
    for number, customer in enumerate(customers):
        assert servers[number % 2].post("/verifyReceipt", {"receipt-data": customer.receipt}).json["status"] == 0
    count = len(events(servers[0]))
    assert count >= len(customers)
    becomes(lambda: len(received) >= count, 30, lambda: f"{len(received)} of {count} deliveries arrived.")
    time.sleep(1)
    receiver.shutdown()
    assert len(received) == len(set(received)) == count
    assert database.query("SELECT count(*) FROM webhook_deliveries") == ["0"]


@pytest.mark.skipif(not shutil.which("pgbouncer"), reason="PgBouncer isn't installed.")
def test_two_servers_work_through_pgbouncer_in_transaction_mode(command, database, tmp_path, serve):
    """The pool has fewer connections than the servers, so each transaction may have another one."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "users").write_text('"appreceipt" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"""[databases]
* = host={database.folder} port={os.environ["POSTGRES_TEST_PORT"]}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 2
"""
    )
    user = ["-u", "postgres"] if os.getuid() == 0 else []
    pooler = subprocess.Popen(
        ["pgbouncer", "-q", *user, folder / "pgbouncer.ini"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"postgres://appreceipt@127.0.0.1:{port}/{database.name}?sslmode=disable"
        ready = pathlib.Path(os.environ["POSTGRES_TEST_BIN"], "pg_isready")
        becomes(
            lambda: subprocess.run([ready, "-q", "-d", address], timeout=10).returncode == 0, 10,
            lambda: "PgBouncer doesn't start.")
        customers = made.customers(command, tmp_path / "made", 12)
        flags = ["--database", address, *made.roots(command, tmp_path / "made")]
        servers = [serve(*flags), serve(*flags)]
        acknowledged, ends = Acknowledged(), threading.Event()
        clients = [
            threading.Thread(target=write, args=(lambda: servers, customers[part::4], acknowledged, ends))
            for part in range(4)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join(60)
        ends.set()
        assert len(acknowledged) == 3 * len(customers)
        for server in servers:
            check(server, customers, acknowledged)
        assert_once(events(servers[0]))
    finally:
        pooler.kill()
        pooler.wait()
        shutil.rmtree(folder)
