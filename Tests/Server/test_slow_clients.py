"""Clients that take their time are cut off, whatever they do in between."""

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


def drip(connected, octets, every=0.05, most=5.0):
    """Sends a byte now and then until the other side has had enough; how long that took."""
    start = time.monotonic()
    for octet in octets:
        try:
            connected.sendall(bytes([octet]))
        except (BrokenPipeError, ConnectionResetError):
            break
        if time.monotonic() - start > most or ended_within(connected, every):
            break
    return time.monotonic() - start


def assert_cut(seconds):
    assert SECONDS * 0.9 <= seconds < SECONDS + 2


def test_a_client_that_says_nothing(server):
    connected = server.socket()
    start = time.monotonic()
    assert ended_within(connected, 5)
    assert_cut(time.monotonic() - start)
    assert server.metric("appreceipt_cut_off_total", phase="head") >= 1


def test_a_client_whose_head_drips(server):
    assert_cut(drip(server.socket(), head("POST", "/verifyReceipt", 10, X_Long="a" * 1000)))
    assert server.metric("appreceipt_cut_off_total", phase="head") >= 1


def test_a_client_whose_body_drips(server):
    connected = server.socket()
    connected.sendall(head("POST", "/verifyReceipt", 1000))
    assert_cut(drip(connected, b"{" * 1000))
    assert server.metric("appreceipt_cut_off_total", phase="body") == 1
    server.settles("appreceipt_body_bytes", 0)


def test_a_client_whose_chunks_drip(server):
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
    assert_cut(time.monotonic() - start)


def test_a_client_that_does_not_take_its_answers(server):
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
    assert cut, "It waits for ever."
    assert server.metric("appreceipt_cut_off_total", phase="answer") == 1
    server.settles("appreceipt_connections", 1)


def test_requests_that_come_meanwhile_do_not_put_an_answer_off(command, serve, tmp_path):
    options = [option for number in range(30) for option in ("--subscription", f"monthly{number}:60")]
    body = base64.b64decode(made.receipt(command, tmp_path, options=options))
    server = serve("--answer-timeout", 2)
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connected.connect(("127.0.0.1", server.port))
    connected.sendall(head("POST", "/v1/receipts/inspect?raw", len(body)) + body)
    start = time.monotonic()
    while server.metric("appreceipt_cut_off_total", phase="answer") == 0:
        assert time.monotonic() - start < 10, "It waits for ever."
        try:
            connected.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        time.sleep(0.5)
    server.settles("appreceipt_body_bytes", 0)


def test_a_body_behind_a_request_that_takes_long_is_not_late(command, serve, tmp_path):
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
    assert server.metric("appreceipt_cut_off_total", phase="body") == 0


def test_a_client_that_is_quick_stays(server):
    connection = server.connection()
    for _ in range(15):
        connection.request("GET", "/healthz")
        assert connection.getresponse().read() == b'{"status":"alive"}'
        time.sleep(0.1)
    connection.close()


def test_a_slow_client_takes_no_place_from_others(serve):
    server = serve("--max-requests", 1)
    slow = [server.socket() for _ in range(50)]
    for connected in slow:
        connected.sendall(head("POST", "/verifyReceipt", 1000) + b"{")
    for _ in range(20):
        assert server.post("/verifyReceipt", {"receipt-data": "AAAA"}).json == {"status": 21002}
    for connected in slow:
        connected.sendall(b" " * 999)
    # All at once are too many for one place: each gets an answer, the one or the other.
    assert {read_answer(connected).status for connected in slow} <= {200, 503}
