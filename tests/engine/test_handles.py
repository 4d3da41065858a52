"""Handles as input: what an answer showed is found again, and what is gone is said to be gone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codecompass.engine.navigation.symbols.target import find_file, find_targets
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import OutlineNode
from tests.engine.search.small_repo import FILES
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git, make_repo

QUERIES = ("token", "basket", "open socket", "src/auth/token.py", "rate limit", "stock.go", "return", "mail")
COPY = {
    "vendor/auth/token.py": FILES["src/auth/token.py"],
    "odd/b\udcffd.py": "def odd_place():\n    pass\n",
    "notes/visits.txt": "A visitor left a note.\n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The shop with a vendored copy, on its branch and on another that differs."""
    base = tmp_path_factory.mktemp("handles")
    repo = make_repo(base / "repo", {**FILES, **COPY})
    git(repo, "checkout", "-q", "-b", "other")
    (repo / "src/auth/token.py").write_text("# above\n\n" + FILES["src/auth/token.py"].replace("return", "return  "))
    git(repo, "commit", "-q", "-a", "-m", "other")
    git(repo, "checkout", "-q", "main")
    with desk_on(repo, base / "data") as desk:
        desk.index()
        desk.index("other")
        yield desk


@contextmanager
def view_of(desk: Desk, ref: str) -> Iterator[PinnedView]:
    project = desk.engine._projects.open_for_query(None)
    with project.open_view(ref) as view:
        yield view


def refused(view: PinnedView, target: SymbolTarget) -> Failure:
    with pytest.raises(Failure) as caught:
        find_targets(view, target)
    assert caught.value.effective_hint, "a failure says what to call next"
    return caught.value


def flat(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from flat(node.children)


@pytest.mark.parametrize("ref", ["main", "other"])
def test_every_symbol_is_found_by_its_handles(desk: Desk, ref: str) -> None:
    """ID-ROUND-TRIP: by symbol_id exactly that symbol, by stable handle every copy of it, the ordinary source first."""
    with view_of(desk, ref) as view:
        every = [symbol for path, entry in view.entries.items() if entry.blob for symbol in view.symbols(path)]
        assert len(every) > 30
        for symbol in every:
            handles = view.handles(symbol)
            assert find_targets(view, SymbolTarget(handle=handles.symbol_id)) == [symbol]
            assert symbol in find_targets(view, SymbolTarget(handle=f" {handles.stable_id}\n"))
            assert find_file(view, SymbolTarget(handle=handles.symbol_id)) == (symbol.path, symbol)


@pytest.mark.parametrize("ref", ["main", "other"])
def test_every_result_leads_back(desk: Desk, ref: str) -> None:
    """ID-ROUND-TRIP: handles of symbols, snippets and files of a search, on the working tree and on a commit."""
    seen = set()
    with view_of(desk, ref) as view:
        for query in QUERIES:
            for hit in desk.search(query, ref, limit=100).hits:
                seen.add(hit.result_type)
                path, symbol = find_file(view, SymbolTarget(handle=hit.result_id))
                assert path == hit.path
                assert (view.handles(symbol).symbol_id if symbol else "") == hit.symbol_id
                if hit.symbol_id:
                    assert find_targets(view, SymbolTarget(handle=hit.result_id)) == [symbol]
    assert seen == {"symbol", "snippet", "file"}


def test_handles_of_an_outline_lead_back(desk: Desk) -> None:
    """ID-ROUND-TRIP: each node of an outline is the root of the outline of its handle."""
    for path in ("src/auth/session.py", "src/store/basket.ts"):
        whole = desk.engine.outline(None, path, None, "all", Call(), "best_effort")
        for node in flat(whole.nodes):
            if not node.symbol_id:
                continue
            for handle in (node.symbol_id, node.symbol_stable_id):
                part = desk.engine.outline(None, None, None, "all", Call(), "best_effort", handle)
                assert (part.path, part.nodes) == (path, (node,))
                assert part.symbol_count == len(list(flat(part.nodes)))


def test_an_unchanged_symbol_has_one_stable_handle_on_every_ref(desk: Desk) -> None:
    """ID-ROUND-TRIP: a stable handle of the working tree finds the moved symbol on the other branch."""
    here = desk.locate("validate_token", "main").hits[0]
    there = desk.locate("validate_token", "other").hits[0]
    assert here.symbol_stable_id == there.symbol_stable_id and here.line_start != there.line_start
    with view_of(desk, "other") as view:
        (symbol, *_) = find_targets(view, SymbolTarget(handle=here.symbol_stable_id))
        assert symbol.definition.line_start == there.line_start


def test_vendored_copies_share_a_place_in_the_list(tmp_path: Path) -> None:
    """ID-ROUND-TRIP: where modules coincide a stable handle names all copies, ordinary source first."""
    source = "pub fn open_box(x: u8) -> u8 { x }\n"
    repo = make_repo(tmp_path / "repo", {"vendor/box/src/lib.rs": source, "crates/box/src/lib.rs": source})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        first, second = desk.locate("open_box").hits
        assert first.symbol_stable_id == second.symbol_stable_id and first.symbol_id != second.symbol_id
        with view_of(desk, "main") as view:
            found = find_targets(view, SymbolTarget(handle=second.symbol_stable_id))
    assert [symbol.path for symbol in found] == ["crates/box/src/lib.rs", "vendor/box/src/lib.rs"]


def test_handles_after_an_edit(tmp_path: Path) -> None:
    """ID-LOST: symbols stay reachable; lines of an edited file, renamed symbols and moved files do not."""
    source = "def keep(a):\n    return a\n\n\ndef lose(b):\n    return 'needle'\n"
    repo = make_repo(tmp_path / "repo", {"pkg/mod.py": source, "pkg/notes.txt": "needle in a file\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        keep, lose = desk.locate("keep").hits[0], desk.locate("lose").hits[0]
        hits = desk.search("needle", limit=10).hits
        (snippet,) = [hit for hit in hits if hit.result_type == "snippet" and hit.path == "pkg/mod.py"]
        (file,) = [hit for hit in desk.search("pkg/notes.txt").hits if hit.result_type == "file"]
        (repo / "pkg/mod.py").write_text("\n\n" + source.replace("lose", "found"))
        (repo / "pkg/notes.txt").rename(repo / "pkg/other.txt")
        desk.index()
        with view_of(desk, "main") as view:
            (kept,) = find_targets(view, SymbolTarget(handle=keep.symbol_id))
            assert kept.definition.line_start == keep.line_start + 2
            for handle in (lose.symbol_id, lose.symbol_stable_id):
                assert refused(view, SymbolTarget(handle=handle)).code == "SYMBOL_NOT_FOUND"
            gone = refused(view, SymbolTarget(handle=snippet.result_id))
            assert gone.code == "RESULT_NOT_FOUND" and "search_code" in gone.effective_hint
            assert refused(view, SymbolTarget(handle=file.result_id)).code == "RESULT_NOT_FOUND"


def test_handles_that_name_no_symbol(desk: Desk) -> None:
    """ID-LOST: a file is no symbol, lines may belong to none, and other words are no handles."""
    with view_of(desk, "main") as view:
        (file, *_) = [hit for hit in desk.search("stock.go").hits if hit.result_type == "file"]
        said = refused(view, SymbolTarget(handle=file.result_id))
        assert (
            said.code == "SYMBOL_NOT_FOUND"
            and "not a symbol" in said.message
            and "get_file_outline" in said.effective_hint
        )
        (loose, *_) = [hit for hit in desk.search("visitor", limit=50).hits if not hit.symbol_id]
        assert refused(view, SymbolTarget(handle=loose.result_id)).code == "SYMBOL_NOT_FOUND"
        for handle in ("sym_1", "validate_token", "b3:7d2a6f0f8f", "", "sym_" + "9" * 15):
            code = "SYMBOL_NOT_FOUND" if handle.endswith("9" * 15) else "INVALID_REQUEST"
            assert refused(view, SymbolTarget(handle=handle)).code == code


def names(found: list[Symbol]) -> list[str]:
    return [symbol.definition.name for symbol in found]


def test_a_place_is_the_innermost_definition(desk: Desk) -> None:
    """ID-TARGET: by path and line; a line outside every definition says where to look."""
    with view_of(desk, "main") as view:
        for symbol in view.symbols("src/auth/session.py"):
            (found,) = find_targets(view, SymbolTarget(path="./src/auth/session.py", line=symbol.definition.line_end))
            assert found.definition.line_start >= symbol.definition.line_start
            assert found.definition.line_start <= symbol.definition.line_end <= found.definition.line_end
        assert refused(view, SymbolTarget(path="src/auth/session.py", line=1)).code == "SYMBOL_NOT_FOUND"
        assert refused(view, SymbolTarget(path="src/auth/session.py", line=9_999)).details["line"] == 9_999
        assert refused(view, SymbolTarget(path="src/auth/none.py", line=1)).code == "FILE_NOT_FOUND"
        (odd,) = find_targets(view, SymbolTarget(path="odd/b\\xffd.py", line=1))
        assert odd.definition.name == "odd_place", "a path is accepted as it is shown"


def test_a_name_is_met_as_locate_meets_it(desk: Desk) -> None:
    """ID-TARGET: plain, qualified and in another case, narrowed by file or directory; a mere beginning is offered."""
    with view_of(desk, "main") as view:
        assert names(find_targets(view, SymbolTarget(name="Session.open"))) == ["open"]
        assert names(find_targets(view, SymbolTarget(name="VALIDATE_TOKEN"))) == ["validate_token"] * 2
        for within in ("vendor", "vendor/auth/token.py"):
            (copy,) = find_targets(view, SymbolTarget(name="validate_token", path=within))
            assert copy.path == "vendor/auth/token.py"
        assert refused(view, SymbolTarget(name="Session", path="no/such/place")).code == "FILE_NOT_FOUND"
        near = refused(view, SymbolTarget(name="validate_tok"))
        assert near.code == "SYMBOL_NOT_FOUND" and "auth.token.validate_token" in str(near.details["near"])
        assert refused(view, SymbolTarget(name="nothing_of_this_name")).code == "SYMBOL_NOT_FOUND"
        assert refused(view, SymbolTarget(path="src/auth/token.py")).code == "INVALID_REQUEST"


def test_names_of_later_generations_are_found(tmp_path: Path) -> None:
    """ID-LOOKUP: what a sync adds is found by its handle in a process that looked before it."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def first(): pass\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        for name in ("first", "second", "third"):
            (repo / f"{name}.py").write_text(f"def {name}(x): pass\n")
            desk.index()
            hit = desk.locate(name).hits[0]
            with view_of(desk, "main") as view:
                assert names(find_targets(view, SymbolTarget(handle=hit.symbol_stable_id))) == [name]
        desk.index(force=True)
        hit = desk.locate("third").hits[0]
        with view_of(desk, "main") as view:
            assert names(find_targets(view, SymbolTarget(handle=hit.symbol_id))) == ["third"]
