"""Clients written for Apple's endpoint work with only the host changed."""

import json
import subprocess
import sys
import urllib.request

import pytest

import made
from running import ROOT, head, read_answer


@pytest.fixture(scope="module")
def receipts(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    production = made.receipt(command, folder, environment="production")
    sandbox = made.receipt(command, folder, app="com.example.review", environment="sandbox")
    return {"production": production, "sandbox": sandbox, "root": folder / "root.pem"}


def ask(host, receipt, password=None, content_type="application/json"):
    """Sends a request as clients of Apple's endpoint do, with the standard library."""
    question = {"receipt-data": receipt}
    if password:
        question["password"] = password
    request = urllib.request.Request(
        f"{host}/verifyReceipt", json.dumps(question).encode(), {"Content-Type": content_type}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200
        return json.load(answer)


def verify_as_apple_says(receipt, buy, sandbox, **more):
    """Sends a receipt to production, and on 21007 to the sandbox, as App Review requires."""
    answer = ask(buy, receipt, **more)
    if answer["status"] == 21007:
        answer = ask(sandbox, receipt, **more)
    return answer


def host(server, folder=""):
    return f"http://127.0.0.1:{server.port}{folder}"


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain", ""])
def test_clients_try_production_first_and_then_the_sandbox(serve, receipts, content_type):
    buy = serve("--root", receipts["root"])
    sandbox = serve("--root", receipts["root"], "--environment", "sandbox")
    for second in (host(sandbox), host(buy, "/sandbox")):
        for environment, name in (("production", "Production"), ("sandbox", "Sandbox")):
            answer = verify_as_apple_says(receipts[environment], host(buy), second, content_type=content_type)
            assert (answer["status"], answer["environment"]) == (0, name)
    assert ask(host(buy), receipts["sandbox"])["status"] == 21007
    assert ask(host(sandbox), receipts["production"])["status"] == 21008


def test_one_address_can_serve_both_environments(serve, receipts):
    both = serve("--root", receipts["root"], "--answer-both")
    for environment in ("production", "sandbox"):
        assert ask(host(both), receipts[environment])["status"] == 0
    assert ask(host(both, "/sandbox"), receipts["production"])["status"] == 21008


def test_requests_must_contain_the_shared_secret(serve, receipts, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef\n")
    server = serve("--root", receipts["root"], "--shared-secret-file", secret)
    assert ask(host(server), receipts["production"])["status"] == 21004
    assert ask(host(server), receipts["production"], password="wrong")["status"] == 21004
    assert ask(host(server), receipts["production"], password="0123456789abcdef")["status"] == 0


def test_receipts_of_other_apps_get_21003(serve, receipts):
    server = serve("--root", receipts["root"], "--bundle-id", "com.example.app")
    assert ask(host(server), receipts["production"])["status"] == 0
    assert ask(host(server, "/sandbox"), receipts["sandbox"])["status"] == 21003


def test_malformed_requests_get_a_status_and_not_an_http_error(serve, receipts):
    server = serve("--root", receipts["root"])
    for body in (b"", b"hello", b"[]", b"{", b"\xff\xfe", b'{"receipt-data": 5}', b"receipt-data=abc&password=x"):
        answer = server.request("POST", "/verifyReceipt", body)
        assert answer.status == 200 and answer.json["status"] in (21000, 21002), body
    assert ask(host(server), "!")["status"] == 21002
    answer = server.get("/verifyReceipt")
    assert (answer.status, answer.json) == (200, {"status": 21000})
    answer = server.request("POST", "/verifyReceipt", b" " * (4 << 20) + b" ")
    assert (answer.status, answer.json) == (200, {"status": 21000})


def test_a_receipt_that_is_sent_as_a_form_field_is_read(serve, receipts):
    """Apple's sample and its copies escape `+` in the body; PHP's json_encode escapes `/`."""
    server = serve("--root", receipts["root"])
    text = json.dumps({"receipt-data": receipts["production"]}).replace("/", "\\/")
    answer = server.request(
        "POST", "/verifyReceipt", text.encode(), {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert answer.json["status"] == 0


def expecting(path, length):
    return head("POST", path, length, Expect="100-continue")


def test_clients_that_expect_100_continue_receive_it(serve, receipts):
    """curl, and therefore PHP, expects 100-continue before it sends a large body, and otherwise waits for a second."""
    server = serve("--root", receipts["root"])
    body = json.dumps({"receipt-data": receipts["production"]}).encode()
    connected = server.socket()
    for _ in range(2):
        connected.sendall(expecting("/verifyReceipt", len(body)))
        assert connected.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connected.sendall(body)
        assert read_answer(connected).json["status"] == 0
    # A body that is too large is rejected before it is sent.
    connected.sendall(expecting("/v1/receipts/inspect", 5 << 20))
    assert read_answer(connected).status == 413


def test_answers_of_two_endpoints_are_compared(command, serve, tmp_path):
    """scripts/compare-answers.py reports a renewal that only one of two servers knows."""
    customers = made.customers(command, tmp_path / "made", 3)
    roots = made.roots(command, tmp_path / "made")
    knowing, other = serve(*roots), serve(*roots)
    file = tmp_path / "requests"
    bodies = [json.dumps({"receipt-data": one.receipt}) for one in customers] + ['{"receipt-data": "AAAA"}', ""]
    file.write_text("\n".join(bodies))

    def compare():
        script = ROOT / "scripts" / "compare-answers.py"
        done = subprocess.run(
            [sys.executable, script, host(knowing), host(other), file], capture_output=True, text=True, timeout=30
        )
        return done.returncode, done.stdout.splitlines()

    assert compare() == (0, ["4 requests, 0 answered differently"])
    notified = knowing.post("/v1/notifications", {"signedPayload": customers[1].notification})
    assert notified.status == 200
    status, lines = compare()
    assert status == 1
    assert lines[0] == (
        "line 2: 1 transactions that only the one knows; the end of 1 subscriptions; 1 renewals that only the one knows"
    )
    assert lines[1] == "4 requests, 1 answered differently"
