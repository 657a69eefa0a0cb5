"""The customer: everything that the server knows, a search, and sentences to send."""
import base64
import json
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import SAMPLES, SIGNED, Server


def post(server, path, body):
    request = urllib.request.Request(
        server.url.rstrip("/") + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


@pytest.fixture
def known(make, tmp_path):
    """A server that has a purchase of the account 42, and the token that refunds it."""
    settings = tmp_path / "appreceipt.json"
    settings.write_text(json.dumps({"apps": [
        {"bundle-id": "com.example.app", "products": {"com.example.pro": "Pro"}}, {"bundle-id": "com.example.other"}]}))
    server = Server("--root", str(SAMPLES / "root.pem"), "--root", str(SIGNED / "signed-data-root.pem"),
                    "--config", str(settings))
    options = ("--bundle-id", "com.example.app", "--environment", "production", "--product", "com.example.pro",
               "--transaction-id", "7", "--purchased", "2024-05-01T10:00:00Z")
    bought = make(*options, "--signed", "2024-05-01T10:00:05Z", kind="transaction").decode().strip()
    refunded = make(*options, "--signed", "2024-06-01T10:00:05Z", "--revoked", "2024-06-01T10:00:00Z",
                    kind="transaction").decode().strip()
    post(server, "/v1/accounts/42/evidence", {"evidence": [refunded]})
    yield server, bought
    server.end()


def test_the_page_knows_a_refund_that_the_input_lacks(open_page, known):
    server, bought = known
    inspector = open_page(server)
    assert inspector.check(bought) == "Valid"
    page = inspector.page
    assert page.inner_text(".headline").startswith("Nothing is active; Pro refunded 2024-06-01")
    assert "From everything that this server knows" in page.inner_text(".basis")
    assert "Decided by a stored transaction token signed 2024-06-01 10:00" in page.inner_text(".product")
    kinds = page.eval_on_selector_all(".history-entry", "all => all.map((one) => one.dataset.kind)")
    assert kinds == ["revocation", "purchase"]
    assert "10.99 USD" in page.inner_text(".history") and "United States (USA)" in page.inner_text(".history")
    inspector.screenshot("customer-refunded")
    api = post(server, "/v1/signed-data/verify", {"token": bought})
    assert api["products"][0]["state"] == "refunded"


def test_a_refund_that_the_receipt_lacks_is_shown_in_every_panel(open_page, make):
    server = Server("--root", str(SAMPLES / "root.pem"), "--root", str(SIGNED / "signed-data-root.pem"))
    common = ("--bundle-id", "com.example.app", "--environment", "production")
    receipt = make(*common, "--purchase", "com.example.pro", "--subscription", "com.example.plus:2",
                   "--first-transaction", "100", kind="receipt")
    # The only purchase and the last period of the subscription are refunded. A renewal follows, so that another
    # transaction decides about the product.
    for product, transaction, original, more in [
        ("com.example.pro", "100", "100", ("--revoked", "2024-08-01T00:00:00Z")),
        ("com.example.plus", "102", "101", ("--revoked", "2024-08-01T00:00:00Z", "--expires", "2024-07-20T00:00:00Z")),
        ("com.example.plus", "199", "101", ("--expires", "2024-09-20T00:00:00Z")),
    ]:
        token = make(*common, "--product", product, "--transaction-id", transaction, "--original-id", original,
                     "--purchased", "2024-06-20T00:00:00Z", "--signed", "2024-08-01T00:00:05Z", *more,
                     kind="transaction").decode().strip()
        assert post(server, "/v1/signed-data/verify", {"token": token})["verdict"] == "valid"
    inspector = open_page(server)
    assert inspector.check(receipt) == "Valid"
    words = dict(inspector.tab("purchases").locator("tbody tr").evaluate_all(
        "rows => rows.map((row) => [row.innerText.match(/\\b10[0-2]\\b/)?.[0], row.querySelector('.state')?.innerText])"))
    assert words["100"] == "Refunded" and words["102"] == "Refunded or revoked", words
    expect(inspector.tab("timeline").locator("circle.dot-canceled")).to_have_count(1)
    server.end()


def test_a_customer_is_found_by_account_and_by_transaction(open_page, known):
    server, _ = known
    inspector = open_page(server)
    page = inspector.page
    page.fill("#search", "7")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict-title")).to_have_text("Transaction 7")
    assert "Pro" in page.inner_text(".product")
    page.get_by_role("button", name="Show everything of this account").click()
    expect(page.locator(".verdict-title")).to_have_text("Account 42")
    evidence = inspector.tab("evidence")
    assert "Transaction token" in evidence.inner_text() and "not stored" not in evidence.inner_text()
    inspector.screenshot("customer-found")


def test_a_test_purchase_is_never_what_the_customer_has(open_page, known, make):
    server, bought = known
    token = make("--bundle-id", "com.example.app", "--environment", "sandbox", "--product", "com.example.plus",
                 "--transaction-id", "8", "--signed", "2024-06-02T10:00:05Z", kind="transaction").decode().strip()
    post(server, "/v1/accounts/42/evidence", {"evidence": [token]})
    inspector = open_page(server)
    page = inspector.page
    page.fill("#search", "42")
    page.keyboard.press("Enter")
    expect(page.locator(".headline")).to_have_text(
        "Nothing is active in production; Pro refunded 2024-06-01; com.example.plus owned in the sandbox")
    assert "Sandbox" in page.inner_text(".product[data-product='com.example.plus']")
    assert "Sandbox" in page.inner_text(".history") and "Sandbox" not in page.inner_text(".product[data-product='com.example.pro']")
    # One of the purchases isn't what the customer has.
    inspector.open_form()
    assert inspector.check(bought) == "Valid"
    assert page.inner_text("#products-title") == "This purchase"
    assert page.inner_text(".headline") == "Pro refunded 2024-06-01"
    assert "Show everything of this account (1 more purchase)" in page.inner_text(".accounts")


def test_an_unknown_customer_is_explained(open_page, known):
    inspector = open_page(known[0])
    inspector.allowed.append("404")
    inspector.page.fill("#search", "43")
    inspector.page.keyboard.press("Enter")
    problem = inspector.page.locator(".problem")
    expect(problem).to_contain_text("Nothing is known under this account or transaction")
    assert "What to do: Check it, or ask the customer for the receipt of the app." in problem.inner_text()
    inspector.page.click("[aria-label='Copy the sentence for the customer']")
    inspector.page.wait_for_selector(".to-send:has-text('Copied')")
    assert inspector.page.evaluate("navigator.clipboard.readText()") == problem.locator(".to-send p").first.inner_text()
    assert "Looked up “43” on 20" in problem.locator(".to-send p").last.inner_text()
    inspector.screenshot("customer-unknown")


def test_a_failed_search_is_visible_below_the_search_on_a_telephone(open_page, known):
    inspector = open_page(known[0], width=390, height=844)
    inspector.allowed.append("404")
    inspector.page.fill("#search", "43")
    inspector.page.keyboard.press("Enter")
    inspector.page.wait_for_selector("#search-failure .problem")
    box = inspector.page.locator(".problem h3").bounding_box()
    assert 0 <= box["y"] < 600
    # The button is before the options, not far from the field.
    field, button = (inspector.page.locator(place).bounding_box() for place in ("#text", "#check"))
    assert button["y"] - (field["y"] + field["height"]) < 300
    inspector.page.fill("#search", "42")
    inspector.page.keyboard.press("Enter")
    inspector.page.wait_for_selector("#report:not([hidden])")
    assert inspector.page.locator(".problem").count() == 0


@pytest.fixture
def neighbors(known, make):
    """The same server with the purchases of two more accounts, and the token of the first one."""
    server, _ = known
    tokens = []
    for account, transaction in [("anna@example.com", "77"), ("bob@example.com", "78")]:
        token = make("--bundle-id", "com.example.app", "--environment", "production", "--product", "com.example.plus",
                     "--transaction-id", transaction, "--signed", "2024-06-02T10:00:05Z", kind="transaction").decode().strip()
        post(server, f"/v1/accounts/{account}/evidence", {"evidence": [token]})
        tokens.append(token)
    return server, tokens[0]


def test_a_message_about_several_customers_offers_each(open_page, neighbors):
    inspector = open_page(neighbors[0])
    inspector.allowed.append("404")
    page = inspector.page
    # A damaged receipt beside them is said, and isn't one of them.
    page.fill("#text", "I am anna@example.com, my wife is bob@example.com.\n> MIIT" + "abcd1234" * 8)
    page.click("#check")
    problem = page.locator(".problem")
    expect(problem).to_contain_text("The message contains 2 accounts.")
    expect(problem).to_contain_text("a receipt that can't be read")
    offers = problem.locator("p.row button")
    assert offers.all_inner_texts() == ["anna@example.com", "bob@example.com"]
    assert problem.locator(".to-send p").last.inner_text().endswith(
        "2 accounts. anna@example.com, bob@example.com. " + DAMAGED)
    inspector.screenshot("several-accounts")
    offers.last.click()
    expect(page.locator(".verdict-title")).to_have_text("Account bob@example.com")
    # Order numbers that can't be looked up are no choice.
    inspector.allowed.append("501")
    inspector.open_form()
    page.fill("#text", "Orders MQ4B3L1KD9 and MK4TTTVWJH, which I bought yesterday with my other telephone")
    page.click("#check")
    expect(problem).to_contain_text("This server can't look up the order MQ4B3L1KD9 or MK4TTTVWJH: it has no key for the App Store.")
    assert offers.count() == 0
    assert problem.locator(".to-send p").first.inner_text().startswith("We can't look up an order number here.")
    assert "This server can't look up the order MQ4B3L1KD9 or MK4TTTVWJH: it has no key for the App Store." in problem.locator(".to-send p").last.inner_text()


DAMAGED = "The message also contains a receipt that can't be read: it is cut off or damaged."


def test_a_damaged_receipt_beside_an_unknown_customer_is_asked_for(open_page, known):
    inspector = open_page(known[0])
    inspector.allowed.append("404")
    page = inspector.page
    page.fill("#text", "From: zoe@example.com\n\nI paid.\n> MIIT" + "abcd1234" * 8)
    page.click("#check")
    problem = page.locator(".problem")
    expect(problem).to_contain_text("Nothing is known under the account zoe@example.com.")
    customer, ticket = problem.locator(".to-send p").all_inner_texts()
    assert "copy the whole receipt again" in customer and "Restore" not in customer
    assert ticket.endswith(f"zoe@example.com. {DAMAGED}")
    inspector.screenshot("unknown-damaged")


def test_an_error_of_apples_check_beside_a_name_is_said(open_page, neighbors):
    inspector = open_page(neighbors[0])
    inspector.allowed.append("404")
    page = inspector.page
    error = "an error of Apple's check (status 21003). Apple found that the receipt isn't genuine"
    page.fill("#text", 'From: anna@example.com\n\nThe server says {"status":21003}')
    page.click("#check")
    expect(page.locator(".verdict-title")).to_have_text("Account anna@example.com")
    assert error in page.inner_text(".verdict .caveat")
    page.click("#copy-summary")
    expect(page.locator("#copy-summary .words")).to_have_text("Copied")
    assert error in page.evaluate("navigator.clipboard.readText()")
    inspector.screenshot("status-besides")
    inspector.open_form()
    page.fill("#text", 'From: zoe@example.com\n\nThe server says {"status":21003}')
    page.click("#check")
    expect(page.locator(".problem")).to_contain_text(error)
    assert error in page.locator(".problem .to-send p").last.inner_text()


def test_words_that_begin_like_a_receipt_are_no_damaged_receipt(open_page, neighbors):
    inspector = open_page(neighbors[0])
    page = inspector.page
    assert inspector.check("Midnight update broke the app") == "Not valid"
    assert page.inner_text(".headline") == "Not a receipt: don't unlock"
    inspector.open_form()
    page.fill("#text", "My account: 42")
    page.click("#check")
    expect(page.locator(".verdict-title")).to_have_text("Account 42")


def test_several_unsigned_transactions_are_looked_up(open_page, known, make):
    inspector = open_page(known[0])
    page = inspector.page
    identifiers = ("460000000000001", "460000000000002")
    for identifier in identifiers:
        token = make("--bundle-id", "com.example.app", "--environment", "production", "--product", f"com.example.{identifier}",
                     "--transaction-id", identifier, "--signed", "2024-06-02T10:00:05Z", kind="transaction")
        post(known[0], "/v1/accounts/46/evidence", {"evidence": [token.decode().strip()]})
    claims = lambda *ids: json.dumps([{
        "transactionId": one, "originalTransactionId": one, "bundleId": "com.example.app", "productId": "com.example.pro",
        "environment": "Production"} for one in ids])
    page.fill("#text", claims(*identifiers))
    page.click("#check")
    expect(page.locator(".verdict-title")).to_have_text("2 transactions in unsigned data")
    assert page.inner_text(".claimed").count("known, see above") == 2
    inspector.screenshot("claims-several")
    # Those that aren't known are all listed.
    inspector.check(claims("460000000000008", "460000000000009"))
    assert page.inner_text(".claimed").count("4600000000000") == 2
    assert "Only the first" not in page.inner_text("#report")
    ticket = page.locator(".to-send", has_text="For the ticket").locator("p").inner_text()
    assert "transaction 460000000000008, 460000000000009." in ticket


def test_the_summary_of_unsigned_data_names_the_claims(open_page, known):
    inspector = open_page(known[0])
    page = inspector.page

    def summary(transaction):
        inspector.open_form()
        page.fill("#text", json.dumps({
            "transactionId": transaction, "originalTransactionId": transaction, "bundleId": "com.example.app",
            "productId": "com.example.pro", "environment": "Production", "purchaseDate": 1714557600000}))
        page.click("#check")
        page.locator(".claimed").get_by_text(transaction).first.wait_for()
        page.click("#copy-summary")
        expect(page.locator("#copy-summary .words")).to_have_text("Copied")
        return page.evaluate("navigator.clipboard.readText()")

    text = summary("990000000000002")
    claim = "- com.example.pro, transaction 990000000000002, original transaction 990000000000002"
    assert f"Claimed by the input, not verified:\n{claim}\nNothing is known about its transactions" in text
    panel = inspector.tab("contents")
    assert "can't be read" not in panel.inner_text()
    assert "Claimed by the input, not proven" in panel.inner_text() and "com.example.pro" in panel.inner_text()


def test_what_else_a_message_names_can_be_searched(open_page, neighbors):
    server, token = neighbors
    inspector = open_page(server)
    page = inspector.page
    assert inspector.check(f"From: bob@example.com, order MQ4B3L1KD9\n\nMy wife's: {token} bye") == "Valid"
    account, order = page.locator(".verdict .caveat").all()
    assert "also names the account bob@example.com" in account.inner_text()
    # This server can't ask the App Store about orders.
    assert "the order MQ4B3L1KD9, which this server can't look up" in order.inner_text()
    # With a token that counts, nothing else is asked of the customer.
    assert page.locator(".verdict .to-send").count() == 0
    assert "this server can't look up" in page.locator(".product .to-send p").last.inner_text()
    assert order.locator("button").count() == 0
    page.click("#copy-summary")
    expect(page.locator("#copy-summary .words")).to_have_text("Copied")
    assert "the order MQ4B3L1KD9, which this server can't look up" in page.evaluate("navigator.clipboard.readText()")
    inspector.screenshot("also-named")
    account.get_by_role("button", name="Find bob@example.com").click()
    expect(page.locator(".verdict-title")).to_have_text("Account bob@example.com")


def test_sentences_are_copied_for_the_customer_and_the_ticket(open_page, known):
    server, bought = known
    inspector = open_page(server)
    inspector.check(bought)
    page = inspector.page
    expect(page.locator(".sentences").first).to_have_attribute("open", "")
    sentences = page.locator(".to-send p")
    # What is copied is what is shown, in either zone.
    for zone in ("#zone-utc", "#zone-local"):
        page.click(zone)
        for index, reader in enumerate(("customer", "ticket")):
            page.evaluate("navigator.clipboard.writeText('')")
            page.click(f"[aria-label='Copy the sentence for the {reader} about Pro']")
            page.wait_for_selector(f".to-send:nth-of-type({index + 1}):has-text('Copied')")
            assert page.evaluate("navigator.clipboard.readText()") == sentences.nth(index).inner_text()
    assert "Pro" in sentences.nth(0).inner_text() and "1 June 2024" in sentences.nth(0).inner_text()
    assert sentences.nth(1).inner_text().startswith("Account 42: com.example.pro")
    assert "2024-06-01 10:00:00 UTC" in sentences.nth(1).inner_text() and "riginal transaction 7" in sentences.nth(1).inner_text()


def test_a_product_without_a_name_is_described_to_the_customer(inspector, make):
    receipt = make("--bundle-id", "com.example.app", "--environment", "production",
                   "--subscription", "com.example.pro.yearly:2", "--purchase", "com.example.pro")
    inspector.check(receipt)
    page = inspector.page
    assert page.locator(".sentences[open]").count() == 2
    sentences = [one.inner_text() for one in page.locator(".to-send p").all()][::2]
    assert len(sentences) == 2
    for sentence in sentences:
        assert "com.example" not in sentence and ("our purchase" in sentence or "our subscription" in sentence), sentence
    page.click(".copy-reply")
    page.wait_for_selector(".copy-reply:has-text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(sentences)
    labels = page.locator(".to-send button").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert len(set(labels)) == 4 and "Copy the sentence for the customer about com.example.pro.yearly" in labels


def test_several_documents_of_one_customer_are_combined(open_page, known, make):
    server, bought = known
    inspector = open_page(server)
    receipt = make("--bundle-id", "com.example.app", "--environment", "production", "--purchase", "com.example.plus")
    mail = f"Hi, here is my receipt:\n\n> {base64.b64encode(receipt).decode()}\n\nand this:\n{bought}\nThanks"
    assert inspector.check(mail) == "Valid"
    products = inspector.page.eval_on_selector_all(".product", "all => all.map((one) => one.dataset.product)")
    # What no account has submitted may be another customer's.
    assert products == ["com.example.pro", "com.example.plus"]
    assert inspector.page.locator(".owner-title").all_inner_texts() == ["42", "No account: perhaps another customer's"]
    # Each customer has a line.
    first, second = inspector.page.inner_text(".headline").splitlines()
    assert first == "42: Nothing is active; Pro refunded 2024-06-01" and second.startswith("No account: ")
    assert ". No account: " in inspector.page.title()
    inspector.screenshot("customers-apart")
    inspector.page.set_viewport_size({"width": 390, "height": 844})
    boxes = [one.bounding_box() for one in inspector.page.locator(".customer-answer").all()]
    assert boxes[0]["x"] == boxes[1]["x"] and boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert boxes[1]["y"] + boxes[1]["height"] < 844
    inspector.screenshot("customers-apart-390")


def test_documents_of_two_apps_name_the_apps(open_page, known, make):
    inspector = open_page(known[0])
    page = inspector.page
    other = make("--bundle-id", "com.example.other", "--environment", "production", "--product", "com.example.plus",
                 "--transaction-id", "8", "--signed", "2024-06-02T10:00:05Z", kind="transaction").decode()
    assert inspector.check(f"Hi,\n{known[1]}\nand\n{other}\nThanks") == "Valid"
    assert page.inner_text(".headline") == (
        "42: Nothing is active; Pro (com.example.app) refunded 2024-06-01\nNo account: com.example.plus (com.example.other) owned")
    assert page.title().startswith("com.example.app and com.example.other: 42: Nothing is active")
    page.click("#copy-summary")
    page.wait_for_selector("#copy-summary:has-text('Copied')")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "App: com.example.app and com.example.other" in text and "- Pro (com.example.pro), com.example.app: Refunded" in text
    assert "Account: 42\n" in text and "Account: none, perhaps another customer's\n" in text


def test_the_claims_of_a_response_lead_to_what_is_known(open_page, known, make):
    inspector = open_page(known[0])
    page = inspector.page
    token = make("--bundle-id", "com.example.app", "--environment", "production", "--product", "com.example.pro",
                 "--transaction-id", "350000245250526", "--signed", "2024-06-02T10:00:05Z", kind="transaction")
    post(known[0], "/v1/accounts/45/evidence", {"evidence": [token.decode().strip()]})
    claims = lambda *ids: json.dumps({"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [
        {"product_id": "com.example.forged", "transaction_id": one, "original_transaction_id": one} for one in ids]}})
    page.fill("#text", claims("350000245250526", "350000245250999"))
    page.click("#check")
    expect(page.locator(".verdict-title")).to_have_text("Transactions in an unverified response")
    differs = "the product com.example.forged in place of com.example.pro. What Apple signed counts."
    differences = [caveat.inner_text() for caveat in page.locator(".verdict .caveat").all()]
    assert len(differences) == 2 and differences[0].endswith(differs)
    assert "com.example.forged, transaction 350000245250999, of which nothing is known" in differences[1]
    assert differs in page.locator(".product .to-send p").last.inner_text()
    assert page.inner_text(".headline") == "Pro owned"
    claimed = page.inner_text(".claimed")
    assert "Claimed by the response, not verified" in claimed and "com.example.forged" in claimed
    assert claimed.count("known, see above") == 1 and page.locator(".claimed button:has-text('Find')").count() == 1
    assert "com.example.forged" not in page.inner_text(".product-reason > p") + page.inner_text(".history-section")
    inspector.screenshot("claims-known")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1440, "height": 1000})
    inspector.check(claims("350000245250999"))
    assert page.inner_text(".headline") == "Only claims, without a receipt: don't unlock"
    assert "Nothing is known about its transactions" in page.inner_text(".claimed")


def test_a_failed_lookup_has_a_sentence_and_one_remedy(open_page, known):
    inspector = open_page(known[0])
    inspector.allowed.append("502")
    page = inspector.page
    page.route("**/v1/inspector/examine", lambda route: route.fulfill(status=502, json={"error": {
        "code": "app-store-failed", "documentation": "docs/errors.md#app-store-failed",
        "message": "The App Store didn't answer about order MQ4B3L1KD9 in time. Retry later."}}))
    search(page, "MQ4B3L1KD9")
    expect(page.locator(".problem h3")).to_have_text("The App Store didn't answer about order MQ4B3L1KD9 in time.")
    text = page.inner_text(".problem")
    assert "What to do: Retry later." in text and "Try again" not in text and "log" not in text
    assert "We'll look up your purchase as soon as it does." in page.inner_text(".problem .to-send")


def test_while_the_app_store_has_not_answered_the_only_step_is_to_check_again(open_page, known, make):
    inspector = open_page(known[0])
    page = inspector.page

    def wait(route):
        response = route.fetch()
        document = response.json()
        document["customer"]["isPartial"] = True
        route.fulfill(response=response, json=document)

    page.route("**/v1/inspector/examine", wait)
    inspector.check(make("--bundle-id", "com.example.app", "--environment", "production", "--subscription", "plus:2"))
    assert "check again in a moment" in page.inner_text(".basis") and "Next:" not in page.inner_text(".product")
    page.unroute("**/v1/inspector/examine")
    assert inspector.submit() == "Valid"
    assert "Next: Request a new receipt" in page.inner_text(".product")


def test_the_panel_of_a_failed_search_is_not_that_of_the_next_result(open_page, known):
    inspector = open_page(known[0])
    inspector.allowed.append("404")
    page = inspector.page
    page.goto(f"{known[0].url}#search=43&tab=evidence")
    page.reload()
    expect(page.locator(".problem")).to_contain_text("Nothing is known")
    search(page, "42")
    expect(page.locator(".verdict-title")).to_have_text("Account 42")
    assert page.get_attribute("[data-tab=overview]", "aria-selected") == "true"


@pytest.mark.parametrize("code, name", [
    ("DEU", "Germany (DEU)"), ("CHE", "Switzerland (CHE)"), ("AUT", "Austria (AUT)"), ("XKS", "Kosovo (XKS)"),
    ("UKR", "Ukraine (UKR)"), ("de", "App Store of de"),
])
def test_an_app_store_has_the_name_of_its_country(inspector, code, name):
    assert inspector.page.evaluate("async (code) => (await import('/inspector/words.js')).storefrontName(code)", code) == name


def search(page, text):
    page.fill("#search", text)
    page.keyboard.press("Enter")


def test_the_address_keeps_the_customer(open_page, known):
    server, bought = known
    inspector = open_page(server)
    page = inspector.page
    title = page.locator(".verdict-title")
    search(page, "7")
    expect(title).to_have_text("Transaction 7")
    page.get_by_role("button", name="Show everything of this account").click()
    expect(title).to_have_text("Account 42")
    inspector.tab("evidence")
    assert page.evaluate("location.hash") == "#search=42&tab=evidence"
    page.go_back()
    expect(title).to_have_text("Transaction 7")
    page.go_forward()
    expect(title).to_have_text("Account 42")
    page.reload()
    expect(title).to_have_text("Account 42")
    assert page.get_attribute("[data-tab=evidence]", "aria-selected") == "true"
    page.go_back()
    page.go_back()
    expect(page.locator("#samples")).to_be_visible()
    assert page.locator(".verdict").count() == 0 and page.evaluate("location.hash") == ""
    # An input is never in the address, not even in the field of the search.
    search(page, bought)
    expect(title).to_have_text("Nothing is active; Pro refunded 2024-06-01")
    assert "search" not in page.evaluate("location.hash")


def test_after_a_search_the_form_is_about_the_search(open_page, known):
    inspector = open_page(known[0])
    inspector.allowed.append("404")
    page = inspector.page
    search(page, "7")
    expect(page.locator(".verdict-title")).to_have_text("Transaction 7")
    page.click("#change")
    assert page.evaluate("document.activeElement.id") == "search" and page.input_value("#search") == "7"
    page.keyboard.type("42")
    assert "The input has changed" in page.inner_text("#stale")
    page.click("#check")
    expect(page.locator(".verdict-title")).to_have_text("Account 42")
    page.click("#change")
    page.fill("#search", "43")
    page.click("#check")
    expect(page.locator(".problem")).to_contain_text("Nothing is known under this account or transaction")


def test_a_transaction_in_a_mail_without_documents_is_found(open_page, known, make):
    server, _ = known
    token = make("--bundle-id", "com.example.app", "--environment", "production", "--product", "com.example.pro",
                 "--transaction-id", "350000245250525", "--signed", "2024-06-02T10:00:05Z", kind="transaction")
    post(server, "/v1/accounts/43/evidence", {"evidence": [token.decode().strip()]})
    inspector = open_page(server)
    page = inspector.page
    page.fill("#text", "Hi,\nit is transaction 350000245250525, bought with my iPhone 15.\nThanks")
    page.click("#check")
    expect(page.locator(".verdict-title")).to_have_text("Transaction 350000245250525")
    expect(page.locator(".headline")).to_have_text("Pro owned")


def test_the_timeline_has_the_names_of_the_products(open_page, known, make):
    server, _ = known
    token = make("--bundle-id", "com.example.app", "--environment", "production", "--product", "com.example.pro",
                 "--transaction-id", "900", "--purchased", "2024-06-02T10:00:00Z", "--expires", "2024-07-02T10:00:00Z",
                 "--signed", "2024-06-02T10:00:05Z", kind="transaction").decode().strip()
    inspector = open_page(server)
    inspector.check(token)
    panel = inspector.tab("timeline") if inspector.page.locator("[data-tab=timeline]").count() else None
    if panel is None:
        post(server, "/v1/accounts/44/evidence", {"evidence": [token]})
        inspector.open_form()
        search(inspector.page, "44")
        expect(inspector.page.locator(".verdict-title")).to_have_text("Account 44")
        panel = inspector.tab("timeline")
    label = panel.locator(".line-label").first.inner_text()
    assert label.startswith("Pro\ncom.example.pro")
    panel.locator(".line .link").first.click()
    assert "Pro" in panel.locator(".line-periods tbody th").first.inner_text()
    inspector.screenshot("timeline-names")


def test_accounts_that_are_hashes_have_the_name_that_the_message_gives(open_page, make):
    server = Server("--root", str(SAMPLES / "root.pem"), "--root", str(SIGNED / "signed-data-root.pem"),
                    "--hash-accounts")
    try:
        token = make("--bundle-id", "com.example.app", "--environment", "production", "--product", "pro",
                     "--transaction-id", "7", kind="transaction").decode().strip()
        post(server, "/v1/accounts/42/evidence", {"evidence": [token]})
        inspector = open_page(server)
        page = inspector.page
        ticket = page.locator(".to-send", has_text="For the ticket").locator("p")
        search(page, "7")
        expect(page.locator(".verdict-title")).to_have_text("Transaction 7")
        assert ticket.inner_text().startswith("Account hmac-sha256:")
        assert "Ask the customer for the name of the account" in page.inner_text(".accounts")
        assert page.locator(".accounts button:has-text('Show everything')").count() == 1
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        inspector.open_form()
        search(page, "42")
        expect(page.locator(".verdict-title")).to_have_text("Account 42")
        assert page.inner_text("#products-title") == "What the customer has"
        # The name that was searched, and nobody else's hash.
        assert ticket.inner_text().startswith("Account 42: ")
        assert page.inner_text(".accounts .identifier-text") == "42"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        inspector.check(f"My account is 42.\n\n{token}")
        assert ticket.inner_text().startswith("Account 42: ")
        assert page.inner_text("#products-title") == "What the customer has"
        page.click("#copy-summary")
        expect(page.locator("#copy-summary .words")).to_have_text("Copied")
        assert "Account: 42\n" in page.evaluate("navigator.clipboard.readText()")
        page.locator(".accounts button:has-text('Show everything')").click()
        expect(page.locator(".verdict-title")).to_have_text("Account 42")
    finally:
        server.end()
