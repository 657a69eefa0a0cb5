"""A connection carries several requests, and is closed as HTTP/1.1 requires."""

import re
import socket

import pytest

from running import ended_within, head, read_answer

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


def exchange(connected, sent, until=b""):
    """Sends bytes. Returns everything that the server sends until it closes the connection or has sent `until`."""
    connected.sendall(sent)
    received = b""
    while part := connected.recv(65536):
        received += part
        if until and until in received:
            break
    return received


def statuses(received):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def test_pipelined_requests_are_answered_in_their_order(serve):
    requests = b"".join(
        f"GET {path} HTTP/1.1\r\nHost: x\r\n{last}\r\n".encode()
        for path, last in (("/healthz", ""), ("/readyz", ""), ("/verifyReceipt", "Connection: close\r\n"))
    )
    received = exchange(serve().socket(), requests)
    assert statuses(received) == [200, 200, 200]
    bodies = [b'{"status":"alive"}', b'{"status":"ready"}', b'{"status":21000}']
    assert sorted(bodies, key=received.index) == bodies


def test_requests_with_bodies_in_one_segment_are_answered_in_their_order(serve):
    bodies = [b"[]", b'{"receipt-data":"x"}', b"{}"]
    requests = [head("POST", "/verifyReceipt", len(body)) + body for body in bodies[:2]]
    requests.append(head("POST", "/v1/receipts/validate", 2, Connection="close") + bodies[2])
    received = exchange(serve().socket(), b"".join(requests))
    assert statuses(received) == [200, 200, 400]
    answers = [b'{"status":21000}', b'{"status":21002}', b'"content-missing"']
    assert sorted(answers, key=received.index) == answers


@pytest.mark.parametrize("value", ["close", "Close", "close, TE", "keep-alive , CLOSE"])
def test_the_option_close_ends_a_connection_after_its_response(serve, value):
    server = serve()
    received = exchange(server.socket(), GET + f"Connection: {value}\r\n\r\n".encode() + GET + b"\r\n")
    assert statuses(received) == [200]
    assert server.metric("appreceipt_exceeded_deadlines_total", phase="head") == 0


def test_a_connection_ends_after_the_request_that_has_the_option_close(serve):
    connected = serve().socket()
    first = exchange(connected, GET + b"\r\n" + head("POST", "/verifyReceipt", 2, Connection="close"), until=b"alive")
    rest = exchange(connected, b"{}" + GET + b"\r\n")
    assert statuses(first + rest) == [200, 200]


def test_nothing_is_answered_after_a_response_that_rejects_a_body(serve):
    server = serve("--max-body", 4096)
    connected = server.socket()
    connected.sendall(head("POST", "/verifyReceipt", 5000))
    first = read_answer(connected)
    assert (first.status, first.json) == (200, {"status": 21000})
    connected.sendall(b" " * 5000 + GET + b"\r\n")
    assert connected.recv(65536) == b""


def test_a_body_that_is_too_large_is_rejected_by_its_length_or_at_the_limit(serve):
    server = serve("--max-body", 4096)
    announced = server.socket()
    announced.sendall(head("POST", "/v1/receipts/validate", 5000))
    chunked = server.socket()
    chunked.sendall(b"POST /v1/receipts/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(3):
        chunked.sendall(b"800\r\n" + b"x" * 0x800 + b"\r\n")
    for connected in (announced, chunked):
        answer = read_answer(connected)
        assert (answer.status, answer.json["error"]["code"]) == (413, "body-too-large")
    server.settles("appreceipt_body_bytes", 0)


def test_continue_is_sent_after_the_responses_to_earlier_requests(serve):
    connected = serve().socket()
    expects = head("POST", "/verifyReceipt", 2, Expect="100-continue", Connection="close")
    first = exchange(connected, GET + b"\r\n" + expects, until=b"100 Continue")
    assert statuses(first) == [200, 100]
    assert statuses(exchange(connected, b"{}"))[-1:] == [200]


@pytest.mark.parametrize(
    "rest",
    [
        "Content-Length: 1000\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nabc",
    ],
)
def test_a_body_that_is_incomplete_or_malformed_is_the_clients_fault(serve, rest):
    server = serve()
    connected = server.socket()
    connected.sendall(b"POST /verifyReceipt HTTP/1.1\r\nHost: x\r\n" + rest.encode())
    connected.shutdown(socket.SHUT_WR)
    assert ended_within(connected, 5)
    server.settles("appreceipt_connections", 1)
    assert "Internal error" not in server.errors
    assert server.metric("appreceipt_http_requests_total", method="POST", route="/verifyReceipt", status="500") == 0


@pytest.mark.parametrize(
    "framing", ["Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5"]
)
def test_a_body_with_two_framings_is_rejected_and_nothing_after_it_is_a_request(serve, framing):
    server = serve()
    text = f"POST /verifyReceipt HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n0\r\n\r\n".encode() + GET + b"\r\n"
    assert statuses(exchange(server.socket(), text)) == [400]
    assert server.metric("appreceipt_http_requests_total", method="GET", route="/healthz", status="200") == 0


@pytest.mark.parametrize(
    "text",
    [
        "HELLO\r\n\r\n",
        "POST /verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /verifyReceipt HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "GET /" + "x" * 100_000 + " HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["word", "negative", "two-lengths", "long-path"],
)
def test_malformed_http_gets_400(serve, text):
    server = serve()
    connected = server.socket()
    try:
        connected.sendall(text.encode())
        received = connected.recv(65536)
    except (BrokenPipeError, ConnectionResetError):
        received = b""
    assert statuses(received) in ([], [400])
    assert server.get("/healthz").status == 200
