"""Refs: what the repository names, what is indexed of it, and that each ref answers for itself at its own price."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.engine.index.orphaned_views import MAX_ORPHANS
from codecompass.model.call import Call
from codecompass.model.memory_values import ImpactQuery, MemoryQuery
from codecompass.model.queries.context_bundle import ContextBundleQuery
from codecompass.model.queries.file_excerpt import ExcerptQuery
from codecompass.model.queries.file_reading import ReadQuery
from codecompass.model.queries.grep_query import GrepQuery
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import ViewState
from codecompass.model.queries.search_query import LocateQuery, ReferenceQuery, SearchQuery
from codecompass.model.queries.symbol_difference import DiffQuery
from codecompass.model.refs import RefEntry, RefList
from codecompass.repo.git.repository import GitDir, HeadState, read_head
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import ENV, commit, git, make_repo

ONE = {"a.py": "def alpha():\n    return 1\n", "b.py": "def beta():\n    return alpha()\n"}


def refs(desk: Desk, contains: str = "", limit: int = 100) -> RefList:
    return desk.engine.refs(None, contains, limit, Call())


def by_name(found: RefList) -> dict[str, RefEntry]:
    return {entry.name: entry for entry in found.refs}


def dated(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    monkeypatch.setitem(ENV, "GIT_COMMITTER_DATE", f"{1_700_000_000 + seconds} +0000")


def test_refs_and_what_is_indexed_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """REFS-LIST: live first, then the newest; current, default, indexed, fresh or stale, gone or no ref at all."""
    repo = make_repo(tmp_path / "repo", ONE)
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "light")
    git(repo, "tag", "-a", "-m", "x", "heavy")
    git(repo, "update-ref", "refs/remotes/origin/main", first)
    git(repo, "pack-refs", "--all")
    git(repo, "branch", "gone")
    dated(monkeypatch, 100)
    git(repo, "checkout", "-q", "-b", "side")
    second = commit(repo, {"c.py": "def gamma():\n    pass\n"})
    git(repo, "checkout", "-q", "main")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.init(str(repo))
        before = by_name(refs(desk))
        assert not any(entry.indexed for entry in before.values()) and before["side"].freshness == ""
        desk.index()
        for ref in ("side", "heavy", "gone", "HEAD~0"):
            desk.index(ref)
        git(repo, "branch", "-D", "gone")
        found = refs(desk)
        known = by_name(found)
        assert [entry.name for entry in found.refs[:3]] == ["live", "side", "main"]
        assert found.total == 8 and not found.truncated and found.vcs_mode == "git"
        assert {name for name, entry in known.items() if entry.is_current} == {"live", "main"}
        assert {name for name, entry in known.items() if entry.is_default} == {"main"}
        assert {name: entry.kind for name, entry in known.items()} == {
            "live": "live", "main": "branch", "side": "branch", "light": "tag", "heavy": "tag",
            "origin/main": "remote", "gone": "revision", "HEAD~0": "revision",
        }  # fmt: skip
        assert known["heavy"].commit == known["light"].commit == known["origin/main"].commit == first
        assert {name for name, entry in known.items() if entry.indexed} == {
            "live", "main", "side", "heavy", "gone", "HEAD~0", "light", "origin/main",
        }  # fmt: skip
        assert {entry.freshness for entry in known.values() if entry.indexed and entry.exists} == {"fresh"}
        assert (known["gone"].exists, known["gone"].freshness) == (False, "stale")
        side = known["side"]
        assert (side.commit, side.indexed_commit, side.files, side.symbols) == (second, second, 3, 3)
        assert side.committed_at == "2023-11-14T22:15:00Z" and side.indexed_at.endswith("Z")
        git(repo, "branch", "-f", "side", first)
        (repo / "a.py").write_text("def alpha():\n    return 2\n")
        moved = by_name(refs(desk))
        assert {name for name, entry in moved.items() if entry.freshness == "stale"} == {"side", "live", "main", "gone"}
        assert (moved["side"].commit, moved["side"].indexed_commit) == (first, second)


def test_names_that_two_refs_have(tmp_path: Path) -> None:
    """REFS-LIST: a tag called like a branch goes by the name that reaches it, and the branch's index is not its own."""
    repo = make_repo(tmp_path / "repo", ONE)
    git(repo, "tag", "same")
    commit(repo, {"c.py": "def gamma():\n    pass\n"})
    git(repo, "branch", "same")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index("same")
        known = by_name(refs(desk))
        assert known["same"].kind == "branch" and known["same"].indexed
        assert known["refs/tags/same"].kind == "tag" and not known["refs/tags/same"].indexed
        desk.index("refs/tags/same")
        assert by_name(refs(desk))["refs/tags/same"].files == 2


def test_a_directory_without_git_has_one_ref(tmp_path: Path) -> None:
    """REFS-ODD: without git `live` alone; unborn and detached heads are told as they are."""
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def a():\n    pass\n")
    with desk_on(plain, tmp_path / "data") as desk:
        desk.engine.init(str(plain))
        found = refs(desk)
        assert [entry.name for entry in found.refs] == ["live"] and found.total == 1
        assert found.vcs_mode == "none" and not found.refs[0].indexed
        desk.index()
        assert refs(desk).refs[0].symbols == 1 and refs(desk).refs[0].freshness == "fresh"
        assert refs(desk, "main").refs == ()
    unborn = make_repo(tmp_path / "unborn")
    with desk_on(unborn, tmp_path / "data2") as desk:
        desk.engine.init(str(unborn))
        found = refs(desk)
        assert [(entry.name, entry.commit) for entry in found.refs] == [("live", "")]
        assert found.worktrees[0].branch == "main" and found.worktrees[0].commit == ""
    repo = make_repo(tmp_path / "detached", ONE)
    git(repo, "checkout", "-q", "--detach")
    with desk_on(repo, tmp_path / "data3") as desk:
        desk.index()
        found = refs(desk)
        assert {entry.name for entry in found.refs if entry.is_current} == {"live"}
        assert (found.worktrees[0].branch, found.worktrees[0].commit) == ("", git(repo, "rev-parse", "HEAD"))


def test_thousands_of_refs(tmp_path: Path) -> None:
    """REFS-MANY: the answer is bounded, the number true, and a part of the name narrows."""
    repo = make_repo(tmp_path / "repo", ONE)
    first = git(repo, "rev-parse", "HEAD")
    lines = "".join(f"create refs/heads/topic/{number:04} {first}\n" for number in range(3000))
    git(repo, "update-ref", "--stdin", input=lines.encode())
    git(repo, "pack-refs", "--all")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.init(str(repo))
        found = refs(desk, limit=20)
        assert len(found.refs) == 20 and found.total == 3002 and found.truncated
        narrow = refs(desk, "TOPIC/29")
        assert narrow.total == 100 and narrow.refs[0].name == "topic/2900"


def test_worktrees_have_each_their_own_live(tmp_path: Path) -> None:
    """REFS-WORKTREES: two worktrees with different edits answer each for itself; what they share is parsed once."""
    repo = make_repo(tmp_path / "repo", {f"m{n}.py": f"def f{n}():\n    pass\n" for n in range(20)})
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", "-b", "feature", str(other))
    (repo / "m1.py").write_text("def here():\n    pass\n")
    (other / "m1.py").write_text("def there():\n    pass\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        before = contents(desk)
        alone = refs(desk).worktrees
        assert [(item.path, item.is_current, item.indexed) for item in alone] == [
            (str(repo), True, True), (str(other), False, False),
        ]  # fmt: skip
        assert len(before) == 20
    with desk_on(other, tmp_path / "data") as desk:
        desk.index()
        assert len(contents(desk) - before) == 1
        assert desk.places("there") == {"m1.py:1"} and desk.places("here") == set()
        query = DiffQuery(freshness="best_effort")
        assert {item.name for item in desk.engine.diff(None, query, Call()).changes} == {"f1", "there"}
        assert {item.name for item in desk.engine.diff(str(repo), query, Call()).changes} == {"f1", "here"}
        found = {item.path: item for item in refs(desk).worktrees}
        assert found[str(other)].is_current and found[str(other)].freshness == "fresh"
        assert (found[str(repo)].branch, found[str(repo)].indexed, found[str(repo)].freshness) == ("main", True, "")
        git(repo, "checkout", "-q", "-f", "--detach")
        git(repo, "commit", "-q", "--allow-empty", "-m", "on")
        assert {item.path: item for item in refs(desk).worktrees}[str(repo)].freshness == "stale"


def contents(desk: Desk) -> set[int]:
    """Every content that a view holds; each was parsed once."""
    with desk.engine._projects.open_for_query(None).store.pin() as snapshot:
        return {entry.blob for view in snapshot.views() for entry in snapshot.entries(view).values()}


def test_a_branch_costs_its_own_changes(tmp_path: Path) -> None:
    """REFS-COST: of a branch with three changed files of three hundred, three are parsed; a merge parses none."""
    repo = make_repo(tmp_path / "repo", {f"d{n % 7}/m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(300)})
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {f"d{n % 7}/m{n}.py": f"def g{n}():\n    return {n}\n" for n in (1, 2, 3)})
    git(repo, "checkout", "-q", "main")
    for path in repo.glob("d*/*.py"):
        # Files younger than the clock's grain are read again; these are old.
        os.utime(path, (1, 1))
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert len(contents(desk)) == 300
        desk.index("side")
        both = contents(desk)
        assert len(both) == 303
        git(repo, "merge", "-q", "--no-ff", "-m", "merge", "side")
        assert desk.index().changed_files == 3 and contents(desk) <= both


def test_a_rebased_branch_is_stale_until_it_is_synced(tmp_path: Path) -> None:
    """REFS-REBASE: rewritten history shows at once, and after a sync the view is the new tree and nothing else."""
    repo = make_repo(tmp_path / "repo", ONE)
    git(repo, "checkout", "-q", "-b", "topic")
    commit(repo, {"t.py": "def topic():\n    pass\n"})
    git(repo, "checkout", "-q", "main")
    commit(repo, {"a.py": "def alpha_two():\n    pass\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("topic")
        assert desk.places("alpha", "topic") == {"a.py:1"}
        git(repo, "rebase", "-q", "main", "topic")
        git(repo, "checkout", "-q", "main")
        assert by_name(refs(desk))["topic"].freshness == desk.locate("alpha", "topic").state.freshness == "stale"
        assert desk.index("topic").changed_files == 1
        assert desk.places("alpha", "topic") == set() and desk.places("alpha_two", "topic") == {"a.py:1"}
        assert desk.places("topic", "topic") == {"t.py:1"}
        assert by_name(refs(desk))["topic"].freshness == "fresh"


def test_a_shallow_clone(tmp_path: Path) -> None:
    """REFS-SHALLOW: refs up to the border are listed and compared; a history that is not here is said to be none."""
    origin = make_repo(tmp_path / "origin", ONE)
    commit(origin, {"c.py": "def gamma():\n    pass\n"})
    git(origin, "branch", "side")
    commit(origin, {"d.py": "def delta():\n    pass\n"})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{origin}", str(clone))
    with desk_on(clone, tmp_path / "data") as desk:
        desk.index()
        known = by_name(refs(desk))
        assert {"live", "main", "origin/main", "origin/side"} <= set(known)
        assert known["main"].is_default and known["main"].freshness == "fresh"
        found = desk.engine.diff(None, DiffQuery("origin/side", "main", freshness="best_effort"), Call())
        assert {item.name for item in found.changes} == {"delta"} and "no common history" in found.warnings[0]


def test_views_of_deleted_branches_do_not_pile_up(tmp_path: Path) -> None:
    """REFS-GONE: of refs that are gone only the last few stay indexed; a hash is no ref and stays."""
    repo = make_repo(tmp_path / "repo", ONE)
    first = git(repo, "rev-parse", "HEAD")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index(first)
        for number in range(MAX_ORPHANS + 5):
            git(repo, "branch", f"b{number}")
            desk.index(f"b{number}")
            git(repo, "branch", "-D", f"b{number}")
        git(repo, "branch", "stays")
        desk.index("stays")
        found = by_name(refs(desk))
        gone = {name for name, entry in found.items() if not entry.exists}
        assert gone == {f"b{number}" for number in range(5, MAX_ORPHANS + 5)}
        assert found[first].indexed and found["stays"].indexed and desk.places("alpha", first) == {"a.py:1"}
        assert desk.places("alpha", f"b{MAX_ORPHANS + 4}") == {"a.py:1"}


def test_a_deleted_branch_is_not_fresh(tmp_path: Path) -> None:
    """REFS-GONE: what was indexed of a branch still answers after it is deleted, and is called stale."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def kept():\n    return 1\n"})
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"b.py": "def on_side():\n    return 2\n"}, "side")
    git(repo, "checkout", "-q", "main")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("side")
        assert desk.locate("on_side", "side").state.freshness == "fresh"
        git(repo, "branch", "-q", "-D", "side")
        found = desk.locate("on_side", "side")
        assert found.hits and found.state.freshness == "stale"


# -- a switch of branches during a call ------------------------------------------------------------------------------


CALLS: dict[str, Callable[[Engine], ViewState]] = {
    "locate": lambda engine: engine.locate(None, LocateQuery("alpha"), Call()).state,
    "search": lambda engine: engine.search(None, SearchQuery("alpha"), Call()).state,
    "bundle": lambda engine: engine.bundle(None, ContextBundleQuery("alpha"), lambda _: 1, Call()).state,
    "outline": lambda engine: engine.outline(None, "a.py", None, "full", Call()).state,
    "excerpt": lambda engine: engine.excerpt(None, ExcerptQuery(path="a.py"), Call()).state,
    "read": lambda engine: engine.read(None, ReadQuery("a.py"), Call()).state,
    "grep": lambda engine: engine.grep(None, GrepQuery("alpha"), Call()).state,
    "references": lambda engine: engine.references(None, ReferenceQuery(SymbolTarget(name="alpha")), Call()).state,
    "diagnostics": lambda engine: engine.list_diagnostics(None, None, (), 5, "balanced", Call()).state,
    "recall": lambda engine: engine.recall(None, MemoryQuery("alpha"), Call()).state,
    "impact": lambda engine: engine.find_impacted(None, ImpactQuery(), Call()).state,
    "status": lambda engine: engine.status(None, None).state,
    "describe": lambda engine: engine.describe(None, None),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_switch_during_a_call(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LIVE-SWITCH: a call without a ref means the working tree, whatever HEAD says a moment later."""
    repo = make_repo(tmp_path / "repo", ONE)
    git(repo, "branch", "side")
    # An edit, so that no commit can stand in for the working tree.
    (repo / "a.py").write_text("def alpha():\n    return 2\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        reads: list[str | None] = []

        def read_then_switch(directory: GitDir) -> HeadState:
            head = read_head(directory)
            git(repo, "symbolic-ref", "HEAD", "refs/heads/side")
            reads.append(head.branch)
            return head

        for reader in ("repo.workspace.read_head", "engine.navigation.diff.diff_request.head_of"):
            monkeypatch.setattr(f"codecompass.{reader}", read_then_switch)
        state = CALLS[name](desk.engine)
    assert reads[0] == "main"
    assert (state.ref, state.indexing, state.schema) == ("main", "ready", "compatible")
