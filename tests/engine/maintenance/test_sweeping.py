"""Sweeping and cleaning: derived data goes, by age and size; owned data and projects in use stay."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.tool import Host
from codecompass.engine.maintenance.storage.artifacts import measure_directory
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CleanRequest, GcRequest
from codecompass.tools import cache_gc, clean_artifacts, report_artifacts
from tests.engine.maintenance.places import ME, answers, indexed, repo_with, store_of
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git

OWNED = ("records.db", "triage/record.json", "note.txt")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three indexed repositories behind one data directory; the first is 30 days old, the second 3."""
    base = tmp_path_factory.mktemp("many")
    for days, name in ((30, "old"), (3, "middle"), (0, "new")):
        with indexed(repo_with(base / name, {f"{name}.py": f"def {name}():\n    pass\n"}), base / "data") as desk:
            home = desk.engine._projects.get_registered(None).directory
            (base / f"{name}.id").write_text(home.name)
            (home / "triage").mkdir()
            for owned in OWNED[1:]:
                (home / owned).write_text("ours")
        age(home, days)
    return base


def age(home: Path, days: float) -> None:
    moment = time.time() - days * 86_400 - 60
    for path in [home, *home.rglob("*")]:
        os.utime(path, (moment, moment))


class Many:
    def __init__(self, base: Path, data: Path) -> None:
        self.base, self.data = base, data

    def home(self, name: str) -> Path:
        return self.data / "projects" / (self.base / f"{name}.id").read_text()

    def named(self, removals: list[dict[str, object]]) -> dict[str, object]:
        names = {(self.base / f"{name}.id").read_text(): name for name in ("old", "middle", "new")}
        return {names[str(item["id"])]: item["reason"] for item in removals}

    def is_indexed(self, name: str) -> bool:
        return (self.home(name) / "index.db").exists()


@pytest.fixture
def many(model: Path, tmp_path: Path) -> Many:
    data = Path(shutil.copytree(model / "data", tmp_path / "data"))
    for days, name in ((30, "old"), (3, "middle")):
        age(data / "projects" / (model / f"{name}.id").read_text(), days)
    return Many(model, data)


@pytest.fixture
def desk(many: Many) -> Iterator[Desk]:
    with desk_on(many.base / "new", many.data) as found:
        yield found


def gc(desk: Desk, **raw: object) -> dict[str, Any]:
    return cache_gc.TOOL.run(Host(desk.engine), Call(), decode(cache_gc.TOOL.params, raw)).payload


def test_a_dry_run_is_the_default(desk: Desk, many: Many) -> None:
    """CARE-GC: it says what would go, with the bytes it would give back, and removes nothing."""
    before = measure_directory(many.home("old"))
    said = gc(desk, maxAgeDays=10)
    assert said["dryRun"] is True and many.named(said["removals"]) == {"old": "age"}
    assert measure_directory(many.home("old")) == before and many.is_indexed("old")
    done = gc(desk, maxAgeDays=10, dryRun=False)
    assert done["freedBytes"] == said["freedBytes"] == before - measure_directory(many.home("old")), (
        "honest to the byte"
    )
    assert not many.is_indexed("old") and many.is_indexed("middle") and many.is_indexed("new")


def test_owned_data_stays(desk: Desk, many: Many) -> None:
    """CARE-OWNED: records, triage and whatever else is not known to be derived are never touched."""
    gc(desk, maxBytes=0, dryRun=False)
    desk.engine.clean(None, CleanRequest(everything=True, confirmed=True), Call())
    for name in ("old", "middle", "new"):
        assert not many.is_indexed(name)
        assert all((many.home(name) / owned).exists() for owned in OWNED)
    with desk_on(many.base / "old", many.data) as again:
        assert again.engine.status(None, None).recent_jobs, "its records are read as before"


def test_sizes_go_oldest_first(desk: Desk, many: Many) -> None:
    """CARE-GC: beyond a size the oldest goes, and no more than is needed; maxGb is the same in other words."""
    sizes = {item["id"]: item["bytes"] for item in _report(desk)["allRepos"]["repos"]}
    total = sum(sizes.values())
    assert many.named(gc(desk, maxBytes=total - 1)["removals"]) == {"old": "quota"}
    assert many.named(gc(desk, maxGb=(total - 1) / 2**30)["removals"]) == {"old": "quota"}
    assert many.named(gc(desk, maxBytes=0)["removals"]) == {"old": "quota", "middle": "quota"}
    assert gc(desk, maxBytes=total)["removals"] == []
    with pytest.raises(Failure) as caught:
        gc(desk, maxBytes=1, maxGb=1)
    assert caught.value.code == "INVALID_REQUEST"


def _report(desk: Desk) -> dict[str, Any]:
    tool = report_artifacts.TOOL
    return tool.run(Host(desk.engine), Call(), decode(tool.params, {"all": True})).payload


def test_the_report_tells_of_every_project(desk: Desk, many: Many) -> None:
    """CARE-REPORT: sizes of each part and of each project, owned bytes apart, and what all of them share."""
    said = _report(desk)
    assert len(said["allRepos"]["repos"]) == 3
    assert all(item["ownedBytes"] > 0 and item["usedAt"].endswith("Z") for item in said["allRepos"]["repos"])
    assert {"modelsBytes", "dictionariesBytes", "extensionsBytes"} <= set(said["overall"])
    parts = said["repo"]["artifacts"]
    assert parts["catalog"] and parts["text"] and said["repo"]["totalBytes"] == sum(parts.values())


def test_a_repository_that_is_gone(desk: Desk, many: Many, tmp_path: Path) -> None:
    """CARE-GC: without any limit only what belongs to nothing is taken."""
    lost = repo_with(tmp_path / "lost", {"lost.py": "x = 1\n"})
    with indexed(lost, many.data) as other:
        home = other.engine._projects.get_registered(None).directory
    assert gc(desk)["removals"] == []
    shutil.rmtree(lost)
    said = gc(desk, dryRun=False)
    assert [(item["id"], item["reason"]) for item in said["removals"]] == [(home.name, "gone")]
    assert not (home / "index.db").exists() and (home / "records.db").exists()


def test_a_worktree_that_is_gone_is_no_repository(desk: Desk, many: Many, tmp_path: Path) -> None:
    """CARE-GC: a repository is there as long as one of its working trees is, whichever was registered first."""
    main = repo_with(tmp_path / "main", {"main.py": "x = 1\n"})
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    for root in (tmp_path / "tree", main):
        with indexed(root, many.data) as other:
            home = other.engine._projects.get_registered(None).directory
    git(main, "worktree", "remove", "--force", str(tmp_path / "tree"))
    assert gc(desk)["removals"] == []
    shutil.rmtree(main)
    assert [item["id"] for item in gc(desk)["removals"]] == [home.name]


def test_what_is_asked_is_used(desk: Desk, many: Many) -> None:
    """CARE-GC: a project that is only read is as young as the last question; looking at all of them asks nothing."""
    with desk_on(many.base / "old", many.data) as reader:
        assert reader.locate("old").total
    for _ in range(2):
        _report(desk)
        assert gc(desk, maxAgeDays=10)["removals"] == []
        assert many.named(gc(desk, maxAgeDays=2)["removals"]) == {"middle": "age"}


def test_one_of_two_projects(model: Path, tmp_path: Path) -> None:
    """CARE-GC, CARE-IN-USE, CARE-OWNED: of two repositories only the other one's derived files go, whichever it is.

    What is the current one's, and what the other one owns, is the same to the byte.
    """

    def contents(home: Path) -> dict[str, bytes]:
        files = (path for path in home.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm")))
        return {str(path.relative_to(home)): path.read_bytes() for path in files}

    for current, other in (("old", "new"), ("new", "old")):
        many = Many(model, Path(shutil.copytree(model / "data", tmp_path / current)))
        shutil.rmtree(many.home("middle"))
        with desk_on(many.base / current, many.data) as desk:
            before = {name: contents(many.home(name)) for name in (current, other)}
            gc(desk, maxBytes=0, maxAgeDays=0)
            assert {name: contents(many.home(name)) for name in (current, other)} == before, "a dry run"
            said = gc(desk, maxBytes=0, maxAgeDays=0, dryRun=False)
            assert many.named(said["removals"]).keys() == {other} and many.named(said["kept"]).keys() == {current}
            assert contents(many.home(current)) == before[current]
            left, was = contents(many.home(other)), before[other]
            assert {name for name in was if name not in left} <= {name for name in was if _derived(name)}
            assert all(left[name] == was[name] for name in left if name != "records.db") and set(OWNED) <= set(left)
            assert not any(_derived(name) for name in left)


def _derived(name: str) -> bool:
    parts = ("index.db", "text/", "history.db", "memory.db", "vectors.db", "portable/", "job.log")
    return name.startswith(parts)


def test_what_is_in_use_stays(desk: Desk, many: Many) -> None:
    """CARE-IN-USE: neither the current repository, nor one with a writer, nor one that somebody has open."""
    said = gc(desk, maxAgeDays=0, maxBytes=0)
    assert many.named(said["kept"]) == {"new": "it is the current repository or one that is served here"}
    with desk_on(many.base / "old", many.data) as reader, desk_on(many.base / "middle", many.data) as writing:
        assert reader.locate("old").total, "a reader between two questions"
        writer = store_of(writing).open_writer(ME)
        said = gc(desk, maxBytes=0, dryRun=False)
        writer.close()
        assert said["removals"] == [] and set(many.named(said["kept"])) == {"old", "middle", "new"}
        assert reader.locate("old").total
    assert set(many.named(gc(desk, maxBytes=0, dryRun=False)["removals"])) == {"old", "middle"}


def test_cleaning_takes_what_is_derived(tmp_path: Path) -> None:
    """CARE-CLEAN: the index, its text and its files go; what is asked then says so, and a new index answers anew."""
    repo = repo_with(tmp_path / "repo")
    with indexed(repo, tmp_path / "data") as desk:
        said, paths = answers(desk), desk.paths("mod3.py")
        assert paths
        tool = clean_artifacts.TOOL
        planned = tool.run(Host(desk.engine), Call(), decode(tool.params, {"dryRun": True})).payload
        assert answers(desk) == said
        done = tool.run(Host(desk.engine), Call(), decode(tool.params, {})).payload
        assert done["freedBytes"] == planned["freedBytes"] > 0
        left = {path.name for path in desk.home.iterdir()}
        assert not left & {"index.db", "text", "portable", "history.db", "vectors.db"}
        assert desk.engine.status(None, None).state.indexing == "not_indexed"
        (repo / "pkg" / "mod3.py").rename(repo / "pkg" / "other.py")
        desk.index()
        assert desk.paths("other.py")[:1] == ["pkg/other.py"], "nothing remembered of the index that went"
        assert "pkg/mod3.py" not in desk.paths("mod3.py")


def test_cleaning_everything_needs_consent(desk: Desk, many: Many) -> None:
    """CARE-CLEAN: `all` without `confirm` is refused, with a dry run it only says what would go."""
    with pytest.raises(Failure) as caught:
        desk.engine.clean(None, CleanRequest(everything=True), Call())
    assert caught.value.code == "INVALID_REQUEST" and "confirm" in caught.value.message
    planned = desk.engine.clean(None, CleanRequest(everything=True, dry_run=True), Call())
    assert len(planned.removals) == 3 and all(many.is_indexed(name) for name in ("old", "middle", "new"))


def test_cleaning_waits_for_a_writer(desk: Desk, many: Many) -> None:
    """CARE-IN-USE: an index at work is not taken away; of all projects the others go and that one is named."""
    with desk_on(many.base / "old", many.data) as other:
        writer = store_of(other).open_writer(ME)
        with pytest.raises(Failure) as caught:
            other.engine.clean(None, CleanRequest(), Call())
        done = desk.engine.clean(None, CleanRequest(everything=True, confirmed=True), Call())
        writer.close()
    assert caught.value.code == "INDEX_IN_PROGRESS"
    assert [item.id for item in done.failed] == [many.home("old").name] and len(done.removals) == 2


def test_a_sweep_stops_when_told_to(desk: Desk) -> None:
    """CARE-GC: a call that was given up removes nothing more."""
    call = Call()
    call.cancelled.set()
    with pytest.raises(Failure) as caught:
        desk.engine.sweep(None, GcRequest(0, dry_run=False), call)
    assert caught.value.code == "CANCELLED"


def test_a_confined_client_deletes_nothing_outside_its_roots(many: Many) -> None:
    """CARE-CONFINED: cleaning everything and sweeping by a client of one root leave the projects of others alone."""
    root = str(many.base / "new")
    with desk_on(many.base / "new", many.data, allowed_roots=(root,)) as confined:
        swept = gc(confined, maxBytes=0, dryRun=False)
        cleaned = confined.engine.clean(None, CleanRequest(everything=True, confirmed=True), Call())
    assert swept["removals"] == [] and many.is_indexed("old") and many.is_indexed("middle")
    assert [item.root for item in cleaned.removals] == [root] and not many.is_indexed("new")
    assert {(item.root, item.reason) for item in cleaned.spared} == {("", "it lies outside the allowed roots")}
