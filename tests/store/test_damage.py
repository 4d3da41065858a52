"""Damage: a flipped bit is reported, never served."""

import random
import shutil
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.store.embedded.databases.sqlite_connection import PAGE_SIZE, open_database, query_rows
from tests.engine.maintenance.places import flip
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

FLIPS = 60


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    base = tmp_path_factory.mktemp("damage")
    files = {
        f"m{number}.py": f"def name_{number}(a, b):\n    return other_{number}(a) + b\n" * 3 for number in range(40)
    }
    repo = make_repo(base / "repo", files)
    with desk_on(repo, base / "data") as desk:
        desk.index()
    return repo, base / "data"


def ask(desk: Desk) -> list[object]:
    found: list[object] = []
    for number in (0, 7, 23, 39):
        found.append(sorted(desk.places(f"name_{number}")))
        hits = desk.search(f"other_{number}", limit=5)
        found.append([(hit.path, hit.line_start, hit.name, hit.score) for hit in hits.hits] + [hits.total])
    return found


def index_files(data: Path) -> list[Path]:
    home = next((data / "projects").iterdir())
    frozen = next((home / "text").glob("g*"))
    return [
        home / "index.db",
        *sorted(path for path in frozen.iterdir() if path.suffix != ".lock" and path.stat().st_size),
    ]


@pytest.mark.parametrize("seed", range(FLIPS))
def test_a_flipped_bit_is_never_served(seed: int, pristine: tuple[Path, Path], tmp_path: Path) -> None:
    """DAMAGE-REPORTED: any single flipped bit gives the right answer or `corrupt_manifest`, never another answer."""
    repo, good = pristine
    with desk_on(repo, good) as desk:
        right = ask(desk)
    data = tmp_path / "data"
    shutil.copytree(good, data)
    chooser = random.Random(seed)
    files = index_files(data)
    victim = files[0] if seed % 2 else chooser.choice(files)
    content = bytearray(victim.read_bytes())
    content[chooser.randrange(len(content))] ^= 1 << chooser.randrange(8)
    victim.unlink()
    victim.write_bytes(content)
    with desk_on(repo, data) as desk:
        try:
            answer = ask(desk)
        except Failure as failure:
            assert failure.code in ("INDEX_INCOMPATIBLE", "NO_INDEX"), failure
            assert "index --force" in failure.effective_hint or failure.code == "NO_INDEX"
        else:
            assert answer == right


@pytest.mark.parametrize("how", ["empty", "half", "garbage", "missing"])
@pytest.mark.parametrize("which", ["index.db", "segment", "meta.json"])
def test_damaged_files_are_named_and_healed(how: str, which: str, pristine: tuple[Path, Path], tmp_path: Path) -> None:
    """DAMAGE-HEALS: a cut, overwritten or lost file is reported; indexing rebuilds the derived and keeps records."""
    repo, good = pristine
    with desk_on(repo, good) as desk:
        right = ask(desk)
    data = tmp_path / "data"
    shutil.copytree(good, data)
    files = {path.name: path for path in index_files(data)}
    victim = (
        files[which]
        if which in files
        else max(files.values(), key=lambda path: (path.suffix == ".store", path.suffix != ".db"))
    )
    content = victim.read_bytes()
    victim.unlink()
    if how != "missing":
        victim.write_bytes({"empty": b"", "half": content[: len(content) // 2], "garbage": b"\x55" * len(content)}[how])
    with desk_on(repo, data) as desk:
        state = desk.engine.describe(None, None)
        assert state.schema in ("corrupt_manifest", "reindex_required", "not_indexed")
        if state.schema == "corrupt_manifest":
            health = desk.engine.health(None)
            assert (health.status, health.sqlite_ok) == ("error", which != "index.db")
            assert health.tantivy_ok == (which == "index.db")
        jobs = len(desk.engine.status(None, None).recent_jobs)
        desk.index()
        assert ask(desk) == right, "nothing of an index that is gone is found in the new one"
        assert desk.engine.describe(None, None).schema == "compatible"
        assert len(desk.engine.status(None, None).recent_jobs) == jobs + 1


def _scratch(path: Path) -> None:
    """Damage that neither opening nor indexing meets."""
    if not path.exists():
        path.write_bytes(b"\x55" * PAGE_SIZE)
        return
    connection = open_database(path, write=False)
    ((page,),) = query_rows(connection, "SELECT rootpage FROM sqlite_master WHERE name = 'renditions'")
    connection.close()
    flip(path, page * PAGE_SIZE - 5_000)


@pytest.mark.parametrize("which", ["index.db", "memory.db"])
def test_damage_that_nobody_meets_is_healed_too(which: str, pristine: tuple[Path, Path], tmp_path: Path) -> None:
    """DAMAGE-HEALS: what reading everything finds is gone when everything was indexed anew, as the doctor promises."""
    repo, good = pristine
    data = tmp_path / "data"
    shutil.copytree(good, data)
    _scratch(next((data / "projects").iterdir()) / which)
    with desk_on(repo, data) as desk:
        store = desk.engine._projects.get_registered(None).store
        assert [said for said in store.maintenance.check_databases().values() if said], (
            "nothing that is looked at in passing"
        )
        desk.index(force=True)
        assert store.verify() == [] and not any(store.maintenance.check_databases().values())
        assert sorted(desk.places("name_7")) == ["m7.py:1", "m7.py:3", "m7.py:5"]


def test_an_index_of_another_version_is_rebuilt(pristine: tuple[Path, Path], tmp_path: Path) -> None:
    """DAMAGE-VERSION: an index written by a newer program says reindex_required and is not guessed at."""
    repo, good = pristine
    data = tmp_path / "data"
    shutil.copytree(good, data)
    connect = __import__("codecompass.store.embedded.databases.sqlite_connection", fromlist=["open_database"])
    connection = connect.open_database(index_files(data)[0], write=True)
    connection.pragma("user_version", 99)
    connection.close()
    with desk_on(repo, data) as desk:
        assert desk.engine.describe(None, None).schema == "reindex_required"
        with pytest.raises(Failure) as caught:
            desk.locate("name_1")
        assert caught.value.code == "INDEX_INCOMPATIBLE"
        desk.index()
        assert desk.places("name_1")


def test_a_reader_that_was_open_sees_the_rebuilt_index(pristine: tuple[Path, Path], tmp_path: Path) -> None:
    """DAMAGE-HEALS: a process that held the old files open answers from the new ones after another rebuilt them."""
    source, good = pristine
    repo, data = tmp_path / "repo", tmp_path / "data"
    shutil.copytree(source, repo)
    with desk_on(repo, data) as reader:
        reader.index()
        assert reader.places("name_3")
        home = next((data / "projects").iterdir())
        with desk_on(repo, data) as other:
            (repo / "m3.py").write_text("def renamed_3():\n    pass\n")
            (home / "text/work/meta.json").write_bytes(b"damage")
            other.index()
            assert other.places("renamed_3") == {"m3.py:1"}
        assert reader.places("renamed_3") == {"m3.py:1"}
        assert reader.places("name_3") == set()


@pytest.mark.parametrize("harm", ["segment lost", "catalog scratched"])
def test_a_rebuild_brings_every_ref_back(harm: str, tmp_path: Path) -> None:
    """DAMAGE-HEALS: what was indexed besides the ref that is being indexed is indexed again, not forgotten."""
    repo = make_repo(tmp_path / "repo", {"m.py": "def of_commit():\n    return 1\n"})
    refs = {"commit": git(repo, "rev-parse", "HEAD"), "tag": "v1", "side": "side"}
    for name in ("tag", "side", "main"):
        commit(repo, {"m.py": f"def of_{name}():\n    return 1\n"})
        git(repo, *{"tag": ("tag", "v1"), "side": ("branch", "side"), "main": ("status",)}[name])
    with desk_on(repo, tmp_path / "data") as desk:
        for ref in (None, *refs.values()):
            desk.index(ref)
    if harm == "segment lost":
        next(path for path in index_files(tmp_path / "data") if path.suffix == ".store").unlink()
    else:
        _scratch(next((tmp_path / "data" / "projects").iterdir()) / "index.db")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index("side", force=harm == "catalog scratched")
        assert desk.places("of_main") == {"m.py:1"}
        for name, ref in refs.items():
            assert desk.places(f"of_{name}", ref) == {"m.py:1"}


@pytest.mark.parametrize("suffix", [".pos", ".idx", ".term", ".store", ".fast", ".fieldnorm"])
def test_a_lost_segment_file_is_noticed_before_more_is_written(
    suffix: str, pristine: tuple[Path, Path], tmp_path: Path
) -> None:
    """DAMAGE-HEALS: Tantivy takes a missing file of positions for an empty one; a sync must not publish that."""
    repo = tmp_path / "repo"
    shutil.copytree(pristine[0], repo)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        right = desk.paths("other_7")
        for path in list((desk.home / "text").glob(f"*/*{suffix}")):
            path.unlink()
    (repo / "late.py").write_text("def came_late():\n    return 1\n")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert desk.paths("other_7") == right and desk.paths("came_late") == ["late.py"]
