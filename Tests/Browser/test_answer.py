"""The answer comes first: what the customer has, what happened, and what to do. The rest of the page makes room for it."""
import base64
import datetime
import json
import re

import pytest

from conftest import SAMPLES, SIGNED


def states(inspector):
    """The states of the products, in the order of the page."""
    return inspector.page.eval_on_selector_all(
        ".product", "all => all.map((one) => [one.dataset.product, one.querySelector('[data-state]').dataset.state])")


def sections(inspector):
    return inspector.page.eval_on_selector_all(".overview > section", "all => all.map((one) => one.querySelector('h4').textContent)")


def now(days=0):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def renewal(make):
    """A notification about a subscription that runs for ten more days."""
    return make("--bundle-id", "com.example.app", "--app-apple-id", "7", "--environment", "production",
                "--type", "DID_RENEW", "--product", "plus", "--purchased", now(-20), "--expires", now(10),
                "--signed", now(-1), kind="notification").decode()


def test_the_products_come_before_the_checks_and_the_contents(inspector):
    inspector.sample("subscription-history")
    assert sections(inspector) == ["What the customer has", "Checks", "Contents"]
    assert states(inspector) == [
        ["com.example.garden.lifetime-tools", "owned"], ["com.example.garden.plus.monthly", "upgraded"],
        ["com.example.garden.pro.yearly", "renewalUnknown"], ["com.example.garden.seeds100", "owned"],
        ["com.example.garden.soil-sensor", "refunded"], ["com.example.garden.weather", "refunded"]]
    text = inspector.page.inner_text(".product[data-product='com.example.garden.pro.yearly']")
    assert "Renewal unknown" in text and "subscribed since 2023-11-30" in text and "known until 2024-11-29" in text
    assert "The last known period ended on 2024-11-29 15:04" in text and "Next: Request a new receipt" in text
    assert "Bought" in inspector.page.inner_text(".product[data-product='com.example.garden.seeds100'] [data-state]")
    first = inspector.page.locator(".product").first.bounding_box()
    assert first["y"] < 380


def test_the_answer_is_one_sentence_with_the_words_of_the_states(inspector):
    page = inspector.page
    page.set_input_files("#file", str(SAMPLES / "production-subscriptions.receipt"))
    inspector.verdict()
    sentence = "com.example.garden.lifetime-tools owned; 2 subscriptions: renewal unknown; com.example.garden.seeds100 bought"
    assert page.inner_text(".headline") == sentence
    assert page.inner_text("#status") == f"{sentence}. Signature valid."
    text = page.inner_text(".products-section")
    assert "From this input alone, as of its signing date, 2024-07-02 15:04 (" in text
    assert "The server knows nothing else about these purchases." in text


def test_two_products_are_visible_on_a_narrow_screen(open_page, server):
    inspector = open_page(server, width=390, height=844)
    page = inspector.page
    page.set_input_files("#file", str(SAMPLES / "production-subscriptions.receipt"))
    inspector.verdict()
    assert page.evaluate("window.scrollY") == 0
    assert page.locator(".headline").bounding_box()["y"] < 360
    states = page.locator(".product [data-state]")
    assert states.nth(1).bounding_box()["y"] + states.nth(1).bounding_box()["height"] <= 844
    name = page.locator(".bar-name")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth + 1 || name.clientWidth === 0")
    assert name.inner_text() == "production-subscriptions.receipt"


def test_the_verdict_is_one_line_that_expands(inspector):
    page = inspector.page
    inspector.sample("subscription-history")
    for tab in page.locator("[role=tab]").all():
        tab.click()
        assert page.locator(".verdict").bounding_box()["height"] <= 100
    assert page.is_hidden(".verdict-sentence")
    page.get_by_role("button", name="Why it is valid").click()
    assert page.is_visible(".verdict-sentence") and page.is_visible(".source")
    assert page.get_attribute(".verdict-toggle", "aria-expanded") == "true"


def test_a_forged_receipt_is_explained_once_and_in_plain_words(inspector):
    page = inspector.page
    inspector.sample("forged")
    assert page.inner_text(".headline") == "Not proven to be from Apple: don't unlock"
    assert "It proves nothing, so grant nothing for it." in page.inner_text(".products-section")
    assert "signature" not in page.inner_text(".products-section") and "certificate" not in page.inner_text(".products-section")
    assert page.inner_text(".technical .reason").startswith("The intermediate's signature is invalid")
    text = page.inner_text("main")
    assert text.count("What to do:") == 1 and text.count("What this error means") == 1
    assert text.count("bytes") == 1 and text.count("Production") == 1
    assert "Not possible" not in text and "Not compared" not in text
    visible = [check.get_attribute("data-check") for check in page.locator(".check").all() if check.is_visible()]
    assert visible == ["certificate-chain"]
    page.click(".checks-details > summary")
    assert page.is_visible(".check[data-check=signature]")


def test_one_token_is_not_called_everything_that_the_customer_has(inspector):
    page = inspector.page
    for name, title in (("transaction", "What this transaction shows"), ("notification", "What this notification shows")):
        inspector.check((SIGNED / f"{name}.jws").read_text())
        assert title in sections(inspector) and "What the customer has" not in page.inner_text("#report")
        assert page.inner_text(".headline") == "Nothing is active; com.example.garden.plus.monthly renewal unknown"
        text = summary(inspector)
        assert f"{title}: Nothing is active; com.example.garden.plus.monthly renewal unknown." in text and "What the customer has" not in text
        assert "From this input alone, as of its signing date" in text


def test_old_evidence_of_a_purchase_has_a_hint(inspector, make):
    hint = "Request a newer receipt to see later refunds."
    options = ("--bundle-id", "com.example.app", "--environment", "production", "--purchase", "pro")
    for days, has_hint in ((-29, False), (-31, True)):
        inspector.check(make(*options, "--created", now(days)))
        text = inspector.page.inner_text(".product")
        assert (hint in text) == has_hint
        assert f"Evidence of {now(days)[:10]}, {-days} days ago" in text
        assert "Next:" not in text


def test_a_volume_purchase_is_named(inspector):
    inspector.sample("volume-purchase")
    assert inspector.page.inner_text(".headline") == "The app, bought in volume; no in-app purchases"


def test_an_active_subscription_shows_until_when(inspector, make):
    receipt = make("--bundle-id", "com.example.app", "--environment", "production", "--subscription", "plus:2", "--created", now(-1))
    assert inspector.check(receipt) == "Valid"
    assert states(inspector) == [["plus", "active"]]
    until = inspector.page.inner_text(".product [data-state]")
    assert re.fullmatch(r"Active until \d{4}-\d\d-\d\d", until)
    assert inspector.page.inner_text(".headline") == f"plus {until.lower()}"


def test_unverified_data_shows_no_products(inspector):
    inspector.sample("forged")
    assert inspector.page.locator(".product").count() == 0
    assert "Entitlements are shown only for verified data" in inspector.page.inner_text(".products-section")
    # The app is named as claimed, its products aren't.
    assert not re.search(r"com\.example\.garden\.\w", inspector.page.inner_text(".products-section"))
    assert inspector.tab("timeline").locator(".badge-state").count() == 0


def test_a_notification_shows_what_happened(inspector, renewal):
    assert inspector.check(renewal) == "Valid"
    assert sections(inspector) == ["What this notification shows", "What happened", "What this input says", "Checks", "Contents"]
    event = inspector.page.inner_text(".event")
    for words in ("The subscription was renewed.", "plus", "10.99 USD", "Next renewal"):
        assert words in event
    assert states(inspector) == [["plus", "active"]]
    assert "will renew" in inspector.page.inner_text(".product")


def test_a_transaction_shows_product_period_and_state(inspector):
    assert inspector.check((SIGNED / "transaction.jws").read_text()) == "Valid"
    event = inspector.page.inner_text(".event")
    assert "The customer subscribed." in event and "to 2024-08-01 15:04" in event
    assert states(inspector) == [["com.example.garden.plus.monthly", "renewalUnknown"]]


def test_data_without_a_purchase_says_so(inspector, make):
    token = make("--product", "plus", "--signed", now(-1), kind="renewal-info")
    assert inspector.check(token.decode()) == "Valid"
    assert inspector.page.inner_text(".headline") == "Renewal information alone contains no purchase"


def test_the_checks_are_one_line_until_one_fails(inspector, garden):
    page = inspector.page
    inspector.check(garden)
    assert page.inner_text(".checks-outline") == "10 checks: 6 passed, 4 not requested"
    assert page.is_hidden(".check[data-check=signature]")
    page.click(".checks-details > summary")
    assert page.is_visible(".check[data-check=signature]")
    inspector.open_form()
    page.fill("#bundle", "com.example.other")
    assert inspector.submit() == "Not valid"
    assert page.inner_text(".checks-outline").startswith("10 checks: 1 failed")
    section = "What this error means"
    assert page.is_visible(".check[data-check=bundle-identifier]") and page.is_hidden(".check[data-check=signature]")
    assert page.inner_text(".headline") == "For another app: don't unlock"
    assert page.locator(".technical .remedy").first.inner_text().endswith(section)
    assert "bundle-identifier-mismatch" in page.inner_text(".reason")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_form_collapses_to_a_bar_after_a_result(open_page, server, width):
    inspector = open_page(server, width=width, height=844)
    page = inspector.page
    page.fill("#bundle", "com.example.garden")
    page.set_input_files("#file", str(SAMPLES / "production-subscriptions.receipt"))
    inspector.verdict()
    assert page.is_hidden("#form")
    bar = page.inner_text("#bar")
    for words in ("production-subscriptions.receipt", "7,892 bytes", "Checked against com.example.garden"):
        assert words in bar
    assert "device" not in bar
    report = page.locator("#report").bounding_box()
    assert report["width"] > 0.85 * min(width, 1360)
    page.click("#change")
    assert page.is_visible("#form") and page.is_hidden("#bar")
    assert page.evaluate("document.activeElement.id") == "text"
    assert page.input_value("#bundle") == "com.example.garden" and page.is_visible("#report")
    page.click("#close")
    assert page.is_hidden("#form") and page.evaluate("document.activeElement.id") == "change"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.is_visible("#samples") and page.is_visible("#form") and page.is_hidden("#bar")


def test_the_verdict_is_visible_after_the_form_collapsed(open_page, server, garden):
    inspector = open_page(server, width=390, height=600)
    page = inspector.page
    page.fill("#text", base64.b64encode(garden).decode())
    page.locator("#check").scroll_into_view_if_needed()
    assert page.evaluate("window.scrollY") > 0
    page.click("#check")
    inspector.verdict()
    box = page.locator(".verdict-title").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 600


def test_identifiers_stay_whole_and_are_copied(inspector):
    page = inspector.page
    inspector.sample("subscription-history")
    assert page.locator(".identifier wbr").count() == 0
    button = page.get_by_role("button", name="Copy product identifier com.example.garden.pro.yearly")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".copy.is-copied")
    assert page.evaluate("navigator.clipboard.readText()") == "com.example.garden.pro.yearly"
    assert page.inner_text("#status") == "Copied."
    inspector.tab("certificates").locator("summary").first.click()
    assert page.get_by_role("button", name="Copy fingerprint").first.is_visible()
    inspector.tab("purchases")
    heights = page.eval_on_selector_all(".purchases .identifier-text", "all => all.map((one) => one.getBoundingClientRect().height)")
    assert len(heights) > 20 and max(heights) < 24


def summary(inspector):
    """The copied summary."""
    inspector.page.click("#copy-summary")
    inspector.page.wait_for_selector("#copy-summary:has-text('Copied')")
    return inspector.page.evaluate("navigator.clipboard.readText()")


def test_the_summary_of_a_forged_receipt_marks_its_claims(inspector):
    inspector.sample("forged")
    lines = summary(inspector).splitlines()
    assert lines[0] == "Not valid: Not proven to be from Apple: don't unlock."
    assert lines[1].startswith("For the customer: We can't verify this purchase with Apple.")
    for words in ("App (claimed, not proven): com.example.garden, version 412", "Environment (claimed, not proven): Production",
                  "Checked against no app or environment."):
        assert words in lines
    assert any(line.startswith("Receipt created (claimed, not proven): 2024-07-02") for line in lines)
    assert len([line for line in lines if line.startswith("What to do:")]) == 1
    # What only developers need is on the page.
    assert not any(line.startswith("Code:") or " checks: " in line for line in lines)
    ticket = inspector.page.locator(".to-send", has_text="For the ticket").locator("p")
    assert re.fullmatch(
        r"Checked on \d{4}-\d\d-\d\d\. Not proven to be from Apple: don't unlock\. Claimed, not proven: app com\.example\.garden\.",
        ticket.inner_text())
    inspector.screenshot("ticket-forged")


def test_the_summary_is_copied_for_a_ticket(inspector, make):
    receipt = make("--bundle-id", "com.example.app", "--environment", "production", "--app-version", "12",
                   "--subscription", "plus:2", "--purchase", "pro", "--device-id", "02:00:00:00:00:01")
    inspector.page.fill("#device", "02:00:00:00:00:01")
    inspector.check(receipt)
    text = summary(inspector)
    assert text.startswith("What the customer has: pro owned; plus renewal unknown.\nSignature valid: This receipt for com.example.app from production is signed under AppReceiptTesting Root CA")
    for words in ("App: com.example.app, version 12", "Environment: production", "Receipt created: 2024-07-02 15:04:05 UTC",
                  "- pro: Owned.", "- plus: Renewal unknown.", "Next: Request a new receipt"):
        assert words in text
    assert " checks: " not in text
    assert "02:00:00:00:00:01" not in text
    assert "Original transaction 550000000000001." in text
    assert inspector.page.inner_text("#status") == "Copy summary: copied."


def test_the_title_names_the_app_and_the_verdict(inspector, garden):
    page = inspector.page
    assert page.title() == "Receipt inspector"
    inspector.check(garden)
    assert page.title().startswith("com.example.garden: com.example.garden.lifetime-tools owned") and page.title().endswith(" – Receipt inspector")
    inspector.check("Hello, world")
    assert page.title() == "Pasted text: Not valid – Receipt inspector"
    page.click("#clear-bar")
    assert page.title() == "Receipt inspector"


def test_the_address_keeps_the_tab_and_the_options(inspector, garden):
    page = inspector.page
    page.fill("#bundle", "com.example.garden")
    page.check("input[value=production]")
    page.check("input[value=sandbox]")
    page.fill("#device", "02:00:00:00:00:01")
    inspector.check(garden)
    inspector.tab("certificates")
    assert page.evaluate("location.hash") == "#tab=certificates&bundle-id=com.example.garden&environment=production&environment=sandbox"
    assert page.evaluate("history.length") <= 2
    page.reload()
    page.wait_for_selector("[data-sample]")
    assert page.input_value("#bundle") == "com.example.garden" and page.input_value("#text") == ""
    assert page.is_checked("input[value=production]") and not page.is_checked("input[value=xcode]")
    inspector.check(garden)
    assert page.get_attribute("[data-tab=certificates]", "aria-selected") == "true"
    # The next input begins with the answer.
    inspector.check((SAMPLES / "volume-purchase.receipt").read_bytes())
    assert page.get_attribute("[data-tab=overview]", "aria-selected") == "true"
    assert page.evaluate("location.hash").startswith("#bundle-id=com.example.garden&")
    page.click("#clear-bar")
    assert page.evaluate("location.hash") == ""


def test_the_link_to_the_result_does_not_drop_the_options(inspector):
    page = inspector.page
    page.fill("#bundle", "com.example.app")
    page.evaluate("document.activeElement.blur()")
    page.focus(".skip")
    with page.expect_event("framenavigated", lambda frame: frame.url.endswith("#result")):
        page.keyboard.press("Enter")
    # The content security policy blocks what `wait_for_function` evaluates after its first attempt.
    page.wait_for_url("**/#bundle-id=com.example.app")
    assert page.input_value("#bundle") == "com.example.app"


def test_names_and_values_of_a_token_stay_whole_on_a_narrow_screen(open_page, server, renewal):
    inspector = open_page(server, width=390, height=844)
    inspector.check(renewal)
    panel = inspector.tab("contents")
    sizes = panel.locator(".members .receipt-text").evaluate_all(
        "all => all.filter((one) => one.textContent.length < 60).map((one) => [one.getBoundingClientRect().height, one.getBoundingClientRect().right])")
    assert len(sizes) > 20 and max(height for height, _ in sizes) < 30 and max(right for _, right in sizes) <= 390
    assert inspector.page.is_hidden(".scroll-hint")


def test_all_tabs_fit_on_one_row(open_page, server):
    inspector = open_page(server, width=1024, height=844)
    inspector.sample("subscription-history")
    assert inspector.page.locator("[role=tab]").count() == 8
    row = inspector.page.locator("[role=tablist]")
    assert row.evaluate("row => row.scrollWidth - row.clientWidth") <= 0
    assert row.get_attribute("class") == "tabs"


def test_on_a_narrow_screen_the_row_of_tabs_scrolls_and_fades(open_page, server):
    inspector = open_page(server, width=390, height=844)
    page = inspector.page
    inspector.sample("subscription-history")
    row = page.locator("[role=tablist]")
    classes = lambda: set(row.get_attribute("class").split()) - {"tabs"}
    page.wait_for_selector(".tabs.has-after")
    assert classes() == {"has-after"}
    assert row.bounding_box()["height"] < 45
    page.focus("[data-tab=overview]")
    for tab in page.locator("[role=tab]").all():
        box = tab.bounding_box()
        assert box["x"] >= 16 and box["x"] + box["width"] <= 375, tab.inner_text()
        page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    page.wait_for_selector(".tabs.has-before")
    assert classes() == {"has-before"}


# The parts of a page that must stay on one line, but don't.
BROKEN = """() => [...document.querySelectorAll('#report time, #report .whole, .bar-size')]
    .filter((one) => one.offsetParent && !one.closest('svg') && new Set([...one.getClientRects()].filter((box) => box.width > 0).map((box) => box.top)).size > 1).map((one) => one.textContent)"""
# Words of names that are broken inside: lines of text that end within a word.
CUT = """(selector) => [...document.querySelectorAll(selector)].filter((one) => one.offsetParent).flatMap((one) => {
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    const cut = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const match of node.data.matchAll(/[A-Za-z0-9]+/g)) {
            const range = document.createRange();
            range.setStart(node, match.index);
            range.setEnd(node, match.index + match[0].length);
            if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) cut.push(match[0]);
        }
    }
    return cut;
})"""


@pytest.mark.parametrize("sample", ["subscription-history", "forged", "notification"])
def test_dates_and_names_stay_whole_on_a_narrow_screen(open_page, server, sample):
    inspector = open_page(server, width=390, height=844)
    page = inspector.page
    inspector.sample(sample)
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(50)
        assert page.evaluate(BROKEN) == [], tab.inner_text()
        assert page.evaluate(CUT, ".certificate h4, .evidence, .headline, .bar-name, .see") == [], tab.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_broken_link_is_between_the_certificates_that_it_concerns(inspector):
    inspector.sample("forged")
    panel = inspector.tab("certificates")
    items = panel.locator("ol.chain > li")
    assert [item.locator("h4").inner_text() for item in items.all()] == [
        "AppReceiptTesting Root CA", "AppReceiptTesting Intermediate CA", "AppReceiptTesting Receipt Signing"]
    assert "Trusted here" in items.nth(0).inner_text()
    assert "didn't sign the intermediate" in items.nth(1).locator("[data-broken]").inner_text()
    assert panel.locator("[data-broken]").count() == 1
    broken = items.nth(1).locator("[data-broken]").bounding_box()
    above, below = items.nth(0).bounding_box(), items.nth(1).bounding_box()
    assert above["y"] + above["height"] <= broken["y"] and broken["y"] + broken["height"] <= below["y"]
    assert "What to do" in panel.inner_text()
    assert panel.locator(".bar-invalid").count() == 0
    evidence = inspector.page.locator(".check[data-check=certificate-chain]")
    inspector.tab("overview")
    assert "signed by AppReceiptTesting Root CA" in evidence.inner_text() and "valid 20" not in evidence.inner_text()


def test_validity_is_neutral(inspector, garden):
    inspector.check(garden)
    panel = inspector.tab("certificates")
    assert panel.locator(".validity .state.active").count() == 0
    assert "in date when created" in panel.inner_text()
    assert "expired since" not in panel.inner_text()


def test_certificates_that_expired_since_are_mentioned(inspector, garden):
    def age(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "now": "2035-01-01T00:00:00Z"})

    inspector.page.route("**/v1/inspector/examine", age)
    inspector.check(garden)
    assert "That some have expired since doesn't matter." in inspector.tab("certificates").inner_text()


def test_the_header_names_whom_the_server_trusts(open_page, server, apple_server):
    assert open_page(apple_server).page.inner_text("#trust") == "Trusts Apple's roots"
    shown = open_page(server).page.inner_text("#trust")
    assert shown == ("Apple's roots replaced by AppReceiptTesting Root CA, AppReceiptTesting Root CA - G3, "
                     "and accepts data from Xcode")


def test_replaced_roots_are_mentioned_where_a_chain_ends_at_another(open_page, serving, apple_server):
    words = "Apple's roots are replaced on this server by its setting root."
    token = (SIGNED / "transaction.jws").read_text()
    for server, isMentioned in ((serving, True), (apple_server, False)):
        inspector = open_page(server)
        assert inspector.check(token) == "Not valid"
        assert (words in inspector.page.inner_text(".technical")) == isMentioned
        assert inspector.page.inner_text(".headline") == (
            "Not signed under a root that is trusted here: don't unlock" if isMentioned else "Not from Apple: don't unlock")
        assert inspector.tab("certificates").locator("[data-broken]").count() == 1


@pytest.mark.alone
def test_a_result_shifts_nothing(inspector, garden):
    """The form's collapse follows a click, and so isn't counted if the answer is fast. Nothing else moves."""
    page = inspector.page
    page.evaluate("""() => {
        window.shift = 0;
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
    }""")
    page.fill("#text", base64.b64encode(garden).decode())
    page.click("#check")
    inspector.verdict()
    page.wait_for_timeout(700)
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(100)
    inspector.tab("overview")
    page.wait_for_timeout(200)
    assert page.evaluate("window.shift") < 0.01


def test_the_verdict_has_focus_without_a_ring(inspector):
    page = inspector.page
    page.set_input_files("#file", str(SAMPLES / "production-subscriptions.receipt"))
    inspector.verdict()
    assert page.evaluate("document.activeElement.className") == "verdict-title"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
    assert page.locator(".caveat .icon").count() == 0


def test_the_bytes_of_a_token_are_shown_by_segment(inspector):
    token = (SIGNED / "transaction.jws").read_text().strip()
    page = inspector.page
    inspector.check(token)
    panel = inspector.tab("bytes")
    page.wait_for_selector(".node")
    payload = base64.urlsafe_b64decode(token.split(".")[1] + "===")
    assert f"{len(payload):,} bytes" in panel.inner_text()
    offset = payload.find(b'"productId"')
    node = panel.locator(".node", has_text="productId")
    assert node.locator(".node-offset").inner_text() == str(offset)
    node.click()
    assert "com.example.garden.plus.monthly" in page.inner_text(".selection")
    value = offset + len(b'"productId":')
    assert page.locator(f".b.head[data-o='{offset}']").count() == 1
    assert page.locator(f".b.body[data-o='{value}']").count() == 1
    page.click("[data-segment=signature]")
    page.wait_for_selector(".node:has-text('ES256 signature')")
    assert [one.inner_text() for one in panel.locator(".node .node-name").all()] == ["ES256 signature", "r", "s"]
    page.click("[data-segment=header]")
    page.wait_for_selector(".node:has-text('x5c')")
    assert json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "==="))["alg"] in panel.inner_text()


@pytest.mark.parametrize("since, until, words", [
    ("2024-07-02T15:04:05Z", "2026-11-22T00:00:00Z", "2 years 4 months"),
    ("2024-07-02T15:04:05Z", "2026-07-02T15:04:04Z", "1 year 11 months"),
    ("2024-07-02T15:04:05Z", "2026-07-02T15:04:05Z", "2 years"),
    ("2026-01-31T00:00:00Z", "2026-04-30T00:00:00Z", "2 months"),
    ("2026-01-01T00:00:00Z", "2026-02-28T23:00:00Z", "58 days"),
    ("2026-01-01T00:00:00Z", "2026-01-02T23:59:59Z", "47 hours"),
    ("2026-01-01T00:00:00Z", "2026-01-01T01:59:59Z", "119 minutes"),
    ("2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z", "1 minute"),
])
def test_ages_count_complete_units(inspector, since, until, words):
    shown = inspector.page.evaluate(
        "async ([from, to]) => (await import('/inspector/dom.js')).span(Date.parse(from), Date.parse(to))", [since, until])
    assert shown == words
