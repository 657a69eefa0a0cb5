"""A stopped server completes requests in flight, and then exits."""

import base64
import json
import re
import signal
import socket
import time

import pytest

import made
from running import ended_within, head, read_answer


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_requests_in_flight_are_answered_and_new_connections_are_refused(command, serve, tmp_path, number):
    body = ('{"receipt-data": "%s"}' % made.receipt(command, tmp_path)).encode()
    server = serve("--root", tmp_path / "root.pem")
    begun = [server.socket() for _ in range(5)]
    for connected in begun:
        connected.sendall(head("POST", "/verifyReceipt", len(body)) + body[:100])
    idle = server.socket()
    assert server.get("/healthz").status == 200
    server.process.send_signal(number)
    deadline = time.monotonic() + 5
    refused = False
    while not refused and time.monotonic() < deadline:
        try:
            server.socket().close()
            time.sleep(0.02)
        # A connection that is being established when the socket is closed is reset.
        except (ConnectionRefusedError, ConnectionResetError):
            refused = True
    assert refused, "The server still accepts connections."
    assert server.process.poll() is None, "The server didn't wait for requests in flight."
    for connected in begun:
        connected.sendall(body[100:])
        answer = read_answer(connected)
        assert (answer.status, answer.json["status"]) == (200, 0)
    assert server.wait() == 0
    assert ended_within(idle, 1)


def test_a_request_that_never_ends_does_not_prevent_stopping(serve):
    server = serve("--stop-timeout", 1)
    connected = server.socket()
    connected.sendall(head("POST", "/verifyReceipt", 1000) + b"{")
    assert server.get("/healthz").status == 200
    start = time.monotonic()
    server.terminate()
    assert server.wait() == 0
    assert time.monotonic() - start < 5


def test_a_long_response_in_flight_is_sent_completely(command, serve, tmp_path):
    options = [option for number in range(50) for option in ("--subscription", f"monthly{number}:80")]
    body = json.dumps({"receipt-data": made.receipt(command, tmp_path, options=options)}).encode()
    server = serve("--root", tmp_path / "root.pem")
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connected.settimeout(20)
    connected.connect(("127.0.0.1", server.port))
    connected.sendall(head("POST", "/verifyReceipt", len(body)) + body)
    received = b""
    while part := connected.recv(65536):
        if len(received) < 100_000 <= len(received) + len(part):
            server.terminate()
        received += part
        time.sleep(len(part) / 2e6)
    header, _, answer = received.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", header).group(1))
    assert length > 4_000_000
    assert len(answer) == length
    assert server.wait() == 0


def test_a_client_that_does_not_read_does_not_prevent_stopping(command, serve, tmp_path):
    options = [option for number in range(30) for option in ("--subscription", f"monthly{number}:60")]
    body = base64.b64decode(made.receipt(command, tmp_path, options=options))
    server = serve("--root", tmp_path / "root.pem", "--stop-timeout", 2)
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    connected.connect(("127.0.0.1", server.port))
    connected.sendall(head("POST", "/v1/receipts/inspect?raw", len(body)) + body)
    connected.recv(4096)
    start = time.monotonic()
    server.terminate()
    assert server.wait() == 0
    assert time.monotonic() - start < 6


def test_idle_connections_do_not_prevent_stopping(serve):
    server = serve()
    kept = []
    for _ in range(20):
        connection = server.connection()
        connection.request("GET", "/healthz")
        assert connection.getresponse().read()
        kept.append(connection)
    silent = [server.socket() for _ in range(20)]
    start = time.monotonic()
    server.terminate()
    assert server.wait() == 0
    assert time.monotonic() - start < 3
    assert all(ended_within(connected, 1) for connected in silent)


def test_a_port_is_free_again_immediately(serve):
    server = serve()
    port = server.port
    assert server.get("/healthz").status == 200
    server.terminate()
    assert server.wait() == 0
    assert serve(port=port).get("/healthz").status == 200


def test_the_resources_of_disconnected_clients_are_released(serve):
    server = serve()
    for _ in range(50):
        connected = server.socket()
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connected.sendall(head("POST", "/verifyReceipt", 1000) + b"{")
        connected.close()
    server.settles("appreceipt_body_bytes", 0)
    server.settles("appreceipt_connections", 1)
    server.settles("appreceipt_requests_in_progress", 0)
