"""A first index in parts: it answers early, says what is missing, and continues after any interruption."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from codecompass.engine.index import stages, sync
from codecompass.engine.index.stages import plan_stages
from codecompass.engine.jobs.file_rank import rank_file
from codecompass.engine.view.tree_sources import SourceFile
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call, Progress
from codecompass.model.maintenance.maintenance_orders import CompactRequest
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.model.queries.grep_query import GrepQuery
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import ReferenceQuery
from codecompass.store.embedded.catalog import index_writer
from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.ports import NewBlob
from tests.architecture.source import ROOT
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

STAGED_FROM = 6
"""Files from which the tests publish in parts; the program does from some hundred."""
SMALL_BATCH = 120
TREE = {
    **{f"shop/part{n}.py": f"def price_{n}(amount):\n    return amount + {n}\n" for n in range(8)},
    **{f"tests/test_part{n}.py": f"def test_price_{n}():\n    assert price_{n}(1)\n" for n in range(8)},
    **{f"docs/part{n}.md": f"# Part {n}\n\nThe price of part {n}.\n" for n in range(4)},
    "locale/de.po": 'msgid "price"\nmsgstr "Preis"\n',
}
KILLS = [
    "engine.index.sync:_publish:before:1",
    "engine.index.sync:_publish:after:1",
    "engine.index.sync:_parse_files:before:2",
    "engine.index.sync:_parse_files:after:2",
    "engine.index.sync:_publish:after:2",
    "engine.index.sync:_add_lint:before:1",
    "engine.index.sync:_add_lint:after:1",
    "store.embedded.catalog.index_writer:EmbeddedWriter._write_view:after:1",
    "store.embedded.catalog.index_writer:EmbeddedWriter._write_view:after:2",
    "store.embedded.catalog.index_writer:EmbeddedWriter.add:after:1",
    "store.embedded.catalog.index_writer:EmbeddedWriter.add:after:12",
    "store.embedded.catalog.index_writer:EmbeddedWriter._end_batch:after:3",
    "store.embedded.text.text_index:TextWriter.commit:after:3",
    "store.embedded.text.text_index:_freeze:after:2",
    "engine.workspace.job_table:JobTable.finish:before:1",
]


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "MIN_FILES", STAGED_FROM)
    monkeypatch.setattr(stages, "FIRST_SHARE", 0.4)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", TREE)


@pytest.fixture
def halted(staged: None, repo: Path, tmp_path: Path) -> Iterator[Desk]:
    """An engine whose first index was stopped after its first publish."""
    with desk_on(repo, tmp_path / "data") as desk:
        stop_after_first_part(desk)
        yield desk


def stop_after_first_part(desk: Desk, ref: str | None = None) -> None:
    published = False

    def report(progress: Progress) -> None:
        nonlocal published
        if published and progress.phase == "parse":
            call.cancelled.set()
        published = published or progress.searchable

    call = Call(report=report)
    with pytest.raises(Failure, match="cancelled"):
        desk.engine.index(None, ref, force=False, call=call)


def rows(desk: Desk, query: str) -> list[tuple[Any, ...]]:
    connection = open_database(desk.home / "index.db", write=False)
    try:
        return list(connection.execute(query))
    finally:
        connection.close()


def answers(desk: Desk) -> dict[str, object]:
    found: dict[str, object] = {name: desk.places(name) for name in ("price_3", "test_price_5")}
    found["text"] = {hit.path for hit in desk.search("price part", limit=40).hits}
    found["files"] = desk.engine.status(None, None).file_count
    found["symbols"] = desk.engine.status(None, None).symbol_count
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    base = tmp_path_factory.mktemp("clean")
    with desk_on(make_repo(base / "repo", TREE), base / "data") as desk:
        desk.index()
        return answers(desk)


def listed(paths: dict[str, int]) -> list[SourceFile]:
    return [SourceFile(path, size, 0, 0, b"") for path, size in paths.items()]


def test_code_comes_first_and_parts_grow() -> None:
    """STAGE-ORDER: code, tests, documents, data; each publish doubles what is there at least; few files are one."""
    registry = Registry()
    plan = partial(plan_stages, rank=partial(rank_file, registry), has_grammar=lambda path: bool(registry.detect(path)))
    names = {
        f"{place}/f{number}.{suffix}": 1_000
        for place, suffix in (("locale", "po"), ("docs", "rst"), ("tests", "py"), ("src", "py"))
        for number in range(stages.MIN_FILES)
    }
    parts = plan(listed(names))
    assert len(parts) > 1
    order = [item.path.split("/")[0] for part in parts for item in part]
    assert list(dict.fromkeys(order)) == ["src", "tests", "docs", "locale"]
    assert sorted(item.path for part in parts for item in part) == sorted(names)
    assert all(len(sum(parts[:n], [])) >= 2 * len(sum(parts[: n - 1], [])) for n in range(2, len(parts)))
    assert len(parts[0]) < len(names) * 0.2
    assert len(plan(listed(dict.fromkeys(list(names)[: stages.MIN_FILES - 1], 1)))) == 1


def test_a_part_answers_and_says_what_is_missing(halted: Desk) -> None:
    """STAGE-PARTIAL: names and text of a part are found; every state says indexing, partial and how far it is."""
    found = halted.locate("price_3")
    assert halted.places("price_3") == {"shop/part3.py:1"}
    assert halted.places("test_price_5") == set()
    for state in (found.state, halted.search("price").state, halted.engine.status(None, None).state):
        assert (state.indexing, state.partial, state.freshness) == ("indexing", True, "stale")
        assert state.progress is not None
        assert 0 < state.progress.ready < state.progress.total == len(TREE)
        assert 0 < state.progress.percent < 100
        assert "interrupted" in state.warnings[0]
    assert "pending" not in halted.engine.status(None, None).skipped


def test_every_file_can_be_grepped_read_and_outlined(halted: Desk) -> None:
    """STAGE-FILES: lines of files that are not indexed yet are found, and their outline is made on demand."""
    found = halted.engine.grep(None, GrepQuery("test_price_5"), Call())
    assert [match.path for match in found.matches] == ["tests/test_part5.py"]
    outline = halted.engine.outline(None, "tests/test_part5.py", None, "all", Call())
    assert [node.name for node in outline.nodes] == ["test_price_5"]
    assert outline.state.partial


def test_uses_are_never_complete_in_a_part(halted: Desk) -> None:
    """STAGE-PARTIAL: references name the files that are not read, and what needs the whole view is refused."""
    report = halted.engine.references(None, ReferenceQuery(SymbolTarget(name="price_3")), Call())
    assert ("tests/test_part3.py", "pending") in report.unread
    assert report.state.partial
    refused = (
        lambda: halted.locate("price_3", freshness="strict"),
        lambda: halted.engine.build_portable(None, PortableBuildRequest(), Call()),
        lambda: halted.engine.memory_overview(None, None, Call()),
    )
    for ask in refused:
        with pytest.raises(Failure, match="not finished") as raised:
            ask()
        assert raised.value.code == "NO_INDEX"


def test_the_next_run_parses_only_the_rest(
    halted: Desk, undisturbed: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """STAGE-RESUME: contents that are stored are not parsed again; nothing lacks its lint afterwards."""
    stored = {bytes(row[0]) for row in rows(halted, "SELECT hash FROM blobs")}
    assert stored
    parsed: list[bytes] = []
    add = EmbeddedWriter.add

    def count(writer: EmbeddedWriter, blob: NewBlob) -> int:
        parsed.append(blob.hash)
        return add(writer, blob)

    monkeypatch.setattr(EmbeddedWriter, "add", count)
    halted.index()
    assert stored.isdisjoint(parsed)
    assert len(parsed) == len(TREE) - len(stored)
    assert answers(halted) == undisturbed
    state = halted.engine.status(None, None).state
    assert (state.indexing, state.freshness, state.progress, state.partial) == ("ready", "fresh", None, False)
    unlinted = "SELECT id FROM blobs WHERE language = 'python' AND id NOT IN (SELECT blob FROM lint)"
    assert not rows(halted, unlinted)
    assert not rows(halted, "SELECT * FROM skips WHERE reason = 'pending'")


def test_a_part_never_loses_files_again(halted: Desk) -> None:
    """STAGE-RESUME: a run that continues and is stopped again leaves at least what was there."""
    ready = []
    for _ in range(3):
        state = halted.engine.status(None, None).state
        assert state.progress is not None
        ready.append(state.progress.ready)
        assert halted.places("price_3") == {"shop/part3.py:1"}
        if len(ready) < 3:
            stop_after_first_part(halted)
    assert ready == sorted(ready)
    assert ready[0] < ready[-1]


def test_a_forced_index_of_a_part_is_whole(halted: Desk, undisturbed: dict[str, object]) -> None:
    """STAGE-RESUME: force starts again and publishes once, everything."""
    halted.index(force=True)
    assert answers(halted) == undisturbed


def test_a_change_between_two_runs_is_seen(halted: Desk, repo: Path) -> None:
    """STAGE-RESUME: files that changed, vanished or came since the interruption are as they are on disk."""
    (repo / "shop/part3.py").write_text("def price_new(amount):\n    return amount\n")
    (repo / "tests/test_part5.py").unlink()
    (repo / "tests/test_later.py").write_text("def test_later():\n    pass\n")
    halted.index()
    assert halted.places("price_3") == halted.places("test_price_5") == set()
    assert halted.places("price_new") == {"shop/part3.py:1"}
    assert halted.places("test_later") == {"tests/test_later.py:1"}
    assert halted.engine.status(None, None).state.freshness == "fresh"


def test_a_part_of_a_branch(staged: None, repo: Path, tmp_path: Path) -> None:
    """STAGE-PARTIAL: a branch is published in parts too; a part of it stands for no other name of the commit."""
    make = partial(subprocess.run, cwd=repo, check=True, capture_output=True)
    make(["git", "branch", "old"])
    make(["git", "tag", "v1"])
    with desk_on(repo, tmp_path / "data") as desk:
        stop_after_first_part(desk, "old")
        found = desk.engine.grep(None, GrepQuery("test_price_5", ref="old"), Call())
        assert [match.path for match in found.matches] == ["tests/test_part5.py"]
        outline = desk.engine.outline(None, "tests/test_part5.py", "old", "all", Call())
        assert [node.name for node in outline.nodes] == ["test_price_5"]
        with pytest.raises(Failure) as raised:
            desk.locate("price_3", "v1")
        assert raised.value.code == "REF_NOT_INDEXED"
        desk.index("old")
        assert desk.places("test_price_5", "old") == desk.places("test_price_5", "v1") == {"tests/test_part5.py:1"}


def test_compaction_keeps_what_the_next_run_needs(halted: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """STAGE-SWEEP: contents that are stored and not published yet are no garbage until the first index ends."""
    monkeypatch.setattr(index_writer, "BATCH_BYTES", SMALL_BATCH)
    monkeypatch.setattr(index_writer, "GARBAGE_FLOOR", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sync, "_add_lint", _fail)
        with pytest.raises(Failure, match="stopped"):
            halted.index()
    stored = len(rows(halted, "SELECT id FROM blobs"))
    held = len(rows(halted, "SELECT DISTINCT blob FROM entries WHERE blob != 0"))
    assert stored > held
    halted.engine.compact(None, CompactRequest(), Call())
    assert len(rows(halted, "SELECT id FROM blobs")) == stored
    halted.index()
    assert len(rows(halted, "SELECT id FROM blobs")) == len(TREE)


def _fail(*_: object) -> None:
    raise Failure("INTERNAL", "The job was stopped.")


@pytest.mark.parametrize("point", KILLS)
def test_killed_in_a_first_index(point: str, repo: Path, tmp_path: Path, undisturbed: dict[str, object]) -> None:
    """STAGE-KILL: after kill -9 in or between parts the next run ends with the answers of an undisturbed one."""
    data = tmp_path / "data"
    argv = [sys.executable, "-m", "tests.engine.killed_index", str(repo), str(data), point, str(SMALL_BATCH)]
    done = subprocess.run([*argv, "tight", str(STAGED_FROM)], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, f"{point} was never reached: {done.stderr.decode()[-800:]}"
    with desk_on(repo, data) as desk:
        status = desk.engine.status(None, None)
        if status.file_count < len(TREE):
            assert status.state.indexing in ("not_indexed", "indexing")
        desk.index()
        assert answers(desk) == undisturbed
        assert desk.engine.status(None, None).state.indexing == "ready"
        assert not rows(desk, "SELECT id FROM blobs WHERE id NOT IN (SELECT blob FROM entries)")
