#!/usr/bin/env python3
"""Checks deploy/prometheus-rules.yml and deploy/grafana-dashboard.json with Prometheus, against a server that has had traffic.

    scripts/check-monitoring.py --program FILE | --prepare

    --program FILE   the appreceipt to start, built with the trait Server
    --prepare        only installs prometheus, with apt-get

Runs the tests in Tests/Deployment with promtool. Then starts the server, a fake of the App Store, a receiver of webhooks and Prometheus,
and sends valid and invalid requests. Prometheus must evaluate each rule and each query of the dashboard. Each metric in them, with its
labels, must be in the server's /metrics; a value of a label may be a code of docs/errors.md instead. Each query must return data. Takes
half a minute.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Server"))
sys.dont_write_bytecode = True
RULES = ROOT / "deploy/prometheus-rules.yml"
TESTS = ROOT / "Tests/Deployment/prometheus-rules.test.yml"
DASHBOARD = ROOT / "deploy/grafana-dashboard.json"

SELECTOR = re.compile(r"\b(?:(?:appreceipt|process)_\w+|up)\b(?:\{[^}]*\})?")
MATCHER = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
VARIABLES = {"$job": ".*", "$instance": ".*", "$__rate_interval": "1m"}
APP, OTHER_APP, APPLE_ID, CUSTOMER = "com.example.app", "com.example.other", 1234567890, "2000000000000001"
SECRET = "whsec_" + "QUJD" * 8


def run(*arguments):
    made = subprocess.run(list(map(str, arguments)), capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}\n{made.stdout}{made.stderr}")
    return made.stdout


def test_rules():
    """Returns the number of alerts, each of which the tests expect to fire and not to fire."""
    run("promtool", "check", "rules", RULES)
    run("promtool", "test", "rules", TESTS)
    rules, tests = RULES.read_text(), TESTS.read_text()
    alerts = re.findall(r"- alert: (\w+)", rules)
    for alert in alerts:
        if f'alertname="{alert}"' not in tests:
            sys.exit(f"{TESTS.name} has no test of {alert}.")
    for name in ("severity", "summary", "description", "action"):
        if len(re.findall(rf"\b{name}: ", rules)) != len(alerts):
            sys.exit(f"Not every alert has the label or annotation {name}.")
    return len(alerts)


def expressions(value, key="expr"):
    """The values of all members `expr` in JSON."""
    if isinstance(value, dict):
        yield from ([value[key]] if key in value else [])
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from expressions(item, key)


class Prometheus:
    """A Prometheus that scrapes a server each second, with the rules."""

    def __init__(self, folder, port):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        (folder / "prometheus.yml").write_text(
            json.dumps({
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": [str(RULES)],
                "scrape_configs": [{"job_name": "appreceipt", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}],
            })  # fmt: skip
        )
        self.log = open(folder / "prometheus.log", "w")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/prometheus",
             f"--web.listen-address={self.address}"],
            stdout=self.log, stderr=subprocess.STDOUT)  # fmt: skip

    def get(self, path, **parameters):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            # Until it is ready.
            if error.code == 503:
                raise
            sys.exit(f"{parameters}: {json.load(error)['error']}")

    def query(self, expression):
        return self.get("query", query=expression)["result"]

    def has(self, expression):
        try:
            return bool(self.query(expression))
        except OSError:
            return False


def start(command, folder, servers):
    """Starts a fake of the App Store, whose first history is forged, a receiver of webhooks, and a server that uses both."""
    from running import RunningServer
    from test_customers import Receiver

    store = folder / "store"
    fake = RunningServer(command, "--out", store, "--fault", "history:forged", subcommand=("store", "fake"))
    servers.append(fake)
    (folder / "secret").write_text(SECRET)
    receiver = Receiver()
    webhook = {"url": receiver.url, "secret-file": str(folder / "secret"), "format": "standard"}
    app = {"bundle-id": APP, "app-apple-id": APPLE_ID, "webhooks": [webhook]}
    settings = {
        "apps": [app, {"bundle-id": OTHER_APP}], "shared-secret": "right", "allow-webhook-host": ["127.0.0.1"],
        "database": str(folder / "state.sqlite"),
        "root": [str(path) for path in (folder / "root.pem", folder / "signed-data-root.pem", store / "root.pem")],
        "store-key": str(store / "key.p8"), "store-key-id": "TESTKEY001", "store-patience": 5,
        "store-issuer-id": "6f9619ff-8b86-4011-b42d-00cf4fc964ff", "store-base-url": f"http://127.0.0.1:{fake.port}",
        "store-sandbox-base-url": f"http://127.0.0.1:{fake.port}/sandbox",
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps(settings))
    servers.append(RunningServer(command, "--config", folder / "settings.json"))
    return servers[-1], receiver


def send_traffic(server, data):
    def verify(receipt, password="right"):
        return server.post("/verifyReceipt", {"receipt-data": receipt, "password": password}).json["status"]

    def validate(receipt, account="one"):
        return server.post("/v1/receipts/validate", {"receipt": receipt}, X_Account=account)

    def notify(token):
        return server.post("/v1/notifications", {"signedPayload": token}).status

    # The sandbox first, whose history is forged.
    statuses = [verify(data[name]) for name in ("sandbox", "production", "other", "forged")]
    assert statuses == [21007, 0, 0, 21003], statuses
    assert [verify("eA=="), verify("eA==", "wrong")] == [21002, 21004]
    verdicts = [validate(data[name]).json["verdict"] for name in ("sandbox", "production", "forged")]
    assert verdicts == ["valid", "valid", "invalid"], verdicts
    assert validate(data["production"], "two").json["replays"] == [CUSTOMER]
    statuses = [notify(data["renewal"]), notify(data["renewal"]), notify(data["unknown"]), notify("x")]
    assert statuses == [200, 200, 200, 400], statuses
    statuses = [server.get(path).status for path in ("/readyz", "/v1/purchases/1", "/v1/events")]
    assert statuses == [200, 404, 200], statuses
    assert server.post("/v1/inspector/examine", {"input": data["forged"]}).status == 200
    sandbox = server.post("/sandbox/verifyReceipt", {"receipt-data": data["sandbox"], "password": "right"})
    assert sandbox.json["status"] == 0


def make(command, folder):
    import made

    def receipt(app, environment, *options):
        options = ("--subscription", "com.example.app.plus:2", "--first-transaction", CUSTOMER, *options)
        return made.receipt(command, folder, app, environment, options)

    def notification(name, *options):
        command.make("notification", folder, "--name", name, "--bundle-id", APP, "--app-apple-id", APPLE_ID,
                     "--environment", "production", *options)  # fmt: skip
        return (folder / f"{name}.jws").read_text().strip()

    return {
        "sandbox": receipt(APP, "sandbox"), "production": receipt(APP, "production"),
        "other": receipt(OTHER_APP, "production"), "forged": receipt(APP, "production", "--forge", "content"),
        "renewal": notification("renewal", "--type", "DID_RENEW", "--product", "com.example.app.plus", "--transaction-id",
                                "2000000000000099", "--original-id", CUSTOMER, "--expires", "2036-08-01T15:04:05Z"),
        "unknown": notification("unknown", "--type", "SOMETHING_NEW", "--claim", "data=null", "--claim", "news={}"),
    }  # fmt: skip


def check(program):
    from running import Command, becomes

    alerts = test_rules()
    command, servers, prometheus = Command(program), [], None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            data = make(command, folder)
            server, receiver = start(command, folder, servers)
            prometheus = Prometheus(folder, server.port)
            becomes(lambda: prometheus.has("up == 1"), 30, lambda: (folder / "prometheus.log").read_text())
            # The next delivery is postponed, the one after it is given up.
            receiver.statuses += [500, 410]
            send_traffic(server, data)
            # Counted every 15 seconds.
            becomes(lambda: prometheus.has('appreceipt_webhook_queue{state="dead"} > 0'), 60, lambda: server.errors)
            # A database that is gone is noticed by writes.
            (folder / "state.sqlite").rename(folder / "gone.sqlite")
            becomes(lambda: server.get("/readyz").status == 503, 15, lambda: "A missing database isn't noticed.")
            new = server.post("/verifyReceipt", {"receipt-data": data["production"], "password": "right"}, X_Account="three")
            failed = server.post("/v1/receipts/validate", {"receipt": data["production"]}, X_Account="three")
            assert (new.json["status"], failed.status) == (21100, 500), (new.json["status"], failed.status)
            becomes(lambda: prometheus.has('appreceipt_verify_receipt_responses_total{status="21100"}'), 15, lambda: server.errors)
            compare(prometheus, alerts)
        finally:
            for running in servers:
                running.kill()
            if prometheus:
                prometheus.process.kill()
                prometheus.process.wait()
                prometheus.log.close()


def labeled(selector):
    """A selector for each value of a label in the selector, also for those that it excludes."""
    name = selector.partition("{")[0]
    for label, values in MATCHER.findall(selector):
        if label not in ("job", "instance"):
            yield from (f'{name}{{{label}=~"{value}"}}' for value in values.split("|"))


def compare(prometheus, alerts):
    # Rates need two values.
    time.sleep(2)
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    problems = [f"{rule['name']}: {rule['lastError']}" for rule in rules if rule["health"] != "ok"]
    if len(rules) != alerts:
        problems.append(f"Prometheus has {len(rules)} of {alerts} rules.")
    if not prometheus.has('ALERTS{alertname="AppReceiptWebhookDead", alertstate="firing"}'):
        problems.append("AppReceiptWebhookDead doesn't fire.")
    queries = list(expressions(json.loads(DASHBOARD.read_text())))
    for name, value in VARIABLES.items():
        queries = [query.replace(name, value) for query in queries]
    selectors = {selector for text in [*queries, *(rule["query"] for rule in rules)] for selector in SELECTOR.findall(text)}
    problems += [f"The server has no {selector}." for selector in sorted(selectors) if not prometheus.has(selector)]
    codes = set(re.findall(r"^### (\S+)$", (ROOT / "docs/errors.md").read_text(), re.M))
    problems += [
        f"The server has no {series}."
        for series in sorted(set().union(*map(labeled, selectors)))
        if not prometheus.has(series) and series.split('"')[1] not in codes
    ]
    problems += [
        f"No data: {query}"
        for query in queries
        if not prometheus.query(query) and not query.startswith("changes(")
    ]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{alerts} alerts, {len(queries)} queries of the dashboard, {len(selectors)} series: complete.")


def prepare():
    if not shutil.which("promtool") and shutil.which("apt-get"):
        run("apt-get", "update", "-qq")
        run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", "prometheus")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--program", type=lambda path: pathlib.Path(path).resolve())
    action.add_argument("--prepare", action="store_true")
    options = parser.parse_args()
    prepare()
    if options.program:
        check(options.program)


main()
