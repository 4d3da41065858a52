"""The status tools on a real repository: every field is compared with what is so."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.contract.versions import SCHEMA_VERSION, TOOL_VERSION
from codecompass.errors import Failure
from codecompass.model.call import Call, Progress
from codecompass.model.maintenance.workspace_usage import EffectiveSetting
from codecompass.settings import SETTINGS
from codecompass.tools import TOOLS
from tests.architecture.source import ROOT
from tests.engine.support import Desk, desk_on
from tests.fake_engine import FakeEngine
from tests.repo.gitrepo import ENV, git, make_repo

BY_NAME = {tool.name: tool for tool in TOOLS}
FILES = {
    "src/pay.py": "def pay(amount):\n    return amount\n", "docs/guide.md": "# Guide\n\nText.\n",
    "run.log": "2024-01-01 12:00:00 INFO started\n" * 5,
}  # fmt: skip


class Room:
    """A repository, its desk, and a host on it."""

    def __init__(self, desk: Desk, repo: Path) -> None:
        self.desk = desk
        self.repo = repo
        self.home = desk.home
        self.counted: dict[str, Any] = {
            "tools": {"search": {"calls": 3, "failure": 1}, "index_status": {"calls": 2, "failure": 0}},
            "queue": {"max": 64, "size": 1},
        }
        shown = (
            EffectiveSetting("query.freshness_policy", "strict", "/etc/x.toml"),
            EffectiveSetting("server.allowed_roots", ("/a",), ""),
            EffectiveSetting("http.auth_token", "hush", "ENV", True),
            EffectiveSetting("other.token", "", "", True),
        )
        defaults = Defaults(freshness_policy="best_effort")
        self.host = Host(desk.engine, defaults, lambda: self.counted, shown, lambda: (5, 1))

    def ask(self, name: str, call: Call | None = None, /, **raw: object) -> dict[str, Any]:
        tool = BY_NAME[name]
        return render_success(tool.family, tool.run(self.host, call or Call(), decode(tool.params, raw))).payload


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    home = tmp_path_factory.mktemp("status")
    repo = make_repo(home / "repo", FILES)
    with desk_on(repo, home / "data") as desk:
        desk.index()
        yield Room(desk, repo)


def bytes_below(directory: str | Path) -> int:
    files = {path.stat().st_ino: path.stat().st_size for path in Path(directory).rglob("*") if path.is_file()}
    return sum(files.values())


def test_build_sqlite_index(room: Room) -> None:
    """STATUS-TRUE, SQL-FILE: the payload says what lies on disk, and progress is reported on the way."""
    heard: list[Progress] = []
    made = room.ask("build_sqlite_index", Call(report=heard.append))
    assert made["ok"] and made["built"] and made["mode"] == "all"
    assert made["bytes"] == os.path.getsize(made["outPath"]) and made["files"] == 3 and made["vectors"] == 0
    assert set(made["outputPaths"].values()) == {made["outPath"]}
    assert made["branch"] == "main" and made["commit"] == git(room.repo, "rev-parse", "HEAD")
    assert heard and heard[0].phase == "export" and heard[0].total == 3
    assert not room.ask("build_sqlite_index", incremental=True)["built"]
    assert room.ask("build_sqlite_index", incremental=True, mode="code")["files"] == 1
    assert room.ask("build_sqlite_index", branch="main", out="x.sqlite")["outPath"] == str(room.repo / "x.sqlite")
    (room.repo / "x.sqlite").unlink()
    for raw in ({"mode": "everything"}, {"out": " "}, {"compact": True}, {"incremental": 1}, {"repoPath": ""}):
        with pytest.raises(Failure) as caught:
            room.ask("build_sqlite_index", **raw)
        assert caught.value.details["violations"], raw
    assert BY_NAME["build_sqlite_index"].timeout_ms == 600_000


def test_search_by_the_portable_file(room: Room) -> None:
    """SQL-BACKEND, SQL-STALE: the tool says which backend answered, and warns when it is behind."""
    room.ask("build_sqlite_index")
    found = room.ask("search", query="pay amount", backend="sqlite")
    assert found["backend"] == "sqlite" and found["code"][0]["file"] == "src/pay.py" and "warnings" not in found
    room.ask("build_sqlite_index", mode="prose")
    assert "prose" in room.ask("search", query="guide", backend="sqlite")["warnings"][0]


def test_index_status_has_both(room: Room) -> None:
    """STATUS-BOTH: compass fields, and beside them repoPath, git, models, dictionaries, index, sqlite and metrics."""
    room.ask("build_sqlite_index")
    found = room.ask("index_status", repoPath=str(room.repo))
    assert found["file_count"] == 3 and found["project_id"] and found["metadata"]["freshness_status"] == "fresh"
    assert found["repoPath"] == found["repo_root"] == str(room.repo)
    assert found["git"] == {"isRepo": True, "head": git(room.repo, "rev-parse", "HEAD"), "branch": "main"}
    shelf = room.home.parents[1]
    assert not found["models"]["available"] and found["models"]["semantic"] == "off"
    assert found["models"]["dir"] == str(shelf / "models") and found["models"]["installed"] == []
    assert found["dictionaries"] == {"dir": str(shelf / "dictionaries"), "files": [], "enabled": True}
    assert found["index"]["modes"] == {"code": 1, "prose": 1, "records": 1} and found["index"]["files"] == 3
    assert found["sqlite"]["fresh"] and found["sqlite"]["bytes"] == os.path.getsize(found["sqlite"]["path"])
    assert found["metrics"] == {"calls": 5, "failures": 1}
    assert room.ask("index_status", workspace=str(room.repo)).keys() == found.keys()
    with pytest.raises(Failure) as caught:
        room.ask("index_status", workspace=str(room.repo), repoPath=str(room.repo))
    assert caught.value.details["violations"]


def test_index_status_without_git(tmp_path: Path) -> None:
    """STATUS-BOTH: a plain directory is no repository, and what was not built is not there."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("a = 1\n")
    with desk_on(tmp_path / "plain", tmp_path / "data") as desk:
        desk.index()
        found = Room(desk, tmp_path / "plain").ask("index_status")
    assert found["git"] == {"isRepo": False} and not found["sqlite"]["exists"]


def test_workspace_status(room: Room, tmp_path: Path) -> None:
    """STATUS-TRUE: each registered workspace with its refs, what is fresh, and its true size."""
    git(room.repo, "branch", "-f", "side")
    room.desk.index("side")
    found = room.ask("workspace_status")
    [only] = found["workspaces"]
    assert found["total"] == 1 and only["repoPath"] == str(room.repo) and only["default"] and only["open"]
    assert {ref["branch"]: ref["freshness"] for ref in only["refs"]} == {"live": "fresh", "side": "fresh"}
    assert all(ref["files"] == 3 and ref["generation"] and ref["indexedAt"] for ref in only["refs"])
    assert abs(only["bytes"] - bytes_below(room.home)) < 100_000, "a log of SQLite may come and go"
    (room.repo / "src" / "new.py").write_text("x = 1\n")
    [stale] = room.ask("workspace_status", repoPath=str(room.repo))["workspaces"]
    assert {ref["branch"]: ref["freshness"] for ref in stale["refs"]} == {"live": "stale", "side": "fresh"}
    (room.repo / "src" / "new.py").unlink()
    other = make_repo(tmp_path / "other", {"b.py": "b = 1\n"})
    room.desk.engine.init(str(other))
    both = {one["repoPath"]: one for one in room.ask("workspace_status")["workspaces"]}
    assert set(both) == {str(room.repo), str(other)} and both[str(other)]["schema"] == "not_indexed"
    with pytest.raises(Failure) as caught:
        room.ask("workspace_status", repoPath=str(tmp_path))
    assert caught.value.code == "WORKSPACE_NOT_REGISTERED"


def test_report_artifacts(room: Room) -> None:
    """STATUS-TRUE: parts add up to what lies on disk; damage and staleness are issues with a way out."""
    room.ask("build_sqlite_index")
    found = room.ask("report_artifacts")
    repo = found["repo"]
    assert repo["root"] == str(room.repo) and repo["cacheRoot"] == str(room.home)
    assert repo["totalBytes"] == sum(repo["artifacts"].values())
    assert abs(repo["totalBytes"] - bytes_below(room.home)) < 100_000
    assert repo["artifacts"]["sqlite"] >= repo["sqlite"]["bytes"] > 0 and repo["artifacts"]["text"] > 0
    assert repo["artifacts"]["catalog"] >= (room.home / "index.db").stat().st_size
    assert found["health"] == {"issues": [], "hints": []}
    assert found["overall"]["cacheBytes"] >= repo["totalBytes"]
    Path(repo["sqlite"]["path"]).write_bytes(b"x" * 5000)
    (room.repo / "src" / "new.py").write_text("x = 1\n")
    health = room.ask("report_artifacts")["health"]
    assert len(health["issues"]) == len(health["hints"]) == 2
    assert any("sync_repo" in hint for hint in health["hints"])
    assert any("build_sqlite_index" in hint for hint in health["hints"])
    (room.repo / "src" / "new.py").unlink()
    room.ask("build_sqlite_index")


def test_config_status(room: Room) -> None:
    """STATUS-TRUE, STATUS-SECRETS: settings with their origin, real capabilities; of a secret only that it is set."""
    room.ask("build_sqlite_index", incremental=True)
    found = room.ask("config_status")
    assert found["config"]["query.freshness_policy"] == {"value": "strict", "origin": "/etc/x.toml"}
    assert found["config"]["server.allowed_roots"] == {"value": ["/a"], "origin": "default"}
    assert found["config"]["other.token"]["value"] == "" and "hush" not in json.dumps(found)
    assert found["config"]["http.auth_token"]["value"], "that it is set is said"
    assert found["schemaVersion"] == SCHEMA_VERSION and found["toolVersion"] == TOOL_VERSION
    assert found["capabilities"]["backends"] == ["auto", "tantivy", "sqlite"]
    assert found["capabilities"]["git"] is True and set(found["capabilities"]["docs"]) == {"pdf", "docx"}
    assert found["capabilities"]["vector"] == {"sqliteVec": True}
    codes = {item["code"] for item in found["warnings"]}
    assert "model_missing" in codes and "sqlite_missing" not in codes
    assert found["cache"]["repoCacheRoot"] == str(room.home)


def test_check_status(room: Room) -> None:
    """STATUS-TRUE: the counts of the server as they are, or none where nobody counts."""
    found = room.ask("check_status", repoPath=str(room.repo))
    assert found["ok"] and found["status"] == "ready" and found["queue"] == {"max": 64, "size": 1}
    assert found["metrics"]["search"]["calls"] == 3 and found["uptimeMs"] >= 0
    assert [one["repoPath"] for one in found["projects"]] == [str(room.repo)] and found["projects"][0]["files"] == 3
    tool = BY_NAME["check_status"]
    assert "queue" not in tool.run(Host(FakeEngine()), Call(), decode(tool.params, {})).payload


def test_the_program_itself(tmp_path: Path) -> None:
    """STATUS-TRUE, STATUS-SECRETS: by command every setting is shown with its origin, and no secret."""
    repo = make_repo(tmp_path / "repo", FILES)
    env = {**ENV, "CODECOMPASS_HTTP_AUTH_TOKEN": "hush-hush-hush", "CODECOMPASS_MCP_QUEUE_MAX": "7"}

    def run(*words: str) -> Any:  # noqa: ANN401 - whatever the tool answers
        argv = [sys.executable, "-m", "codecompass", "--data-dir", str(tmp_path / "data"), *words]
        done = subprocess.run(argv, cwd=repo, env={**env, "PYTHONPATH": str(ROOT / "src")}, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        assert b"hush-hush" not in done.stdout + done.stderr
        return json.loads(done.stdout) if words[0] == "tool" else None

    run("init")
    config = run("tool", "config_status")["config"]
    assert set(config) == {row.name for row in SETTINGS}
    assert config["mcp.queueMax"] == {"value": 7, "origin": "CODECOMPASS_MCP_QUEUE_MAX"}
    assert config["http.auth_token"]["origin"] == "CODECOMPASS_HTTP_AUTH_TOKEN"
    assert run("tool", "check_status")["queue"]["max"] == 7
