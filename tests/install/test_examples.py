"""The pages that users read: every example runs, and shows what the program prints."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from codecompass.errors import CODES
from codecompass.model.queries.filters import FILTERS
from codecompass.surfaces.cli.pages.command_page import render_command_page
from codecompass.surfaces.cli.pages.filter_page import render_filter_page
from codecompass.surfaces.cli.pages.troubleshooting_page import CAUSES, render_troubleshooting_page
from tests.architecture.source import ROOT
from tests.install.examples import Place, is_shown, list_pages, normalize, read_blocks, run_pages

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"console", "json", "toml", "python", "text", "ini", "sh"}
SCRIPTS = "context-check.md"
"""The page with whole scripts; tests/engine/memory/test_cli.py runs them."""
MOST_NOT_RUN = 9
"""Blocks that need a registry, a daemon or the home of a user; a tenth one must replace one of them."""
GENERATED = {
    "docs/commands.md": render_command_page,
    "docs/filters.md": render_filter_page,
    "docs/troubleshooting.md": render_troubleshooting_page,
}


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Page → commands that do not do what it shows."""
    found: dict[str, list[str]] = {}
    for block, step, code, actual in run_pages(Place(tmp_path_factory.mktemp("home"))):
        if code != step.code or not is_shown(step.output, actual):
            found.setdefault(block.page, []).append(f"$ {step.command}\nexits {code}, not {step.code}?\n{actual}")
    return found


# All pages run for the first test, on a busy machine for minutes.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", [page.relative_to(ROOT).as_posix() for page in list_pages() if read_blocks(page)])
def test_examples_show_what_commands_print(faults: dict[str, list[str]], page: str) -> None:
    """DOCS-EXAMPLES: each command of a page runs in the sample project, exits and prints as shown."""
    assert not faults.get(page), "run: make examples, and read what it changed\n" + "\n".join(faults[page])


def test_comparisons_can_fail() -> None:
    """DOCS-EXAMPLES: times and scores may differ, and nothing else; `…` stands for any lines."""
    shown = "a.py:1  fn  ▪▪··· 0.35\n1 result · 12 ms · main"
    assert is_shown(shown, "a.py:1  fn  ▪▪▪·· 0.55\n1 result · 1,480 ms · main\n")
    assert not is_shown(shown, "b.py:1  fn  ▪▪··· 0.35\n1 result · 12 ms · main\n")
    assert not is_shown(shown, "a.py:1  fn  ▪▪··· 0.35\n")
    assert is_shown("…\nlast", "one\ntwo\nlast\n") and not is_shown("…\nlast", "one\nlast\nmore\n")
    assert is_shown("", "anything\n")
    assert normalize("took 3.2 s\n") == ["took TIME"]


def test_few_blocks_are_not_run() -> None:
    """DOCS-EXAMPLES: a block that cannot run says why, and there are few of them."""
    left_out = [block for page in list_pages() for block in read_blocks(page) if block.reason]
    assert 0 < len(left_out) <= MOST_NOT_RUN
    assert all(len(block.reason) > 20 for block in left_out)
    assert sum(len(block.steps) for page in list_pages() for block in read_blocks(page) if not block.reason) > 50


@pytest.mark.parametrize("page", list_pages(), ids=lambda page: page.name)
def test_other_blocks_are_what_they_say(page: Path) -> None:
    """DOCS-EXAMPLES: commands are in console blocks; JSON and TOML can be read; Python is on the page that runs it."""
    for language, body in FENCE.findall(page.read_text(encoding="utf-8")):
        assert language in LANGUAGES, body
        assert language != "sh" or page.name == SCRIPTS
        if language not in ("console", "sh"):
            assert not re.search(r"^\$? ?codecompass ", body, re.MULTILINE), body
        if language == "json":
            json.loads(body)
        if language == "toml":
            tomllib.loads(body)
        assert language != "python" or page.name == "library.md"


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_current(name: str) -> None:
    """C-DOCS-CURRENT: the pages about commands, filters and errors say what the tables say."""
    assert (ROOT / name).read_text(encoding="utf-8") == GENERATED[name](), "run: make snapshots (codecompass snapshots)"


def test_pages_name_everything() -> None:
    """DOCS-COMPLETE: every error code has a cause and a way out, every filter and command its row."""
    assert set(CAUSES) == {row.name for row in CODES}
    filters, commands = render_filter_page(), render_command_page()
    assert all(f"| `{row.field}` | `{row.flag}` |" in filters for row in FILTERS)
    assert all(f"\n## {name}\n" in commands for name in ("search", "grep", "setup", "serve-http", "tool"))
    assert "ASK:" not in commands and "SUPPRESS" not in commands and "## snapshots" not in commands


def test_the_readme_fits_a_screen() -> None:
    """DOCS-README: about one screen, with a picture, an installation, four steps and a comparison."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) <= 80
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "Install", "Quick start", "Connect your agent", "Compared", "Read on",
    ]  # fmt: skip
    assert len(read_blocks(ROOT / "README.md")[1].steps) == 4
