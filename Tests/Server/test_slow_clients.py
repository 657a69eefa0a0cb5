"""Only slow clients are disconnected, at a deadline."""

import base64
import socket
import sqlite3
import threading
import time

import made
import pytest

from running import ended_within, head, read_answer

SECONDS = 1
MEGABYTE = 1 << 20


@pytest.fixture
def server(serve):
    return serve("--idle-timeout", SECONDS, "--body-timeout", SECONDS, "--answer-timeout", SECONDS)


def drip(connected, data, every=0.05, limit=5.0):
    """Sends a byte at a time until the server closes the connection. Returns the seconds that it took."""
    start = time.monotonic()
    for byte in data:
        try:
            connected.sendall(bytes([byte]))
        except (BrokenPipeError, ConnectionResetError):
            break
        if time.monotonic() - start > limit or ended_within(connected, every):
            break
    return time.monotonic() - start


def assert_at_deadline(seconds):
    assert SECONDS * 0.9 <= seconds < SECONDS + 2


def test_a_client_that_sends_nothing_is_disconnected(server):
    connected = server.socket()
    start = time.monotonic()
    assert ended_within(connected, 5)
    assert_at_deadline(time.monotonic() - start)
    assert server.metric("appreceipt_exceeded_deadlines_total", phase="head") >= 1


def test_a_client_that_sends_its_head_slowly_is_disconnected(server):
    assert_at_deadline(drip(server.socket(), head("POST", "/verifyReceipt", 10, X_Long="a" * 1000)))
    assert server.metric("appreceipt_exceeded_deadlines_total", phase="head") >= 1


def test_a_client_that_sends_its_body_slowly_is_disconnected(server):
    connected = server.socket()
    connected.sendall(head("POST", "/verifyReceipt", 1000))
    assert_at_deadline(drip(connected, b"{" * 1000))
    assert server.metric("appreceipt_exceeded_deadlines_total", phase="body") == 1
    server.settles("appreceipt_body_bytes", 0)


def test_a_client_that_sends_its_chunks_slowly_is_disconnected(server):
    connected = server.socket()
    connected.sendall(b"POST /v1/receipts/inspect HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    start = time.monotonic()
    while time.monotonic() - start < 5:
        try:
            connected.sendall(b"1\r\n{\r\n")
        except (BrokenPipeError, ConnectionResetError):
            break
        if ended_within(connected, 0.05):
            break
    assert_at_deadline(time.monotonic() - start)


def test_a_client_that_does_not_read_its_responses_is_disconnected(server):
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connected.settimeout(0.5)
    connected.connect(("127.0.0.1", server.port))
    start = time.monotonic()
    request = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    cut = False
    while not cut and time.monotonic() - start < 12:
        try:
            connected.sendall(request * 50)
        except TimeoutError:
            continue
        except (BrokenPipeError, ConnectionResetError):
            cut = True
    assert cut, "The server didn't close the connection."
    assert server.metric("appreceipt_exceeded_deadlines_total", phase="response") == 1
    server.settles("appreceipt_connections", 1)


def test_further_requests_do_not_extend_the_deadline_of_a_response(command, serve, tmp_path):
    options = [option for number in range(30) for option in ("--subscription", f"monthly{number}:60")]
    body = base64.b64decode(made.receipt(command, tmp_path, options=options))
    server = serve("--answer-timeout", 2)
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connected.connect(("127.0.0.1", server.port))
    connected.sendall(head("POST", "/v1/receipts/inspect?raw", len(body)) + body)
    start = time.monotonic()
    while server.metric("appreceipt_exceeded_deadlines_total", phase="response") == 0:
        assert time.monotonic() - start < 10, "The server didn't close the connection."
        try:
            connected.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        time.sleep(0.5)
    server.settles("appreceipt_body_bytes", 0)


def test_a_body_behind_a_slow_request_has_no_deadline(command, serve, tmp_path):
    receipt = base64.b64decode(made.receipt(command, tmp_path))
    file = tmp_path / "state.sqlite"
    server = serve("--root", tmp_path / "root.pem", "--database", file, "--body-timeout", SECONDS)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    connected = server.socket()
    large = b" " * MEGABYTE
    both = head("POST", "/v1/receipts/validate", len(receipt)) + receipt + head("POST", "/v1/receipts/inspect", MEGABYTE) + large
    sending = threading.Thread(target=connected.sendall, args=(both,))
    sending.start()
    time.sleep(2 * SECONDS)
    other.execute("COMMIT")
    statuses = [read_answer(connected).status for _ in range(2)]
    sending.join(5)
    other.close()
    assert statuses == [200, 200]
    assert server.metric("appreceipt_exceeded_deadlines_total", phase="body") == 0


def test_a_fast_client_stays_connected(server):
    connection = server.connection()
    for _ in range(15):
        connection.request("GET", "/healthz")
        assert connection.getresponse().read() == b'{"status":"alive"}'
        time.sleep(0.1)
    connection.close()


def test_a_slow_client_does_not_count_as_a_request_in_progress(serve):
    server = serve("--max-requests", 1)
    slow = [server.socket() for _ in range(50)]
    for connected in slow:
        connected.sendall(head("POST", "/verifyReceipt", 1000) + b"{")
    for _ in range(20):
        assert server.post("/verifyReceipt", {"receipt-data": "AAAA"}).json == {"status": 21002}
    for connected in slow:
        connected.sendall(b" " * 999)
    # Together they exceed the limit of requests: each is answered or rejected.
    assert {read_answer(connected).status for connected in slow} <= {200, 503}
