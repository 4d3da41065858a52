"""Changes that make no event: through a mapping that stays open, and through another name of the file."""

import json
import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.contract.tool import Defaults, Host
from codecompass.repo.files import tree_monitor
from codecompass.repo.files.file_watch import open_watch
from codecompass.repo.files.open_mappings import find_mapped_files
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.system.file_leases import may_be_written
from codecompass.tools import TOOLS
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="leases and lists of mappings are Linux's")
TEXT = "def one():\n    return 000\n\n\ndef other():\n    return one()\n"
ROUNDS = 12
CLAIMS: tuple[tuple[str, dict[str, object]], ...] = (
    ("search_code", {"query": "other"}), ("locate_symbol", {"name": "other"}), ("get_code_context", {"query": "other"}),
    ("find_references", {"name": "one"}), ("get_call_graph", {"symbol_name": "other"}), ("index_status", {}),
    ("get_file_outline", {"path": "a.py"}), ("inspect_symbol", {"name": "one"}), ("health_check", {}),
    ("get_symbol_hierarchy", {"name": "one"}), ("get_diagnostics", {"path": "a.py"}), ("find_risks", {}),
    ("search_code", {"query": "nothing_has_this_name"}), ("list_refs", {}),
)  # fmt: skip


class Mapping:
    """A file that is written through memory, and never closed."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)

    def write(self, number: int) -> None:
        at = self.memory.find(b"return ") + 7
        self.memory[at : at + 3] = b"%03d" % number

    def close(self) -> None:
        self.memory.close()


class OtherName:
    """The same file under a name outside the tree; it is written in place."""

    def __init__(self, path: Path) -> None:
        self.path = path.parent.parent / "outside.py"
        os.link(path, self.path)

    def write(self, number: int) -> None:
        with self.path.open("r+b") as file:
            file.seek(TEXT.index("000"))
            file.write(b"%03d" % number)

    def close(self) -> None:
        self.path.unlink()


@pytest.fixture(params=["small tree", "large tree"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "large tree":
        monkeypatch.setattr(tree_monitor, "SMALL_TREE_FILES", 0)
    return str(request.param)


@pytest.fixture(params=[Mapping, OtherName])
def way(request: pytest.FixtureRequest, repo: Path) -> Iterator[Mapping | OtherName]:
    made = request.param(repo / "a.py")
    yield made
    made.close()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = make_repo(tmp_path / "repo", {"a.py": TEXT, "b.py": "def b():\n    pass\n", "c/d.py": "x = 1\n"})
    for name in ("a.py", "b.py", "c/d.py"):
        os.utime(made / name, (1_700_000_000, 1_700_000_000))
    return made


def now(desk: Desk) -> str:
    return desk.engine.describe(None, "live").freshness


@pytest.mark.parametrize("watched", [True, False])
def test_every_write_is_seen_and_every_sync_takes_it_in(
    repo: Path, way: Mapping | OtherName, size: str, watched: bool, tmp_path: Path
) -> None:
    """FRESH-QUIET: stale after each write, fresh after each sync and each revert, without a pause anywhere."""
    with desk_on(repo, tmp_path / "data", watches=open_watch if watched else None) as desk:
        desk.index()
        assert now(desk) == "fresh"
        for turn in range(1, ROUNDS):
            way.write(turn)
            assert now(desk) != "fresh", turn
            way.write(turn - 1)
            assert now(desk) == "fresh", turn
            way.write(turn)
            desk.index()
            assert now(desk) == "fresh", turn


def test_no_tool_claims_to_be_fresh(repo: Path, way: Mapping | OtherName, size: str, tmp_path: Path) -> None:
    """FRESH-QUIET: every tool that tells how fresh it is, whether it shows the file or not."""
    with desk_on(repo, tmp_path / "data", watches=open_watch) as desk:
        desk.index()
        defaults = Defaults(freshness_policy="best_effort")
        dispatch = Dispatch(TOOLS, Host(desk.engine, defaults), Log("error"))
        try:
            assert now(desk) == "fresh"
            for turn, (tool, asked) in enumerate(CLAIMS, 1):
                way.write(turn)
                reply = dispatch.call(tool, asked)
                said = json.loads(reply.body)["metadata"]["freshness_status"]
                assert said == "stale", (tool, reply.body[:300])
        finally:
            dispatch.close()


def test_a_link_that_is_made_later(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FRESH-QUIET, FRESH-PATROL: a new name makes no event. A small tree is looked at each time, a large one soon."""
    with desk_on(repo, tmp_path / "data", watches=open_watch) as desk:
        desk.index()
        assert now(desk) == "fresh"
        other = OtherName(repo / "a.py")
        other.write(7)
        assert now(desk) == "stale"
        other.write(0)
        assert now(desk) == "fresh"
        other.close()
        monkeypatch.setattr(tree_monitor, "SMALL_TREE_FILES", 0)
        desk.index()
        other = OtherName(repo / "b.py")
        other.path.write_text("def c():\n    pass\n")
        assert desk.locate("b").state.freshness == "stale", "a file that is shown is looked at itself"
        monkeypatch.setattr(tree_monitor, "FULL_CHECK_INTERVAL_S", 0.0)
        now(desk)
        patrol = desk.engine._projects.open_for_query(None).probe._monitor._check_thread
        assert patrol is not None
        patrol.join()
        assert now(desk) == "stale"


def test_what_the_system_tells_of_mappings(tmp_path: Path) -> None:
    """FRESH-QUIET: shared mappings for writing are listed and keep leases away; others do neither."""
    for name in ("shared.txt", "private.txt", "read.txt", "none.txt"):
        (tmp_path / name).write_text("text")
    shared = Mapping(tmp_path / "shared.txt")
    with (tmp_path / "private.txt").open("rb") as file:
        private = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    with (tmp_path / "read.txt").open("rb") as file:
        read = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    assert find_mapped_files(str(tmp_path)) == {"shared.txt"}
    open_now = {name for name in os.listdir(tmp_path) if may_be_written(str(tmp_path / name))}
    assert open_now == {"shared.txt"}
    shared.close()
    assert find_mapped_files(str(tmp_path)) == frozenset() and not may_be_written(str(tmp_path / "shared.txt"))
    private.close()
    read.close()
