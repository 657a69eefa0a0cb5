"""Every form of input is accepted, and failures are explained."""
import base64
import json

import pytest
from playwright.sync_api import expect

from conftest import SAMPLES, SIGNED


def test_pasted_base64_is_validated_immediately(inspector, garden):
    inspector.paste(base64.b64encode(garden).decode())
    assert inspector.verdict() == "Valid"
    assert "com.example.garden" in inspector.sentence()


def test_the_hint_names_the_accepted_forms(inspector):
    hint = inspector.page.inner_text("#text-hint")
    for form in ("receipt in base64", "PEM", "token", "request or response of verifyReceipt", "notification", "JSON from a log", ".app bundle"):
        assert form in hint


def test_a_long_pasted_text_is_not_inserted_into_the_field(inspector, thousands):
    inspector.paste(base64.b64encode(thousands).decode())
    assert inspector.verdict() == "Valid"
    assert inspector.page.input_value("#text") == ""
    assert "Pasted text" in inspector.page.inner_text("#bar")


def test_pem_is_read(inspector, make):
    text = make("--bundle-id", "com.example.pem", "--form", "pem").decode()
    assert inspector.check(text) == "Valid"
    assert "PEM" in inspector.page.inner_text(".source")


def test_a_verify_receipt_request_is_read(inspector, garden):
    request = {"receipt-data": base64.b64encode(garden).decode(), "password": "x", "exclude-old-transactions": True}
    assert inspector.check(json.dumps(request)) == "Valid"
    assert "decoded JSON member 'receipt-data'" in inspector.page.inner_text(".source")


def test_a_notification_body_and_a_token_are_read(inspector):
    token = (SIGNED / "notification.jws").read_text()
    assert inspector.check(token) == "Valid"
    assert inspector.check(json.dumps({"signedPayload": token.strip()})) == "Valid"
    assert "decoded JSON member 'signedPayload'" in inspector.page.inner_text(".source")


def test_a_file_in_utf_16_is_read(inspector, garden):
    text = base64.b64encode(garden).decode().encode("utf-16")
    inspector.page.set_input_files("#file", [{"name": "receipt.txt", "mimeType": "text/plain", "buffer": text}])
    assert inspector.verdict() == "Valid"
    assert "base64" in inspector.page.inner_text(".source")
    assert "decoded UTF-16" in inspector.page.inner_text(".source")


def test_several_items_count_together(inspector):
    token = (SIGNED / "transaction.jws").read_text().strip()
    assert inspector.check(json.dumps({"signedTransactions": [token, token]})) == "Valid"
    assert "The input contains 2 receipts and tokens. They count together." in inspector.page.inner_text(".verdict")


def test_a_dropped_file_is_validated(inspector, garden):
    transfer = inspector.page.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
            transfer.items.add(new File([bytes], 'receipt', { type: 'application/octet-stream' }));
            return transfer;
        }""", base64.b64encode(garden).decode())
    inspector.page.dispatch_event("#drop", "dragenter", {"dataTransfer": transfer})
    assert inspector.page.evaluate("document.body.classList.contains('is-over')")
    inspector.page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})
    assert inspector.verdict() == "Valid"
    assert "receipt" in inspector.page.inner_text("#bar")
    assert inspector.page.evaluate("document.body.classList.contains('is-over')") is False


def test_dropped_text_is_validated(inspector, garden):
    transfer = inspector.page.evaluate_handle(
        "text => { const transfer = new DataTransfer(); transfer.setData('text/plain', text); return transfer; }",
        base64.b64encode(garden).decode())
    inspector.page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    assert inspector.verdict() == "Valid"


def drop_path(inspector, path):
    """Drops a file or folder, as from the desktop."""
    box = inspector.page.locator("#text").bounding_box()
    session = inspector.page.context.new_cdp_session(inspector.page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {
            "type": kind, "x": box["x"] + 20, "y": box["y"] + 20, "data": data})


def test_the_receipt_of_a_dropped_app_bundle_is_found(inspector, garden, tmp_path):
    folder = tmp_path / "Garden.app/Contents/_MASReceipt"
    folder.mkdir(parents=True)
    (folder / "receipt").write_bytes(garden)
    drop_path(inspector, tmp_path / "Garden.app")
    assert inspector.verdict() == "Valid"
    assert "Garden.app/Contents/_MASReceipt/receipt" in inspector.page.inner_text("#bar")


def test_a_folder_without_a_receipt_is_reported(inspector, tmp_path):
    (tmp_path / "Empty.app/Contents").mkdir(parents=True)
    (tmp_path / "Empty.app/Contents/Info.plist").write_text("x")
    drop_path(inspector, tmp_path / "Empty.app")
    inspector.page.wait_for_selector(".problem")
    assert "No receipt was found in “Empty.app”" in inspector.page.inner_text(".problem")


def test_the_sandbox_receipt_in_a_selected_folder_is_found(inspector, garden, tmp_path):
    folder = tmp_path / "Data/StoreKit"
    folder.mkdir(parents=True)
    (folder / "sandboxReceipt").write_bytes(garden)
    (tmp_path / "Data/other").write_text("x")
    inspector.page.set_input_files("#folder", str(tmp_path / "Data"))
    assert inspector.verdict() == "Valid"
    assert "StoreKit/sandboxReceipt" in inspector.page.inner_text("#bar")


def test_a_selected_file_is_validated(inspector):
    inspector.page.set_input_files("#file", str(SAMPLES / "volume-purchase.receipt"))
    assert inspector.verdict() == "Valid"


def test_expected_values_are_compared(inspector, garden):
    page = inspector.page
    page.fill("#bundle", "com.example.other")
    page.fill("#version", "412")
    page.fill("#original-version", "1")
    page.check("input[value=sandbox]")
    assert inspector.check(garden) == "Not valid"
    outcomes = {name: inspector.outcome(name) for name in
                ("signature", "bundle-identifier", "environment", "app-version", "original-app-version")}
    assert outcomes == {"signature": "passed", "bundle-identifier": "failed", "environment": "failed",
                        "app-version": "passed", "original-app-version": "failed"}
    evidence = page.inner_text(".check[data-check=bundle-identifier] .evidence")
    assert "com.example.garden" in evidence and "com.example.other" in evidence
    assert "What to do" not in page.inner_text(".check[data-check=bundle-identifier]")
    assert "What to do" in page.inner_text(".check[data-check=environment]")
    assert "What to do" in page.inner_text(".products-section")
    assert "The signature itself is valid" in page.inner_text(".products-section")


def test_a_device_is_compared(inspector):
    receipt = (SAMPLES / "mac-device.receipt").read_bytes()
    inspector.page.fill("#device", "02:00:00:00:00:02, 02:00:00:00:00:01")
    assert inspector.check(receipt) == "Valid"
    assert inspector.outcome("device-hash") == "passed"
    inspector.open_form()
    inspector.page.fill("#device", "02:00:00:00:00:03")
    assert inspector.submit() == "Not valid"
    assert inspector.outcome("device-hash") == "failed"


def test_a_malformed_device_is_reported(inspector, garden):
    inspector.allowed.append("400")
    inspector.page.fill("#device", "my phone")
    inspector.page.fill("#text", base64.b64encode(garden).decode())
    inspector.page.click("#check")
    inspector.page.wait_for_selector(".problem")
    assert "device" in inspector.page.inner_text(".problem").lower()
    link = inspector.page.locator(".problem a")
    assert link.get_attribute("href") == "docs/errors#option-malformed"
    with inspector.page.expect_popup() as popup:
        link.click()
    expect(popup.value.locator("#option-malformed")).to_be_visible()


def test_an_empty_input_is_reported(inspector):
    inspector.page.click("#check")
    assert "no input to check" in inspector.page.inner_text(".problem")
    assert inspector.page.evaluate("document.activeElement.id") == "text"


def test_text_that_is_not_a_receipt_is_explained(inspector):
    assert inspector.check("Hello, world") == "Not valid"
    assert inspector.outcome("container") == "failed"
    assert inspector.page.locator("[role=tab]").count() == 1
    assert inspector.page.inner_text(".headline") == "Not a receipt: don't unlock"
    assert "Please open the app and tap Restore Purchases" in inspector.page.inner_text(".to-send")
    assert "What to do" in inspector.page.inner_text(".products-section")


@pytest.mark.parametrize("garbage", ["Hello, world", "damaged", "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ", '{"a": 1}'])
def test_what_cannot_be_read_is_explained_without_expert_words(inspector, garden, garbage):
    page = inspector.page
    inspector.check(base64.b64encode(garden).decode()[:3000] if garbage == "damaged" else garbage)
    visible = " ".join(one.inner_text() for one in page.locator(".verdict-head, .products-section").all())
    for word in ("PKCS", "DER", "base64", "JWS", "payload", "checks"):
        assert word not in visible, word
    assert "don't unlock" in visible and "For the customer" in visible and "What to do: Ask for" in visible
    assert page.is_hidden(".checks-outline") and page.is_hidden(".technical .reason")
    page.click("[aria-label='Copy the sentence for the customer']")
    page.wait_for_selector(".to-send:has-text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator(".to-send p").first.inner_text()
    assert page.locator(".to-send p").nth(1).inner_text().startswith("Checked on 20")
    page.click(".technical > details > summary")
    assert page.is_visible(".technical .reason") and page.is_visible(".checks-outline")
    inspector.screenshot(f"unreadable-{len(garbage)}")


@pytest.mark.parametrize("status, words, step", [
    (21003, "Apple found that the receipt isn't genuine", "After Restore Purchases"),
    (21004, "The shared secret that was sent to Apple isn't the app's", "Give the status to the developers"),
    (21150, "Apple's service had an internal error", "Have the receipt checked again"),
    (21050, "The status isn't one that Apple documents", "Ask for the receipt itself"),
])
def test_an_error_of_verify_receipt_is_explained_by_its_status(inspector, status, words, step):
    assert inspector.check(json.dumps({"status": status})) == "Not valid"
    assert inspector.page.inner_text(".headline") == f"Not a receipt, but an error of Apple's check (status {status}): don't unlock"
    text = inspector.page.inner_text(".products-section")
    assert words in text and f"What to do: {step}" in text and "For the customer" in text
    assert inspector.page.locator(".claimed").count() == 0


def test_a_transaction_receipt_from_before_ios_7_is_explained(inspector):
    info = base64.b64encode(b'{\n\t"bid" = "com.example.old";\n\t"product-id" = "gold";\n}').decode()
    text = '{\n\t"signature" = "AAAA";\n\t"purchase-info" = "%s";\n\t"pod" = "7";\n}' % info
    assert inspector.check(base64.b64encode(text.encode()).decode()) == "Not valid"
    assert inspector.page.inner_text(".headline") == "Not a readable receipt: don't unlock"
    contents = inspector.tab("contents").inner_text()
    assert "one transaction" in contents and "com.example.old" in contents and "not proven" in contents


def test_a_token_is_requested_and_sent(open_page, token_server, garden):
    inspector = open_page(token_server)
    inspector.allowed.append("401")
    page = inspector.page
    page.fill("#text", base64.b64encode(garden).decode())
    page.click("#check")
    page.wait_for_selector("#token-row:not([hidden])")
    assert "requires a token" in page.inner_text(".problem")
    assert page.evaluate("document.activeElement.id") == "token"
    page.fill("#token", "wrong")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_contain_text("rejected this token")
    page.fill("#token", "open-sesame")
    page.keyboard.press("Enter")
    assert inspector.verdict() == "Not valid"  # that server trusts only Apple's roots
    assert page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])") == '[{},{"token":"open-sesame"},""]'
    # The token stays for the session of the tab.
    page.reload()
    page.fill("#text", base64.b64encode(garden).decode())
    page.click("#check")
    assert inspector.verdict() == "Not valid"
    # A token that is rejected doesn't replace the one that worked.
    inspector.allowed.append("403")
    page.route("**/v1/inspector/examine", lambda route: route.fulfill(
        status=403, json={"error": {"code": "app-not-allowed", "message": "The token isn't for this app.", "documentation": "docs/errors.md"}}))
    inspector.open_form()
    page.click("#check")
    expect(page.locator(".problem")).to_contain_text("isn't for this app")
    page.fill("#token", "another")
    page.keyboard.press("Enter")
    expect(page.locator("#token")).to_have_value("")
    page.unroute("**/v1/inspector/examine")
    page.click("#check")
    assert inspector.verdict() == "Not valid"
    page.click("#sign-out")
    assert page.is_hidden("#sign-out") and page.is_hidden("#token-row") and page.locator(".verdict").count() == 0
    assert page.evaluate("sessionStorage.length") == 0
    page.fill("#text", base64.b64encode(garden).decode())
    page.click("#check")
    expect(page.locator(".problem")).to_contain_text("requires a token")


def test_the_prompt_for_a_token_is_visible_on_a_narrow_screen(open_page, token_server):
    inspector = open_page(token_server, width=390, height=600)
    inspector.allowed.append("401")
    page = inspector.page
    page.fill("#search", "42")
    page.keyboard.press("Enter")
    page.wait_for_selector("#token-row:not([hidden])")
    assert page.evaluate("document.activeElement.id") == "token"
    box = page.locator("#token-row").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 600
    assert "requires a token" in page.inner_text("#token-row")
    inspector.screenshot("token-narrow")
    # The token that is typed into the search isn't in the address.
    inspector.allowed.append("404")
    page.fill("#token", "open-sesame")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_contain_text("Nothing is known")
    # A search that finds nothing was answered with the token, which is kept.
    expect(page.locator("#token-row")).to_be_hidden()
    assert page.evaluate("sessionStorage.getItem('token')") == "open-sesame"
    page.fill("#search", "open-sesame")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert "sesame" not in page.evaluate("location.href")


def test_failures_of_the_server_and_the_network_are_explained(inspector, garden):
    page = inspector.page
    inspector.allowed += ["413", "503", "500", "net::ERR"]
    page.fill("#text", base64.b64encode(garden).decode())
    cases = [
        (dict(status=413, body=""), "larger than the server accepts"),
        (dict(status=503, headers={"Retry-After": "7"}, body=""), "Try again in 7 seconds"),
        (dict(status=500, body="<b>oops</b>"), "The server failed"),
        (dict(status=200, body="<html>"), "isn't the JSON"),
    ]
    for answer, words in cases:
        page.route("**/v1/inspector/examine", lambda route, _, answer=answer: route.fulfill(**answer))
        page.click("#check")
        expect(page.locator(".problem")).to_contain_text(words)
        page.unroute("**/v1/inspector/examine")
    page.route("**/v1/inspector/examine", lambda route: route.abort())
    page.click("#check")
    expect(page.locator(".problem")).to_contain_text("can't be reached")
    page.unroute("**/v1/inspector/examine")
    assert inspector.submit() == "Valid"
    assert page.locator(".problem").count() == 0


def test_a_loading_state_is_shown(inspector, garden):
    pending = []
    inspector.page.route("**/v1/inspector/examine", lambda route: pending.append(route))
    inspector.page.fill("#text", base64.b64encode(garden).decode())
    inspector.page.click("#check")
    inspector.page.wait_for_selector("#progress:not([hidden])")
    assert inspector.page.get_attribute("#result", "aria-busy") == "true"
    assert inspector.page.inner_text("#status") == "Checking…"
    pending[0].continue_()
    inspector.verdict()
    assert inspector.page.is_hidden("#progress")


def test_clearing_shows_the_samples_again(inspector, garden):
    inspector.check(garden)
    inspector.page.click("#clear-bar")
    assert inspector.page.is_visible("#samples")
    assert inspector.page.input_value("#text") == ""
    assert inspector.page.locator(".verdict").count() == 0


def test_a_result_is_marked_as_outdated_while_the_input_differs(inspector, garden):
    page = inspector.page
    words = "The input has changed. Check again."
    assert inspector.check(garden) == "Valid"
    color = "getComputedStyle(document.querySelector('.verdict-title')).color"
    fresh = page.evaluate(color)
    assert page.is_hidden("#stale")
    inspector.open_form()
    page.fill("#bundle", "com.example.other")
    assert words in page.inner_text("#stale")
    assert page.inner_text("#status") == words
    assert page.evaluate(color) != fresh
    inspector.screenshot("stale")
    # After the change is undone, the result is current again.
    page.fill("#bundle", "")
    assert page.is_hidden("#stale")
    assert page.inner_text("#status") == "The result belongs to this input again."
    assert page.evaluate(color) == fresh
    page.check("input[value=sandbox]")
    assert page.is_visible("#stale")
    page.click("#stale button")
    expect(page.locator(".verdict-title")).to_have_text("Not valid")
    assert page.is_hidden("#stale")
    inspector.open_form()
    page.fill("#text", "something else")
    assert page.is_visible("#stale")
    page.click("#clear")
    assert page.is_hidden("#stale")


def test_a_result_of_a_removed_file_is_marked_as_outdated(inspector):
    page = inspector.page
    page.set_input_files("#file", str(SAMPLES / "volume-purchase.receipt"))
    assert inspector.verdict() == "Valid"
    assert page.is_hidden("#stale")
    inspector.open_form()
    page.click("#attached button")
    assert page.is_visible("#stale")


def test_a_change_during_validation_marks_the_result_as_outdated(inspector, garden):
    page = inspector.page
    pending = []
    page.route("**/v1/inspector/examine", lambda route: pending.append(route))
    page.fill("#text", base64.b64encode(garden).decode())
    page.click("#check")
    page.wait_for_selector("#progress:not([hidden])")
    page.fill("#bundle", "com.example.other")
    assert page.is_hidden("#stale")
    pending[0].continue_()
    assert inspector.verdict() == "Valid"
    expect(page.locator("#stale")).to_contain_text("The input has changed")


def test_a_pasted_request_to_this_server_is_read(inspector, garden):
    assert inspector.check(json.dumps({"receipt": base64.b64encode(garden).decode()})) == "Valid"
    assert "decoded JSON member 'receipt'" in inspector.page.inner_text(".source")
    assert inspector.check(json.dumps({"token": (SIGNED / "transaction.jws").read_text().strip()})) == "Valid"
