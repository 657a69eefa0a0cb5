"""Servers on PostgreSQL as they are deployed: behind nginx, over TLS, and with a disk that is full.

Needs a command with the trait Postgres, and the environment of scripts/with-postgres.sh. What a machine lacks is skipped.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import threading

import made
import pytest
from running import ROOT, RunningServer, becomes
from test_durability import Acknowledged
from test_postgres import ADDRESS, check, database, pytestmark, serve_shared, write  # noqa: F401

CUSTOMERS = 60


class Proxy(RunningServer):
    """nginx with deploy/nginx.conf in front of servers, without TLS."""

    def __init__(self, folder, servers):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        text = (ROOT / "deploy/nginx.conf").read_text()
        for original, changed in [
            ("    server 127.0.0.1:8080;\n", "".join(f"server 127.0.0.1:{server.port} max_fails=0;\n" for server in servers)),
            ("proxy_next_upstream off;", "proxy_next_upstream error non_idempotent;"),
            ("listen 443 ssl http2;", f"listen 127.0.0.1:{self.port};"),
        ]:
            assert original in text, f"deploy/nginx.conf has no {original!r}"
            text = text.replace(original, changed)
        text = "\n".join(line for line in text.splitlines() if "ssl_" not in line)
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/nginx.pid; worker_processes 1; events {{ worker_connections 256; }}\n"
            f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n{text}\n}}\n")
        log = folder / "error.log"
        self.process = subprocess.Popen(["nginx", "-e", log, "-p", folder, "-c", folder / "nginx.conf"])
        becomes(self._accepts, 10, log.read_text)

    def _accepts(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx isn't installed.")
def test_two_servers_behind_nginx_are_restarted_without_a_failed_request(command, serve_shared, database, tmp_path):
    customers = made.customers(command, tmp_path / "made", CUSTOMERS)
    servers = [serve_shared(), serve_shared()]
    proxy = Proxy(tmp_path, servers)
    acknowledged, ends, failed = Acknowledged(), threading.Event(), []

    class Counting:
        """Posts through the proxy, and keeps what failed."""

        def post(self, path, value, **headers):
            answer = proxy.post(path, value, **headers)
            if answer.status != 200:
                failed.append((path, answer.status))
            return answer

    clients = [
        threading.Thread(target=write, args=(lambda: [Counting()], customers[client::4], acknowledged, ends))
        for client in range(4)
    ]
    for client in clients:
        client.start()
    try:
        for number in (0, 1):
            assert acknowledged.wait_for(20 + 40 * number, timeout=60)
            port = servers[number].port
            servers[number].terminate()
            assert servers[number].wait() == 0
            # The last `--port` counts.
            servers[number] = serve_shared("--port", port)
        for client in clients:
            client.join(60)
    finally:
        ends.set()
        proxy.end()
    assert not failed
    assert len(acknowledged) == 3 * CUSTOMERS
    for server in servers:
        check(server, customers, acknowledged)


def test_a_dump_restores_what_was_acknowledged(command, serve_shared, database, tmp_path):
    customers = made.customers(command, tmp_path / "made", 3)
    acknowledged, dump = Acknowledged(), tmp_path / "receipts.dump"
    server = serve_shared()
    write(lambda: [server], customers, acknowledged, threading.Event())
    events = server.get("/v1/events").json

    def run(name, *arguments):
        program = pathlib.Path(os.environ["POSTGRES_TEST_BIN"], name)
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    run("pg_dump", "--format=custom", f"--file={dump}", database.address)
    server.kill()
    for table in ("transactions", "receipts", "notifications", "events", "purchases"):
        database.query(f"DELETE FROM {table}")
    run("pg_restore", "--clean", "--if-exists", "--single-transaction", f"--dbname={database.address}", dump)
    restored = serve_shared()
    assert restored.get("/v1/events").json == events
    check(restored, customers, acknowledged)


def test_the_certificate_of_the_database_is_verified(command, serve, database, tmp_path):
    certificate = os.environ["POSTGRES_TEST_CERTIFICATE"]
    options = [database.tcp_address + "?sslmode=verify-full&sslrootcert=" + certificate]
    environment = {"PGPASSWORD": "test-password"}
    server = serve("--database", *options, environment=environment)
    assert server.get("/readyz").status == 200
    used = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_port > 0"
    assert database.query(used) == ["t"]
    other = tmp_path / "other.pem"
    key = tmp_path / "other.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other", "-keyout", key, "-out", other],
        check=True, capture_output=True)  # fmt: skip
    refused = command.run(
        "serve", "--check", "--database", database.tcp_address + f"?sslmode=verify-full&sslrootcert={other}",
        environment=environment)
    assert refused.returncode == 73 and "database-unreachable" in refused.stderr
    assert "certificate verify failed" in refused.stderr


def test_a_full_disk_loses_nothing_that_was_acknowledged(command, serve_shared, database, tmp_path):
    folder = pathlib.Path(database.folder, "small")
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("Only root can mount a small file system.")
    try:
        shutil.chown(folder, "postgres", "postgres")
        folder.chmod(0o700)
        database.query(f"CREATE TABLESPACE small LOCATION '{folder}'", address=ADDRESS)
        database.query(f"ALTER DATABASE {database.name} SET TABLESPACE small", address=ADDRESS)
        customers = made.customers(command, tmp_path / "made", CUSTOMERS)
        server = serve_shared()
        acknowledged, ends = Acknowledged(), threading.Event()
        # Another table takes what is free.
        database.query("CREATE TABLE ballast (filling text)")
        database.query("ALTER TABLE ballast ALTER COLUMN filling SET STORAGE EXTERNAL")
        for size in (1_000_000, 100_000, 7_000):
            while fits(database, size):
                pass
        client = threading.Thread(target=write, args=(lambda: [server], customers, acknowledged, ends))
        client.start()
        full = {"receipt-data": customers[0].receipt}
        becomes(
            lambda: server.post("/verifyReceipt", full).json["status"] == 21100, 30, lambda: "The disk isn't full.")
        assert server.get("/healthz").status == 200 and server.get("/readyz").status == 503
        assert "No space left" in server.errors or "53100" in server.errors
        before = len(acknowledged)
        subprocess.run(["mount", "-o", "remount,size=200m", folder], check=True)
        becomes(lambda: server.get("/readyz").status == 200, 10, lambda: server.errors[-500:])
        client.join(60)
        ends.set()
        print(f"{before} of {len(acknowledged)} writes acknowledged while the disk was full")
        assert len(acknowledged) == 3 * CUSTOMERS
        check(server, customers, acknowledged)
        server.kill()
        database.query(f"ALTER DATABASE {database.name} SET TABLESPACE pg_default", address=ADDRESS)
        database.query("DROP TABLESPACE small", address=ADDRESS)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fits(database, size):
    """Whether a row of a size has room."""
    try:
        database.query(f"INSERT INTO ballast SELECT repeat('x', {size})")
        return True
    except AssertionError as error:
        assert "No space left" in str(error)
        return False
