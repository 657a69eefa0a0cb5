"""The page is accessible by keyboard, screen readers, and on narrow and dark screens."""
import pytest
from axe_playwright_python.sync_playwright import Axe


# The first rows of the bytes are representative, and axe takes seconds for a thousand elements.
CONTEXT = {"exclude": [[".hex-row:nth-child(n+9)"]]}


def violations(page, *rules):
    options = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    results = Axe().run(page, context=CONTEXT, options=options)
    return [(found["id"], [node["html"][:160] for node in found["nodes"][:3]])
            for found in results.response["violations"]]


def assert_accessible(inspector, name):
    """The page has no violations in either color scheme. The schemes differ only in colors."""
    page = inspector.page
    page.emulate_media(color_scheme="light")
    assert violations(page) == [], name
    inspector.screenshot(f"light-{name}")
    page.emulate_media(color_scheme="dark")
    assert violations(page, "color-contrast") == [], name
    inspector.screenshot(f"dark-{name}")


@pytest.mark.parametrize("sample", ["subscription-history", "forged", "notification"])
def test_axe_finds_nothing(open_page, server, sample):
    # Without the content security policy, because axe creates a page to measure colors.
    inspector = open_page(server, bypass_csp=True)
    page = inspector.page
    assert_accessible(inspector, "start")
    inspector.sample(sample)
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(120)
        name = tab.get_attribute("data-tab")
        if name == "purchases":
            page.locator(".toggle").first.click()
        if name == "timeline" and page.locator(".lines .link").count() > 0:
            page.locator(".lines .link").first.click()
        if name == "compare":
            page.select_option("#other-sample", "production-subscriptions" if sample == "subscription-history" else "transaction")
            page.wait_for_selector(".compare-result table")
        assert_accessible(inspector, f"{sample}-{name}")


def test_axe_finds_nothing_in_failures(open_page, server):
    inspector = open_page(server, bypass_csp=True)
    inspector.page.click("#check")
    inspector.page.wait_for_selector(".problem")
    inspector.page.evaluate("document.getElementById('token-row').hidden = false")
    assert_accessible(inspector, "failure")


def test_everything_can_be_done_with_the_keyboard(inspector):
    page = inspector.page
    active = lambda: page.evaluate(
        """() => { const one = document.activeElement;
        return one.getAttribute('data-sample') ?? one.getAttribute('data-tab') ?? (one.id || one.className); }""")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the result"
    page.keyboard.press("Enter")
    assert active() == "result"
    page.keyboard.press("Tab")
    assert active() == "production-subscriptions"
    page.keyboard.press("Enter")
    inspector.verdict()
    assert "verdict-title" in active()
    page.keyboard.press("Tab")
    assert "verdict-toggle" in active()
    page.keyboard.press("Enter")
    assert page.is_visible(".verdict-sentence")
    page.keyboard.press("Tab")
    assert active() == "copy-summary"
    page.keyboard.press("Tab")
    assert active() == "overview"
    for expected in ("purchases", "timeline", "certificates"):
        page.keyboard.press("ArrowRight")
        assert active() == expected
        assert page.get_attribute(f"[data-tab={expected}]", "aria-selected") == "true"
    page.keyboard.press("End")
    assert active() == "export"
    page.keyboard.press("ArrowRight")
    assert active() == "overview"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert active() == "bytes"
    page.keyboard.press("Tab")
    assert page.get_attribute(":focus", "role") == "tabpanel"
    page.keyboard.press("Tab")
    assert page.get_attribute(":focus", "role") == "tree"
    chosen = lambda: page.locator(".node.is-selected").inner_text()
    page.keyboard.press("Home")
    assert "ContentInfo" in chosen()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".node").count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert "signedData" in chosen()
    selected = page.locator(".node.is-selected").get_attribute("id")
    assert page.get_attribute(".tree", "aria-activedescendant") == selected
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator(".b.at").get_attribute("data-o") == "20"


def test_focus_is_visible(inspector):
    page = inspector.page
    inspector.sample("production-subscriptions")
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("""() => {
            const element = document.activeElement;
            if (element === document.body) return 'outlined';
            const shown = element.matches('.picker') ? element.previousElementSibling : element;
            const style = getComputedStyle(shown);
            return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
                ? 'outlined' : element.outerHTML.slice(0, 120);
        }"""))
    assert seen == {"outlined"}


def test_the_verdict_is_announced_and_focused(inspector):
    inspector.sample("forged")
    status = inspector.page.locator("#status")
    assert status.get_attribute("aria-live") == "polite"
    assert status.inner_text().startswith("Not valid. ")
    assert inspector.page.evaluate("document.activeElement.className") == "verdict-title"


def test_headings_and_landmarks_form_an_outline(inspector):
    inspector.sample("production-subscriptions")
    levels = inspector.page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4,h5')].filter((one) => one.offsetParent).map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    assert inspector.page.locator("main").count() == 1 and inspector.page.locator("header").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("sample", ["subscription-history", "notification"])
def test_everything_fits_on_a_narrow_screen(open_page, server, sample, scheme):
    inspector = open_page(server, width=360, height=760, color_scheme=scheme)
    page = inspector.page
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 360
    inspector.screenshot(f"narrow-{scheme}-start")
    inspector.sample(sample)
    for tab in page.locator("[role=tab]").all():
        tab.click()
        page.wait_for_timeout(100)
        name = tab.get_attribute("data-tab")
        assert page.evaluate(wide) <= 360, name
        assert page.evaluate("(id) => { const box = document.querySelector(`[data-tab=${id}]`).getBoundingClientRect(); return box.left >= 0 && box.right <= 361; }", name), name
        inspector.screenshot(f"narrow-{scheme}-{sample}-{name}")


def test_the_dark_scheme_has_a_dark_background(open_page, server):
    inspector = open_page(server, color_scheme="dark")
    background = inspector.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in background[4:-1].split(",")) < 40


def test_reduced_motion_disables_animations(open_page, server):
    inspector = open_page(server, reduced_motion="reduce")
    page = inspector.page
    page.evaluate("document.getElementById('progress').hidden = false")
    assert page.evaluate("getComputedStyle(document.getElementById('progress'), '::after').animationName") == "none"


@pytest.mark.parametrize("width", [700, 800, 1024, 1280, 1440, 1920])
def test_the_columns_of_purchases_are_apart_and_dates_stay_on_one_line(open_page, server, width):
    inspector = open_page(server, width=width, height=900)
    page = inspector.page
    inspector.sample("subscription-history")
    inspector.tab("purchases")
    gaps = page.evaluate("""() => [...document.querySelectorAll('.purchases > tbody > tr')].flatMap((row) => {
        const boxes = [...row.children].filter((cell) => cell.offsetParent && cell.textContent.trim()).map((cell) => {
            const parts = [...cell.childNodes].map((node) => {
                const range = document.createRange();
                range.selectNode(node);
                return (node.getBoundingClientRect ? node : range).getBoundingClientRect();
            }).filter((box) => box.width > 0);
            return { left: Math.min(...parts.map((box) => box.left)), right: Math.max(...parts.map((box) => box.right)) };
        });
        return boxes.slice(1).map((box, index) => box.left - boxes[index].right);
    })""")
    assert len(gaps) > 20 and min(gaps) >= 12
    heights = page.eval_on_selector_all(".purchases time", "all => all.filter((one) => one.offsetParent).map((one) => one.getBoundingClientRect().height)")
    assert len(heights) > 20 and max(heights) < 26


@pytest.mark.parametrize("width", [700, 861, 1024, 1280, 1440])
def test_the_purchases_fit_as_a_table(open_page, server, width):
    inspector = open_page(server, width=width, height=900)
    page = inspector.page
    inspector.sample("subscription-history")
    inspector.tab("purchases")
    room = page.locator(".purchases-room")
    assert room.evaluate("room => room.scrollWidth - room.clientWidth") <= 0
    assert page.is_hidden(".scroll-hint")
    first = page.locator(".purchases > tbody > tr").first
    assert first.evaluate("row => getComputedStyle(row).display") == "table-row"
    assert page.get_by_role("columnheader", name="Until").count() == 1
    for label in ("Bought", "State", "Transaction"):
        box = first.locator(f"[data-label={label}]").bounding_box()
        assert box["width"] > 0 and box["x"] + box["width"] <= width, label
    inspector.screenshot(f"purchases-{width}")
    first.locator(".toggle").click()
    assert page.locator(".detail-row").is_visible()
    assert "Original transaction" in page.locator(".detail-row").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_table_that_is_too_wide_scrolls_and_says_so(open_page, server):
    inspector = open_page(server, width=390, height=844)
    page = inspector.page
    inspector.sample("subscription-history")
    inspector.tab("purchases")
    page.wait_for_selector(".scroll-hint:visible")
    room = page.locator(".purchases-room")
    room.evaluate("room => { room.scrollLeft = room.scrollWidth; }")
    box = page.locator(".purchases > tbody > tr").first.locator("[data-label=Transaction]").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
