"""Requests in the form that browsers send them, from other sites, rebound names and the server's page; and requests of programs."""

import json
import socket
import threading
import urllib.error
import urllib.request

import pytest

from running import SAMPLES, head, read_answer
from made import base64_of

RECEIPT = base64_of(SAMPLES / "production-subscriptions.receipt")
OPTION = "--allowed-host"


@pytest.fixture
def server(serve):
    return serve("--root", SAMPLES / "root.pem", OPTION, "receipts.example.com", OPTION, "[2001:db8::7]:8080")


def ask(server, method, path, host, body=None, **headers):
    """Sends a request with this Host; `sec_fetch_site` becomes `sec-fetch-site`."""
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return server.request(method, path, body, {"Host": host, **names})


def is_rejected(answer):
    assert answer.headers["Access-Control-Allow-Origin"] is None
    if answer.status != 403:
        return False
    error = answer.json["error"]
    assert error["code"] == "cross-origin" and error["message"]
    return True


def own(server):
    return f"127.0.0.1:{server.port}"


ROUTES = [
    ("POST", "/verifyReceipt", {"receipt-data": RECEIPT}),
    ("POST", "/sandbox/verifyReceipt", {"receipt-data": RECEIPT}),
    ("POST", "/v1/receipts/validate", {"receipt": RECEIPT}),
    ("POST", "/v1/receipts/inspect", {"receipt": RECEIPT}),
    ("POST", "/v1/signed-data/verify", {"token": "x"}),
    ("POST", "/v1/notifications", {"signedPayload": "x"}),
    ("POST", "/v1/inspector/examine", {"sample": "forged"}),
    ("POST", "/v1/validator", {"id": "com.example.garden"}),
    ("GET", "/metrics", None),
    ("GET", "/openapi.json", None),
    ("GET", "/healthz", None),
]


@pytest.mark.parametrize("method, path, value", ROUTES, ids=[path for _, path, _ in ROUTES])
def test_no_route_answers_another_site(server, method, path, value):
    body = value and json.dumps(value)
    for headers in (
        # A form or an image.
        {"origin": "https://evil.example.net", "sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
        # A page on another port of this machine.
        {"origin": "http://127.0.0.1:3000", "sec_fetch_site": "same-site", "sec_fetch_mode": "cors"},
        # A browser without Sec-Fetch-Site, and a sandboxed frame.
        {"origin": "https://evil.example.net"},
        {"origin": "null"},
        # An image, for which browsers add no Origin.
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
    ):
        assert is_rejected(ask(server, method, path, own(server), body, **headers)), headers
    # A preflight request.
    preflight = {"origin": "https://evil.example.net", "access_control_request_method": "POST"}
    assert is_rejected(ask(server, "OPTIONS", path, own(server), **preflight))


@pytest.mark.parametrize("method, path, value", ROUTES, ids=[path for _, path, _ in ROUTES])
def test_no_route_answers_a_rebound_name(server, method, path, value):
    body = value and json.dumps(value)
    rebound = f"evil.example.net:{server.port}"
    for headers in (
        {"origin": f"http://{rebound}"},
        {"origin": f"http://{rebound}", "sec_fetch_site": "same-origin", "sec_fetch_mode": "cors"},
        {"sec_fetch_site": "same-origin", "sec_fetch_mode": "cors"},
    ):
        assert is_rejected(ask(server, method, path, rebound, body, **headers)), headers


def test_the_page_is_used_under_loopback_and_allowed_names(server):
    body = json.dumps({"sample": "production-subscriptions"})
    for host in (own(server), f"localhost:{server.port}", f"[::1]:{server.port}", "receipts.example.com",
                 "Receipts.Example.com:8443", "[2001:DB8:0::7]:8080"):
        # Navigation from a link or a bookmark, then the page's script and requests.
        for site in ("cross-site", "same-site", "none"):
            assert ask(server, "GET", "/", host, sec_fetch_site=site, sec_fetch_mode="navigate").status == 200
        same = {"sec_fetch_site": "same-origin"}
        assert ask(server, "GET", "/inspector/inspector.js", host, **same, sec_fetch_mode="no-cors").status == 200
        for origin in (f"http://{host}", f"https://{host}"):
            answer = ask(
                server, "POST", "/v1/inspector/examine", host, body, content_type="application/json", origin=origin,
                **same, sec_fetch_mode="cors",
            )  # fmt: skip
            assert answer.status == 200, host


def test_the_page_is_not_used_under_another_name(server):
    for host in (f"evil.example.net:{server.port}", "other.example.com", "[2001:db8::7]:8081", "[2001:db8::7]"):
        answer = ask(server, "GET", "/", host, sec_fetch_site="none", sec_fetch_mode="navigate")
        assert is_rejected(answer), host
        message = answer.json["error"]["message"]
        assert f"'{host}'" in message and "allowed hosts" in message


def test_programs_are_answered_under_any_host(server):
    for host in ("receipts.internal", "evil.example.net", "10.1.2.3:8080", "-"):
        body = json.dumps({"receipt-data": RECEIPT})
        assert ask(server, "POST", "/verifyReceipt", host, body).json["status"] == 0
        # fetch() of Node.js sends Sec-Fetch-Mode without Sec-Fetch-Site.
        assert ask(server, "POST", "/verifyReceipt", host, body, sec_fetch_mode="cors").json["status"] == 0
        assert ask(server, "GET", "/metrics", host).status == 200
        assert ask(server, "POST", "/v1/notifications", host, '{"signedPayload": "x"}').status == 400


def test_a_request_is_rejected_before_its_body_is_received(server):
    with server.socket() as connected:
        connected.sendall(head("POST", "/v1/receipts/validate", 100_000, origin="https://evil.example.net"))
        assert read_answer(connected).status == 403
    server.settles("appreceipt_body_bytes", 0)


def test_rejected_requests_are_counted(server):
    ask(server, "POST", "/verifyReceipt", own(server), "{}", origin="https://evil.example.net")
    server.settles("appreceipt_http_requests_total", 1, method="POST", route="/verifyReceipt", status="403")


def test_hosts_come_from_flags_the_environment_and_the_file(serve, tmp_path):
    def accepts(server, host):
        return ask(server, "GET", "/", host, sec_fetch_site="none", sec_fetch_mode="navigate").status == 200

    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"allowed-host": ["a.example.com", "b.example.com:8443"]}))
    server = serve("--config", file)
    assert accepts(server, "a.example.com") and accepts(server, "b.example.com:8443")
    assert not accepts(server, "b.example.com")
    environment = {"APPRECEIPT_CONFIG": str(file), "APPRECEIPT_ALLOWED_HOST": "c.example.com d.example.com"}
    server = serve(environment=environment)
    assert accepts(server, "c.example.com") and accepts(server, "d.example.com")
    assert not accepts(server, "a.example.com")
    server = serve(OPTION, "e.example.com", OPTION, "f.example.com", environment=environment)
    assert accepts(server, "e.example.com") and accepts(server, "f.example.com")
    assert accepts(server, own(server)) and not accepts(server, "c.example.com")
    assert not accepts(serve(environment={"APPRECEIPT_ALLOWED_HOST": ""}), "c.example.com")


@pytest.mark.parametrize(
    "value",
    ["", "https://receipts.example.com", "receipts.example.com/", "*", "*.example.com", "a b", "::1", "a:b", "ä.example"],
)
def test_an_invalid_host_is_a_wrong_setting(command, tmp_path, value):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"allowed-host": ["a.example.com", value]}))
    for flags, source in (((OPTION, value), OPTION), (("--config", file), f"{file}: allowed-host")):
        done = command.run("serve", "--port", 0, *flags)
        assert done.returncode == 64
        assert done.stderr.strip().splitlines()[-1].startswith(f"appreceipt: {source}: Expected a host")


class Proxy:
    """A minimal reverse proxy that forwards requests with the client's Host or with the server's address."""

    def __init__(self, server, keeps_host):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server = server
        self.keeps_host = keeps_host
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, self.server.socket() as upstream:
                data = b""
                while b"\r\n\r\n" not in data:
                    data += client.recv(65536)
                head, body = data.split(b"\r\n\r\n", 1)
                lines = head.split(b"\r\n")
                lengths = [int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")]
                while len(body) < sum(lengths):
                    body += client.recv(65536)
                kept = [line for line in lines if not line.lower().startswith(b"connection:")]
                if not self.keeps_host:
                    kept = [line for line in kept if not line.lower().startswith(b"host:")]
                    kept.append(b"Host: 127.0.0.1:%d" % self.server.port)
                upstream.sendall(b"\r\n".join([*kept, b"Connection: close", b"", body]))
                while part := upstream.recv(65536):
                    client.sendall(part)


@pytest.mark.parametrize("keeps_host", [True, False])
def test_a_browser_behind_a_proxy_is_accepted_if_the_proxy_keeps_the_host(server, keeps_host):
    proxy = Proxy(server, keeps_host)
    try:
        # A browser's request to https://receipts.example.com/; TLS ends at the proxy.
        request = urllib.request.Request(
            f"http://127.0.0.1:{proxy.port}/v1/inspector/examine",
            json.dumps({"sample": "production-subscriptions"}).encode(),
            {
                "Host": "receipts.example.com",
                "Origin": "https://receipts.example.com",
                "Sec-Fetch-Site": "same-origin",
                "Sec-Fetch-Mode": "cors",
                "Content-Type": "application/json",
            },
        )
        if keeps_host:
            with urllib.request.urlopen(request, timeout=15) as answer:
                assert answer.status == 200 and json.load(answer)
        else:
            with pytest.raises(urllib.error.HTTPError) as raised:
                urllib.request.urlopen(request, timeout=15)
            error = json.load(raised.value)["error"]
            assert error["code"] == "cross-origin"
            assert f"'127.0.0.1:{server.port}'" in error["message"] and "proxy" in error["message"]
    finally:
        proxy.listener.close()
