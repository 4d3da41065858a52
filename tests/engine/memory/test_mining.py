"""What is mined from a repository."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.engine.memory.mining.mined_item import sanitize_text
from codecompass.model.call import Call
from codecompass.model.memory_values import MemoryFilter
from tests.engine.memory.memorylab import Lab, lab_on
from tests.engine.support import desk_on
from tests.repo.gitrepo import ENV


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_on(tmp_path_factory.mktemp("shop"), "shop") as lab:
        yield lab


@pytest.mark.parametrize(
    ("kind", "type", "contains", "path", "lines"),
    [
        ("comment", "issue", "TODO(ada): support refunds", "src/billing/charge.py", (8, 8)),
        ("agent_file", "rule", "must stay idempotent", "AGENTS.md", (9, 9)),
        ("document", "rule", "must have a docstring", "CONTRIBUTING.md", (7, 7)),
        ("adr", "decision", "stored in Postgres", "docs/adr/0002-keep-orders-in-postgres.md", (5, 7)),
        ("manifest", "pattern", "left-pad ^1.3.0", "package.json", (1, 2)),
        ("manifest", "pattern", "lint: ruff check .", "Makefile", (1, 5)),
        ("ci", "pattern", "make check", ".github/workflows/test.yml", (1, 8)),
    ],
)
def test_sources_in_files(shop: Lab, kind: str, type: str, contains: str, path: str, lines: tuple[int, int]) -> None:
    """MEM-SOURCES: each file source gives a typed statement at its exact lines."""
    item = shop.one(contains, source=kind)
    assert (item.type, item.source.path) == (type, path)
    assert lines[0] <= item.source.line_start <= item.source.line_end <= lines[1]
    assert item.id.startswith("disc_") and len(item.id) == 20


def test_statement_to_the_end_of_its_file(tmp_path: Path) -> None:
    """MEM-SOURCES: the last line of a file is the last one with text, and its statement has an author too."""
    rule = "Always use yarn as package manager.\n"
    why = "# Why\n\nNever use tabs in sources, because the printer eats them.\n\n\n\n# End\n"
    files = {".cursor/rules/style.mdc": rule, "docs/why.md": why}
    files["package.json"] = '{"dependencies": {"left-pad": "1"}}\n'
    with lab_on(tmp_path, {"commit": [{"message": "One", "files": files}]}) as lab:
        for contains, line in (("Always use yarn", 1), ("Never use tabs", 3), ("left-pad", 1)):
            item = lab.show(contains).discovery
            assert (item.source.line_start, item.source.line_end) == (line, line)
            assert (item.author, item.source.commit) == ("A", lab.commits[0])


def test_sources_in_commits(shop: Lab) -> None:
    """MEM-SOURCES: an explanation, a fix; and nothing from a commit that explains nothing."""
    cached = shop.one("Cache prices for an hour", source="commit")
    assert (cached.type, cached.author, cached.source.commit) == ("decision", "A", shop.commits[2])
    assert cached.date.startswith("2020-09-15") and cached.module == "catalog"
    fixed = shop.one("Fix double charge", source="fix")
    assert fixed.type == "issue" and "second request" in fixed.content
    assert not [item for item in shop.all() if item.title == "typo"]


def test_lines_know_their_author(shop: Lab) -> None:
    """MEM-SOURCES: lines of a file carry the author, the date and the commit that wrote them."""
    hit = shop.show("must have a docstring")
    assert (hit.discovery.author, hit.discovery.source.commit) == ("A", shop.commits[1])
    assert hit.discovery.date.startswith("2020-09-14") and hit.untrusted


def test_noise_is_left_out(shop: Lab) -> None:
    """MEM-PROSE: a section that prescribes nothing is no discovery."""
    assert not [item for item in shop.all() if "weather" in item.content]
    warned = shop.one("Never retry a charge")
    assert (warned.type, warned.source.kind, warned.module) == ("rule", "comment", "billing")


def test_records_supersede_one_another(shop: Lab) -> None:
    """MEM-SUPERSEDE: decision records name their successor by number."""
    old, new = shop.one("stored in SQLite"), shop.one("stored in Postgres")
    assert (old.state, old.superseded_by) == ("superseded", new.id)
    assert new.supersedes == (old.id,) and new.state == "active"


def test_searched_says_what(shop: Lab) -> None:
    """MEM-COVERAGE: counts by source, and complete when nothing was left out."""
    searched = shop.ask("anything at all about nothing").searched
    assert searched.complete and searched.counts["adr"] == 2 and searched.counts["commit"] == 2


def test_same_from_scratch(shop: Lab, tmp_path: Path) -> None:
    """MEM-IDS: an index made commit by commit and one made at once know the same."""
    with desk_on(shop.repo, tmp_path / "data") as desk:
        desk.index()
        fresh = desk.engine.discoveries(None, MemoryFilter(state="", limit=1_000), Call()).items
    assert sorted(fresh) == sorted(shop.all())


def test_incremental_equals_from_scratch(tmp_path: Path) -> None:
    """MEM-IDS: edits, renames and deletions end in what mining from nothing finds; ids survive a rename."""
    with lab_on(tmp_path, "shop") as lab:
        before = lab.one("Never retry a charge").id
        lab.commit({
            "move": {"src/billing/charge.py": "src/pay/charge.py"}, "delete": ["CONTRIBUTING.md"],
            "files": {"NOTES.md": "# Notes\n\nWe use Redis because it is there.\n"}, "message": "Move billing",
        })  # fmt: skip
        assert lab.one("Never retry a charge").id == before
        assert lab.one("Never retry a charge").source.path == "src/pay/charge.py"
        stepwise = sorted(lab.all())
        with desk_on(lab.repo, tmp_path / "other") as desk:
            desk.index()
            fresh = desk.engine.discoveries(None, MemoryFilter(state="", limit=1_000), Call()).items
        assert sorted(fresh) == stepwise


def test_memory_can_be_deleted(tmp_path: Path) -> None:
    """MEM-DERIVED: without its file, or with a damaged one, the answer is the same; what was recorded stays."""
    with lab_on(tmp_path, "shop") as lab:
        lab.remember("We bill in whole cents, never in floats.", type="rule")
        before = sorted(lab.all())
        file = lab.desk.home / "memory.db"
        assert file.exists()
    file.write_bytes(b"not a database at all" * 1_000)
    with desk_on(lab.repo, tmp_path / "data") as desk:
        desk.index()
        again = desk.engine.discoveries(None, MemoryFilter(state="", limit=1_000), Call())
        assert sorted(again.items) == before and again.searched.complete


def test_branches_keep_apart(tmp_path: Path) -> None:
    """MEM-BRANCH: contents and commits of a branch are known on that branch only."""
    with lab_on(tmp_path, "shop") as lab:
        lab.commit({
            "branch": "feature", "message": "Use a queue for mails\n\nBecause sending took longer than the request.",
            "files": {"src/mail.py": "# TODO: retry mails that bounce\nx = 1\n"},
        })  # fmt: skip
        lab.index("main")
        assert lab.one("retry mails") and lab.one("Use a queue for mails")
        on_main = [f"{item.title} {item.content}" for item in lab.all("main")]
        assert on_main and not [text for text in on_main if "mails" in text]


def test_task_closes_with_its_comment(tmp_path: Path) -> None:
    """MEM-CLOSED: the comment goes, the task is closed by that commit; it comes back, the task is open again."""
    with lab_on(tmp_path, "shop") as lab:
        task = lab.one("TODO(ada)")
        path = lab.repo / "src/billing/charge.py"
        text = path.read_text()
        gone = "".join(line for line in text.splitlines(keepends=True) if "TODO" not in line)
        commit = lab.commit({"files": {"src/billing/charge.py": gone}, "message": "Refund parts"})
        closed = lab.one("TODO(ada)")
        assert (closed.id, closed.state, closed.closed_by) == (task.id, "closed", commit)
        assert not [item for item in lab.all(state="active") if "TODO(ada)" in item.content]
        lab.commit({"files": {"src/billing/charge.py": text}, "message": "Not yet"})
        assert lab.one("TODO(ada)").state == "active"


def test_without_git(tmp_path: Path) -> None:
    """MEM-COVERAGE: a directory without git is mined from its files, and says that there are no commits."""
    repo = tmp_path / "plain"
    repo.mkdir()
    (repo / "AGENTS.md").write_text("# Rules\n\nAlways run the linter before you commit.\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        found = desk.engine.discoveries(None, MemoryFilter(), Call())
        assert [item.type for item in found.items] == ["rule"]
        assert any("Not a git repository" in note for note in found.searched.notes)


def test_shallow_clone_says_so(shop: Lab, tmp_path: Path) -> None:
    """MEM-COVERAGE: a clone that lacks older commits says so and tells of those it has."""
    clone = tmp_path / "clone"
    argv = ["git", "clone", "-q", "--depth=2", f"file://{shop.repo}", str(clone)]
    subprocess.run(argv, env={**ENV, "GIT_ALLOW_PROTOCOL": "file"}, check=True, capture_output=True)
    with desk_on(clone, tmp_path / "data") as desk:
        desk.index()
        found = desk.engine.discoveries(None, MemoryFilter(source="fix"), Call())
        assert [item.title for item in found.items] == ["Fix double charge when the gateway times out"]
        assert any("shallow" in note for note in found.searched.notes)


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nabc",
        "see HTTPS://ada:wonder@host/",
        "BEARER abcd1234",
        "Negotiate YIIabcdef0123",
        "Set-Cookie: a=b; c=d",
        "API-KEY = 12345",
        "my_TOKEN: xyz",
        "PassPhrase='open'",
        "pa\u017f\u017fword=open",
        "ghs_0123456789abcdef",
        "AKIA0123456789AB",
        "xoxb-0123456789",
        "eyJhbGciOiJI.eyJzdWIi.abc",
    ],
)
def test_every_kind_of_secret_is_taken_out(text: str) -> None:
    """MEM-REDACT: the quick look for letters that a secret has passes by none, in whatever case it is written."""
    kept, redacted = sanitize_text(f"We use {text} here")
    assert redacted and "[redacted]" in kept
    assert sanitize_text("We bill in whole cents, never in floats.") == (
        "We bill in whole cents, never in floats.",
        False,
    )
