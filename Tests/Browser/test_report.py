"""Every panel of the report shows its contents, and marks unproven and sandbox data."""
import base64
import json
import subprocess
import time

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM, SAMPLES, SIGNED


@pytest.mark.parametrize("sample, verdict, words", [
    ("production-subscriptions", "Valid", "It is a sample, and proves nothing"),
    ("subscription-history", "Valid", "It is a sample, and proves nothing"),
    ("forged", "Not valid", ""),
    ("mac-device", "Valid", "sample"),
    ("volume-purchase", "Valid", "sample"),
    ("xcode", "Valid", "proves nothing about a purchase"),
    ("transaction", "Valid", "sample"),
    ("notification", "Valid", "sample"),
])
def test_samples_are_marked_as_samples(open_page, apple_server, sample, verdict, words):
    inspector = open_page(apple_server)
    assert inspector.sample(sample) == verdict
    assert words in inspector.sentence()
    assert "Sample, test root" in inspector.page.inner_text(".chips")
    assert inspector.page.locator(".verdict.good").count() == 0
    for tab in inspector.page.locator("[role=tab]").all():
        tab.click()
        panel = inspector.page.locator("[role=tabpanel]:not([hidden])")
        assert panel.inner_text().strip() != ""


def test_a_sample_is_not_valid_as_an_input(open_page, apple_server, garden):
    inspector = open_page(apple_server)
    assert inspector.check(garden) == "Not valid"
    assert "claims Production" in inspector.page.inner_text(".chips")
    assert "Claimed contents, not proven" in inspector.page.inner_text(".facts")
    for name in ("purchases", "timeline", "attributes", "bytes"):
        assert "not proven" in inspector.tab(name).inner_text(), name
    inspector.screenshot("invalid")


def test_a_sandbox_receipt_does_not_look_like_production(inspector, make):
    sandbox = make("--bundle-id", "com.example.app", "--purchase", "pro")
    assert inspector.check(sandbox) == "Valid"
    assert inspector.page.locator(".verdict.sandbox").count() == 1
    assert "No money was paid" in inspector.sentence()
    assert inspector.page.inner_text(".chip.sandbox") == "Sandbox"
    assert "No money was paid" in inspector.tab("purchases").inner_text()
    inspector.screenshot("sandbox")


def test_markup_in_a_receipt_stays_text(inspector, make):
    product = "<img src=x onerror=alert(1)><b>bold</b>"
    receipt = make("--bundle-id", "<script>alert(2)</script>", "--purchase", product,
                   "--subscription", "\u202egnp.exe\u2066:3")
    assert inspector.check(receipt) == "Valid"
    page = inspector.page
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(50)
    assert page.locator("#report img, #report b, #report script").count() == 0
    assert product in inspector.tab("purchases").inner_text()
    assert "<script>alert(2)</script>" in page.inner_text(".verdict-sentence")
    shown = inspector.tab("purchases").inner_text()
    assert "\u202e" not in shown and "\\u{202e}gnp.exe\\u{2066}" in shown
    inspector.screenshot("hostile")


def test_markup_in_a_message_stays_text(inspector):
    inspector.page.fill("#bundle", "<img src=x onerror=alert(1)>")
    assert inspector.sample("production-subscriptions") == "Not valid"
    assert inspector.page.locator("#report img").count() == 0
    assert "<img src=x" in inspector.page.inner_text(".check[data-check=bundle-identifier]")


def test_purchases_are_sorted_and_filtered(inspector):
    inspector.sample("subscription-history")
    panel = inspector.tab("purchases")
    rows = panel.locator("tbody tr")
    total = rows.count()
    assert total == 22
    page = inspector.page
    page.click("[data-sort=product]")
    products = [text.split("\n")[0] for text in panel.locator("tbody th").all_inner_texts()]
    assert products == sorted(products)
    assert page.locator("th[aria-sort=ascending] [data-sort=product]").count() == 1
    page.click("[data-sort=product]")
    assert page.locator("th[aria-sort=descending] [data-sort=product]").count() == 1
    page.fill("#purchase-search", "WEATHER")
    assert rows.count() == 6
    assert page.inner_text("#status") == "6 purchases"
    page.select_option("#purchase-state", "canceled")
    assert rows.count() == 1
    page.fill("#purchase-search", "")
    assert rows.count() == 2
    page.select_option("#purchase-state", "unknown")
    assert rows.count() == 1 and "pro.yearly" in rows.first.inner_text()
    page.select_option("#purchase-state", "")
    page.select_option("#purchase-type", "1")
    assert rows.count() == 1 and "× 3" in rows.first.inner_text()
    page.fill("#purchase-search", "nothing like that")
    assert "No matching purchases" in panel.inner_text()
    inspector.screenshot("purchases")


def test_a_purchase_expands_to_its_attributes(inspector):
    inspector.sample("subscription-history")
    panel = inspector.tab("purchases")
    panel.locator(".toggle").first.click()
    detail = panel.locator(".detail-row")
    assert detail.locator("[data-attribute='1702']").inner_text().startswith("1702")
    product = panel.locator("tbody tr").first.locator("th").inner_text().split()[0]
    assert product in detail.locator("[data-attribute='1702']").inner_text()
    assert panel.locator(".toggle").first.get_attribute("aria-expanded") == "true"
    inspector.screenshot("purchase-open")
    panel.locator(".toggle").first.click()
    assert detail.count() == 0


def test_the_timeline_draws_every_kind_of_period(inspector):
    inspector.sample("subscription-history")
    panel = inspector.tab("timeline")
    count = lambda selector: panel.locator(selector).count()
    assert count(".lines > li") == 2
    assert count("rect.period.bar-trial") == 1
    assert count("rect.period.bar-introductory") == 3
    assert count("rect.period.bar-offer") == 1
    assert count(".cut") == 2 and count(".bar-lost") == 2
    assert count(".lines .marker.made") == 2
    assert "Receipt created" in panel.inner_text() and "beyond the right edge" in panel.inner_text()
    description = panel.locator(".lines svg").first.get_attribute("aria-label")
    assert "Free trial: 1" in description and "Promotional offer: 1" in description
    panel.get_by_role("button", name="13 periods").click()
    assert panel.locator(".line-periods tbody tr").count() == 13
    inspector.screenshot("timeline")
    before = panel.locator("rect.period").count()
    panel.get_by_role("button", name="Last 90 days").click()
    assert panel.locator("rect.period").count() < before


def test_periods_of_minutes_are_visible(inspector):
    # The sandbox renews a month every five minutes.
    answer = {}

    def shorten(route):
        response = route.fetch()
        answer.update(response.json())
        start = 1_720_000_000
        subscription = answer["subscriptions"][0]
        for index, period in enumerate(subscription["periods"]):
            iso = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
            period.update(start=iso(start + index * 300), end=iso(start + index * 300 + 300), expiration=None)
        answer["subscriptions"] = [subscription]
        route.fulfill(response=response, json=answer)

    inspector.page.route("**/v1/inspector/examine", shorten)
    inspector.sample("production-subscriptions")
    panel = inspector.tab("timeline")
    assert panel.get_by_role("button", name="Subscriptions").get_attribute("aria-pressed") == "true"
    assert panel.locator("rect.period").count() == 6
    widths = [bar.bounding_box()["width"] for bar in panel.locator("rect.period").all()]
    assert min(widths) > 50
    assert "07-03 09:50" in panel.locator(".axis").inner_html()
    panel.get_by_role("button", name="All").click()
    assert min(bar.bounding_box()["width"] for bar in panel.locator("rect.period").all()) >= 2
    inspector.screenshot("minutes")


def test_the_chain_is_shown_with_its_validation_date(inspector):
    inspector.sample("production-subscriptions")
    panel = inspector.tab("certificates")
    names = panel.locator(".certificate h4").all_inner_texts()
    assert names == ["AppReceiptTesting Root CA", "AppReceiptTesting Intermediate CA", "AppReceiptTesting Receipt Signing"]
    assert panel.locator(".marker.made").count() == 4  # three rows and the legend
    assert "was in date at 2024-07-02 15:04:05 UTC, when the receipt was created" in panel.inner_text()
    panel.locator("summary").first.click()
    assert "CN=AppReceiptTesting Root CA" in panel.inner_text()


def test_a_forged_chain_is_not_called_trusted(inspector):
    inspector.sample("forged")
    panel = inspector.tab("certificates")
    assert "Trusted root" not in panel.inner_text()
    assert "not proven" in panel.inner_text()


def test_attributes_are_shown_decoded_and_raw(inspector, garden):
    inspector.check(garden)
    panel = inspector.tab("attributes")
    row = lambda number: panel.locator(f"[data-attribute='{number}']").inner_text()
    assert "com.example.garden" in row(2) and "0c 12 63 6f 6d" in row(2)
    assert "2024-07-02 15:04:05 UTC" in row(12)
    assert "undocumented" in row(0) and "undocumented" not in row(2)
    assert "10 attributes of type 17" in panel.inner_text()
    panel.get_by_role("button", name="Show attribute 2 in the bytes").click()
    assert "UTF8String" in inspector.page.inner_text(".selection")
    assert inspector.page.get_attribute("[data-tab=bytes]", "aria-selected") == "true"


@pytest.mark.parametrize(("opener", "selected"), [
    ("[role=tab][data-tab=bytes]", "contentType"), ("[aria-label='Show attribute 2 in the bytes']", "SEQUENCE")])
def test_the_structure_takes_keys_before_it_is_drawn(inspector, garden, opener, selected):
    inspector.check(garden)
    inspector.tab("attributes")
    inspector.page.evaluate("""opener => {
        const frames = [];
        const original = window.requestAnimationFrame;
        window.requestAnimationFrame = (run) => frames.push(run);
        document.querySelector(opener).click();
        window.requestAnimationFrame = original;
        document.querySelector(".tree").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
        for (const run of frames) run(performance.now());
    }""", opener)
    assert selected in inspector.page.locator(".node.is-selected").inner_text()


def test_structure_and_bytes_select_each_other(inspector, garden):
    inspector.check(garden)
    page = inspector.page
    panel = inspector.tab("bytes")
    page.wait_for_selector(".node")
    assert panel.locator(".node").count() < 80
    assert "SignedData" in panel.locator(".tree").inner_text()
    # A byte selects its element.
    text = garden.find(b"com.example.garden")
    page.locator(".hex-view").focus()
    row = text // 16 * 22
    page.evaluate("y => { document.querySelector('.hex-view').scrollTop = y; }", row - 40)
    page.wait_for_timeout(100)
    page.click(f".b[data-o='{text}']")
    assert "com.example.garden" in page.inner_text(".selection")
    assert page.locator(".node.is-selected").inner_text().find("UTF8String") >= 0
    assert page.locator(f".b.body[data-o='{text}']").count() == 1
    assert page.locator(f".b.head[data-o='{text - 1}']").count() == 1
    # An element selects its bytes. The enclosing element is the attribute.
    page.locator(".tree").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert "2 · Bundle identifier" in page.locator(".node.is-selected").inner_text()
    assert "SEQUENCE" in page.inner_text(".selection")
    assert page.locator(".b.head").count() == 2
    inspector.screenshot("bytes")


def test_segmented_ber_is_shown(inspector):
    inspector.sample("xcode")
    inspector.tab("bytes")
    inspector.page.wait_for_selector(".node")
    assert "indefinite length" in inspector.page.inner_text(".selection")
    assert "com.example.garden" in inspector.tab("attributes").inner_text()


def test_two_receipts_are_compared(inspector):
    inspector.sample("production-subscriptions")
    panel = inspector.tab("compare")
    page = inspector.page
    page.select_option("#other-sample", "subscription-history")
    page.wait_for_selector(".compare-summary")
    assert "22 only in the other" in panel.inner_text() and "10 only in this input" in panel.inner_text()
    assert "download_id" in panel.inner_text()
    page.select_option("#other-sample", "production-subscriptions")
    expect(inspector.page.locator(".compare-result")).to_contain_text("No fields differ")
    assert "10 purchases unchanged" in panel.inner_text()


def test_changes_of_a_purchase_are_found(inspector, make):
    options = ("--bundle-id", "com.example.app", "--subscription", "monthly:3")
    earlier = make(*options)
    later = make(*options, "--created", "2024-07-12T15:04:05Z", "--app-version", "2")
    inspector.check(earlier)
    panel = inspector.tab("compare")
    inspector.page.fill("#other-text", base64.b64encode(later).decode())
    panel.get_by_role("button", name="Compare").click()
    inspector.page.wait_for_selector("[data-change=changed]")
    assert panel.locator("[data-change=changed]").count() == 3
    assert "application_version" in panel.inner_text() and "expires_date" in panel.inner_text()
    inspector.screenshot("compare")


def test_incomparable_inputs_are_reported(inspector):
    inspector.sample("production-subscriptions")
    panel = inspector.tab("compare")
    inspector.page.select_option("#other-sample", "transaction")
    expect(inspector.page.locator(".compare-result")).to_contain_text("no fields in common")
    inspector.page.fill("#other-text", "no receipt")
    panel.get_by_role("button", name="Compare").click()
    expect(inspector.page.locator(".compare-result")).to_contain_text("can't be read")


def copied(inspector, name):
    inspector.page.click(f"[data-export={name}]")
    inspector.page.click(f"[data-copy={name}]")
    inspector.page.wait_for_selector(f"[data-copy={name}]:has-text('Copied')")
    return inspector.page.evaluate("navigator.clipboard.readText()")


def command(*options, **more):
    return subprocess.run([PROGRAM, *options], capture_output=True, check=False, **more).stdout


def test_copies_equal_the_output_of_the_command_line(inspector, garden):
    inspector.page.set_input_files("#file", str(SAMPLES / "production-subscriptions.receipt"))
    inspector.verdict()
    inspector.tab("export")
    root = str(SAMPLES / "root.pem")
    file = str(SAMPLES / "production-subscriptions.receipt")
    # The server serves two environments, and any app.
    served = ("--environment", "production", "--environment", "sandbox")
    expected = json.loads(command("validate", file, "--root", root, "--format", "json", *served))
    assert json.loads(copied(inspector, "json")) == expected
    raw = json.loads(command("validate", file, "--root", root, "--format", "json", "--raw", *served))
    assert json.loads(copied(inspector, "raw")) == raw
    request = json.dumps({"receipt-data": base64.b64encode(garden).decode()})
    answer = json.loads(command("verify-receipt", "--environment", "both", "--root", root, input=request.encode()))
    exported = json.loads(copied(inspector, "verify-receipt"))
    for date in ("request_date", "request_date_ms", "request_date_pst"):
        assert date in exported["receipt"]
        del exported["receipt"][date], answer["receipt"][date]
    assert exported == answer
    assert exported["receipt"]["download_id"] == 502000000000000001
    swift = copied(inspector, "swift")
    assert swift.startswith("import AppReceiptKit\n") and base64.b64encode(garden).decode() in swift
    inspector.screenshot("export")


def test_an_invalid_receipt_is_exported_with_the_reason(open_page, apple_server, garden):
    inspector = open_page(apple_server)
    inspector.check(garden)
    inspector.tab("export")
    assert json.loads(copied(inspector, "verify-receipt")) == {"status": 21003}
    assert "root" in inspector.page.inner_text(".export-body .notice").lower()


def test_signed_data_is_shown_with_its_nested_tokens(inspector):
    assert inspector.check((SIGNED / "notification.jws").read_text()) == "Valid"
    panel = inspector.tab("contents")
    assert "DID_RENEW" in panel.inner_text()
    nested = panel.locator("[data-nested]")
    assert sorted(nested.nth(index).get_attribute("data-nested") for index in range(nested.count())) == [
        "signedRenewalInfo", "signedTransactionInfo"]
    inner = panel.locator("[data-nested=signedTransactionInfo]").inner_text()
    assert "com.example.garden.plus.monthly" in inner and "2024-08-01 15:04:05 UTC" in inner
    assert "ES256" in panel.inner_text()
    assert len(inspector.tab("certificates").locator(".certificate").all()) == 3
    inspector.tab("export")
    expected = json.loads(command("signed-data", str(SIGNED / "notification.jws"), "--root",
                                  str(SIGNED / "signed-data-root.pem"), "--format", "json",
                                  "--environment", "production", "--environment", "sandbox"))
    assert json.loads(copied(inspector, "json")) == expected
    inspector.tab("contents")
    inspector.screenshot("signed-data")


def test_forged_signed_data_is_not_proven(inspector, make):
    token = make("--bundle-id", "com.example.app", "--product", "<b>pro</b>", "--forge", "payload", kind="transaction")
    assert inspector.check(token.decode()) == "Not valid"
    assert inspector.outcome("signature") == "failed"
    contents = inspector.tab("contents")
    assert "not proven" in contents.inner_text() and "<b>pro</b>" in contents.inner_text()
    assert contents.locator("b").count() == 0
    inspector.tab("export")
    assert copied(inspector, "swift").startswith("import AppStoreSignedData\n")


def test_times_are_shown_in_utc_or_local_time(inspector):
    inspector.sample("production-subscriptions")
    facts = inspector.page.locator(".facts")
    assert "2024-07-02 15:04:05 UTC" in facts.inner_text()
    inspector.page.click("#zone-local")
    assert "2024-07-02 11:04:05 −04:00" in facts.inner_text()
    assert facts.locator("time").first.get_attribute("title") == "2024-07-02 15:04:05 UTC"
    assert "2024-07-02 11:04" in inspector.tab("purchases").inner_text()


def test_an_app_that_the_server_does_not_serve_is_not_valid(open_page, serving, garden):
    inspector = open_page(serving)
    assert inspector.check(garden) == "Not valid"
    assert inspector.page.inner_text(".headline") == "For another app: don't unlock"
    assert "This receipt is for another app." in inspector.page.inner_text(".to-send")
    assert inspector.outcome("environment") == "failed"


def test_ignored_options_of_a_pasted_request_are_reported(inspector, garden):
    request = {"receipt": base64.b64encode(garden).decode(), "bundle-id": "com.example.other", "raw": True}
    assert inspector.check(json.dumps(request)) == "Valid"
    words = "The request's bundle-id isn't compared. Enter it under “Check against”."
    assert words in inspector.page.inner_text(".verdict")
    request["environment"] = "sandbox"
    inspector.check(json.dumps(request))
    words = "The request's bundle-id and environment aren't compared. Enter them under “Check against”."
    assert words in inspector.page.inner_text(".verdict")


def test_a_forged_chain_has_no_check_marks(inspector):
    inspector.sample("forged")
    marks = inspector.tab("certificates").locator(".link-mark .icon")
    assert marks.count() == 4  # the trusted root, two of the chain, and the root in the input
    for index in range(4):
        assert "good" not in (marks.nth(index).get_attribute("class") or "").split()


def test_data_of_the_test_kit_is_identified_if_only_apples_roots_are_trusted(open_page, apple_server, garden):
    inspector = open_page(apple_server)
    assert inspector.check(garden) == "Not valid"
    assert "signed under the test kit's root" in inspector.page.inner_text(".technical")
    assert inspector.check("Hello") == "Not valid"
    assert "test kit" not in inspector.page.locator("#report").text_content()
