"""grep_codebase on a real repository: what is searched, how fresh it is, how it is narrowed and bounded."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.families import render_failure, render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.engine.grep import grep_scan as scanning
from codecompass.engine.grep.text_cache import ENTRY_OVERHEAD, TextCache
from codecompass.engine.services.grep_service import GrepService
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.grep_query import GrepAnswer, GrepQuery
from codecompass.tools.grep_codebase import TOOL
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

FILES = {
    "src/auth.py": "import jwt\n\n\ndef sign(payload):\n    # Generate\n    return jwt.sign(payload, SECRET)\n\n\n"
    "class Vault:\n    def open(self):\n        token = 1\n        return token\n\n\ntoken = 2\n",
    "src/app.ts": "interface AppContext { token: string }\nexport function handleAuth(a) {\n  return a.token;\n}\n",
    "docs/guide.md": "# Guide\n\nUse a token.\n",
    "build/out.js": "var token = 1;\n",
    "src/dist/out.js": "var token = 2;\n",
    ".context/memory.md": "token of memory\n",
    ".github/flow.yml": "env: token\n",
    "vendor/x.js": "var token = 3;\n",
}
LIVE = {
    ".env": "token=secret\n", "server.pem": "token\n", "ignored/a.py": "token = 9\n", "node_modules/m/i.js": "token\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_repo(tmp_path_factory.mktemp("grep") / "repo", FILES)
    (made / ".gitignore").write_text("ignored/\n")
    git(made, "branch", "old")
    git(made, "add", ".gitignore")
    commit(made, {"src/new.py": "later_token = 1\n"}, "more")
    for name, text in LIVE.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    return made


@pytest.fixture(scope="module")
def desk(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_on(repo, tmp_path_factory.mktemp("data"), watch=True) as found:
        found.index()
        yield found


def grep(desk: Desk, pattern: str, **more: Any) -> GrepAnswer:  # noqa: ANN401 - fields of the query
    return desk.engine.grep(None, GrepQuery(pattern, **more), Call())


def tool(desk: Desk, **arguments: object) -> dict[str, Any]:
    return ask(desk, arguments)


def ask(desk: Desk, arguments: dict[str, object], most: int = 65_536) -> dict[str, Any]:
    """The payload as a client gets it, of an error too."""
    host = Host(desk.engine, Defaults(max_response_bytes=most))
    try:
        reply = render_success(TOOL.family, TOOL.run(host, Call(), decode(TOOL.params, arguments)))
    except Failure as error:
        reply = render_failure(TOOL.family, error, desk.engine.describe(None, None), TOOL.name)
    assert reply.is_error is (reply.failure is not None) and json.loads(reply.body) == reply.payload
    return reply.payload


def places(found: GrepAnswer) -> list[str]:
    return [f"{match.path}:{match.line}" for match in found.matches]


TOKENS = [".github/flow.yml:1", "docs/guide.md:3", "src/app.ts:1", "src/app.ts:3", "src/auth.py:11", "src/auth.py:12",
          "src/auth.py:15", "src/new.py:1", "vendor/x.js:1"]  # fmt: skip


def test_the_documented_payload(desk: Desk) -> None:
    """GREP-PAYLOAD: matches with place, text and two lines around; pattern, totals and time; no field is null."""
    found = tool(desk, pattern="jwt\\.sign")
    took = found.pop("searchTime")
    assert isinstance(took, int) and took >= 0
    assert found == {
        "matches": [
            {
                "file": "src/auth.py", "line": 6, "column": 12, "text": "    return jwt.sign(payload, SECRET)",
                "context": {"before": ["def sign(payload):", "    # Generate"], "after": ["", ""]},
            }
        ],
        "pattern": "jwt\\.sign", "totalMatches": 1, "filesSearched": 7, "ref": "main", "freshness": "fresh",
    }  # fmt: skip


def test_nothing_found(desk: Desk) -> None:
    """GREP-PAYLOAD: the documented message, and what may be the reason."""
    found = tool(desk, pattern="nonexistent")
    assert found["matches"] == [] and found["totalMatches"] == 0
    assert found["message"] == "No matches found for pattern 'nonexistent'"
    assert any("build/" in note and "3 files" in note for note in found["warnings"])
    assert "one line" in tool(desk, pattern="import jwt\\n")["suggestion"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"pattern": "[invalid("}, "Invalid regex pattern"),
        ({"pattern": ""}, "pattern"), ({"pattern": "x" * 201}, "pattern"), ({"pattern": "a", "limit": 101}, "limit"),
        ({"pattern": "a", "limit": 0}, "limit"), ({"pattern": "a", "filePattern": ""}, "filePattern"),
        ({"pattern": "a", "filePattern": "{a"}, "filePattern"), ({"pattern": "a", "filters": {"nope": 1}}, "nope"),
        ({"pattern": "a", "filters": {"lang": "klingon"}}, "lang"), ({"pattern": "a", "ref": "no-such"}, "no-such"),
    ],
)  # fmt: skip
def test_errors(desk: Desk, arguments: dict[str, object], error: str) -> None:
    """GREP-ERRORS: in the words of the document; wrong arguments are named."""
    found = tool(desk, **arguments)
    assert error.lower() in (found["error"] + found.get("message", "")).lower()
    assert found["tool"] == "grep_codebase" and found["code"] in ("INVALID_REQUEST", "NOT_FOUND")
    if error == "Invalid regex pattern":
        assert found["error"] == error and found["pattern"] == "[invalid("


@pytest.mark.parametrize(
    "pattern", ["-", "--pre=/bin/sh", "-e", "\\x00", "a||b", "(a+)+$", "x" * 200, "\\Qa\\E", "^", "(?s).*", "(?i)TOKEN"]
)
def test_odd_patterns_give_a_result(desk: Desk, pattern: str) -> None:
    """GREP-ERRORS: dashes, NUL, empty choices, nested repetitions, two hundred characters."""
    found = tool(desk, pattern=pattern)
    assert "error" not in found and found["totalMatches"] == grep(desk, pattern, limit=10**6).total


def test_what_is_searched(desk: Desk) -> None:
    """GREP-EXCLUDED: dot files are; ignored files, secrets and the documented directories are not."""
    assert places(grep(desk, "token")) == TOKENS
    assert places(grep(desk, "token", ref="old")) == [one for one in TOKENS if "new" not in one]
    assert grep(desk, "token", glob="build/**").total == 0 == grep(desk, "secret", glob=".env").total


def test_case(desk: Desk) -> None:
    """GREP-PAYLOAD: any case unless told otherwise."""
    assert grep(desk, "TOKEN").total == len(TOKENS) and grep(desk, "TOKEN", case_sensitive=True).total == 0


@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("**/*.ts", {"src/app.ts"}), ("*.ts", {"src/app.ts"}), ("src/**/*.py", {"src/auth.py", "src/new.py"}),
        ("src", {"src/app.ts", "src/auth.py", "src/new.py"}), ("*.{md,yml}", {"docs/guide.md", ".github/flow.yml"}),
        ("!*.{md,yml,js}", {"src/app.ts", "src/auth.py", "src/new.py"}), ("../**", set()), ("*.TS", set()),
        ("auth", set()), ("/src/app.ts", {"src/app.ts"}), ("**/" * 100 + "*.ts", {"src/app.ts"}),
    ],
)  # fmt: skip
def test_globs(desk: Desk, glob: str, files: set[str]) -> None:
    """GREP-GLOB: a glob names paths or components of them; `!` takes away."""
    found = grep(desk, "token", glob=glob)
    assert {match.path for match in found.matches} == files
    assert found.searched <= 7


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"lang": "ts"}, ["src/app.ts:1", "src/app.ts:3"]), ({"ext": "md"}, ["docs/guide.md:3"]),
        ({"path": "vendor"}, ["vendor/x.js:1"]), ({"file": "flow.yml"}, [".github/flow.yml:1"]),
        ({"type": "method"}, ["src/auth.py:11", "src/auth.py:12"]),
        ({"type": "function", "lang": "ts"}, ["src/app.ts:3"]),
        ({"author": "nobody"}, []), ({"type": "method", "path": "vendor"}, []),
        ({"signature": "handleAuth"}, ["src/app.ts:3"]),
        ({"author": "A", "ext": "py"}, ["src/auth.py:11", "src/auth.py:12", "src/auth.py:15", "src/new.py:1"]),
        ({"churnMin": 1, "ext": "md"}, ["docs/guide.md:3"]), ({"churnMin": 999}, []),
        ({"modifiedAfter": "2999-01-01"}, []),
    ],
)  # fmt: skip
def test_filters(desk: Desk, filters: dict[str, object], expected: list[str]) -> None:
    """GREP-FILTERS: the filters of search, of files and of the definition that holds the line."""
    found = tool(desk, pattern="token", filters=filters)
    assert [f"{one['file']}:{one['line']}" for one in found["matches"]] == expected
    assert found["totalMatches"] == len(expected)


def test_limit_and_total(desk: Desk) -> None:
    """GREP-TOTAL: the limit cuts what is shown, never what is counted."""
    found = tool(desk, pattern="token", limit=2)
    assert len(found["matches"]) == 2 and found["totalMatches"] == len(TOKENS) and found["truncated"] is True
    assert "truncated" not in tool(desk, pattern="token", limit=100)


def test_the_answer_fits_its_budget(desk: Desk) -> None:
    """GREP-TOTAL: an answer that would be too large shows fewer matches and says so."""
    found = ask(desk, {"pattern": "."}, 2_000)
    assert len(json.dumps(found, separators=(",", ":"))) <= 2_000
    assert 0 < len(found["matches"]) < 50 and found["truncated"] and "Cut to the size" in found["message"]


def test_files_as_they_are_now(tmp_path: Path) -> None:
    """GREP-NOW: edited, new, deleted and reverted files answer with the bytes on disk, before any sync."""
    repo = make_repo(tmp_path / "repo", {"a.py": "alpha = 1\n", "b.py": "beta = 1\n", "c.py": "gamma = 1\n"})
    for watch in (True, False):
        with desk_on(repo, tmp_path / f"data{watch}", watch=watch) as desk:
            desk.index()
            assert places(grep(desk, "alpha|beta|omega")) == ["a.py:1", "b.py:1"]
            (repo / "a.py").write_text("\nomega = 1\n")
            (repo / "d.py").write_text("alpha = omega\n")
            (repo / "b.py").unlink()
            found = grep(desk, "alpha|beta|omega")
            assert places(found) == ["a.py:2", "d.py:1"] and found.state.freshness == "fresh"
            assert places(grep(desk, "omega", filters=desk_filters(ext="py"))) == ["a.py:2", "d.py:1"]
            assert places(grep(desk, "omega", filters=desk_filters(lang="python"))) == ["a.py:2", "d.py:1"]
            held = grep(desk, "omega", filters=desk_filters(type="var"))
            assert not held.matches and "left out" in held.notes[0] and held.state.freshness != "fresh"
            git(repo, "checkout", "-q", ".")
            (repo / "d.py").unlink()
            assert places(grep(desk, "alpha|beta|omega")) == ["a.py:1", "b.py:1"]


def desk_filters(**given: object) -> Filters:
    return Filters.parse(given)


def test_kept_texts_are_never_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GREP-NOW: a file that was searched from memory and is then changed is read again."""
    monkeypatch.setattr(scanning, "_MANY", 0)
    repo = make_repo(tmp_path / "repo", {f"f{at}.py": f"word_{at} = 1\n" + "# filler\n" * 9 for at in range(5)})
    with desk_on(repo, tmp_path / "data", watch=True) as desk:
        desk.index()
        for _ in range(2):
            assert grep(desk, "w[o]rd").total == 5
        # The same with less room than all of it needs: some of it is packed, the rest is read.
        small = GrepService(ProjectAccess(desk.engine._projects), 900)
        for _ in range(2):
            assert small.grep(None, GrepQuery("w[o]rd"), Call()).total == 5
        (repo / "f1.py").write_text("other = 1\n")
        assert places(grep(desk, "w[o]rd")) == ["f0.py:1", "f2.py:1", "f3.py:1", "f4.py:1"]


def test_any_ref(tmp_path: Path) -> None:
    """GREP-REF: an indexed commit, one whose branch moved since, one that nobody indexed; nothing is checked out."""
    repo = make_repo(tmp_path / "repo", {"a.py": "alpha = 1\n", "b.py": "beta = 1\n"})
    git(repo, "branch", "side")
    first = commit(repo, {"a.py": "omega = 1\n", ".env": "omega\n", "dist/x.js": "omega\n"}, "second")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        bare = grep(desk, "alpha|omega", ref="side")
        assert places(bare) == ["a.py:1"] and "no index" in bare.notes[0] and bare.searched == 2
        desk.index("side")
        found = grep(desk, "alpha|omega", ref="side")
        assert places(found) == ["a.py:1"] and found.matches[0].text == "alpha = 1" and not found.notes
        git(repo, "branch", "-f", "side", first)
        moved = grep(desk, "alpha|omega", ref="side")
        assert moved.matches[0].text == "omega = 1" and moved.commit == first and places(moved) == ["a.py:1"]
        assert tool(desk, pattern="omega", ref="side")["asOf"] == first
        assert (repo / "a.py").read_text() == "omega = 1\n"


def test_without_an_index(tmp_path: Path) -> None:
    """GREP-REF: a project that was never indexed, or has no git, is read file by file."""
    place = tmp_path / "plain"
    place.mkdir()
    (place / "a.py").write_text("alpha\n")
    with desk_on(place, tmp_path / "data") as desk:
        desk.engine.init(str(place))
        found = grep(desk, "alpha", filters=desk_filters(file="a.py", lang="python"))
        assert places(found) == ["a.py:1"] and found.state.indexing == "not_indexed"
        assert grep(desk, "alpha", filters=desk_filters(author="x")).total == 0
        assert "REF_NOT_INDEXED" == _code(lambda: grep(desk, "alpha", ref="main"))


def _code(work: Callable[[], object]) -> str:
    with pytest.raises(Failure) as caught:
        work()
    return caught.value.code


def test_odd_files_are_searched_whole(tmp_path: Path) -> None:
    """GREP-WHOLE: beyond what is indexed of a long file, in bytes that are no UTF-8, in the source of a notebook."""
    repo = make_repo(tmp_path / "repo", {"a.txt": "x\n"})
    (repo / "long.txt").write_bytes(b"filler of a line\n" * 70_000 + b"needle at the end\n")
    (repo / "latin.txt").write_bytes("déjà été\n".encode("latin-1") * 20 + b"needle \xc3\xa9\n")
    (repo / "n.ipynb").write_text('{"cells": [], "metadata": {"needle": 1}, "nbformat": 4, "nbformat_minor": 5}\n')
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert places(grep(desk, "needle")) == ["latin.txt:21", "long.txt:70001", "n.ipynb:1"]
        assert places(grep(desk, "needle é", case_sensitive=True)) == ["latin.txt:21"]
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", "more")
        git(repo, "branch", "side")
        desk.index("side")
        assert places(grep(desk, "needle", ref="side")) == ["latin.txt:21", "long.txt:70001", "n.ipynb:1"]


def test_a_search_ends_when_it_must(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """GREP-TIME: cancelled and late calls stop; a count that takes too long is a lower bound and says so."""
    stopped = Call(cancelled=Event())
    stopped.cancelled.set()
    assert "CANCELLED" == _code(lambda: desk.engine.grep(None, GrepQuery("token"), stopped))
    late = Call(deadline=time.monotonic() - 1)
    assert "TOOL_TIMEOUT" == _code(lambda: desk.engine.grep(None, GrepQuery("token"), late))
    monkeypatch.setattr(scanning, "COUNT_S", -1.0)
    monkeypatch.setattr(scanning, "_WINDOW", 1)
    found = tool(desk, pattern="token", limit=1)
    assert found["complete"] is False and found["totalMatches"] == 1 and "lower bound" in found["message"]
    assert grep(desk, "token", limit=100).complete


def test_memory_is_bounded() -> None:
    """GREP-MEMORY: what is kept stays within its budget, and a search does not push out what it just used."""
    kept = TextCache(10 * (100 + ENTRY_OVERHEAD))
    one = kept.start_search()
    for at in range(30):
        kept.put(b"%d" % at, bytes(100), one, packed=False)
    assert kept.size <= kept.budget and all(kept.get(b"%d" % at, one) for at in range(10))
    assert kept.get(b"10", one) is None
    two = kept.start_search()
    assert kept.get(b"9", two)
    kept.put(b"new", bytes(100), two, packed=True)
    assert kept.get(b"new", two) == (bytes(100), True) and kept.get(b"9", two) and kept.get(b"0", two) is None
    kept.put(b"huge", bytes(10_000), two, packed=False)
    assert kept.get(b"huge", two) is None and kept.size <= kept.budget
    nothing = TextCache(0)
    nothing.put(b"a", b"b", nothing.start_search(), packed=False)
    assert nothing.size == 0


def test_a_file_that_became_ignored_is_searched_no_more(tmp_path: Path) -> None:
    """GREP-EXCLUDED: an ignore rule counts at once, before the next sync, though the file can still be read."""
    repo = make_repo(tmp_path / "repo", {"keep.py": "needle = 1\n"})
    (repo / "docs").mkdir()
    (repo / "docs" / "note.py").write_text("needle = 2\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert {match.path for match in grep(desk, "needle").matches} == {"keep.py", "docs/note.py"}
        (repo / ".gitignore").write_text("docs/\n")
        assert {match.path for match in grep(desk, "needle").matches} == {"keep.py"}
