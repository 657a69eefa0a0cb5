"""Traces: the spans that arrive at a collector over OTLP/HTTP, and the trace in the log and in requests to others."""

import http.server
import json
import threading
import time

import made
from running import TIMEOUT, becomes
from test_customers import Receiver

APP, ACCOUNT, TOKEN, CUSTOMER = "com.example.app", "account-of-somebody", "t" * 32, "2000000000000001"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SERVER, CLIENT = 2, 3


class Collector:
    """A collector of traces. It keeps every request, and answers after `delay` seconds."""

    def __init__(self, delay=0):
        self.requests = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.requests.append((self.path, self.headers["Content-Type"], body))
                time.sleep(delay)
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def spans(self):
        return [
            span
            for _, _, body in list(self.requests)
            for resource in json.loads(body)["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]


def attributes(span):
    return {attribute["key"]: next(iter(attribute["value"].values())) for attribute in span["attributes"]}


def test_a_request_with_a_traceparent_is_a_child_span_and_nothing_personal_is_exported(command, serve, tmp_path):
    store = tmp_path / "store"
    fake = serve("--out", store, subcommand=("store", "fake"))
    options = ("--subscription", "com.example.app.plus:2", "--first-transaction", CUSTOMER)
    receipt = made.receipt(command, tmp_path, APP, "production", options)
    collector, receiver = Collector(), Receiver()
    secret = "whsec_" + "QUJD" * 8
    for name, text in (("secret", secret), ("token", TOKEN)):
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text(text)
    webhook = {"url": receiver.url, "secret-file": str(tmp_path / "secret"), "format": "standard"}
    settings = {
        "apps": [{"bundle-id": APP, "webhooks": [webhook]}], "allow-webhook-host": ["127.0.0.1"],
        "token-file": str(tmp_path / "token"), "database": str(tmp_path / "state.sqlite"), "log-level": "debug",
        "root": [str(path) for path in (tmp_path / "root.pem", store / "root.pem")],
        "store-key": str(store / "key.p8"), "store-key-id": "TESTKEY001", "store-patience": 10,
        "store-issuer-id": "6f9619ff-8b86-4011-b42d-00cf4fc964ff", "store-base-url": f"http://127.0.0.1:{fake.port}",
        "store-sandbox-base-url": f"http://127.0.0.1:{fake.port}/sandbox", "otlp-endpoint": collector.url,
    }  # fmt: skip
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    server = serve("--config", tmp_path / "settings.json")
    headers = {
        "Authorization": f"Bearer {TOKEN}", "X-Account": ACCOUNT, "Content-Type": "application/json",
        "traceparent": f"00-{TRACE}-{PARENT}-01",
    }  # fmt: skip
    validated = server.request("POST", "/v1/receipts/validate", json.dumps({"receipt": receipt}), headers)
    assert validated.json["verdict"] == "valid", validated.body
    owned = server.request("GET", f"/v1/accounts/{ACCOUNT}/entitlements", headers=headers)
    assert owned.status == 200
    # Not recorded, as the client decides.
    unsampled = {**headers, "traceparent": f"00-{'a' * 32}-{PARENT}-00"}
    assert server.request("GET", f"/v1/purchases/{CUSTOMER}", headers=unsampled).status == 200
    becomes(lambda: receiver.requests, TIMEOUT, lambda: server.errors)
    assert TRACE in server.errors and "a" * 32 in server.errors
    server.terminate()
    assert server.wait() == 0

    assert {(path, kind) for path, kind, _ in collector.requests} == {("/v1/traces", "application/json")}
    spans = collector.spans
    own = {span["name"]: span for span in spans if span["traceId"] == TRACE}
    request = own["POST /v1/receipts/validate"]
    assert (request["parentSpanId"], request["kind"], request["status"]) == (PARENT, SERVER, {})
    assert attributes(request) == {
        "http.request.method": "POST", "http.route": "/v1/receipts/validate", "http.response.status_code": "200",
    }  # fmt: skip
    assert int(request["startTimeUnixNano"]) < int(request["endTimeUnixNano"])
    for name in ("verify", "read store", "write store"):
        assert any(span["name"] == name and span["parentSpanId"] == request["spanId"] for span in spans), name
    asked = own["GET /inApps/v2/history"]
    assert (asked["kind"], asked["parentSpanId"]) == (CLIENT, request["spanId"])
    assert attributes(asked)["http.response.status_code"] == "200"
    (entitlements,) = [span for span in spans if span["name"].endswith("/entitlements")]
    assert entitlements["parentSpanId"] == PARENT and "account" in attributes(entitlements)["http.route"]
    # Webhooks are sent outside of requests, so each attempt begins a trace.
    hook = next(span for span in spans if span["name"] == "POST webhook")
    assert hook["kind"] == CLIENT and "parentSpanId" not in hook and hook["traceId"] != TRACE
    assert receiver.requests[0][0]["traceparent"] == f"00-{hook['traceId']}-{hook['spanId']}-01"
    assert not [span for span in spans if span["traceId"] == "a" * 32]
    assert {span["kind"] for span in spans} <= {1, SERVER, CLIENT}
    everything = b"".join(body for _, _, body in collector.requests).decode()
    for personal in (ACCOUNT, TOKEN, CUSTOMER, receipt[:40], APP, secret, "/hook"):
        assert personal not in everything, personal


def test_a_collector_that_hangs_delays_neither_requests_nor_the_end(serve):
    collector = Collector(delay=60)
    server = serve("--otlp-endpoint", collector.url)
    for _ in range(3000):
        assert server.get("/healthz").status == 200
        if collector.requests:
            break
    assert collector.requests
    start = time.monotonic()
    assert server.get("/healthz").status == 200
    assert time.monotonic() - start < 5
    server.terminate()
    assert server.wait() == 0
    assert time.monotonic() - start < 10


def test_without_an_endpoint_the_log_has_the_trace_that_a_request_names(serve):
    server = serve("--log-level", "debug", "--log-format", "text")
    server.request("GET", "/healthz", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    server.get("/healthz")
    server.terminate()
    assert server.wait() == 0
    assert [line.count(f"trace-id={TRACE}") for line in server.lines if "/healthz" in line] == [1, 0]


def test_a_wrong_endpoint_and_a_wrong_share_are_reported(command):
    for flags, setting in (
        (("--otlp-endpoint", "collector:4318"), "--otlp-endpoint"),
        (("--otlp-endpoint", "http://user:secret@collector:4318"), "--otlp-endpoint"),
        (("--otlp-endpoint", "http://collector:4318", "--trace-sample", "2"), "--trace-sample"),
        (("--trace-sample", "1"), "--trace-sample"),
    ):
        done = command.run("serve", "--check", *flags)
        assert done.returncode == 64 and setting in done.stderr and "secret" not in done.stderr
    assert command.run("serve", "--check", "--otlp-endpoint", "http://collector:4318", "--trace-sample", "0.1").returncode == 0
