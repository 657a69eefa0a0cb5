"""Requests of a browser from pages of other sites, under other names, and from the page itself."""
import http.server
import threading

import pytest

from conftest import Inspector, Server

#: The requests of a malicious page: those of a form, a script element and fetch(), and the inspector page's own.
ATTACK = """async (server) => {
  const outcome = async (path, options) => {
    try {
      const response = await fetch(server + path, options);
      return response.type === 'opaque' ? 'opaque' : response.status;
    } catch { return 'blocked'; }
  };
  const loads = (name, property) => new Promise((resolve) => {
    const element = document.createElement(name);
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('failed');
    element[property] = server + 'inspector/inspector.js';
    document.body.append(element);
  });
  return {
    form: await outcome('verifyReceipt', { method: 'POST', mode: 'no-cors', body: '{}' }),
    validate: await outcome('v1/receipts/validate', { method: 'POST', body: 'MII=' }),
    page: await outcome('v1/inspector/examine', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"sample": "forged"}' }),
    numbers: await outcome('metrics', { mode: 'no-cors' }),
    script: await loads('script', 'src'),
  };
}"""


@pytest.fixture(scope="module")
def other_site():
    """A site on another port of this machine, with an empty page that links to nothing."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Another site</title><body>")

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}/"
    site.shutdown()
    site.server_close()


@pytest.fixture(scope="module")
def rebinding_browser(launch):
    """A browser that resolves two host names to this machine."""
    browser = launch("--host-resolver-rules=MAP evil.example.net 127.0.0.1,MAP inspector.example.com 127.0.0.1")
    yield browser
    browser.close()


@pytest.fixture
def counting():
    """A separate server, whose metrics count only the requests of one test, with one allowed host."""
    server = Server("--allowed-host", "inspector.example.com")
    yield server
    server.end()


def numbers(server, page):
    """The metrics of requests by route and status, opened by address in the browser."""
    page.goto(server.url + "metrics")
    lines = page.inner_text("body").splitlines()
    return [line for line in lines if line.startswith("appreceipt_http_requests_total")]


def named(server, host):
    return server.url.replace("127.0.0.1", host)


def test_another_site_cannot_use_the_server(browser, other_site, counting):
    page = browser.new_page()
    try:
        page.goto(other_site)
        outcomes = page.evaluate(ATTACK, counting.url)
        assert outcomes == {
            "form": "opaque", "validate": "blocked", "page": "blocked", "numbers": "opaque", "script": "failed"}
        # The other site can't read the responses, but the server counted them.
        counted = numbers(counting, page)
        assert len(counted) >= 4 and all('status="403"' in line for line in counted), counted
    finally:
        page.close()


def test_another_site_may_link_to_the_page(browser, other_site, counting):
    page = browser.new_page()
    try:
        page.goto(other_site)
        page.evaluate("url => { location.href = url; }", counting.url)
        page.wait_for_selector("[data-sample]")
        page.reload()
        page.click("[data-sample=forged]")
        page.wait_for_selector(".verdict-title")
    finally:
        page.close()


def test_a_rebound_name_cannot_use_the_server(rebinding_browser, counting):
    page = rebinding_browser.new_page()
    try:
        url = named(counting, "evil.example.net")
        page.goto(url)
        for path, body in (("verifyReceipt", "{}"), ("v1/receipts/validate", "MII="), ("v1/notifications", "{}")):
            response = page.evaluate(
                """async ([path, body]) => {
                  const response = await fetch(path, { method: 'POST', body });
                  return [response.status, (await response.json()).error.code];
                }""", [path, body])
            assert response == [403, "cross-origin"], path
        # Browsers add no header to a plain GET under such a name. It can read the page and the metrics, but no receipt.
        assert page.evaluate("async () => (await fetch('metrics')).status") == 200
        # Scripts don't load, and the page explains a possible reason.
        page.wait_for_selector(".unloaded", state="visible")
        assert "allowed hosts" in page.inner_text(".unloaded")
    finally:
        page.close()


def test_an_allowed_name_works_like_loopback(rebinding_browser, counting):
    context = rebinding_browser.new_context()
    try:
        inspector = Inspector(context.new_page(), named(counting, "inspector.example.com"))
        # Over HTTP, the browser accepts this header only from loopback.
        inspector.allowed.append("Cross-Origin-Opener-Policy")
        assert inspector.sample("forged")
        inspector.assert_clean()
    finally:
        context.close()


@pytest.mark.parametrize("host", ["localhost", "inspector.localhost"])
def test_names_of_loopback_need_no_setting(browser, apple_server, host):
    context = browser.new_context()
    try:
        inspector = Inspector(context.new_page(), named(apple_server, host))
        assert inspector.sample("forged")
        inspector.assert_clean()
    finally:
        context.close()
