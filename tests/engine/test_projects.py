"""Several workspaces in one engine: which may be named, which are open, which are loaded first."""

import ast
import gc
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codecompass.engine.engine import Engine
from codecompass.engine.maintenance.storage.warm_set import load
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project_pool import MEMORY_CHECK_INTERVAL, ProjectPool
from codecompass.engine.workspace.project_registry import MAX_RECENT, RecentWorkspaces
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.search_query import LocateQuery
from codecompass.repo.files.file_watch import open_watch
from codecompass.repo.process.process_memory import MemoryGauge, read_resident_bytes
from codecompass.store.embedded.embedded_store import EmbeddedStore
from tests.architecture.source import SOURCES
from tests.repo.gitrepo import make_repo

NAMES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four indexed repositories below one root, and their data. Tests must not change them."""
    base = tmp_path_factory.mktemp("many")
    for name in NAMES:
        make_repo(base / "roots" / name, {f"{name}.py": f"def only_in_{name}():\n    return '{name}'\n"})
    with engine_on(base) as engine:
        for name in NAMES:
            engine.index(str(base / "roots" / name), None, force=False, call=Call())
    return base


@contextmanager
def engine_on(base: Path, *, watch: bool = False, **options: object) -> Iterator[Engine]:
    # A process that ran many tests holds a lot: its memory must not close projects where that is not the question.
    usual = {"workers": 1, "allowed_roots": (str(base / "roots"),), "memory_budget_mb": 100_000}
    chosen: dict[str, object] = {**usual, **options}
    watches = open_watch if watch else None
    engine = Engine(base / "data", EngineOptions(**chosen), EmbeddedStore, {}, watches)  # type: ignore[arg-type]
    try:
        yield engine
    finally:
        engine.close()


def places(engine: Engine, base: Path, name: str) -> list[str]:
    query = LocateQuery(f"only_in_{name}", freshness="best_effort")
    return [hit.path for hit in engine.locate(str(base / "roots" / name), query, Call()).hits]


def open_names(engine: Engine) -> list[str]:
    return [project.workspace.root.name for project in engine._projects.list_open()]


def held(data: Path) -> tuple[int, int, int]:
    """What this process holds of a data directory: descriptors, mappings; and how many threads it has."""
    gc.collect()
    descriptors = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            descriptors += os.readlink(f"/proc/self/fd/{name}").startswith(str(data))
        except OSError:
            continue
    mappings = Path("/proc/self/maps").read_text().count(str(data))
    return descriptors, mappings, len(os.listdir("/proc/self/task"))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def test_a_workspace_must_be_allowed_and_registered(shelf: Path, tmp_path: Path) -> None:
    """WS-ALLOWED, WS-REGISTERED: by real path, before anything is told about the directory."""
    make_repo(shelf / "roots" / "unknown", {"a.py": "x = 1\n"})
    outside = make_repo(tmp_path / "outside", {"a.py": "x = 1\n"})
    (shelf / "roots" / "link").symlink_to(outside)
    with engine_on(shelf) as engine:
        for path, code in (
            (str(shelf / "roots" / "unknown"), "WORKSPACE_NOT_REGISTERED"),
            (str(outside), "FORBIDDEN"),
            (str(shelf / "roots" / "link"), "FORBIDDEN"),
            (str(tmp_path / "there is nothing here"), "FORBIDDEN"),
            (f"{shelf}/roots/../../{tmp_path.name}", "FORBIDDEN"),
            (f"{shelf}/roots-and-more", "FORBIDDEN"),
            ("roots/alpha", "INVALID_REQUEST"),
            ("~", "INVALID_REQUEST"),
        ):
            with pytest.raises(Failure) as caught:
                engine.status(path, None)
            assert caught.value.code == code, path
        assert engine.describe(str(shelf / "roots" / "unknown"), None).indexing == "not_indexed"
    assert len(list((shelf / "data" / "projects").iterdir())) == len(NAMES)


def test_asking_after_the_state_registers_nothing(shelf: Path) -> None:
    """WS-AUTO: only a question registers a workspace; the metadata of an error and a health check do not."""
    make_repo(shelf / "roots" / "passing", {"a.py": "x = 1\n"})
    before = len(list((shelf / "data" / "projects").iterdir()))
    with engine_on(shelf, auto_workspace=True) as engine:
        path = str(shelf / "roots" / "passing")
        assert engine.describe(path, None).schema == "not_indexed"
        with pytest.raises(Failure) as caught:
            engine.health(path)
        assert caught.value.code == "WORKSPACE_NOT_REGISTERED"
    assert len(list((shelf / "data" / "projects").iterdir())) == before


@pytest.mark.parametrize("watch", [False, True])
def test_the_least_recently_used_project_is_closed(shelf: Path, watch: bool) -> None:
    """WS-LRU, WS-RELEASED: beyond the limit files, mappings and threads are given back; coming back is transparent."""
    data = shelf / "data"
    with engine_on(shelf, watch=watch, max_open_projects=2) as engine:
        nothing = held(data)
        assert places(engine, shelf, "alpha") == ["alpha.py"]
        one = held(data)
        assert one[0] > nothing[0] and one[1] > nothing[1]
        places(engine, shelf, "beta")
        two = held(data)
        for name in (*NAMES, *NAMES):
            assert places(engine, shelf, name) == [f"{name}.py"]
            assert len(open_names(engine)) == 2
        assert open_names(engine) == ["gamma", "delta"]
        after = held(data)
        assert after[0] <= two[0] and after[1] <= two[1]
        # Tantivy's own watching threads notice at their next turn that their index is gone.
        wait_for(lambda: held(data)[2] <= two[2])
    assert held(data)[:2] == nothing[:2]
    wait_for(lambda: held(data)[2] <= nothing[2])


def test_nothing_is_deleted(shelf: Path) -> None:
    """WS-LRU: closing a project leaves every file of it where it was."""

    def files() -> set[Path]:
        passing = ("-wal", "-shm", "recent.json")
        return {path for path in (shelf / "data").rglob("*") if not path.name.endswith(passing)}

    before = files()
    with engine_on(shelf, max_open_projects=1) as engine:
        for name in NAMES:
            places(engine, shelf, name)
    assert files() == before


def test_memory_closes_projects_that_nobody_uses(shelf: Path) -> None:
    """WS-MEMORY: above the budget only the latest project and those in use stay; each is asked for one at a time."""
    with engine_on(shelf, memory_budget_mb=1) as engine:
        for name in NAMES:
            assert places(engine, shelf, name) == [f"{name}.py"]
            assert open_names(engine) == [name]
    assert (read_resident_bytes() or 0) > 2**20


def test_memory_is_looked_at_again_and_closing_stops_when_it_suffices(shelf: Path) -> None:
    """WS-MEMORY: growth is noticed within a few calls and below the budget; no more is closed than is needed."""
    sizes = [0]
    with engine_on(shelf) as engine:
        engine._projects._pool = shelf_of = ProjectPool(8, 100, MemoryGauge(lambda: sizes[0], lambda: None))
        for name in NAMES:
            places(engine, shelf, name)
        assert open_names(engine) == list(NAMES)
        sizes[0] = 90
        shelf_of._gauge = MemoryGauge(lambda: sizes[0], lambda: sizes.__setitem__(0, 50))
        for _ in range(10):
            places(engine, shelf, "delta")
        assert open_names(engine) == ["beta", "gamma", "delta"]


def test_memory_that_cannot_be_released_does_not_slow_every_call(shelf: Path) -> None:
    """WS-MEMORY: a process that stays above the budget collects again only after growth, and once it was below it."""
    sizes, collections = [99], [0]

    def release() -> None:
        collections[0] += 1

    with engine_on(shelf) as engine:
        engine._projects._pool = ProjectPool(8, 100, MemoryGauge(lambda: sizes[0], release))

        def ask(size: int) -> int:
            sizes[0] = size
            for _ in range(MEMORY_CHECK_INTERVAL):
                places(engine, shelf, "alpha")
            return collections[0]

        first = ask(99)
        assert first > 0
        assert ask(99) == ask(101) == first
        assert (grown := ask(110)) > first
        assert ask(50) == grown
        assert ask(99) > grown


def test_a_project_in_use_is_never_closed(shelf: Path) -> None:
    """WS-PINNED: while a call holds a view, others open more projects than the limit; the view goes on answering."""
    with engine_on(shelf, max_open_projects=1) as engine:
        began, go_on = threading.Event(), threading.Event()
        seen: list[object] = []

        def long_call() -> None:
            with engine._projects.lease():
                project = engine._projects.open_for_query(str(shelf / "roots" / "alpha"))
                with project.open_view(project.effective_ref(None)) as view:
                    began.set()
                    go_on.wait(20)
                    seen.extend(view.snapshot.find_symbols("only_in_alpha", prefix=False, limit=5))
                seen.append(project.jobs.list_recent())

        thread = threading.Thread(target=long_call)
        thread.start()
        assert began.wait(20)
        for name in NAMES[1:]:
            assert places(engine, shelf, name) == [f"{name}.py"]
            assert open_names(engine) == ["alpha", name]
        go_on.set()
        thread.join(20)
        assert len(seen) == 2
        assert open_names(engine) == ["delta"]


def test_many_threads_over_few_places(shelf: Path) -> None:
    """WS-PINNED: four threads ask four projects of which one may be open; every answer is right."""
    wrong: list[object] = []

    def ask(engine: Engine, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(30):
            name = chance.choice(NAMES)
            try:
                if places(engine, shelf, name) != [f"{name}.py"]:
                    wrong.append(name)
                engine.status(str(shelf / "roots" / name), None)
            except BaseException as error:
                wrong.append(error)
                raise

    with engine_on(shelf, max_open_projects=1) as engine:
        threads = [threading.Thread(target=ask, args=(engine, seed)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not wrong
        assert len(open_names(engine)) == 1
        assert all(project.lease_count == 0 for project in engine._projects.list_open())


def test_only_the_access_opens_projects() -> None:
    """WS-PINNED: a call takes its lease in one place, so no service can forget to hold what it uses."""
    opening = {"lease", "open_for_query", "get_registered", "get_or_register", "register_served"}
    users = {
        module.name
        for module in SOURCES.all
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in opening
    }
    assert users == {"engine.workspace.project_access", "engine.workspace.project_registry"}


def test_parts_of_the_facade_hold_what_they_borrow(shelf: Path) -> None:
    """WS-PINNED: a question that a part answers keeps its project open until it is answered."""
    with engine_on(shelf, max_open_projects=1) as engine:
        held: list[int] = []

        def look(progress: object) -> None:
            held.extend(project.lease_count for project in engine._projects.list_open())

        root = str(shelf / "roots" / "alpha")
        engine.list_diagnostics(root, None, (), 5, "balanced", Call(report=look))
        assert held and min(held) == 1
        assert [project.lease_count for project in engine._projects.list_open()] == [0]


# -- what was used last ------------------------------------------------------------------------------------------------


def test_recent_workspaces_are_remembered(tmp_path: Path) -> None:
    """WS-RECENT: newest first, without doubles, a few; what one process saved the next one reads."""
    path = tmp_path / "data" / "recent.json"
    recent = RecentWorkspaces(path)
    for root in ("/a", "/b", "/a"):
        recent.add(root)
    assert recent.list_roots() == ("/a", "/b")
    recent.save()
    later = RecentWorkspaces(path)
    assert later.list_roots() == ("/a", "/b")
    for number in range(2 * MAX_RECENT):
        later.add(f"/n{number}")
    later.save()
    assert len(json.loads(path.read_text())["workspaces"]) == MAX_RECENT
    assert RecentWorkspaces(path).list_roots()[0] == f"/n{2 * MAX_RECENT - 1}"
    assert [item.name for item in path.parent.iterdir()] == ["recent.json"]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"\xff\xfe", b"[1]", b'{"workspaces": 3}', b'{"workspaces": [1, "relative"]}', b"[" * 100_000]
)
def test_a_damaged_list_is_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    """WS-RECENT: never an error, and the next note writes it anew."""
    path = tmp_path / "recent.json"
    path.write_bytes(damage)
    recent = RecentWorkspaces(path)
    assert recent.list_roots() == ()
    recent.add("/a")
    assert RecentWorkspaces(path).list_roots() == ("/a",)


def test_a_list_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    """WS-RECENT: advice is not worth an error."""
    (tmp_path / "file").write_text("x")
    recent = RecentWorkspaces(tmp_path / "file" / "recent.json")
    recent.add("/a")
    recent.save()
    assert recent.list_roots() == ("/a",)


# -- what is loaded first ----------------------------------------------------------------------------------------------


def test_the_warm_set(shelf: Path, tmp_path: Path) -> None:
    """WS-WARMSET: the default project and the most recent ones, registered and allowed, up to the capacity."""
    outside = make_repo(tmp_path / "outside", {"a.py": "x = 1\n"})
    roots = shelf / "roots"
    with engine_on(shelf, allowed_roots=()) as engine:
        engine.index(str(outside), None, force=False, call=Call())
        for name in ("gamma", "beta"):
            places(engine, shelf, name)
        engine._projects.recent.add(str(roots / "never registered"))
        engine._projects.recent.add(str(outside))
    with engine_on(shelf, default_workspace=str(roots / "delta"), warmset_capacity=2) as engine:
        assert engine.health(None).prewarm_status == "pending"
        engine.prewarm()
        wait_for(lambda: engine.health(None).prewarm_status == "complete")
        health = engine.health(None)
        assert health.warmset == (str(roots / "delta"), str(roots / "beta"))
        assert health.warmset_capacity == 2 and health.status == "ready"
        assert set(open_names(engine)) == {"delta", "beta"}
        shared = engine._projects.get_registered(None).store._shared  # type: ignore[attr-defined]
        assert shared.text is not None and shared.entries and shared.paths and shared.filters
    with engine_on(shelf, default_workspace=str(roots / "delta"), warmset_capacity=0) as engine:
        engine.prewarm()
        assert (engine.health(None).prewarm_status, engine.health(None).warmset) == ("skipped", ())


def test_loading_stops_when_the_engine_closes(shelf: Path) -> None:
    """WS-WARMSET: between two steps it looks whether anybody still wants the result."""
    with engine_on(shelf) as engine:
        project = engine._projects.open_for_query(str(shelf / "roots" / "alpha"))
        answers = iter((False, True))
        load(project, lambda: next(answers))
        assert next(answers, None) is None
        engine.prewarm()
        engine.close()
        assert not [thread for thread in threading.enumerate() if thread.name == "prewarm"]
