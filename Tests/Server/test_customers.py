"""Customers, as a back end sees them: events, webhooks, and a second app while the server runs."""

import base64
import http.server
import json
import re
import signal
import socket
import threading

import made
from running import ROOT, becomes, read_answer

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


class Receiver:
    """A receiver of webhooks that answers with the statuses in turn, and with 204 from then on."""

    def __init__(self, statuses=()):
        self.statuses = list(statuses)
        self.requests = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((dict(self.headers), body))
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/hook"


def examples(document, language):
    """The examples of a document in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "docs" / document).read_text(), re.M | re.S)


def is_signed(headers, body):
    """Checked as docs/webhooks.md says."""
    receiver = {}
    (text,) = examples("webhooks.md", "python")
    exec(text, receiver)
    other = base64.b64encode(bytes(range(1, 33))).decode()
    assert not receiver["is_authentic"](headers, body, [other])
    assert not receiver["is_authentic"](headers, body + b" ", [SECRET])
    return receiver["is_authentic"](headers, body, [other, SECRET])


def server_with_an_event(command, serve, tmp_path, receiver):
    """A server that has an event for the receiver, and the flags to start it again."""
    (tmp_path / "secret").write_text(SECRET)
    webhook = {"url": receiver.url, "secret-file": str(tmp_path / "secret"), "format": "standard"}
    settings = {"apps": [{"bundle-id": "com.example.app", "webhooks": [webhook]}], "allow-webhook-host": ["127.0.0.1"]}
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    receipt = made.receipt(command, tmp_path / "made", options=("--purchase", "pro"))
    flags = ["--config", tmp_path / "settings.json", "--database", tmp_path / "state.sqlite"]
    flags += ["--root", tmp_path / "made" / "root.pem"]
    server = serve(*flags)
    # The webhook begins with what comes after it is known.
    becomes(lambda: server.get("/readyz").status == 200, 5, lambda: "not ready")
    threading.Event().wait(2)
    assert server.post("/v1/receipts/validate", {"receipt": receipt}).json["verdict"] == "valid"
    return server, flags


def test_a_webhook_gets_each_event_although_its_receiver_fails_and_the_server_is_killed(command, serve, tmp_path):
    receiver = Receiver([500])
    server, flags = server_with_an_event(command, serve, tmp_path, receiver)
    becomes(lambda: len(receiver.requests) == 1, 10, lambda: "nothing is sent: " + "".join(server.lines))
    server.kill()
    server = serve(*flags)
    # Five seconds later, or a minute if the server was killed before it recorded the answer.
    becomes(lambda: len(receiver.requests) >= 2, 90, lambda: "nothing is sent again: " + "".join(server.lines))
    first, last = receiver.requests[0], receiver.requests[-1]
    assert all(is_signed(headers, body) for headers, body in receiver.requests)
    assert first[0]["webhook-id"] == last[0]["webhook-id"]
    assert json.loads(last[1])["type"] == "activated"
    assert first[1] == last[1]



def test_what_was_given_up_is_listed_with_its_reason_and_replayed(command, serve, tmp_path):
    receiver = Receiver([410])
    server, _ = server_with_an_event(command, serve, tmp_path, receiver)
    state, replay = (["state", "webhooks", name, "--database", tmp_path / "state.sqlite"] for name in ("list", "replay"))
    becomes(lambda: "status 410" in command.run(*state).stdout, 10, lambda: "not listed: " + "".join(server.lines))
    assert any("given up" in line and "status 410" in line and "/hook" not in line for line in server.lines)
    delivery = json.loads(command.run(*state, "--format", "json").stdout)["deliveries"][0]
    assert delivery["failure"] == "status 410" and delivery["failedDate"]
    unknown = command.run(*replay, delivery["number"] + 1)
    assert unknown.returncode == 1
    assert "webhooks list" in unknown.stderr
    assert command.run(*replay, delivery["number"]).returncode == 0
    becomes(lambda: len(receiver.requests) == 2, 10, lambda: "not replayed: " + "".join(server.lines))


def test_what_waits_for_another_attempt_is_listed_and_sent_at_once(command, serve, tmp_path):
    receiver = Receiver([500, 500])
    server, _ = server_with_an_event(command, serve, tmp_path, receiver)
    state, replay = (["state", "webhooks", name, "--database", tmp_path / "state.sqlite"] for name in ("list", "replay"))
    # The next attempt is half a minute later.
    becomes(lambda: "2 attempts  status 500" in command.run(*state).stdout, 20, lambda: "".join(server.lines))
    assert json.loads(command.run(*state, "--format", "json").stdout)["deliveries"][0]["dueDate"]
    assert command.run(*replay, "all").stdout == "Replayed: 1\n"
    becomes(lambda: len(receiver.requests) == 3, 10, lambda: "not sent: " + "".join(server.lines))


def test_what_waits_for_a_webhook_that_moved_is_logged_and_listed(command, serve, tmp_path):
    receiver = Receiver([500, 500, 500])
    server, flags = server_with_an_event(command, serve, tmp_path, receiver)
    becomes(lambda: receiver.requests, 10, lambda: "nothing is sent: " + "".join(server.lines))
    settings = json.loads((tmp_path / "settings.json").read_text())
    webhook = settings["apps"][0]["webhooks"][0]
    former = webhook["url"]
    webhook["url"] += "-moved?key=hidden"
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    server.process.send_signal(signal.SIGHUP)
    becomes(lambda: any("isn't configured any more" in line for line in server.lines), 10, lambda: server.errors)
    listed = command.run("state", "webhooks", "--database", tmp_path / "state.sqlite", "--format", "json").stdout
    assert "hidden" not in listed
    waiting = [webhook for webhook in json.loads(listed)["webhooks"] if webhook["removedDate"]]
    assert [(webhook["url"], webhook["waiting"]) for webhook in waiting] == [(former, 1)]


def test_two_webhooks_of_an_app_with_one_address_are_a_mistake(command, tmp_path):
    (tmp_path / "secret").write_text(SECRET)
    webhook = {"url": "https://example.com/hook", "secret-file": str(tmp_path / "secret"), "format": "standard"}
    apps = [{"bundle-id": f"com.example.{app}", "webhooks": [webhook]} for app in ("one", "two")]
    (tmp_path / "settings.json").write_text(json.dumps({"apps": apps}))
    assert command.run("serve", "--check", "--config", tmp_path / "settings.json").returncode == 0
    apps[1]["webhooks"].append(webhook | {"forward-notifications": True})
    (tmp_path / "settings.json").write_text(json.dumps({"apps": apps}))
    done = command.run("serve", "--check", "--config", tmp_path / "settings.json")
    assert done.returncode == 64
    assert "Another webhook of this app has the same address." in done.stderr


def test_a_consumer_that_is_killed_skips_and_repeats_nothing(command, serve, tmp_path):
    customers = made.customers(command, tmp_path / "made", 6)
    server = serve("--database", tmp_path / "state.sqlite", *made.roots(command, tmp_path / "made"))

    def write():
        for customer in customers:
            server.post("/v1/receipts/validate", {"receipt": customer.receipt})
            server.post("/v1/signed-data/verify", {"token": customer.transaction})

    writer = threading.Thread(target=write)
    writer.start()
    events, cursor = [], "0"
    # Each request stands for a consumer that stored the cursor and was killed.
    while len({event["bundleIdentifier"] for event in events}) < len(customers) or writer.is_alive():
        page = server.get(f"/v1/events?after={cursor}&limit=1&wait=1").json
        events += page["events"]
        cursor = page["next"]
    events += server.get(f"/v1/events?after={cursor}").json["events"]
    assert [event["cursor"] for event in events] == [
        event["cursor"] for event in server.get("/v1/events?limit=1000").json["events"]
    ]
    assert len({event["cursor"] for event in events}) == len(events)


def test_a_reload_adds_an_app_while_requests_are_served(command, serve, tmp_path):
    apps = ["com.example.one", "com.example.two"]
    receipts = {app: made.receipt(command, tmp_path / "made", app, options=("--purchase", "pro")) for app in apps}
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"apps": [{"bundle-id": apps[0]}]}))
    server = serve("--config", settings, "--root", tmp_path / "made" / "root.pem")
    ended, statuses = threading.Event(), []

    def load():
        connection = server.connection()
        while not ended.is_set():
            connection.request("POST", "/verifyReceipt", json.dumps({"receipt-data": receipts[apps[0]]}))
            statuses.append(json.loads(connection.getresponse().read())["status"])

    loads = [threading.Thread(target=load) for _ in range(4)]
    for thread in loads:
        thread.start()

    def status(app):
        return server.post("/verifyReceipt", {"receipt-data": receipts[app]}).json["status"]

    assert status(apps[1]) == 21003
    settings.write_text(json.dumps({"apps": [{"bundle-id": app} for app in apps]}))
    server.process.send_signal(signal.SIGHUP)
    becomes(lambda: status(apps[1]) == 0, 10, lambda: "".join(server.lines))
    settings.write_text('{"apps": [{"bundle-identifier": "com.example.one"}]}')
    server.process.send_signal(signal.SIGHUP)
    becomes(lambda: any("wasn't reloaded" in line for line in server.lines), 10, lambda: "".join(server.lines))
    [line] = [line for line in server.lines if "wasn't reloaded" in line]
    assert "Unknown setting 'bundle-identifier'" in line
    assert sum("Unknown setting" in line for line in server.lines) == 1
    assert [status(app) for app in apps] == [0, 0]
    ended.set()
    for thread in loads:
        thread.join(10)
    assert set(statuses) == {0}


def test_a_failed_reload_is_one_line_of_a_json_log(command, serve, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text('{"log-format": "json"}')
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = serve("--config", settings, port=port, listens=False)
    becomes(lambda: any("Listening on" in line for line in server.lines), 10, lambda: server.errors)
    count = len(server.lines)
    for text, reason in [
        ('{"log-format": "json", "bundel-id": "com.example.app"}', "Did you mean 'bundle-id'?"),
        ("{", "settings.json"),
        (json.dumps({"log-format": "json", "token-file": str(tmp_path / "absent")}), "absent"),
        (json.dumps({"log-format": "json", "root": [str(tmp_path / "none.pem")]}), "none.pem"),
    ]:
        settings.write_text(text)
        server.process.send_signal(signal.SIGHUP)
        count += 1
        becomes(lambda: len(server.lines) >= count, 10, lambda: server.errors)
        entry = json.loads(server.lines[count - 1])
        assert "wasn't reloaded" in entry["message"]
        assert reason in json.dumps(entry)
    settings.write_text('{"log-format": "json"}')
    server.process.send_signal(signal.SIGHUP)
    becomes(lambda: "was reloaded" in server.lines[-1], 10, lambda: server.errors)
    assert len(server.lines) == count + 1
    assert all(json.loads(line) for line in server.lines)


def test_a_reload_that_opens_what_was_closed_warns(command, serve, tmp_path):
    (tmp_path / "token").write_text("a-token-of-this-test")
    (tmp_path / "token").chmod(0o600)
    settings = tmp_path / "settings.json"
    closed = {"apps": [{"bundle-id": "com.example.app"}], "token-file": str(tmp_path / "token")}
    settings.write_text(json.dumps(closed))
    server = serve("--config", settings)
    for configuration, warnings in [
        ({}, ["Receipts of every app are accepted", "/v1 doesn't require a token."]), ({}, []), (closed, []),
    ]:  # fmt: skip
        known = len(server.lines)
        settings.write_text(json.dumps(configuration))
        server.process.send_signal(signal.SIGHUP)
        becomes(lambda: "was reloaded" in "".join(server.lines[known:]), 10, lambda: "".join(server.lines))
        added = [line for line in server.lines[known:] if " warning " in line]
        assert len(added) == len(warnings), added
        assert all(words in line for words, line in zip(warnings, added))
    settings.write_text("{")
    server.process.send_signal(signal.SIGHUP)
    becomes(lambda: b"appreceipt_last_reload_successful 0" in server.get("/metrics").body, 10, lambda: server.lines)


def test_waiting_clients_that_go_away_leave_their_places(command, serve):
    server = serve("--max-connections", "8")
    waiting = "appreceipt_waiting_requests"
    request = b"GET /v1/events?wait=60 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for close in [lambda client: client.close(), lambda client: client.shutdown(socket.SHUT_WR)]:
        clients = [server.socket() for _ in range(2)]
        for client in clients:
            client.sendall(request)
        server.settles(waiting, 2)
        assert server.get("/v1/events?wait=60").status == 503
        for client in clients:
            close(client)
        server.settles(waiting, 0, within=3)
        # A client that only closed its side has the answer.
        for client in clients:
            if client.fileno() >= 0:
                assert read_answer(client).json["events"] == []
            client.close()
