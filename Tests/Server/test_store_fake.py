"""`appreceipt store fake` over HTTP: addresses, tokens, files, and the faults that only sockets show."""

import base64
import http.client
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

import pytest

KEY_ID, ISSUER = "TESTKEY001", "6f9619ff-8b86-4011-b42d-00cf4fc964ff"
HISTORY = "/inApps/v2/history/2000000000000001"


@pytest.fixture
def fake(serve, tmp_path):
    """Starts a fake, whose key and root are in the test's folder."""
    return lambda *flags: serve("--out", tmp_path, *flags, subcommand=("store", "fake"))


@pytest.fixture
def headers(fake, tmp_path):
    """Makes the headers of a request with a token that OpenSSL signs."""

    def make(**claims):
        now = int(time.time())
        payload = {"iss": ISSUER, "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": "com.example.app"}
        parts = [{"alg": "ES256", "kid": KEY_ID, "typ": "JWT"}, {**payload, **claims}]
        signed = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        command = ["openssl", "dgst", "-sha256", "-sign", str(tmp_path / "key.p8")]
        der = subprocess.run(command, input=signed.encode(), capture_output=True, check=True).stdout
        return {"Authorization": f"Bearer {signed}.{encoded(raw_signature(der))}"}

    return make


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw_signature(der):
    """r and s, 32 bytes each, of an ECDSA signature in DER."""
    length = der[3]
    r, rest = der[4 : 4 + length], der[4 + length :]
    s = rest[2 : 2 + rest[1]]
    return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (r, s))


def test_production_is_at_the_root_and_the_sandbox_below_sandbox(fake, headers):
    server = fake()
    for prefix, environment in (("", "Production"), ("/sandbox", "Sandbox")):
        answer = server.request("GET", prefix + HISTORY, headers=headers())
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.json["environment"] == environment
        assert len(answer.json["signedTransactions"]) == 6


def test_a_request_without_a_valid_token_gets_401_and_standard_error_names_the_reason(fake, headers):
    server = fake()
    answer = server.request("GET", HISTORY, headers=headers(aud="other"))
    assert (answer.status, answer.body) == (401, b"")
    assert server.request("GET", HISTORY).status == 401
    assert server.request("GET", HISTORY, headers=headers(bid="com.example.other")).json["errorCode"] == 4040003
    server.terminate()
    assert server.wait() == 0
    assert any("401 (token: audience)" in line for line in server.lines)
    assert any("401 (token: missing)" in line for line in server.lines)


def test_an_app_that_was_never_approved_gets_401_in_production_only(fake, headers):
    server = fake("--never-approved")
    assert server.request("GET", HISTORY, headers=headers()).status == 401
    assert server.request("GET", "/sandbox" + HISTORY, headers=headers()).status == 200


def test_the_files_are_the_key_and_the_root_in_both_forms(fake, tmp_path):
    fake()
    for arguments in (
        ("pkey", "-in", "key.p8"),
        ("x509", "-in", "root.pem"),
        ("x509", "-inform", "DER", "-in", "root.cer"),
    ):
        subprocess.run(["openssl", *arguments, "-noout"], cwd=tmp_path, check=True)


def test_a_delay_is_waited_for(fake, headers):
    server = fake("--fault", "history:delay=0.3")
    started = time.monotonic()
    assert server.request("GET", HISTORY, headers=headers()).status == 200
    assert time.monotonic() - started >= 0.3


def test_a_cut_connection_ends_without_a_response_or_within_it(fake, headers):
    server = fake("--fault", "history:cut", "--fault", "history:cut-midway")
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        server.request("GET", HISTORY, headers=headers())
    with pytest.raises(http.client.IncompleteRead) as cut:
        server.request("GET", HISTORY, headers=headers())
    assert cut.value.partial.startswith(b"{") and cut.value.expected > 0
    assert server.request("GET", HISTORY, headers=headers()).status == 200


def test_gateway_errors_and_rate_limits_look_like_those_of_apple(fake, headers):
    server = fake("--fault", "any:502", "--fault", "any:429=2030-01-01T00:00:00Z", "--fault", "any:429=7")
    page = server.request("GET", HISTORY)
    assert (page.status, page.headers["content-type"]) == (502, "text/html")
    assert page.body.startswith(b"<html>")
    for expected in ("1893456000000", "7"):
        limited = server.request("GET", HISTORY, headers=headers())
        assert (limited.status, limited.headers["retry-after"]) == (429, expected)
        assert limited.json["errorCode"] == 4290000


def test_a_scenario_replaces_the_sample(fake, headers, tmp_path):
    scenario = {"customers": [{"transactions": [{"transactionId": "5", "productId": "com.example.pro"}]}]}
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    server = fake("--data", tmp_path / "scenario.json", "--bundle-id", "com.example.garden")
    app = headers(bid="com.example.garden")
    assert server.request("GET", "/sandbox/inApps/v1/transactions/5", headers=app).status == 200
    assert server.request("GET", "/sandbox" + HISTORY, headers=app).json["errorCode"] == 4040010


def test_other_methods_and_a_taken_port_are_reported(fake, command):
    server = fake()
    assert server.request("DELETE", HISTORY).status == 405
    taken = command.run("store", "fake", "--port", server.port)
    assert taken.returncode == 73
    assert (
        f"port {server.port}: another process uses this port. Choose another --port, or 0 for any that is free."
        in taken.stderr
    )


def test_the_printed_options_work_in_another_folder(serve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = serve("--out", "a folder", subcommand=("store", "fake"))
    server.terminate()
    assert server.wait() == 0
    (line,) = [line for line in server.lines if line.startswith("Options: ")]
    options = shlex.split(line.removeprefix("Options: "))
    for option, name in (("--key", "key.p8"), ("--root", "root.pem")):
        path = pathlib.Path(options[options.index(option) + 1])
        assert path.is_absolute() and path.samefile(tmp_path / "a folder" / name)


def test_without_a_folder_the_fake_says_that_no_request_is_authorized(serve):
    server = serve(subcommand=("store", "fake"))
    server.terminate()
    assert server.wait() == 0
    assert "Without --out there is no key, so every request gets 401.\n" in server.lines


def test_the_example_of_the_document_runs(fake, tmp_path):
    document = (pathlib.Path(__file__).resolve().parents[2] / "docs/app-store.md").read_text()
    (example,) = re.findall("```python\n(.*?)```", document, re.DOTALL)
    server = fake()
    script = example.replace("test-store", str(tmp_path)).replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=15)
    assert made.returncode == 0, made.stderr
    assert made.stdout.split() == ["200", "6"]


def test_the_scenario_of_the_document_is_accepted(fake, headers, tmp_path):
    document = (pathlib.Path(__file__).resolve().parents[2] / "docs/app-store.md").read_text()
    (scenario,) = [block for block in re.findall("```json\n(.*?)```", document, re.DOTALL) if '"customers"' in block]
    (tmp_path / "scenario.json").write_text(scenario)
    server = fake("--data", tmp_path / "scenario.json")
    answer = server.request("GET", "/inApps/v1/subscriptions/1", headers=headers())
    assert answer.json["data"][0]["lastTransactions"][0]["status"] == 3
