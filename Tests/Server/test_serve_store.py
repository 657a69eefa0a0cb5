"""`appreceipt serve` completes itself from `appreceipt store fake`: patience, outages, kills, missed notifications, and the log."""

import json
import pathlib
import time

import pytest

import made
from running import becomes

CUSTOMER = "2000000000000001"
RENEWAL = "2000000000000002"
PRODUCT = "com.example.app.plus"
KEY_ID, ISSUER = "TESTKEY001", "6f9619ff-8b86-4011-b42d-00cf4fc964ff"


class AppStore:
    """A fake on one port that can be down. Its key and root are in its folder before it starts for the first time."""

    def __init__(self, serve, folder):
        self._serve, self._folder = serve, folder
        first = self._serve("--out", folder, subcommand=("store", "fake"))
        self.port = first.port
        first.kill()
        self.server = None

    def start(self, *flags):
        self.server = self._serve("--out", self._folder, *flags, port=self.port, subcommand=("store", "fake"))
        return self.server

    @property
    def flags(self):
        url = f"http://127.0.0.1:{self.port}"
        return [
            "--store-key", self._folder / "key.p8", "--store-key-id", KEY_ID, "--store-issuer-id", ISSUER,
            "--store-base-url", url, "--store-sandbox-base-url", f"{url}/sandbox",
        ]  # fmt: skip

    def requests(self, path):
        return [line for line in self.server.lines if path in line]


@pytest.fixture
def app_store(serve, tmp_path):
    return AppStore(serve, tmp_path / "store")


@pytest.fixture
def receipt(command, tmp_path):
    """A receipt with the first period of the fake's subscription."""
    return made.receipt(
        command, tmp_path / "made", options=("--first-transaction", CUSTOMER, "--subscription", f"{PRODUCT}:1"))


@pytest.fixture
def start(serve, app_store, receipt, tmp_path):
    """Starts the server under test, which trusts the test kit and asks the fake."""

    def start(*flags, store=True):
        return serve(
            "--root", tmp_path / "made/root.pem", "--root", tmp_path / "store/root.pem", "--bundle-id",
            "com.example.app", *(app_store.flags if store else []), *flags)

    return start


def verify(server, receipt):
    """The response to a receipt, and the seconds that it took."""
    started = time.monotonic()
    answer = server.post("/verifyReceipt", {"receipt-data": receipt})
    assert (answer.status, answer.json["status"]) == (200, 0), answer.body
    return answer, time.monotonic() - started


def is_partial(answer):
    return answer.headers["X-Evidence"] == "partial"


def assert_complete(answer):
    assert "X-Evidence" not in answer.headers
    assert RENEWAL in [period["transaction_id"] for period in answer.json["latest_receipt_info"]]
    [renewal] = answer.json["pending_renewal_info"]
    assert (renewal["original_transaction_id"], renewal["auto_renew_status"]) == (CUSTOMER, "1")


def becomes_complete(server, receipt, within):
    becomes(lambda: not is_partial(verify(server, receipt)[0]), within, lambda: server.errors)
    assert_complete(verify(server, receipt)[0])


def test_the_response_to_a_receipt_contains_the_renewal_that_only_the_app_store_knows(start, app_store, receipt):
    app_store.start()
    server = start()
    assert_complete(verify(server, receipt)[0])
    assert_complete(verify(server, receipt)[0])
    # One customer, one pair of requests.
    assert len(app_store.requests("/inApps/v1/subscriptions/")) == 1
    assert len(app_store.requests("/inApps/v2/history/")) == 1
    assert server.metric("appreceipt_app_store_requests_total", outcome="complete") == 1
    assert server.metric("appreceipt_app_store_last_response_timestamp_seconds") > 1_700_000_000


def test_a_token_is_completed_too(start, command, app_store, tmp_path):
    app_store.start()
    server = start()
    command.make(
        "transaction", tmp_path / "made", "--name", "token.jws", "--bundle-id", "com.example.app", "--environment",
        "production", "--product", PRODUCT, "--transaction-id", CUSTOMER, "--original-id", CUSTOMER)
    answer = server.post("/v1/signed-data/verify", {"token": (tmp_path / "made/token.jws").read_text().strip()})
    assert answer.status == 200 and "X-Evidence" not in answer.headers
    [plus] = [product for product in answer.json["products"] if product["productIdentifier"] == PRODUCT]
    assert (plus["transactionIdentifier"], plus["willRenew"]) == (RENEWAL, True)


def test_without_an_address_of_the_sandbox_the_sandbox_is_asked_at_the_base_url(start, command, app_store, tmp_path):
    app_store.start()
    at = app_store.flags.index("--store-sandbox-base-url")
    server = start(*app_store.flags[:at], store=False)
    command.make(
        "transaction", tmp_path / "made", "--name", "token.jws", "--bundle-id", "com.example.app", "--environment",
        "sandbox", "--product", PRODUCT, "--transaction-id", "999", "--original-id", "999")
    token = (tmp_path / "made/token.jws").read_text().strip()
    answer = server.post("/v1/signed-data/verify", {"token": token})
    # This fake doesn't know the transaction, which is an answer.
    assert answer.status == 200 and "X-Evidence" not in answer.headers, answer.body
    assert len(app_store.requests("/inApps/v2/history/999")) == 1


def test_a_slow_app_store_delays_a_response_by_the_patience_only(start, app_store, receipt):
    app_store.start("--fault", "any:delay=5:always")
    server = start("--store-patience", 1)
    answer, seconds = verify(server, receipt)
    assert is_partial(answer) and 0.9 < seconds < 3
    assert RENEWAL not in [period["transaction_id"] for period in answer.json["latest_receipt_info"]]
    becomes_complete(server, receipt, within=25)


def test_the_server_stops_while_it_waits_for_the_app_store(start, app_store, receipt):
    app_store.start("--fault", "any:delay=60:always")
    server = start("--store-patience", 1)
    assert is_partial(verify(server, receipt)[0])
    server.terminate()
    started = time.monotonic()
    assert server.wait() == 0
    assert time.monotonic() - started < 5


def test_an_app_store_that_is_down_delays_nothing_and_is_asked_again(start, app_store, receipt):
    server = start()
    # The first response may wait for the patience, because the outage isn't known yet.
    answer, seconds = verify(server, receipt)
    assert is_partial(answer) and seconds < 3
    server.settles("appreceipt_app_store_requests_total", 1, within=20, outcome="unreachable")
    answer, seconds = verify(server, receipt)
    assert is_partial(answer) and seconds < 1
    for path in ("/readyz", "/healthz"):
        assert server.get(path).status == 200
    app_store.start()
    becomes_complete(server, receipt, within=15)
    assert server.get("/readyz").status == 200


def test_an_app_that_the_app_store_does_not_know_is_not_complete(start, app_store, receipt):
    app_store.start("--fault", "any:4040003:always")
    server = start()
    assert is_partial(verify(server, receipt)[0])
    assert server.metric("appreceipt_app_store_requests_total", outcome="complete") == 0
    assert server.metric("appreceipt_app_store_requests_total", outcome="app-not-found") >= 1
    server.settles("appreceipt_app_store_queue", 1, within=15)
    [line] = [line for line in server.lines if "doesn't know the app" in line]
    for part in (" error ", "com.example.app", KEY_ID, "Check the setting 'bundle-id'", "until="):
        assert part in line
    # The pause is for the app: nothing more is asked.
    assert is_partial(verify(server, receipt)[0])
    assert len(app_store.requests("/inApps/v1/subscriptions/")) == 1


def test_no_response_waits_for_the_end_of_a_limit_after_its_patience(start, app_store, receipt):
    app_store.start("--fault", "statuses:429=20:always")
    patience = 15
    server = start("--store-patience", patience)
    for _ in range(2):
        answer, seconds = verify(server, receipt)
        assert is_partial(answer) and seconds < patience
    [line] = [line for line in server.lines if "The App Store limits requests" in line]
    assert "until=" in line
    assert "can't be reached" not in server.errors


def test_an_answer_that_does_not_verify_is_not_complete_and_is_requested_again(start, app_store, receipt):
    app_store.start("--fault", "history:forged:2")
    server = start()
    assert is_partial(verify(server, receipt)[0])
    assert server.metric("appreceipt_app_store_requests_total", outcome="verification-failed") == 1
    becomes_complete(server, receipt, within=25)
    assert len(app_store.requests("/inApps/v2/history/")) == 3


def test_the_queue_survives_a_kill(start, app_store, receipt, tmp_path):
    database = ("--database", tmp_path / "state.sqlite")
    server = start(*database)
    assert is_partial(verify(server, receipt)[0])
    server.kill()
    app_store.start()
    server = start(*database)
    becomes(
        lambda: server.metric("appreceipt_app_store_requests_total", outcome="complete") == 1, 20,
        lambda: server.errors)
    assert len(app_store.requests(f"/inApps/v2/history/{CUSTOMER}")) == 1
    server.settles("appreceipt_app_store_queue", 0, within=15)
    # Answered from the database: nothing more is asked.
    assert_complete(verify(server, receipt)[0])
    assert len(app_store.requests("/inApps/v2/history/")) == 1


def test_what_the_app_store_answered_survives_a_kill(start, app_store, receipt, tmp_path):
    database = ("--database", tmp_path / "state.sqlite")
    fake = app_store.start()
    server = start(*database)
    assert_complete(verify(server, receipt)[0])
    server.kill()
    fake.kill()
    # Complete from the last answer, although the App Store is down.
    assert_complete(verify(start(*database), receipt)[0])


def test_a_purchase_is_asked_about_again_after_the_refresh_interval(start, app_store, receipt):
    app_store.start()
    server = start("--store-refresh", 1)
    assert_complete(verify(server, receipt)[0])
    time.sleep(1.1)
    assert_complete(verify(server, receipt)[0])
    assert len(app_store.requests("/inApps/v2/history/")) == 2
    assert len(app_store.requests("revision=")) == 1


def test_a_missed_notification_is_in_the_database_after_the_start(start, command, app_store, tmp_path, receipt):
    now = int(time.time() * 1000)
    bought, refunded = now - 3 * 86_400_000, now - 86_400_000
    transaction = {
        "transactionId": "77", "originalTransactionId": "77", "productId": "com.example.pro", "purchaseDate": bought,
        "originalPurchaseDate": bought, "type": "Non-Consumable", "revocationDate": refunded, "revocationReason": 0,
    }  # fmt: skip
    notification = {
        "environment": "Production", "notificationType": "REFUND", "signedDate": refunded, "transactionId": "77",
        "notificationUUID": "00000000-0000-4000-9000-000000000077",
    }  # fmt: skip
    scenario = tmp_path / "scenario.json"
    customer = {"environment": "Production", "transactions": [transaction]}
    scenario.write_text(json.dumps({"customers": [customer], "notifications": [notification]}))
    # The customer is unknown to the other endpoints, so that the refund is in the notification only.
    app_store.start(
        "--data", scenario, "--fault", "history:4040010:always", "--fault", "statuses:4040010:always")
    server = start("--database", tmp_path / "state.sqlite")
    server.settles("appreceipt_caught_up_notifications_total", 1, within=10)
    assert server.metric(
        "appreceipt_caught_up_timestamp_seconds", app="com.example.app", environment="production") > 1_700_000_000
    old = made.receipt(
        command, tmp_path / "made", options=("--first-transaction", "77", "--purchase", "com.example.pro"))
    answer, _ = verify(server, old)
    [purchase] = answer.json["latest_receipt_info"]
    assert "cancellation_date" in purchase


def test_without_a_key_nothing_is_asked(start, app_store, receipt):
    app_store.start()
    server = start(store=False)
    answer, _ = verify(server, receipt)
    assert "X-Evidence" not in answer.headers
    assert "pending_renewal_info" not in answer.json
    assert app_store.requests("/inApps/") == []
    lines = server.get("/metrics").body.decode().splitlines()
    counts = [line for line in lines if line.startswith("appreceipt_app_store_requests_total{")]
    assert counts and all(line.endswith(" 0") for line in counts)
    assert "Without a key for the App Store" in server.errors


@pytest.mark.parametrize(
    "removed, more, message",
    [
        ("--store-key", (), "--store-key"),
        ("--store-key-id", (), "--store-key-id"),
        ("--store-issuer-id", (), "--store-issuer-id"),
        (None, ("--store-base-url", "http://appstore.example.com"), "--store-base-url: The URL for production"),
        (None, ("--store-sandbox-base-url", "ftp://127.0.0.1"), "--store-sandbox-base-url: The URL for sandbox"),
        (None, ("--store-key-id", "no-identifier"), "--store-key-id: The key identifier must be letters and digits"),
        (None, ("--store-issuer-id", "TESTKEY001"), "--store-issuer-id: The issuer identifier must be a UUID"),
        (None, ("--store-key-id", ISSUER, "--store-issuer-id", KEY_ID), "--store-key-id: The key identifier is a UUID"),
        (None, ("--store-patience", "61"), "--store-patience: "),
        (None, ("--store-refresh", "0"), "--store-refresh: "),
    ],
)
def test_an_incomplete_or_wrong_setting_ends_with_64(command, app_store, removed, more, message):
    flags = list(app_store.flags)
    if removed:
        at = flags.index(removed)
        del flags[at : at + 2]
    for name in more[::2]:
        if name in flags:
            at = flags.index(name)
            del flags[at : at + 2]
    done = command.run("serve", "--port", 0, *flags, *more)
    assert done.returncode == 64, done.stderr
    assert message in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_settings_of_the_app_store_without_a_key_end_with_64(command):
    for flags in (("--store-refresh", 60), ("--store-patience", 1), ("--store-base-url", "http://127.0.0.1:1")):
        done = command.run("serve", "--port", 0, *flags)
        assert done.returncode == 64
        assert "Requires --store-key, --store-key-id and --store-issuer-id too." in done.stderr


def test_a_key_that_is_missing_or_not_a_key(command, app_store, tmp_path):
    def status(file):
        flags = list(app_store.flags)
        flags[1] = file
        done = command.run("serve", "--port", 0, *flags)
        assert len(done.stderr.strip().splitlines()) == 1
        return done.returncode, done.stderr

    assert status(tmp_path / "none.p8")[0] == 66
    wrong = tmp_path / "wrong.p8"
    wrong.write_text("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
    code, message = status(wrong)
    assert code == 64 and "c2VjcmV0" not in message
    assert f"--store-key: {wrong}: " in message and "Use the .p8 file" in message


def test_a_key_that_every_user_can_read_has_a_warning(command, app_store, tmp_path):
    warning = "Every user of this computer can read or change the secret in"
    assert warning not in command.run("serve", "--check", *app_store.flags).stderr
    open_key = tmp_path / "open.p8"
    open_key.write_bytes(pathlib.Path(app_store.flags[1]).read_bytes())
    open_key.chmod(0o644)
    flags = list(app_store.flags)
    flags[1] = open_key
    done = command.run("serve", "--check", *flags)
    assert done.returncode == 0 and f"{warning} {open_key}" in done.stderr


def test_the_start_and_the_check_state_where_requests_about_purchases_go(command, start, app_store):
    address = f"http://127.0.0.1:{app_store.port}"
    notice = (
        f"Requests about purchases go to {address} (production) and {address}/sandbox (sandbox) with the key {KEY_ID}, "
        "at most every 86400 s for each purchase. Responses wait for them up to 2 s.")
    untried = "The key wasn't tried"
    done = command.run("serve", "--check", *app_store.flags)
    assert done.returncode == 0
    assert notice in done.stderr and untried in done.stderr and "10, so" not in done.stderr
    server = start()
    # The notices follow the line with the address.
    becomes(lambda: notice in server.errors, 15, lambda: server.errors)
    assert untried not in server.errors
    done = command.run("serve", "--check", *app_store.flags, "--store-key-id", "TESTKEY1")
    assert done.returncode == 0 and "The key identifier has 8 characters" in done.stderr
    assert untried not in command.run("serve", "--check").stderr


def test_roots_that_replace_apples_are_named(command, app_store, tmp_path):
    root = tmp_path / "store/root.pem"
    message = "Receipts from Apple get 21003; the value 'apple' of the setting root adds Apple's roots."
    done = command.run("serve", "--check", "--root", root)
    assert message in done.stderr and "Trusted: AppReceiptTesting" in done.stderr
    for flags in ((), ("--root", root, "--root", "apple")):
        assert "Trusted:" not in command.run("serve", "--check", *flags).stderr


def test_settings_from_the_environment_and_a_file(serve, app_store, receipt, tmp_path):
    app_store.start()
    names = [str(flag) for flag in app_store.flags]
    values = dict(zip((name.removeprefix("--") for name in names[::2]), names[1::2]))
    file = tmp_path / "appreceipt.json"
    file.write_text(json.dumps({
        "root": [str(tmp_path / "made/root.pem"), str(tmp_path / "store/root.pem")], "bundle-id": ["com.example.app"],
        **values}))
    assert_complete(verify(serve("--config", file), receipt)[0])
    environment = {"APPRECEIPT_" + name.upper().replace("-", "_"): value for name, value in values.items()}
    server = serve(
        "--root", tmp_path / "made/root.pem", "--root", tmp_path / "store/root.pem", environment=environment)
    assert_complete(verify(server, receipt)[0])


@pytest.mark.parametrize("fault", ["any:401:always", "any:4000006:always", "any:502:always", "any:forged:always", None])
def test_the_log_contains_no_identifiers_keys_or_tokens(start, app_store, receipt, tmp_path, fault):
    app_store.start(*(["--fault", fault] if fault else []))
    server = start("--store-patience", 1, "--log-level", "trace")
    verify(server, receipt)
    requests = "appreceipt_app_store_requests_total{"
    becomes(lambda: requests in server.get("/metrics").body.decode(), 15, lambda: server.errors)
    server.terminate()
    assert server.wait() == 0
    key = (tmp_path / "store/key.p8").read_text().splitlines()[1]
    # The key's identifier isn't a secret.
    for secret in (CUSTOMER, RENEWAL, ISSUER, key, "eyJ", "Bearer"):
        assert secret not in server.errors
    if fault:
        assert "App Store" in server.errors
