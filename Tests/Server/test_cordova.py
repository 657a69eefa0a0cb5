"""The validator of cordova-plugin-purchase, used as the plugin does: its requests, its checks of the answer, and its rule of what
is owned."""

import json
import time

import pytest

import made

APP = "com.example.garden"
FUTURE = "2099-01-01T00:00:00Z"
PATH = "/v1/validator"


class Plugin:
    """The plugin's receipts that a validator verified, as in version 13.16 and newer."""

    def __init__(self, server, origin=None):
        self.server = server
        self.headers = {"Content-Type": "application/json;charset=UTF-8", "Accept": "application/json"}
        if origin is not None:
            self.headers |= {"Origin": origin, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
        self.receipts = {}

    def send(self, transaction, **members):
        """Sends a transaction. Returns the payload with which the plugin calls `verified` or `unverified`."""
        body = {
            "id": APP, "type": "application", "transaction": transaction, "additionalData": {"applicationUsername": "user-42"},
            "device": {"plugin": "cordova-plugin-purchase/13.18.0", "platform": "iOS"}, **members,
        }  # fmt: skip
        answer = self.server.request("POST", PATH + "?appName=garden&apiKey=key", json.dumps(body), self.headers)
        if answer.status != 200:
            return {"ok": False, "code": 6777014, "status": answer.status}
        return self.read(answer.json)

    def read(self, payload):
        """Keeps the collection, unless the payload isn't what the plugin expects."""
        if not isinstance(payload.get("ok"), bool):
            return {"ok": False, "code": 6777018}
        if not payload["ok"]:
            return payload
        data = payload.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            return {"ok": False, "code": 6777018}
        if not isinstance(data.get("transaction"), dict) or not isinstance(data["transaction"].get("type"), str):
            return {"ok": False, "code": 6777018}
        self.receipts[data["id"]] = data.get("collection") or []
        return payload

    def send_receipt(self, receipt, **members):
        return self.send({"type": "ios-appstore", "id": "550000000000001", "appStoreReceipt": receipt}, **members)

    def send_token(self, token, **members):
        return self.send({"type": "apple-sk2", "id": "pro", "jwsRepresentation": token}, **members)

    def find(self, product):
        """The purchase of a product: of several, the one with the latest date."""
        found = None
        for collection in self.receipts.values():
            for purchase in collection:
                if purchase["id"] == product:
                    if ((found or {}).get("purchaseDate") or 0) < purchase.get("purchaseDate", 1):
                        found = purchase
        return found

    def owns(self, product):
        purchase = self.find(product)
        if not purchase or purchase.get("isExpired"):
            return False
        expiry = purchase.get("expiryDate")
        return expiry > time.time() * 1000 if expiry else True


@pytest.fixture(scope="module")
def purchases(command, tmp_path_factory):
    """A receipt with a purchase, a consumable and a subscription that has ended, tokens, and the flags of a server for them."""
    folder = tmp_path_factory.mktemp("made")
    command.make(
        "receipt", folder, "--name", "app.receipt", "--bundle-id", APP, "--environment", "production",
        "--purchase", "pro", "--consumable", "coins", "--subscription", "monthly:2:trial",
    )  # fmt: skip

    def token(name, product, number, *options):
        command.make(
            "transaction", folder, "--name", name, "--bundle-id", APP, "--environment", "production",
            "--product", product, "--transaction-id", str(number), *options,
        )  # fmt: skip
        return (folder / f"{name}.jws").read_text().strip()

    return {
        "receipt": made.base64_of(folder / "app.receipt"),
        "forged": made.receipt(command, folder, APP, options=("--purchase", "pro", "--forge", "signature")),
        "yearly": token("yearly", "yearly", 70, "--expires", FUTURE),
        "lifetime": token("lifetime", "lifetime", 80),
        "refund": token("refund", "lifetime", 80, "--revoked", "2024-07-02T15:04:06Z", "--signed", "2024-07-02T15:04:07Z"),
        "flags": made.roots(command, folder) + ["--bundle-id", APP],
    }


def test_a_receipt_is_all_that_the_app_has(serve, purchases):
    plugin = Plugin(serve(*purchases["flags"]))
    payload = plugin.send_receipt(purchases["receipt"])
    assert payload["ok"], payload
    assert list(plugin.receipts) == [APP]
    assert {purchase["id"] for purchase in plugin.receipts[APP]} == {"pro", "coins", "monthly"}
    assert plugin.owns("pro") and not plugin.owns("coins") and not plugin.owns("monthly")
    data = payload["data"]
    assert data["transaction"]["type"] == "ios-appstore" and data["transaction"]["bundle_id"] == APP
    assert data["transaction"]["original_application_version"] and data["transaction"]["original_purchase_date_ms"].isdigit()
    assert data["ineligible_for_intro_price"] == ["monthly"]
    time.strptime(data["date"], "%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_token_erases_no_other_product(serve, purchases):
    plugin = Plugin(serve(*purchases["flags"]))
    assert plugin.send_receipt(purchases["receipt"])["ok"]
    assert plugin.send_token(purchases["yearly"])["ok"]
    assert plugin.send_token(purchases["lifetime"])["ok"]
    assert set(plugin.receipts) == {APP, "70", "80"}
    assert plugin.owns("pro") and plugin.owns("yearly") and plugin.owns("lifetime")


def test_a_refund_is_not_owned_although_the_token_does_not_know_of_it(serve, purchases):
    server = serve(*purchases["flags"])
    plugin = Plugin(server)
    plugin.send_token(purchases["lifetime"])
    assert plugin.owns("lifetime")
    assert server.post("/v1/signed-data/verify", {"token": purchases["refund"]}).json["verdict"] == "valid"
    plugin.send_token(purchases["lifetime"])
    assert not plugin.owns("lifetime")
    assert plugin.find("lifetime")["isExpired"] is True


def test_failures_are_read_by_every_version(serve, purchases):
    plugin = Plugin(serve(*purchases["flags"]))
    for payload in (
        plugin.send_receipt(purchases["forged"]), plugin.send_receipt(""), plugin.send_token("x"),
        plugin.send_receipt(purchases["receipt"], id="com.example.other"), plugin.send({"type": "android-playstore"}),
    ):  # fmt: skip
        assert not payload["ok"] and payload["message"]
        assert payload["code"] == payload["data"]["code"] == 6778001
        assert payload["data"]["error"]["message"] == payload["message"]
    assert plugin.receipts == {}


def test_a_product_of_version_8_is_answered_by_its_code(serve, purchases):
    server = serve(*purchases["flags"])

    def answer(product, kind):
        transaction = {"type": "ios-appstore", "id": "550000000000001", "appStoreReceipt": purchases["receipt"]}
        body = {"id": product, "alias": product, "type": kind, "state": "approved", "owned": False, "transaction": transaction}
        return server.post(PATH, body).json

    assert answer("pro", "non consumable")["ok"] and answer("coins", "consumable")["ok"]
    assert answer("monthly", "paid subscription")["data"]["code"] == 6778003
    assert answer("other", "paid subscription")["data"]["code"] == 6778006


def test_pages_of_allowed_origins_use_the_validator_and_nothing_else(serve, purchases, command):
    server = serve(*purchases["flags"], "--allowed-origin", "ionic://localhost", "--allowed-origin", "null")
    for origin in ("ionic://localhost", "null"):
        preflight = {
            "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type",
            "Sec-Fetch-Site": "cross-site",
        }  # fmt: skip
        answer = server.request("OPTIONS", PATH, None, preflight)
        assert answer.status == 204
        assert answer.headers["Access-Control-Allow-Origin"] == origin
        assert "content-type" in answer.headers["Access-Control-Allow-Headers"]
        assert Plugin(server, origin).send_receipt(purchases["receipt"])["ok"]
        assert server.request("OPTIONS", "/v1/receipts/validate", None, preflight).status == 403
    assert Plugin(server, "https://evil.example.net").send_receipt(purchases["receipt"])["status"] == 403
    for value in ("https://app.example.com/", "app.example.com", ""):
        done = command.run("serve", "--port", 0, "--allowed-origin", value)
        assert done.returncode == 64 and "--allowed-origin: Expected an origin" in done.stderr


def test_without_the_validator_its_path_does_not_exist(serve, purchases):
    server = serve(*purchases["flags"], "--no-validator")
    assert Plugin(server).send_receipt(purchases["receipt"])["status"] == 404


def test_signed_transactions_in_place_of_a_receipt(serve, purchases):
    """Plugins for verifyReceipt send the token as `receipt-data` once they use StoreKit 2."""
    request = {"receipt-data": purchases["yearly"], "exclude-old-transactions": True}
    answer = serve(*purchases["flags"]).post("/verifyReceipt", request)
    assert answer.json == {"status": 21002}
    assert answer.headers["X-Receipt-Hint"].endswith("Or set accept-signed-transactions.")
    answer = serve(*purchases["flags"], "--accept-signed-transactions").post("/verifyReceipt", request)
    assert answer.json["status"] == 0 and answer.json["latest_receipt"] == purchases["yearly"]
    assert [entry["product_id"] for entry in answer.json["latest_receipt_info"]] == ["yearly"]
    assert "X-Receipt-Hint" not in answer.headers
