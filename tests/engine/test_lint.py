"""What a linter says is found while files are indexed, and hangs on the content."""

from pathlib import Path

from codecompass.engine.index.linter import Linter
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.symbol_inspection import InspectQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

FILES = {
    "app/good.py": "def fine():\n    return 1\n",
    "app/bad.py": "import os\n\n\ndef broken():\n    unused = 1\n    return missing\n",
    "web/view.js": "export function view() {\n  return (1;\n}\n",
}


def codes(desk: Desk, *within: str) -> set[tuple[str, str, str]]:
    """(path, code, innermost definition) of every message."""
    found = desk.engine.list_diagnostics(None, None, within, 1_000, "best_effort", Call())
    assert found.total == len(found.rows)
    return {(row.path, row.message.code, row.inside) for row in found.rows}


def test_messages_come_from_linter_and_parser(tmp_path: Path) -> None:
    """LINT-MESSAGES: Python gets the linter's messages, every language its parser's, each with its definition."""
    repo = make_repo(tmp_path / "repo", FILES)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert codes(desk) == {
            ("app/bad.py", "F401", ""),
            ("app/bad.py", "F841", "broken"),
            ("app/bad.py", "F821", "broken"),
            ("web/view.js", "syntax-missing", "view"),
        }
        assert codes(desk, "web") == {("web/view.js", "syntax-missing", "view")}
        broken = desk.engine.inspect(None, InspectQuery(SymbolTarget(name="broken"), freshness="best_effort"), Call())
        assert {row.code for row in broken.diagnostics} == {"F841", "F821"} and broken.linted
        fine = desk.engine.inspect(None, InspectQuery(SymbolTarget(name="fine"), freshness="best_effort"), Call())
        assert fine.diagnostics == () and fine.linted
        view = desk.engine.inspect(None, InspectQuery(SymbolTarget(name="view"), freshness="best_effort"), Call())
        assert not view.linted


def test_a_mended_file_has_no_messages(tmp_path: Path) -> None:
    """LINT-MESSAGES: messages belong to the content: an edit replaces them, another branch keeps its own."""
    repo = make_repo(tmp_path / "repo", FILES)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        git(repo, "branch", "old")
        commit(repo, {"app/bad.py": "def broken():\n    return 1\n"})
        desk.index()
        desk.index("old")
        assert codes(desk, "app") == set()
        before = desk.engine.list_diagnostics(None, "old", ("app",), 100, "best_effort", Call())
        assert {row.message.code for row in before.rows} == {"F401", "F841", "F821"}


def test_configuration_of_the_repository_is_not_seen(tmp_path: Path) -> None:
    """LINT-ISOLATED: a linter's configuration in the repository changes nothing, and no file of it is touched."""
    hostile = '[tool.ruff]\nextend = "/nonexistent/x.toml"\n[tool.ruff.lint]\nselect = []\nignore = ["ALL"]\n'
    repo = make_repo(tmp_path / "repo", {**FILES, "pyproject.toml": hostile, "app/ruff.toml": "select = []\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert ("app/bad.py", "F821", "broken") in codes(desk)
        assert not list(desk.home.glob("lint*"))
    assert git(repo, "status", "--porcelain") == ""


def test_rules_are_a_setting(tmp_path: Path) -> None:
    """LINT-RULES: the rules are chosen by a setting; none means that no linter looks."""
    repo = make_repo(tmp_path / "repo", FILES)
    with desk_on(repo, tmp_path / "one", lint_rules="F401") as desk:
        desk.index()
        assert codes(desk, "app") == {("app/bad.py", "F401", "")}
    with desk_on(repo, tmp_path / "two", lint_rules="") as desk:
        desk.index()
        assert codes(desk, "app") == set()
        fine = desk.engine.inspect(None, InspectQuery(SymbolTarget(name="fine"), freshness="best_effort"), Call())
        assert not fine.linted


def test_a_broken_linter_costs_only_its_messages(tmp_path: Path) -> None:
    """LINT-ISOLATED: wrong rules make the linter fail; the index is made all the same."""
    repo = make_repo(tmp_path / "repo", FILES)
    with desk_on(repo, tmp_path / "data", lint_rules="NO-SUCH-RULE") as desk:
        assert desk.index().status == "published"
        assert desk.places("broken") == {"app/bad.py:4"}
        assert codes(desk, "app") == set()


def test_leftovers_of_a_killed_sync_are_removed(tmp_path: Path) -> None:
    """LINT-ISOLATED: copies that a killed sync left are gone with the next."""
    left = tmp_path / "lint" / "0"
    left.mkdir(parents=True)
    (left / "0.py").write_text("x")
    linter = Linter(tmp_path, "F")
    assert not left.exists()
    assert linter.finish() == {}
