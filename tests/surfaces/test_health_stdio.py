"""health_check through the SDK's own client: every documented field, from real states of real projects."""

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from codecompass.engine.maintenance.storage import warm_set
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.embedded.embedded_store import EmbeddedStore
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo
from tests.surfaces.conftest import environment
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import METADATA, payload, until

FIELDS = {
    "status", "version", "uptime_seconds", "tantivy_ok", "sqlite_ok", "grammars", "active_job",
    "interrupted_recovery_report", "workspace_warmset", "prewarm_status", "startup_checks", "projects", "metadata",
}  # fmt: skip
PROJECT = {
    "project_id", "repo_root", "index_status", "schema_status", "current_schema_version", "required_schema_version",
    "freshness_status", "last_indexed_at", "ref", "file_count", "symbol_count", "channels",
}  # fmt: skip
SOURCE = {"src/auth.py": "class Auth:\n    def validate(self):\n        return 1\n\n\ndef limit():\n    return 2\n"}


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(bytes(data))


def break_text(home: Path) -> None:
    generation = next((home / "text").glob("g*"))
    flip(max(generation.glob("*.store"), key=os.path.getsize), 20)


def break_catalog(home: Path) -> None:
    flip(home / "index.db", 5)


def age_schema(home: Path) -> None:
    connection = open_database(home / "index.db", write=True)
    connection.pragma("user_version", 1)
    connection.close()


DAMAGES = {"text": break_text, "catalog": break_catalog, "old": age_schema}


class Ward:
    """Projects in every state, and a client of one server that serves them all."""

    def __init__(self, home: Path) -> None:
        self.env = environment(home) | {"CODECOMPASS_INDEX_AUTO_SYNC": "false"}
        self.roots = home / "roots"
        data = home / "data"
        for name in ("good", "fresh", "failed", *DAMAGES):
            repo = make_repo(self.roots / name, SOURCE)
            with desk_on(repo, data) as desk:
                if name == "fresh":
                    desk.engine.init(str(repo))
                    continue
                desk.index()
                project = desk.engine._projects.get_registered(None)
                if name == "failed":
                    (repo / "src" / "auth.py").unlink()
                    with pytest.raises(Failure):
                        desk.index()
                    (repo / "src" / "auth.py").write_text(SOURCE["src/auth.py"])
            if name in DAMAGES:
                DAMAGES[name](project.directory)

    def at(self, name: str) -> str:
        return str(self.roots / name)

    def parameters(self, *words: str) -> StdioServerParameters:
        served = ("--workspace", self.at("good"), "--allowed-root", str(self.roots))
        args = ["-m", "codecompass", "serve-mcp", *served, *words]
        return StdioServerParameters(command=sys.executable, args=args, env=self.env, cwd=str(self.roots))


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ward]:
    yield Ward(tmp_path_factory.mktemp("ward"))


async def ask(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, dict(arguments))
    found = result.structured_content
    assert found is not None and METADATA <= set(found["metadata"])
    assert result.is_error == ("error" in found)
    return dict(found)


def test_health_through_the_official_client(ward: Ward) -> None:
    """D4-HEALTH-INPUT, D4-HEALTH-OUTPUT, D4-HEALTH-STATUS, D4-HEALTH-ERRORS, D4-STARTUP, D4-WARMSET: a good project,
    each broken one, and those that are none.
    """

    async def talk() -> None:
        async with Client(ward.parameters()) as client:
            await good(client, ward)
            for name in DAMAGES:
                schema = "reindex_required" if name == "old" else "corrupt_manifest"
                await damaged(client, ward.at(name), schema, tantivy=name != "text", sqlite=name != "catalog")
            await unfinished(client, ward)
            everything = await ask(client, "health_check")
            # All that are open count, so one broken project is an error of the server.
            assert everything["status"] == "error" and len(everything["projects"]) == 6
            assert everything["startup_checks"]["index"]["status"] == "corrupt_manifest"

    anyio.run(talk)


async def good(client: Client, ward: Ward) -> None:
    health = await ask(client, "health_check")
    while health["prewarm_status"] != "complete":
        assert health["prewarm_status"] == "warming" and health["status"] == "warming"
        health = await ask(client, "health_check")
    assert set(health) == FIELDS
    assert health["status"] == "ready" and health["tantivy_ok"] is True and health["sqlite_ok"] is True
    assert isinstance(health["uptime_seconds"], int) and health["version"]
    assert {"python", "rust", "go", "typescript"} <= set(health["grammars"]["available"])
    assert health["grammars"]["missing"] == []
    assert health["active_job"] is None and health["interrupted_recovery_report"] is None
    assert health["workspace_warmset"] == {"enabled": True, "capacity": 3, "members": [ward.at("good")]}
    check = health["startup_checks"]["index"]
    assert check["status"] == "compatible" and check["message"] is None
    assert check["current_schema_version"] == check["required_schema_version"] >= 1
    (project,) = health["projects"]
    assert set(project) == PROJECT
    assert (project["repo_root"], project["index_status"], project["ref"]) == (ward.at("good"), "ready", "main")
    assert (project["file_count"], project["symbol_count"]) == (1, 3)
    assert project["freshness_status"] == "fresh" and project["schema_status"] == "compatible"
    named = await ask(client, "health_check", workspace=ward.at("good"))
    assert named["projects"] == health["projects"]
    for arguments, code in (
        ({"workspace": str(ward.roots)}, "workspace_not_registered"),
        ({"workspace": "/"}, "workspace_not_allowed"),
        ({"workspace": "good"}, "invalid_input"),
        ({"workspace": 1}, "invalid_input"),
        ({"ref": "main"}, "invalid_input"),
    ):
        assert (await ask(client, "health_check", **arguments))["error"]["code"] == code


async def damaged(client: Client, root: str, schema: str, *, tantivy: bool, sqlite: bool) -> None:
    health = await ask(client, "health_check", workspace=root)
    assert (health["status"], health["tantivy_ok"], health["sqlite_ok"]) == ("error", tantivy, sqlite), root
    check = health["startup_checks"]["index"]
    assert check["status"] == schema and "codecompass index --force" in check["message"]
    assert health["projects"][0]["index_status"] == "failed" and health["projects"][0]["schema_status"] == schema
    assert health["metadata"]["schema_status"] == schema and health["metadata"]["indexing_status"] == "failed"
    assert (await ask(client, "index_status", workspace=root))["schema_status"] == schema
    for tool, arguments in (("search_code", {"query": "limit"}), ("locate_symbol", {"name": "limit"})):
        error = (await ask(client, tool, workspace=root, **arguments))["error"]
        assert error["code"] == "index_incompatible" and "codecompass index --force" in error["data"]["suggestion"]


async def unfinished(client: Client, ward: Ward) -> None:
    fresh = await ask(client, "health_check", workspace=ward.at("fresh"))
    # `ready` promises that every project is indexed, and `error` that something failed.
    assert fresh["status"] == "not_indexed" and fresh["projects"][0]["index_status"] == "not_indexed"
    check = fresh["startup_checks"]["index"]
    assert check["status"] == "not_indexed" and "codecompass index" in check["message"]
    empty = await ask(client, "search_code", query="limit", workspace=ward.at("fresh"))
    assert empty["results"] == [] and empty["metadata"]["result_completeness"] == "partial"
    failed = await ask(client, "health_check", workspace=ward.at("failed"))
    assert failed["status"] == "error" and failed["projects"][0]["index_status"] == "failed"
    check = failed["startup_checks"]["index"]
    assert check["status"] == "compatible" and check["message"] is None
    still = {"name": "limit", "workspace": ward.at("failed"), "freshness_policy": "best_effort"}
    assert (await ask(client, "locate_symbol", **still))["results"]


def test_repair_and_no_prewarm(ward: Ward, tmp_path: Path) -> None:
    """D4-NO-PREWARM, D4-STARTUP: prewarming can be switched off; after the named command the project is ready again."""
    repo = make_repo(tmp_path / "repo", SOURCE)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        home = desk.home
    break_text(home)
    env = environment(tmp_path)
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", "--no-prewarm"], repo, env)
    try:
        peer.open()
        first = payload(peer.call(1, "health_check"))
        assert first["prewarm_status"] == "skipped"
        assert first["workspace_warmset"] == {"enabled": False, "capacity": 3, "members": []}
        assert first["status"] == "error"
        with desk_on(repo, tmp_path / "data") as desk:
            desk.index(force=True)
        numbers = iter(range(2, 1000))
        until(lambda: payload(peer.call(next(numbers), "health_check")), lambda health: health["status"] == "ready")
    finally:
        peer.kill()


def test_damage_that_only_a_question_meets_is_remembered(tmp_path: Path) -> None:
    """D4-HEALTH-STATUS: a page that opening does not read is found by a question; from then on health says error,
    until a publish.
    """
    with desk_on(make_repo(tmp_path / "repo", SOURCE), tmp_path / "data") as desk:
        desk.index()
        assert desk.engine.health(None).status == "ready"
        project = desk.engine._projects.get_registered(None)
        with pytest.raises(Failure), project.open_view("main"):
            raise Failure("INDEX_INCOMPATIBLE", "index.db is damaged", {"schema_status": "corrupt_manifest"})
        health = desk.engine.health(None)
        assert (health.status, health.sqlite_ok) == ("error", False)
        assert health.projects[0].state.schema == "corrupt_manifest"
        assert "codecompass index --force" in health.message
        desk.index(force=True)
        assert desk.engine.health(None).status == "ready"


def test_a_records_file_that_cannot_be_read_is_an_error_not_a_crash(tmp_path: Path) -> None:
    """D4-HEALTH-STATUS: sqlite_ok is false and the server goes on."""
    repo = make_repo(tmp_path / "repo", SOURCE)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        home = desk.home
    (home / "records.db").write_bytes(b"x" * 8192)
    with desk_on(repo, tmp_path / "data") as desk:
        health = desk.engine.health(None)
        assert (health.status, health.sqlite_ok) == ("error", False) and len(health.projects) == 1


def test_prewarming_has_every_documented_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D4-WARMSET, D4-HEALTH-STATUS: pending, warming, complete; failed when a member cannot be loaded."""
    gate, broken = threading.Event(), Failure("INTERNAL", "cannot be read")

    def held(project: Project, stopped: object) -> None:
        gate.wait(20)

    def failing(project: Project, stopped: object) -> None:
        raise broken

    with desk_on(make_repo(tmp_path / "repo", SOURCE), tmp_path / "data") as desk:
        desk.index()
        assert desk.engine.health(None).prewarm_status == "pending"
        monkeypatch.setattr(warm_set, "load", held)
        desk.engine.prewarm()
        assert (desk.engine.health(None).status, desk.engine.health(None).prewarm_status) == ("warming", "warming")
        gate.set()
        until(lambda: desk.engine.health(None), lambda health: health.status == "ready")
        assert desk.engine.health(None).prewarm_status == "complete"
        monkeypatch.setattr(warm_set, "load", failing)
        desk.engine.prewarm()
        until(lambda: desk.engine.health(None).prewarm_status, lambda status: status == "failed")


def test_health_counts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D4-HEALTH-CHEAP: no walk over the data directory, no languages counted; index_status counts once a generation."""
    sized: list[int] = []
    size = EmbeddedStore.size

    def counting(store: EmbeddedStore) -> int:
        sized.append(1)
        return size(store)

    monkeypatch.setattr(EmbeddedStore, "size", counting)
    with desk_on(make_repo(tmp_path / "repo", SOURCE), tmp_path / "data") as desk:
        desk.index()
        for _ in range(3):
            assert desk.engine.health(None).projects[0].languages == {}
        assert not sized
        for _ in range(3):
            assert desk.engine.status(None, None).index_bytes > 0
        assert len(sized) == 1
        desk.engine.index(None, None, force=True, call=Call())
        assert desk.engine.status(None, None).languages == {"python": 1} and len(sized) == 2
