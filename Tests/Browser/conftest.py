"""What the tests of the page share: servers on loopback, receipts made by the command line, a real browser.

Run by scripts/test-browser.sh, which says where things are:
  APPRECEIPT           the program
  APPRECEIPT_CHROMIUM  the browser
  APPRECEIPT_OUT       where screenshots go
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
    config.addinivalue_line("markers", "alone: measures time, so nothing else may run beside it")


class Server:
    """`appreceipt serve` on a free port, ended with the test session."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--log-level", "warning", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        # It says where it listens, or why it does not and ends.
        for line in self.process.stderr:
            said.append(line)
            if line.startswith("Listening on "):
                self.url = line.split()[2]
                break
        else:
            raise RuntimeError("appreceipt serve does not listen:\n" + "".join(said))
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
    """A server as it is without options: Apple's roots decide."""
    server = Server()
    yield server
    server.end()


@pytest.fixture(scope="session")
def serving():
    """A server of two apps, neither of which is a sample's, in the sandbox."""
    server = Server("--root", str(SAMPLES / "root.pem"), "--bundle-id", "com.example.orchard",
                    "--bundle-id", "com.example.meadow", "--environment", "sandbox")
    yield server
    server.end()


@pytest.fixture(scope="session")
def token_server(tmp_path_factory):
    """A server that asks for a token."""
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text("open-sesame\n")
    server = Server("--token-file", str(file))
    yield server
    server.end()


@pytest.fixture(scope="session")
def make(tmp_path_factory):
    """Makes a receipt or signed data with the command line and gives its bytes."""
    folder = tmp_path_factory.mktemp("made")

    def make(*options, kind=None):
        name = f"made-{len(list(folder.iterdir()))}"
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
    """Launches the browser, with more options of its command line."""
    with sync_playwright() as playwright:
        yield lambda *options: playwright.chromium.launch(
            executable_path=os.environ["APPRECEIPT_CHROMIUM"], args=["--no-sandbox", "--disable-gpu", *options])


@pytest.fixture(scope="session")
def browser(launch):
    browser = launch()
    yield browser
    browser.close()


# What violates the policy is remembered in the page itself, from before its first script.
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
    """The page as a person uses it."""

    def __init__(self, page, url):
        self.page = page
        self.url = url
        self.errors = []
        self.allowed = []
        self.requests = []
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append("a dialog: " + dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))
        page.add_init_script(WATCH)
        page.goto(url)
        page.wait_for_selector("[data-sample]")

    def paste(self, text):
        """Pastes into the field, as the keyboard does: the page checks at once."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.focus("#text")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+v")

    def check(self, receipt):
        """Checks a receipt, or a text, and waits for the verdict."""
        text = receipt if isinstance(receipt, str) else base64.b64encode(receipt).decode()
        if len(text) > 100_000:
            # A file for the browser to read: handed over as bytes, these keep the page busy before it has them.
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "receipt")
                file.write_bytes(receipt)
                self.page.set_input_files("#file", file)
                return self.verdict()
        self.page.fill("#text", text)
        return self.submit()

    def submit(self):
        self.page.evaluate("document.getElementById('report').replaceChildren()")
        self.page.click("#check")
        return self.verdict()

    def verdict(self):
        self.page.wait_for_selector(".verdict-title", timeout=20_000)
        return self.page.inner_text(".verdict-title")

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
        assert all("?" not in url for url in self.requests if url.startswith(self.url)), "something stands in a URL"


@pytest.fixture
def open_page(browser):
    """Opens the page of a server; at the end nothing may have gone wrong in it."""
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
