"""Compacting databases: smaller, row for row the same, and whole whatever happens."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.tool import Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CompactRequest
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.store.embedded.databases.database_compaction import HEADROOM, check_free_space, compute_required_space
from codecompass.tools.compact_sqlite_index import TOOL
from tests.engine.maintenance.places import ME, all_rows, answers, dies, flip, indexed, repo_with, store_of, waste
from tests.engine.support import Desk, desk_on

PLACING = "store.embedded.files.index_swap"
POINTS = [
    "store.embedded.files.directory_maintenance:rewrite:after:1",
    "store.embedded.files.directory_maintenance:_make_ready:after:1",
    f"{PLACING}:sync_directory:after:1",
    f"{PLACING}:finish_swap:before:3",
    f"{PLACING}:_move:before:1",
    f"{PLACING}:_move:after:1",
]
"""Settling is done three times: when the lock is taken, before the new index is announced, and for it."""
PORTABLE_POINTS = [
    "store.portable.portable_compaction:rewrite:after:1",
    "store.portable.portable_compaction:_make_backup:after:1",
    "atomic:sync_file:after:1",
]


def built(desk: Desk) -> Path:
    return Path(desk.engine.build_portable(None, PortableBuildRequest(), Call()).path)


Stock = tuple[Path, Path, dict[str, object], dict[str, object]]


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """A repository, its data with free pages, what it answers and what its tables hold."""
    base = tmp_path_factory.mktemp("stock")
    repo, data = repo_with(base / "repo"), base / "data"
    with indexed(repo, data) as desk:
        built(desk)
        waste(desk.home / "index.db")
        rows: dict[str, object] = {name: all_rows(desk.home / name) for name in ("index.db", "portable/index.sqlite")}
        return repo, data, answers(desk), rows


@pytest.fixture
def desk(stock: Stock, tmp_path: Path) -> Iterator[Desk]:
    with desk_on(stock[0], Path(shutil.copytree(stock[1], tmp_path / "data"))) as found:
        yield found


def test_nothing_is_lost(tmp_path: Path) -> None:
    """CARE-COMPACT: every row of every table is there before and after, free pages are gone, answers are the same."""
    with indexed(repo_with(tmp_path / "repo"), tmp_path / "data") as desk:
        portable, catalog = built(desk), desk.home / "index.db"
        waste(catalog)
        before, said = {path: all_rows(path) for path in (portable, catalog)}, answers(desk)
        size = catalog.stat().st_size
        report = desk.engine.compact(None, CompactRequest(), Call())
        assert [part.status for part in report.parts] == ["compacted", "compacted", "compacted"]
        assert {path: all_rows(path) for path in (portable, catalog)} == before
        assert sum(map(len, before[catalog].values())) == report.parts[1].rows
        assert catalog.stat().st_size < size - 500_000 and report.parts[1].after == catalog.stat().st_size
        assert answers(desk) == said and store_of(desk).verify() == []
        assert desk.engine.portable(None).fresh, "the file is still the view's"
        (tmp_path / "repo" / "pkg" / "mod3.py").write_text("def moved():\n    return 3\n")
        desk.index()
        assert desk.places("moved") == {"pkg/mod3.py:1"}, "a writer goes on from what was compacted"


def test_dry_runs_backups_and_modes(tmp_path: Path) -> None:
    """CARE-COMPACT: a dry run touches nothing, a backup is the old file, modes that are not there are a warning."""
    with indexed(repo_with(tmp_path / "repo"), tmp_path / "data") as desk:
        host = Host(desk.engine)

        def ask(**raw: object) -> dict[str, Any]:
            return TOOL.run(host, Call(), decode(TOOL.params, raw)).payload

        missing = ask(mode="code")
        assert missing["databases"][0]["status"] == "missing" and "build_sqlite_index" in missing["warnings"][0]
        desk.engine.build_portable(None, PortableBuildRequest(modes=("code",)), Call())
        catalog = desk.home / "index.db"
        inode = catalog.stat().st_ino
        planned = ask(dryRun=True, keepBackup=True)
        assert [part["status"] for part in planned["databases"]] == ["planned", "planned", "planned"]
        assert catalog.stat().st_ino == inode and not list(desk.home.rglob("*.bak"))
        assert ask(mode="prose")["databases"][0]["status"] == "missing", "the file holds code alone"
        done = ask(keepBackup=True)
        backups = [Path(part["backup"]) for part in done["databases"] if part["name"] != "text"]
        assert backups[1].stat().st_ino == inode and all(all_rows(path) for path in backups)
        assert all_rows(backups[1]) == all_rows(catalog)
        assert [part["name"] for part in ask(mode="code")["databases"]] == ["sqlite"]


def test_room_is_looked_at_first(tmp_path: Path) -> None:
    """CARE-ROOM: without room for a copy nothing is begun, and the answer says how much is needed."""
    assert compute_required_space(10) == 10 + HEADROOM and compute_required_space(HEADROOM * 4) == HEADROOM * 8
    check_free_space(tmp_path, 0)
    with pytest.raises(Failure) as caught:
        check_free_space(tmp_path, 2**60)
    assert caught.value.code == "DISK_FULL" and caught.value.details["needed"] == 2**61


def test_damage_is_not_copied(desk: Desk) -> None:
    """CARE-COMPACT: a page that does not match its checksum stops it, and the old file stays for whoever looks."""
    portable = built(desk)
    flip(portable, portable.stat().st_size // 2)
    broken = portable.read_bytes()
    with pytest.raises(Failure) as caught:
        desk.engine.compact(None, CompactRequest(("code",)), Call())
    assert caught.value.code == "INDEX_INCOMPATIBLE"
    assert portable.read_bytes() == broken and not list(portable.parent.glob(".*compacting*"))


def test_it_stops_when_told_to(desk: Desk) -> None:
    """CARE-COMPACT: a call that was given up leaves the files as they were."""
    inode = (desk.home / "index.db").stat().st_ino

    def give_up() -> None:
        raise Failure("CANCELLED", "enough")

    with pytest.raises(Failure) as caught:
        store_of(desk).maintenance.compact_catalog(ME, give_up, keep_backup=False)
    assert caught.value.code == "CANCELLED"
    assert (desk.home / "index.db").stat().st_ino == inode and not list(desk.home.glob(".staging*"))


def test_one_writer_at_a_time(desk: Desk) -> None:
    """CARE-COMPACT: while somebody indexes, compacting waits for another time."""
    writer = store_of(desk).open_writer(ME)
    with pytest.raises(Failure) as caught:
        desk.engine.compact(None, CompactRequest(), Call())
    writer.close()
    assert caught.value.code == "INDEX_IN_PROGRESS"


@pytest.mark.parametrize("point", [*POINTS, *PORTABLE_POINTS])
def test_killed_at_any_point(point: str, tmp_path: Path, stock: Stock) -> None:
    """CARE-SWAP: after kill -9 the old file or the new one is there, whole; the next compaction leaves no remains."""
    repo, model, said, rows = stock
    data = Path(shutil.copytree(model, tmp_path / "data"))
    (home,) = (data / "projects").iterdir()

    def compact() -> None:
        with desk_on(repo, data) as desk:
            desk.engine.compact(None, CompactRequest(keep_backup=True), Call())

    dies(point, compact)
    with desk_on(repo, data) as desk:
        assert answers(desk) == said and store_of(desk).verify() == []
        assert {name: all_rows(home / name) for name in rows} == rows
        desk.engine.compact(None, CompactRequest(), Call())
        assert answers(desk) == said
    left = {name for name in os.listdir(home) if name.startswith((".", "incoming"))}
    assert not left and not [name for name in os.listdir(home / "portable") if name.startswith(".")]
