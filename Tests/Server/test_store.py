"""`appreceipt store` against `appreceipt store fake`: requests over HTTP, exit statuses, and what is on which stream."""

import datetime
import json
import socket
import subprocess

import pytest

from running import becomes

CUSTOMER = "2000000000000001"


@pytest.fixture
def store(serve, command, tmp_path):
    """Starts a fake with faults. The result runs a subcommand of `store` against it."""

    def start(*flags):
        fake = serve("--out", tmp_path, *flags, subcommand=("store", "fake"))
        fake.options = options(tmp_path, fake.port)
        return lambda *arguments: command.run("store", *arguments, *fake.options), fake

    return start


def options(folder, port):
    return [
        "--key", folder / "key.p8", "--key-id", "TESTKEY001", "--issuer-id", "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
        "--bundle-id", "com.example.app", "--root", folder / "root.pem", "--base-url", f"http://127.0.0.1:{port}",
        "--sandbox-base-url", f"http://127.0.0.1:{port}/sandbox",
    ]


def requests(fake):
    return [line for line in fake.lines if "/inApps/" in line]


def assert_requests(fake, count):
    """The fake's log arrives a little later than its response."""
    becomes(lambda: len(requests(fake)) >= count, 5, lambda: str(fake.lines))
    assert len(requests(fake)) == count


@pytest.mark.parametrize(
    "arguments",
    [
        ("history", CUSTOMER), ("status", CUSTOMER), ("transaction", CUSTOMER), ("refunds", CUSTOMER),
        ("order", "MTEST00001"), ("test-notification", "--wait"),
        ("extend", CUSTOMER, "--days", "3", "--reason", "outage"),
        ("extend-all", "--product", "com.example.app.plus", "--days", "3", "--reason", "outage"),
        ("consumption", CUSTOMER, "--customer-consented", "--delivery-status", "DELIVERED"),
    ],
)
def test_every_subcommand_writes_its_result_to_standard_output(store, arguments):
    run, fake = store()
    text = run(*arguments)
    assert (text.returncode, bool(text.stdout)) == (0, True), text.stderr
    made = run(*arguments, "--format", "json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout).get("environment") == "production"


def test_a_failure_is_one_json_object_with_apples_code(store):
    run, fake = store()
    failed = run("history", "999", "--format", "json")
    assert failed.returncode == 1
    error = json.loads(failed.stdout)["error"]
    assert (error["appleErrorCode"], error["httpStatus"], error["environment"]) == (4040010, 404, "production")
    assert "What to do" in failed.stderr
    assert_requests(fake, 2)


def test_without_an_address_of_the_sandbox_every_request_goes_to_the_base_url(store, command):
    _, fake = store()
    at = fake.options.index("--sandbox-base-url")
    only = fake.options[:at] + fake.options[at + 2 :]
    failed = command.run("store", "history", "999", *only, "--format", "json")
    error = json.loads(failed.stdout)["error"]
    assert (failed.returncode, error["appleErrorCode"], error["environment"]) == (1, 4040010, "production")
    assert_requests(fake, 2)
    # The sandbox of this fake is at another path, which the base URL names if only the sandbox is asked.
    below = [f"{option}/sandbox" if str(option).startswith("http:") else option for option in only]
    found = command.run("store", "history", CUSTOMER, *below, "--environment", "sandbox", "--format", "json")
    assert json.loads(found.stdout)["environment"] == "sandbox", found.stderr
    assert_requests(fake, 3)


@pytest.mark.parametrize(
    "fault, status, count",
    [
        ("history:502", 0, 2), ("any:cut", 0, 2), ("any:cut-midway", 0, 2), ("any:5000001", 0, 2), ("any:429=1", 0, 2),
        ("any:429=7200", 69, 1), ("any:401", 0, 2), ("any:401:always", 1, 4), ("any:4000006", 1, 1),
        ("history:endless:always", 1, 2), ("history:endless-new:always", 1, 4), ("history:forged", 1, 1),
        ("history:truncated", 1, 1), ("any:503:always", 69, 4),
    ],
)
def test_a_fault_is_repeated_or_ends_with_its_status(store, fault, status, count):
    run, fake = store("--fault", fault)
    made = run("history", CUSTOMER)
    assert made.returncode == status, made.stderr
    assert_requests(fake, count)
    if status == 69:
        assert made.stdout == ""


def test_an_app_that_was_never_approved_is_found_in_the_sandbox(store):
    run, _ = store("--never-approved")
    yesterday = (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    for arguments in (("history", CUSTOMER), ("notifications", "--from", yesterday), ("test-notification",)):
        made = run(*arguments, "--format", "json")
        assert made.returncode == 0, made.stderr
        assert json.loads(made.stdout)["environment"] == "sandbox"


def test_a_receipt_replaces_the_identifier_and_is_verified_before_any_request(store, command, tmp_path):
    run, fake = store()
    command.make(
        "receipt", tmp_path / "made", "--bundle-id", "com.example.app", "--environment", "sandbox", "--purchase",
        "com.example.app.pro", "--first-transaction", CUSTOMER)
    receipt = tmp_path / "made/receipt"
    rejected = run("history", "--receipt", receipt, "--format", "json")
    assert rejected.returncode == 1
    assert json.loads(rejected.stdout)["error"]["code"] == "root-not-trusted"
    assert requests(fake) == []
    found = run("history", "--receipt", receipt, "--root", tmp_path / "made/root.pem", "--format", "json")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["environment"] == "sandbox"
    assert_requests(fake, 1)


def test_a_server_that_is_down_ends_with_69(store, command, tmp_path):
    store()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    made = command.run("store", "history", CUSTOMER, *options(tmp_path, port))
    assert (made.returncode, made.stdout) == (69, "")
    assert "[unreachable, production]" in made.stderr
    assert f"127.0.0.1, port {port}, can't be reached: the connection was refused." in made.stderr


@pytest.mark.parametrize(
    "host, cause",
    [
        ("http://localhost:{port}", "localhost, port {port}, can't be reached: the connection was refused."),
        ("https://store.invalid", "store.invalid, port 443, can't be reached: the host name can't be resolved."),
    ],
)
def test_a_failed_connection_names_the_host_and_the_cause(store, command, tmp_path, host, cause):
    store()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = ["--base-url", host.format(port=port), "--timeout", "1"]
    made = command.run("store", "history", CUSTOMER, *options(tmp_path, port)[:10], *base)
    assert made.returncode == 69, made.stderr
    assert cause.format(port=port) in made.stderr


@pytest.mark.parametrize(
    "arguments, endpoint, warning",
    [
        (("extend", CUSTOMER, "--days", "3", "--reason", "outage", "--request-id", "once"), "extend",
         "The subscription may have been extended. Repeat the command with --request-id once"),
        (("consumption", CUSTOMER, "--customer-consented", "--delivery-status", "DELIVERED"), "consumption",
         "The App Store may have received the consumption information."),
        (("test-notification",), "test-notification", "The test notification may have been requested."),
    ],
)
def test_a_change_whose_response_is_lost_is_reported_as_unknown(store, arguments, endpoint, warning):
    run, _ = store("--fault", f"{endpoint}:cut:always")
    failed = run(*arguments, "--format", "json")
    assert failed.returncode == 69, failed.stderr
    error = json.loads(failed.stdout)["error"]
    assert error["outcomeUnknown"] is True
    assert error.get("requestIdentifier") == ("once" if endpoint == "extend" else None)
    assert failed.stderr.startswith(f"appreceipt: {warning}")
    assert "was closed before the response was complete." in failed.stderr


def test_the_samples_subscription_has_its_line_item_and_start(store):
    run, _ = store()
    subscription = json.loads(run("status", CUSTOMER, "--format", "json").stdout)["subscriptions"][0]
    item = subscription["transaction"]["webOrderLineItemId"]
    first = json.loads(run("transaction", CUSTOMER, "--format", "json").stdout)["transaction"]
    assert item != first["webOrderLineItemId"]
    assert subscription["renewalInfo"]["recentSubscriptionStartDate"] == first["purchaseDate"]
    extended = run("extend", CUSTOMER, "--days", "3", "--reason", "outage", "--format", "json")
    assert json.loads(extended.stdout)["unverified"]["webOrderLineItemId"] == item


def test_an_unwritable_output_ends_with_74(store, command, tmp_path):
    run, fake = store()
    with open("/dev/full", "w") as full:
        arguments = [command.path, "store", "history", CUSTOMER, *map(str, fake.options)]
        assert subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE).returncode == 74


def test_the_time_limit_covers_a_body_that_arrives_byte_by_byte(store):
    run, fake = store("--fault", "transaction:drip=0.2:always")
    ended = run("transaction", CUSTOMER, "--timeout", "1", "--environment", "production")
    assert ended.returncode == 69 and "in time" in ended.stderr, ended.stderr


@pytest.mark.parametrize("form", ["option", "assignment", "setting"])
def test_a_private_key_in_place_of_its_path_is_never_printed(store, command, tmp_path, form):
    run, fake = store()
    key = (tmp_path / "key.p8").read_text()
    settings = {}
    if form == "setting":
        settings["APPRECEIPT_STORE_KEY"] = key
        arguments = [
            "serve", "--check", "--store-key-id", "TESTKEY001", "--store-issuer-id",
            "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
        ]
    else:
        first = [f"--key={key}"] if form == "assignment" else ["--key", key]
        arguments = ["store", "history", CUSTOMER, *first, *options(tmp_path, fake.port)[2:]]
    refused = command.run(*arguments, environment=settings)
    assert refused.returncode == 64 and "not the key itself" in refused.stderr, refused.stderr
    assert key.splitlines()[1] not in refused.stderr + refused.stdout
