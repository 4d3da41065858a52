"""A server over a repository full of hostile texts, and a browser for those who have one."""

import json
import os
import shutil
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.surfaces.conftest import Shell, environment, git
from tests.surfaces.httpserver import HttpServer, serving

EVIL = '"><img src=x onerror=alert(1)><script>alert(1)</script>{{7*7}}'
"""A text that does harm wherever it is not escaped."""
EVIL_AUTHOR = 'Eve" onmouseover="alert(1)&lt;img src=x onerror=alert(1)&gt;{{7*7}}\u202e'
"""A name that does harm; git itself leaves out the characters < and >."""
EVIL_FINDING = {name: f"{name} {EVIL}" for name in ("title", "description", "packageName", "cve", "service", "owner")}
EVIL_FILE = "src/a&b <img src=x onerror=alert(1)>'{{7*7}}.py"
SHOP = '''"""Prices of the shop. <script>alert(1)</script>"""

import os

RATE = 0.2


class Basket:
    """What a customer wants to buy."""

    def __init__(self, items: list[float]) -> None:
        self.items = items

    def total(self) -> float:
        return add_tax(sum(self.items))


class BigBasket(Basket):
    """A basket with a discount."""

    def total(self) -> float:
        return 0.9 * super().total()


def add_tax(net: float) -> float:
    """Add the tax to a net price."""
    return net * (1 + RATE)


def checkout(basket: Basket) -> str:
    return f"<b>{basket.total()}</b>" + os.name


def describe(value: object) -> str:
    """Describe a value, </code></pre><script>alert(1)</script>."""
    hidden = "\u202e reversed"
    return hidden + unknown_helper(value)
'''
BROWSER_FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str:
    """The program of a browser, or an empty string."""
    named = os.environ.get("CHROMIUM", "")
    return named or next(filter(None, map(shutil.which, BROWSERS)), "")


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """An indexed repository with two commits, a long file, a file of one long line, and hostile texts."""
    home = tmp_path_factory.mktemp("web")
    root = home / "shop"
    (root / "src").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src" / "shop.py").write_text(SHOP)
    (root / EVIL_FILE).write_text(f"# {EVIL}\ndef evil_{'x' * 20}():\n    return 1\n")
    (root / "tests" / "test_shop.py").write_text(
        "from src.shop import add_tax\n\n\ndef test_tax():\n    assert add_tax(1)\n"
    )
    (root / "src" / "long.py").write_text("".join(f"def step_{n}():\n" + "    # a step\n" * 99 for n in range(60)))
    (root / "src" / "wide.js").write_text("var data = [" + "1," * 480_000 + "1];\n")
    (root / "README.md").write_text(f"# Shop\n\nWe decided to round prices at the end. {EVIL}\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    author = f"--author={EVIL_AUTHOR} <eve@evil.test>"
    git(root, "commit", author, "-qm", f"Decide: round prices late, because {EVIL}")
    (root / "src" / "shop.py").write_text(SHOP.replace("RATE = 0.2", "RATE = 0.19"))
    git(root, "commit", author, "-qam", f"Lower the rate {EVIL}")
    shell = Shell(root, environment(home))
    done = shell.run("index")
    assert done.returncode == 0, done.stderr
    findings = home / "findings.json"
    findings.write_text(json.dumps([EVIL_FINDING | {"id": f"S-1 {EVIL}", "severity": "high", "file": EVIL_FILE}]))
    done = shell.run("triage", "ingest", "generic", str(findings))
    assert done.returncode == 0, done.stdout + done.stderr
    return shell


@pytest.fixture(scope="session")
def site(shop: Shell) -> Iterator[HttpServer]:
    """A server over it."""
    with serving(shop) as server:
        yield server


@pytest.fixture(scope="session")
def get(site: HttpServer) -> Iterator[httpx2.Client]:
    """A client without scripts."""
    with httpx2.Client(base_url=site.url, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser; skipped where there is none."""
    program = find_browser()
    if not program:
        pytest.skip("no browser: install Debian's package chromium, or name one by CHROMIUM")
    with sync_playwright() as play:
        try:
            opened = play.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        except Error as error:
            pytest.skip(f"{program} does not start here: {str(error)[:200]}")
        yield opened
        opened.close()
