"""The backend `sqlite`: the same answers from the portable file, and clear words when it cannot give them."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import MODES
from codecompass.store.portable import portable_writer
from codecompass.store.portable.fts5_query import to_fts5_expression, to_query_node
from codecompass.store.text_query import QueryNode, TextQuery
from tests.engine.search.small_repo import FILES
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

QUERIES = (
    "validate token", "ShoppingBasket", "compute total price", "basket", "token must not be empty", "stock.go",
    "how is a visitor known", "addItem removeItem", "checkSignature", "wishlistmarker", "session open close",
    "class Session", "größe", "std::io::Error", "foo(bar)", "NEAR AND OR NOT", '"token" *', "nowhereatall",
    "basket nowhereatall", "token -signature", '"check signature"', "(basket OR session) total",
)  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One index for tests that change no file, with so many chunks that the best must be chosen among them."""
    many = {f"many/m{at}.py": f"def token_{at}(basket):\n    return {' + token' * (at % 7 + 1)}\n" for at in range(260)}
    home = tmp_path_factory.mktemp("search")
    with desk_on(make_repo(home / "repo", FILES | many), home / "data", workers=2) as found:
        found.index()
        yield found


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Desk]:
    with desk_on(make_repo(tmp_path / "repo", FILES), tmp_path / "data") as found:
        found.index()
        yield found


def build(desk: Desk, **order: object) -> None:
    desk.engine.build_portable(None, PortableBuildRequest(**order), Call())  # type: ignore[arg-type]


def search(desk: Desk, text: str, backend: str = "sqlite", **more: object) -> Hits:
    query = SearchQuery(text, backend=backend, **{"freshness": "best_effort", "limit": 20, **more})  # type: ignore[arg-type]
    return desk.engine.search(None, query, Call())


def places(hits: Hits) -> list[tuple[str, int, float]]:
    return [(hit.path, hit.line_start, round(hit.score, 2)) for hit in hits.hits]


def test_both_backends_answer_alike(desk: Desk) -> None:
    """SQL-BACKEND: same first place, same totals, scores less than 0.02 apart; ordinary text is no error."""
    build(desk)
    for text in QUERIES:
        ours, other = search(desk, text, "tantivy"), search(desk, text)
        assert ours.total == other.total and ours.relaxed == other.relaxed, text
        assert [place[:2] for place in places(ours)[:1]] == [place[:2] for place in places(other)[:1]], text
        for one, two in zip(ours.hits, other.hits, strict=True):
            assert abs(one.score - two.score) < 0.02, text
    assert places(search(desk, "basket", "auto")) == places(search(desk, "basket", "tantivy"))


def test_a_language_narrows_alike(desk: Desk) -> None:
    """SQL-BACKEND: what narrows the default narrows this one."""
    build(desk)
    for language in ("python", "typescript", "go"):
        ours, other = (search(desk, "basket total", one, language=language) for one in ("tantivy", "sqlite"))
        assert ours.total == other.total and places(ours)[:1] == places(other)[:1]
        assert all(hit.language == language for hit in other.hits)


@pytest.mark.parametrize("mode", MODES)
def test_modes_and_filters_are_the_same_code(desk: Desk, mode: str) -> None:
    """SQL-BACKEND: each mode finds the same on both, and so does a rare filter among many chunks with the words."""
    build(desk)
    for filters in ({}, {"type": "class"}, {"path": "src/"}, {"param": "token", "ext": "py"}):
        for text in ("token", "visitor known", "basket"):
            ours, other = (
                search(desk, text, one, mode=mode, filters=Filters.parse(filters)) for one in ("tantivy", "sqlite")
            )
            assert len(ours.hits) == len(other.hits), (filters, text)
            assert [place[:2] for place in places(ours)[:1]] == [place[:2] for place in places(other)[:1]]


def test_a_clause_reads_as_it_is_meant() -> None:
    """SQL-BACKEND: operators become those of FTS5, and words are always quoted."""
    a, b, c, capitals = (QueryNode("word", (text, ())) for text in ("a", 'b"', "c", "OR"))
    both = QueryNode("all", items=(a, QueryNode("any", items=(b, capitals)), QueryNode("not", items=(c,))))
    assert to_fts5_expression(both) == '(("a" AND ("b""" OR "OR")) NOT ("c"))'
    asked = TextQuery((("foo_bar", ("foo", "bar")),), require_all=False)
    assert to_fts5_expression(to_query_node(asked)) == '(("foo_bar" OR ("foo" AND "bar")))'


def test_not_built(small: Desk) -> None:
    """SQL-MISSING: a clear error that names the way out; an unknown backend is refused with those there are."""
    with pytest.raises(Failure) as caught:
        search(small, "token")
    assert caught.value.code == "NO_INDEX" and "build_sqlite_index" in caught.value.effective_hint
    with pytest.raises(Failure) as caught:
        search(small, "token", "postgres")
    assert caught.value.code == "INVALID_REQUEST" and "sqlite" in caught.value.effective_hint


def test_stale(small: Desk, tmp_path: Path) -> None:
    """SQL-STALE: said in freshness and a warning; gone files are not found, new ones not yet; strict refuses."""
    build(small)
    assert search(small, "token").state.freshness == "fresh" and not search(small, "token").state.warnings
    repo = tmp_path / "repo"
    (repo / "src" / "auth" / "token.py").write_text("def freshmarker():\n    pass\n")
    small.index()
    found = search(small, "empty check_signature freshmarker")
    assert found.state.freshness == "stale" and "build_sqlite_index" in found.state.warnings[0]
    assert all(hit.snippet.find("freshmarker") < 0 or hit.path == "src/auth/token.py" for hit in found.hits)
    assert search(small, "freshmarker", "tantivy").state.freshness == "fresh"
    with pytest.raises(Failure) as caught:
        search(small, "token", freshness="strict")
    assert caught.value.code == "INDEX_STALE" and "build_sqlite_index" in caught.value.effective_hint
    build(small)
    assert search(small, "freshmarker").state.freshness == "fresh"
    assert places(search(small, "freshmarker"))[0][:2] == ("src/auth/token.py", 1)


def test_an_index_made_anew_does_not_confuse_it(small: Desk) -> None:
    """SQL-BACKEND: contents are matched by what they are, so numbers of another index mean nothing."""
    build(small)
    before = places(search(small, "compute total price"))
    small.index(force=True)
    found = search(small, "compute total price")
    # How rare a word is may be counted a little differently where an index was made anew.
    assert [place[:2] for place in places(found)] == [place[:2] for place in before]
    assert all(abs(now[2] - then[2]) < 0.05 for now, then in zip(places(found), before, strict=True))
    assert found.state.freshness == "fresh"


def test_damage(desk: Desk) -> None:
    """SQL-DAMAGE: a flipped bit, a cut or a foreign file is INDEX_INCOMPATIBLE; the index behind it is not blamed."""
    build(desk)
    path = Path(desk.engine.portable(None).path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    broken = {
        "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "cut": whole[:middle], "empty": b"", "foreign": b"not a database at all" * 1000,
    }  # fmt: skip
    for name, data in broken.items():
        path.write_bytes(data)
        with pytest.raises(Failure) as caught:
            for text in ("token basket", "compute", "session", "visitor", "validate_token"):
                search(desk, text)
        assert caught.value.code == "INDEX_INCOMPATIBLE", name
        assert "build_sqlite_index" in caught.value.effective_hint and str(path.parent) not in caught.value.message
        assert desk.engine.status(None, None).state.schema == "compatible", name
        assert search(desk, "token", "auto").hits
    build(desk)
    assert search(desk, "token").hits, "and it is simply built anew"


def test_a_file_of_another_schema(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-DAMAGE: a file from an index that cut its contents otherwise is refused, and a new build mends it."""
    monkeypatch.setattr(portable_writer, "INDEX_VERSION", 1)
    build(desk)
    with pytest.raises(Failure) as caught:
        search(desk, "token")
    assert caught.value.code == "INDEX_INCOMPATIBLE" and "build_sqlite_index" in caught.value.effective_hint
    assert not desk.engine.portable(None).usable and "schema" in desk.engine.portable(None).message
    monkeypatch.undo()
    build(desk)
    assert search(desk, "token").hits


def test_a_part_says_that_it_is_one(desk: Desk) -> None:
    """SQL-BACKEND: a file of some modes only is used, and the answer says which."""
    build(desk, modes=("prose",))
    assert any("prose" in said for said in search(desk, "token").state.warnings)


def test_readers_while_it_is_replaced(desk: Desk) -> None:
    """SQL-CRASH: questions asked while builds replace the file are all answered, from one file or the other."""
    build(desk)
    expected = places(search(desk, "compute total price"))
    wrong: list[object] = []

    def ask() -> None:
        for _ in range(25):
            try:
                found = places(search(desk, "compute total price"))
            except Failure as failure:
                wrong.append(failure)
            else:
                wrong.extend([found] if found != expected else [])

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        build(desk)
    for thread in threads:
        thread.join()
    assert not wrong
