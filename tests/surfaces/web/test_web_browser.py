"""The pages in a real browser: keys, search as you type, panels, phone, dark, accessibility, hostile texts."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.surfaces.httpserver import HttpServer
from tests.surfaces.web.conftest import EVIL, EVIL_FILE

VIEWS = ("/", "/?q=add%20tax", "/file/src/shop.py?lines=8-12&name=add_tax&on=15", "/symbol/?name=Basket", "/refs",
         "/diff?base=HEAD~1&head=HEAD", "/memory?q=prices", "/triage", "/risks", "/workspaces", f"/?q={quote(EVIL)}",
         f"/file/{quote(EVIL_FILE)}")  # fmt: skip
AXE = "axe-core@4.10.3"

Open = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, site: HttpServer) -> Iterator[Open]:
    """Opens an address in a window of its own; whatever the browser complains about fails the test."""
    complaints: list[str] = []
    contexts = []

    def go(address: str, width: int = 1280, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, base_url=site.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda box: complaints.append(f"a script ran: {box.message}"))
        page.goto(address)
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []


def test_search_as_you_type_and_back(visit: Open) -> None:
    """WEB-TYPING: results come while typing, the address follows, and back leads back."""
    page = visit("/")
    page.keyboard.type("add tax")
    expect(page.locator(".group").first).to_contain_text("shop.py")
    expect(page).to_have_url(re.compile(r"q=add\+tax|q=add%20tax"))
    page.keyboard.press("ArrowDown")
    expect(page.locator(".cursor")).to_have_count(1)
    first = page.locator(".cursor").get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: bool(first) and str(first).split("#")[0] in url)
    page.go_back()
    expect(page.locator("#q")).to_have_value("add tax")
    expect(page.locator(".group").first).to_be_visible()


def test_names_lead_to_their_meaning_by_keyboard(visit: Open) -> None:
    """WEB-KEYS, WEB-NAMES: a name opens its panel in place, Escape closes it, and back opens it again."""
    page = visit("/file/src/shop.py")
    page.locator("#L15 a", has_text="add_tax").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_contain_text("resolved")
    expect(page).to_have_url(re.compile("name=add_tax"))
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_empty()
    page.go_back()
    expect(page.locator("#panel h2")).to_contain_text("add_tax")


def test_keys(visit: Open) -> None:
    """WEB-KEYS: finder, help, moving, permalink and search box need no mouse."""
    page = visit("/?q=add%20tax", permissions=["clipboard-read", "clipboard-write"])
    page.locator("main").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".cursor")).to_have_count(1)
    page.keyboard.press("y")
    expect(page.locator("#say")).to_contain_text("copied")
    assert re.search(r"at=[0-9a-f]{40}", page.evaluate("navigator.clipboard.readText()"))
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("copy a permalink")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("basket")
    expect(page.locator("dialog li").first).to_contain_text("Basket")
    page.keyboard.press("Enter")
    page.wait_for_url("**/symbol/**")
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()


def test_why_opens_in_place(visit: Open) -> None:
    """WEB-WHY: the bars open below the result."""
    page = visit("/?q=add%20tax")
    page.locator("[data-why]").first.click()
    expect(page.locator(".whybox").first).to_contain_text("bm25 score")


def test_folding_and_scope(visit: Open) -> None:
    """WEB-FILE: a definition folds, and the one in sight is named above the code."""
    page = visit("/file/src/shop.py")
    page.locator("#L8 .fold").click()
    expect(page.locator("#L12")).to_be_hidden()
    page.locator("#L8 .fold").click()
    expect(page.locator("#L12")).to_be_visible()
    long = visit("/file/src/long.py?lines=201#L201")
    expect(long.locator("#scope")).to_contain_text("step_")
    expect(long.locator("#L201")).to_be_in_viewport()


def test_views_are_whole_on_a_phone_and_in_the_dark(visit: Open) -> None:
    """WEB-PHONE, WEB-ESCAPE: at 380 pixels nothing is cut off, and no hostile text runs, in the dark too."""
    page = visit("/keys", 380, color_scheme="dark")
    for address in VIEWS:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380, address
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        assert page.evaluate("document.querySelectorAll('main img[src=x], main script').length") == 0, address
        assert page.locator("h1").count() == 1, address


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, fetched by npm; skipped where that cannot be."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm to fetch axe-core with")
    place = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", AXE]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=100, check=False)
    script = Path(place) / "node_modules" / "axe-core" / "axe.min.js"
    if done.returncode or not script.is_file():
        pytest.skip(f"npm cannot fetch axe-core here: {done.stderr[:200]}")
    return script.read_text(encoding="utf-8")


def test_accessibility(visit: Open, axe: str) -> None:
    """WEB-AXE: axe finds nothing to complain about in any view, light or dark."""
    found = {}
    page = visit("/keys", bypass_csp=True)
    for number, address in enumerate(VIEWS):
        page.emulate_media(color_scheme=("light", "dark")[number % 2])
        page.goto(address)
        page.evaluate(axe + "; 0")
        report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        rows = [f"{row['id']}: {row['nodes'][0]['html'][:160]}" for row in report["violations"]]
        if rows:
            found[address] = rows
    assert found == {}
