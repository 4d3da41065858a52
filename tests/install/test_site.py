"""The site of the documentation: no broken link, nothing from other machines."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
"""Elements whose address a browser fetches when it shows a page; `a` is not among them."""
FROM_CSS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])(?!data:)(?:https?:)?//")
FROM_SCRIPT = re.compile(r"(?:fetch|importScripts|import|open)\(\s*['\"`](?:https?:)?//")
OUTSIDE = re.compile(r"^(?:https?:)?//")


class Fetches(HTMLParser):
    """Collects the addresses that a page fetches."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in FETCHED and given.get("rel") not in ("canonical", "alternate", "next", "prev"):
            self.found.append(given.get(FETCHED[tag]) or "")


def build(target: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target), *options]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed (make .venv/dev.stamp): the site was not built")
    target = tmp_path_factory.mktemp("site")
    done = build(target)
    assert done.returncode == 0, done.stderr
    return target


def test_no_link_is_broken(site: Path) -> None:
    """DOCS-SITE: MkDocs builds every page in strict mode; every page of docs/ is in the navigation."""
    pages = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert len(pages) > 30
    menu = (site / "index.html").read_text(encoding="utf-8")
    for page in pages:
        assert (site / page).is_file() and f'href="{page.as_posix()}"' in menu.replace('href="."', 'href="index.html"')


@pytest.mark.parametrize("link", ["nowhere.md", "../src/nowhere.py", "install.md#nowhere"])
def test_a_broken_link_is_an_error(site: Path, tmp_path: Path, link: str) -> None:
    """DOCS-SITE: a link to a page, a file or a heading that does not exist stops the build."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(f"# Page\n\n[link]({link})\n")
    (docs / "install.md").write_text("# Install\n")
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = config[: config.index("nav:\n  - Start")].replace("packaging/", f"{ROOT}/packaging/")
    (tmp_path / "mkdocs.yml").write_text(config)
    done = build(tmp_path / "site", "--config-file", str(tmp_path / "mkdocs.yml"))
    assert done.returncode != 0 and "nowhere" in done.stderr


def test_nothing_comes_from_other_machines(site: Path) -> None:
    """DOCS-SITE: no page, style sheet or script of the site fetches anything from another host."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetches = Fetches()
        fetches.feed(text)
        assert fetches.found and not [one for one in fetches.found if OUTSIDE.match(one)], page
        assert not FROM_CSS.search(text), page
    for sheet in site.rglob("*.css"):
        assert not FROM_CSS.search(sheet.read_text(encoding="utf-8")), sheet
    for script in site.rglob("*.js"):
        assert not FROM_SCRIPT.search(script.read_text(encoding="utf-8")), script


def test_links_of_other_documents() -> None:
    """DOCS-SITE: relative links of the documents at the root lead to files."""
    for name in ("README.md", "SECURITY.md", "THIRD-PARTY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "AGENTS.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        links = re.findall(r"\]\(((?!https?:|#)[^)#\s]+)", text)
        assert not [link for link in links if not (ROOT / link).exists()], name


def test_the_picture(site: Path) -> None:
    """DOCS-PICTURE: an SVG with its own background and fonts, that shows real commands and names no other host."""
    path = ROOT / "docs" / "images" / "terminal.svg"
    root = ElementTree.parse(path).getroot()
    shown = " ".join("".join(root.itertext()).replace("\xa0", " ").split())
    assert "$ codecompass search" in shown and "$ codecompass references" in shown and "· fresh" in shown
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "://" not in text and "@font-face" not in text
    assert root.find("{http://www.w3.org/2000/svg}rect") is not None
    assert (site / "images" / "terminal.svg").read_bytes() == path.read_bytes()
