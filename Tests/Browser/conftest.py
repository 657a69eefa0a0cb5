"""Fixtures for the tests of the page: servers on loopback, receipts made with the command line, and a browser.

scripts/test-browser.sh sets these variables:
  APPRECEIPT           the program
  APPRECEIPT_CHROMIUM  the browser
  APPRECEIPT_OUT       the folder for screenshots
"""
import base64
import os
import pathlib
import subprocess
import tempfile
import threading

import pytest
from playwright.sync_api import sync_playwright

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = PACKAGE / "Samples"
SIGNED = PACKAGE / "Sources/AppReceiptServer/Inspector/Page/samples"
PROGRAM = os.environ["APPRECEIPT"]
OUT = pathlib.Path(os.environ.get("APPRECEIPT_OUT", PACKAGE / "out/browser"))


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: measures time, so no other test may run concurrently")


class Server:
    """`appreceipt serve` on a free port."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--log-level", "warning", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        lines = []
        # The server prints its address, or an error before it exits.
        for line in self.process.stderr:
            lines.append(line)
            if line.startswith("Listening on "):
                self.url = line.split()[2]
                break
        else:
            raise RuntimeError("appreceipt serve doesn't listen:\n" + "".join(lines))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture(scope="session")
def server():
    """A server that trusts the test kit's roots in place of Apple's."""
    server = Server(
        "--root", str(SAMPLES / "root.pem"), "--root", str(SIGNED / "signed-data-root.pem"),
        "--trust-xcode", str(SAMPLES / "xcode-certificate.cer"))
    yield server
    server.end()


@pytest.fixture(scope="session")
def apple_server():
    """A server without options, which trusts only Apple's roots."""
    server = Server()
    yield server
    server.end()


@pytest.fixture(scope="session")
def serving():
    """A server of the sandbox that serves two apps, neither of which is the app of a sample."""
    server = Server("--root", str(SAMPLES / "root.pem"), "--bundle-id", "com.example.orchard",
                    "--bundle-id", "com.example.meadow", "--environment", "sandbox")
    yield server
    server.end()


@pytest.fixture(scope="session")
def token_server(tmp_path_factory):
    """A server that requires a token."""
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text("open-sesame\n")
    server = Server("--token-file", str(file))
    yield server
    server.end()


@pytest.fixture(scope="session")
def make(tmp_path_factory):
    """Makes a receipt or signed data with the command line and returns its bytes."""
    folder = tmp_path_factory.mktemp("made")

    def make(*options, kind=None):
        extension = "receipt" if kind in (None, "receipt") else "jws"
        name = f"made-{len(list(folder.iterdir()))}.{extension}"
        command = [PROGRAM, "make", *([kind] if kind else []), "--out", str(folder), "--name", name, *options]
        subprocess.run(command, check=True, capture_output=True)
        return (folder / name).read_bytes()

    return make


@pytest.fixture(scope="session")
def garden():
    return (SAMPLES / "production-subscriptions.receipt").read_bytes()


@pytest.fixture(scope="session")
def thousands(make):
    """A receipt with 2,000 purchases in two subscriptions."""
    return make("--bundle-id", "com.example.many", "--environment", "production",
                "--subscription", "com.example.many.first:1000:trial", "--subscription", "com.example.many.second:1000")


@pytest.fixture(scope="session")
def launch():
    """Launches the browser with additional command line options."""
    with sync_playwright() as playwright:
        yield lambda *options: playwright.chromium.launch(
            executable_path=os.environ["APPRECEIPT_CHROMIUM"], args=["--no-sandbox", "--disable-gpu", *options])


@pytest.fixture(scope="session")
def browser(launch):
    browser = launch()
    yield browser
    browser.close()


# Records violations of the content security policy, and the longest task, before the page's first script runs.
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
window.longest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
}).observe({ type: 'longtask', buffered: true });
"""


class Inspector:
    """The page, operated as by a person."""

    def __init__(self, page, url):
        self.page = page
        self.url = url
        self.errors = []
        self.allowed = []
        self.requests = []
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append("Dialog: " + dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))
        page.add_init_script(WATCH)
        page.goto(url)
        page.wait_for_selector("[data-sample]")

    def open_form(self):
        """Opens the form if a result collapsed it."""
        if self.page.is_visible("#change"):
            self.page.click("#change")

    def paste(self, text):
        """Pastes into the field with the keyboard. The page validates pasted text immediately."""
        self.open_form()
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.focus("#text")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+v")

    def check(self, receipt):
        """Submits a receipt or a text, and returns the verdict."""
        text = receipt if isinstance(receipt, str) else base64.b64encode(receipt).decode()
        if len(text) > 100_000:
            # As a file: transferring so many bytes through the driver would keep the page busy.
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "receipt")
                file.write_bytes(receipt)
                self.page.set_input_files("#file", file)
                return self.verdict()
        self.open_form()
        self.page.fill("#text", text)
        return self.submit()

    def submit(self):
        self.open_form()
        self.page.evaluate("document.getElementById('report').replaceChildren()")
        self.page.click("#check")
        return self.verdict()

    def verdict(self):
        self.page.wait_for_selector(".verdict-title", timeout=20_000)
        return {"valid": "Valid", "invalid": "Not valid"}[self.page.get_attribute(".verdict", "data-verdict")]

    def sentence(self):
        return self.page.inner_text(".verdict-sentence")

    def sample(self, name):
        self.page.click(f"[data-sample={name}]")
        return self.verdict()

    def tab(self, name):
        self.page.click(f"[role=tab][data-tab={name}]")
        return self.page.locator("[role=tabpanel]:not([hidden])")

    def outcome(self, check):
        """`passed`, `failed` or `skipped`."""
        return self.page.get_attribute(f".check[data-check={check}]", "class").split()[1]

    def screenshot(self, name):
        OUT.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(OUT / f"{name}.png"), full_page=True)

    def assert_clean(self):
        errors = [text for text in self.errors if not any(allowed in text for allowed in self.allowed)]
        assert errors == []
        assert self.page.evaluate("window.violations") == []
        elsewhere = [url for url in self.requests
                     if not url.startswith(self.url) and not url.startswith(("data:", "blob:"))]
        assert elsewhere == []
        assert all("?" not in url for url in self.requests if url.startswith(self.url)), "A URL contains data."


@pytest.fixture
def open_page(browser):
    """Opens the page of a server. At the end of the test, the page must have no errors."""
    opened = []

    def open_page(server, width=1440, height=1000, **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, permissions=["clipboard-read", "clipboard-write"],
            timezone_id="America/New_York", locale="en-GB", **options)
        inspector = Inspector(context.new_page(), server.url)
        opened.append((inspector, context))
        return inspector

    yield open_page
    for inspector, context in opened:
        inspector.assert_clean()
        context.close()


@pytest.fixture
def inspector(open_page, server):
    return open_page(server)
