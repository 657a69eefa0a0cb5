"""Unproven inputs whose values have unexpected types, sizes and names are shown unchanged.

Nothing here is signed: anyone can write such tokens and receipts, and send them to a person who opens the page.
"""
import base64
import json

import pytest
from playwright.sync_api import expect

HUGE = 2 ** 60  # larger than JavaScript's exact integers
NAMES = ("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "toJSON", "rawJSON", "length", "then")
HOSTILE_OBJECT = {"toString": 1, "valueOf": 1, "toJSON": 1, "rawJSON": 1}


def segment(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def token(payload, header=None):
    """An unsigned token. Payload and header are objects or their JSON."""
    header = {"alg": "ES256"} if header is None else header
    parts = [part.encode() if isinstance(part, str) else json.dumps(part, separators=(",", ":")).encode()
             for part in (header, payload)]
    return ".".join(segment(part) for part in (*parts, bytes(64)))


# The part of DER that is needed to replace the payload of a receipt.

def der(tag, content):
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    encoded = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(encoded)]) + encoded + content


def integer(value):
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def text(value):
    return der(12, value.encode())


def date(value):
    return der(22, value.encode())


def elements(data):
    """The elements in the data, as tag and content."""
    found = []
    while data:
        tag, length, start = data[0], data[1], 2
        if length & 0x80:
            start = 2 + (length & 0x7F)
            length = int.from_bytes(data[2:start], "big")
        found.append((tag, data[start:start + length]))
        data = data[start + length:]
    return found


def replaced(data, path, content):
    """The data with the content of the element at `path` replaced."""
    if not path:
        return content
    parts = elements(data)
    tag, inner = parts[path[0]]
    parts[path[0]] = (tag, replaced(inner, path[1:], content))
    return b"".join(der(*part) for part in parts)


def attribute(number, value):
    return der(0x30, integer(number) + integer(1) + der(4, value))


def purchase(attributes):
    return der(0x31, b"".join(attribute(number, value) for number, value in attributes.items()))


PURCHASE = {1702: text("com.example.product"), 1703: text("1"), 1705: text("1"), 1704: date("2024-07-01T00:00:00Z")}
RECEIPT = {0: text("Production"), 2: text("com.example.app"), 3: text("1"), 12: date("2024-07-02T15:04:05Z")}


@pytest.fixture
def receipt(garden):
    """Makes a receipt from attributes and purchases, in a container with the signature of another receipt."""
    def receipt(attributes=None, purchases=()):
        values = [*{**RECEIPT, **(attributes or {})}.items(), *((17, purchase({**PURCHASE, **one})) for one in purchases)]
        payload = der(0x31, b"".join(attribute(number, value) for number, value in values))
        return replaced(garden, (0, 1, 0, 2, 1, 0), payload)
    return receipt


def assert_every_part_is_shown(inspector):
    """Opens every panel. Each has contents, no part failed, and all dates and positions are numbers."""
    page = inspector.page
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(30)
        panel = page.locator("[role=tabpanel]:not([hidden])")
        assert panel.inner_text().strip() != "", tab.inner_text()
        assert "NaN" not in panel.inner_html(), tab.inner_text()
    assert page.locator(".part-failed").count() == 0


def rows(inspector):
    """The members of the payload in the panel Contents, by name."""
    found = inspector.tab("contents").locator("section[aria-labelledby=payload-title] tbody tr")
    return dict((row.locator("th").inner_text(), row.locator("td").inner_text()) for row in found.all())


@pytest.mark.parametrize("payload", [
    {"bundleId": HOSTILE_OBJECT}, {"bundleId": {"toString": 1}}, {"bundleId": ["a", HOSTILE_OBJECT]}, {"bundleId": HUGE},
    {"data": {"bundleId": HOSTILE_OBJECT}}, {"data": [HOSTILE_OBJECT]}, {"data": None}, {"data": HUGE}, {"data": "text"},
    {"notificationType": HOSTILE_OBJECT, "subtype": HOSTILE_OBJECT}, {"notificationType": HUGE, "subtype": [HUGE]},
    {"productId": HOSTILE_OBJECT}, {"productId": [[[]]]}, {"environment": HOSTILE_OBJECT}, {"signedDate": HOSTILE_OBJECT},
    {"foo": HOSTILE_OBJECT}, {"foo": {"rawJSON": HOSTILE_OBJECT}}, {"foo": []}, {"foo": [HOSTILE_OBJECT, HUGE, None]},
    {name: "caller" for name in NAMES}, {name: HOSTILE_OBJECT for name in NAMES}, {name: HUGE for name in NAMES},
    {"status": "constructor", "offerType": "__proto__", "autoRenewStatus": "toString"},
    {"signedDate": -1, "expiresDate": 8.64e15, "purchaseDate": -8.64e15, "fooDate": 8.64e15 + 2, "barDate": -HUGE},
    {"expiresDate": 64_092_211_200_000, "price": -HUGE, "quantity": -1}, {"price": 1e300},
    {"": {"": {"": {}}}},
])
def test_a_payload_of_any_kind_is_shown(inspector, payload):
    assert inspector.check(token(payload)) == "Not valid"
    assert_every_part_is_shown(inspector)


@pytest.mark.parametrize("name", ["signedTransactionInfo", "signedRenewalInfo"])
def test_a_nested_token_of_any_kind_is_shown(inspector, name):
    inner = token({"bundleId": HOSTILE_OBJECT, "foo": {"rawJSON": HOSTILE_OBJECT}, "constructor": "caller", "__proto__": HUGE},
                  {"alg": "ES256", "x5c": [HOSTILE_OBJECT]})
    assert inspector.check(token({"notificationType": "TEST", "data": {name: inner}, "constructor": inner})) == "Not valid"
    assert_every_part_is_shown(inspector)
    contents = inspector.tab("contents").inner_text()
    assert "constructor" in contents


@pytest.mark.parametrize("header", [
    {"alg": "ES256", "x5c": [{"toString": 1}]}, {"alg": "ES256", "x5c": [HUGE, None, [HOSTILE_OBJECT]]}, {"x5c": HOSTILE_OBJECT}, {"alg": HOSTILE_OBJECT},
    {"alg": HUGE}, {name: HOSTILE_OBJECT for name in NAMES}, {name: "caller" for name in NAMES},
])
def test_a_header_of_any_kind_is_shown(inspector, header):
    assert inspector.check(token({"bundleId": "com.example.app"}, header)) == "Not valid"
    assert_every_part_is_shown(inspector)
    contents = inspector.tab("contents").inner_text()
    assert "eader" in contents and "com.example.app" in contents


def test_a_header_beyond_the_servers_depth_limit_is_shown(inspector):
    deep = "[" * 20_000 + "]" * 20_000
    for number in ("1", "1152921504606846977"):
        inspector.check(token({"bundleId": "com.example.app"}, f'{{"alg":{deep},"kid":{number}}}'))
        assert_every_part_is_shown(inspector)
        assert "header" in inspector.tab("contents").inner_text().lower()


def test_a_member_named_rawjson_hides_no_other_member(inspector):
    inspector.check(token({"foo": {"rawJSON": "SPOOF", "hidden": 1}, "empty": {}, "constructor": "caller", "__proto__": "proto"}))
    assert rows(inspector) == {
        "foo.rawJSON": "SPOOF", "foo.hidden": "1", "empty": "{}", "constructor": "caller", "__proto__": "proto"}


def test_numbers_are_shown_as_written(inspector):
    numbers = {"large": "1152921504606846977", "beyond": "1e400", "small": "1e-400", "near": "9007199254740990.9", "plain": "12"}
    inspector.check(token("{" + ",".join(f'"{name}":{number}' for name, number in numbers.items()) + "}",
                          '{"alg":"ES256","kid":1152921504606846977}'))
    assert rows(inspector) == numbers
    assert "1152921504606846977" in inspector.page.locator("section[aria-labelledby=header-title]").inner_text()


def test_extreme_dates_are_shown_completely(inspector):
    inspector.check(token({"expiresDate": 8_640_000_000_000_000, "purchaseDate": 64_092_211_200_000, "signedDate": -62_200_000_000_000}))
    shown = rows(inspector)
    assert "275760-09-13 00:00:00 UTC" in shown["expiresDate"]
    assert "4001-01-01 00:00:00 UTC" in shown["purchaseDate"]
    assert "−0002-" in shown["signedDate"]
    inspector.page.click("#zone-local")
    assert "275760-09-12 20:00:00 −04:00" in rows(inspector)["expiresDate"]


def test_hidden_members_are_reported(inspector):
    inspector.check(token({f"m{number}": number for number in range(600)}))
    assert "Only the first 500 members are shown" in inspector.tab("contents").inner_text()


def test_very_long_texts_do_not_block_the_page(inspector):
    long = "W" * 60_000
    inspector.check(token({"bundleId": long, long: 1, "productId": long, "list": [long]}).encode())
    assert_every_part_is_shown(inspector)
    assert "60,000 characters" in inspector.page.locator("#report").inner_html()


@pytest.mark.parametrize("attributes", [
    {25: integer(HUGE)}, {25: integer(-1)}, {25: integer(0)}, {1: integer(HUGE), 15: integer(HUGE), 16: integer(HUGE)},
    {0: text("constructor")}, {0: text("__proto__")}, {2: text("__proto__")}, {10: text("toString"), 23: text("rawJSON")},
    {12: date("4001-01-01T00:00:00Z"), 18: date("0000-01-01T00:00:00Z")}, {12: date("0001-01-01T00:00:00Z")},
    {12: date("9999-12-31T23:59:59Z"), 21: date("9999-12-31T23:59:59Z")}, {12: date("soon 2024")}, {12: date("")},
    {2: text("W" * 60_000), 3: text("W" * 60_000), 0: text("W" * 60_000)},
])
def test_a_receipt_of_any_kind_is_shown(inspector, receipt, attributes):
    assert inspector.check(receipt(attributes, [{}])) == "Not valid"
    assert_every_part_is_shown(inspector)


def test_an_unknown_platform_code_is_shown(inspector, receipt):
    inspector.check(receipt({25: integer(HUGE)}))
    assert f"code {HUGE}" in inspector.page.inner_text(".facts")


def test_a_malformed_date_is_shown_as_text(inspector, receipt):
    inspector.check(receipt({12: date("soon 2024")}))
    assert "soon 2024" in inspector.tab("attributes").locator("[data-attribute='12']").inner_text()
    assert inspector.page.locator("[data-attribute='12'] time").count() == 0


def test_purchases_of_any_kind_are_shown_sorted_and_filtered(inspector, receipt):
    types = [1701, 1707]
    purchases = [{number: integer(value)} for number in types for value in (HUGE, HUGE + 1, -1, 0, 2)]
    purchases += [{1711: integer(HUGE)}, {1703: text("constructor"), 1702: text("__proto__"), 1705: text("toString")},
                  {1708: date("1970-01-01T00:00:00Z")}, {1708: date("4001-01-01T00:00:00Z")}, {1704: date("0000-01-01T00:00:00Z")},
                  {1708: date("9999-12-31T23:59:59Z"), 1704: date("0000-01-01T00:00:00Z"), 1712: date("9999-12-31T23:59:59Z")}]
    assert inspector.check(receipt({}, purchases)) == "Not valid"
    assert_every_part_is_shown(inspector)
    panel = inspector.tab("purchases")
    body = panel.locator("tbody tr:not(.detail-row)")
    count = body.count()
    assert count > 0
    assert f"× {HUGE}" in panel.inner_text() and f"type {HUGE}" in panel.inner_text()
    for head in panel.locator("[data-sort]").all():
        head.click()
        assert body.count() == count
    inspector.page.select_option("#purchase-type", str(HUGE))
    assert body.count() == 1
    inspector.page.select_option("#purchase-type", "")
    for toggle in panel.locator(".toggle").all():
        toggle.click()
    assert panel.locator(".detail-row").count() == count
    assert "Ended" in panel.inner_text()
    timeline = inspector.tab("timeline")
    for button in timeline.locator(".segments button, button.link").all():
        button.click()
    inspector.page.click("#zone-local")
    assert "NaN" not in timeline.inner_html()
    assert inspector.page.locator(".part-failed").count() == 0


def test_the_menu_of_product_types_is_bounded(inspector, receipt):
    inspector.check(receipt({}, [{1703: text(str(number)), 1707: integer(HUGE + number)} for number in range(300)]))
    panel = inspector.tab("purchases")
    assert "of 300 purchases" in panel.inner_text()
    assert panel.locator("#purchase-type option").count() <= 51


def compared(inspector, other):
    inspector.tab("compare")
    inspector.page.fill("#other-text", other)
    inspector.page.get_by_role("button", name="Compare", exact=True).click()
    expect(inspector.page.locator(".compare-result table").first).to_be_visible()
    assert inspector.page.locator(".part-failed").count() == 0
    return inspector.page.inner_text(".compare-result")


@pytest.mark.parametrize("left, right, words", [
    ({"a": 1}, {"a": "1"}, ['1', '"1"']),
    ({"a": None}, {"a": "null"}, ["null", '"null"']),
    ({"a": {}}, {}, ["{}", "absent"]),
    ({"a": {"b": 1}, "a.b": 3}, {"a": {"b": 2}, "a.b": 3}, ["a.b", "1", "2"]),
    ({"a": HUGE}, {"a": HUGE + 1}, [str(HUGE), str(HUGE + 1)]),
    ({"a": {"rawJSON": "x", "hidden": 1}}, {"a": {"rawJSON": "x", "hidden": 2}}, ["a.hidden"]),
    ({"a": HOSTILE_OBJECT}, {"a": {**HOSTILE_OBJECT, "toString": 2}}, ["a.toString"]),
    ({"__proto__": 1}, {"__proto__": 2}, ["__proto__", "1", "2"]),
    ({"fooDate": "soon 1"}, {"fooDate": "soon 2"}, ["soon 1", "soon 2"]),
    ({"fooDate": 8.64e15}, {"fooDate": -8.64e15 - 2}, ["275760-09-13"]),
    ({"fooDate": HOSTILE_OBJECT}, {"fooDate": [HOSTILE_OBJECT]}, ["absent"]),
])
def test_tokens_of_any_kind_are_compared(inspector, left, right, words):
    inspector.check(token(left))
    shown = compared(inspector, token(right))
    assert "No fields differ" not in shown
    for word in words:
        assert word in shown


def test_receipts_of_any_kind_are_compared(inspector, receipt):
    one = receipt({25: integer(HUGE)}, [{1701: integer(HUGE), 1703: text("constructor")}, {1707: integer(HUGE)}])
    other = receipt({25: integer(-1)}, [{1701: integer(HUGE + 1), 1703: text("constructor")}, {1707: integer(3), 1703: text("__proto__")}])
    inspector.check(one)
    shown = compared(inspector, base64.b64encode(other).decode())
    assert str(HUGE) in shown and "Platform code" in shown
    assert "1 only in the other" in shown and "1 only in this input" in shown and "1 changed" in shown


def test_a_failing_part_does_not_affect_others(inspector):
    """The response contains values that no server sends, so that some parts of the page fail."""
    def corrupt(route):
        response = route.fetch()
        answer = response.json()
        answer["certificates"] = [None]
        answer["checks"][0]["evidence"] = None
        answer["input"]["bytes"] = None
        route.fulfill(response=response, json=answer)

    inspector.page.route("**/v1/inspector/examine", corrupt)
    inspector.allowed.append("TypeError")
    assert inspector.check(token({"bundleId": "com.example.app"})) == "Not valid"
    page = inspector.page
    assert page.locator(".checks .part-failed").count() == 1
    assert page.locator(".checks .check").count() > 1
    assert page.locator("#bar .part-failed").count() == 1
    assert "com.example.app" in page.inner_text(".facts")
    assert "can't be shown" in inspector.tab("certificates").inner_text()
    assert "com.example.app" in inspector.tab("contents").inner_text()
    assert page.get_attribute("[data-tab=contents]", "aria-selected") == "true"
