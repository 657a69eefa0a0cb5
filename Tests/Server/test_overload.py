"""Under overload, requests are rejected immediately, health checks are answered, and memory is bounded."""

import base64
import json
import select
import threading
import time

import made
from running import ended_within, head, read_answer

MEGABYTE = 1 << 20


def burst(server, path, body, count):
    """Sends requests that all end at the same moment, and returns the responses."""
    connections = [server.socket() for _ in range(count)]
    for connected in connections:
        connected.sendall(head("POST", path, len(body)) + body[:-1])
    for connected in connections:
        connected.sendall(body[-1:])
    return [read_answer(connected) for connected in connections]


def test_requests_beyond_the_limit_get_503_with_retry_after(command, serve, tmp_path):
    large = made.receipt(command, tmp_path, options=("--subscription", "monthly:1000", "--subscription", "weekly:1000"))
    server = serve("--root", tmp_path / "root.pem", "--max-requests", 2)
    healthy, faults = [], []
    done = threading.Event()

    def poll_health():
        # Exceptions in a thread aren't reported.
        while not done.is_set():
            start = time.monotonic()
            try:
                status = server.get("/healthz").status
            except OSError as error:
                status = repr(error)
            if status != 200:
                faults.append(status)
            healthy.append(time.monotonic() - start)

    polling = threading.Thread(target=poll_health)
    polling.start()
    answers = burst(server, "/verifyReceipt", json.dumps({"receipt-data": large}).encode(), 40)
    others = burst(server, "/v1/receipts/validate", json.dumps({"receipt": large}).encode(), 40)
    done.set()
    polling.join(10)
    served = [answer for answer in answers if answer.status == 200]
    rejected = [answer for answer in answers if answer.status == 503]
    assert len(served) + len(rejected) == 40 and served and rejected
    assert {answer.json["status"] for answer in served} == {0}
    for answer in rejected:
        assert answer.json == {"status": 21005}
        assert int(answer.headers["Retry-After"]) >= 1
        assert answer.headers["Content-Type"] == "application/json"
    rejected_others = [answer for answer in others if answer.status == 503]
    assert rejected_others
    for answer in rejected_others:
        assert answer.json["error"]["code"] == "overloaded"
        assert int(answer.headers["Retry-After"]) >= 1
    assert server.metric("appreceipt_overload_total", reason="requests") == len(rejected) + len(rejected_others)
    assert not faults
    assert len(healthy) > 3 and max(healthy) < 5
    # The server recovers.
    assert server.post("/verifyReceipt", {"receipt-data": large}).json["status"] == 0
    server.settles("appreceipt_requests_in_progress", 0)


def test_expensive_requests_do_not_delay_others_and_wait_for_a_limited_time(command, serve, tmp_path):
    # 15,000 purchases, a tenth of a second of a core for each request. Large bodies are verified one after the other.
    options = [option for number in range(250) for option in ("--subscription", f"monthly{number}:60")]
    costly = made.receipt(command, tmp_path, options=options)
    server = serve("--root", tmp_path / "root.pem", "--wait-timeout", 1, "--max-body", 16 << 20, "--max-bodies", 2 << 30)
    path, body = "/v1/receipts/validate", base64.b64decode(costly)
    answers, healthy = [], []
    clients = [threading.Thread(target=lambda: answers.append(server.request("POST", path, body))) for _ in range(60)]
    for client in clients:
        client.start()
    while any(client.is_alive() for client in clients):
        start = time.monotonic()
        assert server.get("/healthz").status == 200
        healthy.append(time.monotonic() - start)
        time.sleep(0.1)
    statuses = [answer.status for answer in answers]
    assert len(statuses) == 60 and set(statuses) == {200, 503}
    assert max(healthy) < 3
    assert server.metric("appreceipt_overload_total", reason="requests") == statuses.count(503)
    # No client was slow.
    for phase in ("head", "body", "response"):
        assert server.metric("appreceipt_exceeded_deadlines_total", phase=phase) == 0


def test_long_responses_reserve_memory(command, serve, tmp_path):
    options = [option for number in range(10) for option in ("--subscription", f"monthly{number}:60")]
    receipt = base64.b64decode(made.receipt(command, tmp_path, options=options))
    server = serve("--max-body", 512 << 10, "--max-bodies", 512 << 10)
    assert len(receipt) < 400 << 10
    assert server.request("POST", "/v1/receipts/inspect", receipt).status == 200
    answer = server.request("POST", "/v1/receipts/inspect?raw", receipt)
    assert answer.status == 503 and answer.json["error"]["code"] == "overloaded"
    assert server.metric("appreceipt_overload_total", reason="memory") == 1
    server.settles("appreceipt_body_bytes", 0)


def test_connections_beyond_the_limit_get_503(serve):
    server = serve("--max-connections", 5)
    kept = [server.socket() for _ in range(5)]
    for connected in kept:
        connected.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_answer(connected).status == 200
    for path, body in (("/verifyReceipt", {"status": 21005}), ("/healthz", None)):
        answer = server.request("POST", path, b"{}")
        assert answer.status == 503 and int(answer.headers["Retry-After"]) >= 1
        assert answer.headers["Connection"].lower() == "close"
        assert body is None or answer.json == body
    kept.pop().close()
    deadline = time.monotonic() + 5
    while server.get("/healthz").status != 200:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_many_connections_at_once_are_all_answered(serve):
    server = serve("--max-connections", 20)
    connections = [server.socket() for _ in range(200)]
    statuses = []
    for connected in connections:
        connected.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    for connected in connections:
        statuses.append(read_answer(connected).status)
        connected.close()
    assert set(statuses) <= {200, 503} and 200 in statuses


def test_announced_bodies_reserve_no_memory(serve):
    server = serve("--max-bodies", 16 * MEGABYTE)
    connections = [server.socket() for _ in range(100)]
    for connected in connections:
        connected.sendall(head("POST", "/v1/notifications", 4 * MEGABYTE) + b" " * 1000)
    time.sleep(0.5)
    assert select.select(connections, [], [], 0)[0] == []
    assert server.metric("appreceipt_body_bytes") < MEGABYTE
    # Other requests are served meanwhile.
    assert server.post("/verifyReceipt", {"receipt-data": "x"}).json["status"] == 21002
    assert server.metric("appreceipt_overload_total", reason="memory") == 0


def test_memory_is_bounded_when_many_large_bodies_arrive(serve):
    server = serve("--max-bodies", 16 * MEGABYTE)
    assert server.get("/healthz").status == 200
    before = server.resident_bytes
    peak = [before]
    statuses = []
    done = threading.Event()

    def watch():
        while not done.wait(0.02):
            peak[0] = max(peak[0], server.resident_bytes)

    def send(chunked):
        body = b'{"receipt-data": "' + b"A" * (4 * MEGABYTE - 20) + b'"}'
        for _ in range(3):
            connection = server.connection()
            try:
                connection.request(
                    "POST", "/verifyReceipt", body=iter([body]) if chunked else body, encode_chunked=chunked,
                    headers={"Transfer-Encoding": "chunked"} if chunked else {},
                )  # fmt: skip
                answer = connection.getresponse()
                statuses.append((answer.status, json.loads(answer.read())["status"]))
            except (BrokenPipeError, ConnectionResetError):
                # The server rejected the body and closed the connection; the response may be lost.
                statuses.append((503, 21005))
            finally:
                connection.close()

    watching = threading.Thread(target=watch)
    watching.start()
    clients = [threading.Thread(target=send, args=(number % 2 == 0,)) for number in range(30)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(60)
    done.set()
    watching.join(5)
    assert len(statuses) == 90, "Some requests got no response."
    assert set(statuses) <= {(200, 21002), (503, 21005)} and (200, 21002) in statuses
    print(f"{(peak[0] - before) >> 20} MB more than the {before >> 20} MB at rest")
    assert peak[0] - before < 200 * MEGABYTE
    server.settles("appreceipt_body_bytes", 0)
    assert server.get("/healthz").status == 200


def test_memory_is_bounded_when_many_large_receipts_are_verified(command, serve, tmp_path):
    options = [option for number in range(50) for option in ("--subscription", f"monthly{number}:80")]
    body = json.dumps({"receipt-data": made.receipt(command, tmp_path, options=options)}).encode()
    assert len(body) > 1.9 * MEGABYTE
    server = serve("--root", tmp_path / "root.pem", "--wait-timeout", 60, "--answer-timeout", 60)
    assert server.request("POST", "/verifyReceipt", body).json["status"] == 0
    answers, peak = [], [0]

    def ask():
        # Only the status is kept: the responses would count as memory of this process. On a busy machine the last response
        # takes as long as the server allows.
        answers.append(server.request("POST", "/verifyReceipt", body, timeout=90).status)

    clients = [threading.Thread(target=ask) for _ in range(64)]
    for client in clients:
        client.start()
    while any(client.is_alive() for client in clients):
        peak[0] = max(peak[0], server.resident_bytes)
        time.sleep(0.02)
    assert len(answers) == 64 and set(answers) <= {200, 503} and 200 in answers
    print(f"{peak[0] >> 20} MB at most")
    assert peak[0] < 600 * MEGABYTE


def test_a_head_that_is_too_large_is_rejected(serve):
    server = serve()
    connected = server.socket()
    connected.sendall(head("POST", "/verifyReceipt", 2, X_Long="a" * 20_000))
    answer = read_answer(connected)
    assert answer.status in (400, 431)
    assert ended_within(connected, 2)
    assert server.get("/healthz").status == 200
