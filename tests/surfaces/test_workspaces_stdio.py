"""Several workspaces in one stdio server."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import payload, until


class Site:
    """A directory of repositories and a server that may register what lies in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.roots = home / "roots"
        self.shell = Shell(self.repository("first"), environment(home) | {"CODECOMPASS_INDEX_AUTO_SYNC": "false"})
        for name in ("first", "second"):
            done = self.shell.run("index", "--path", str(self.repository(name)))
            assert done.returncode == 0, done.stderr
        self.peer = self.serve("--allowed-root", str(self.roots), "--auto-workspace")
        self._asked = 0

    def repository(self, name: str) -> Path:
        root = self.roots / name
        if not root.exists():
            make_repository(root)
            (root / "src" / "own.py").write_text(f"def only_in_{name}():\n    return 1\n")
        return root

    def serve(self, *words: str) -> Peer:
        served = [word for name in ("first", "second") for word in ("--workspace", str(self.roots / name))]
        command = [sys.executable, "-m", "codecompass", "serve-mcp", *served, *words]
        peer = Peer(command, self.home, self.shell.env)
        peer.open()
        return peer

    def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        self._asked += 1
        return payload(self.peer.call(self._asked, tool, **arguments))

    def find(self, name: str, workspace: Path | None) -> dict[str, Any]:
        where = {"workspace": str(workspace)} if workspace else {}
        return self.ask("search_code", query=f"only_in_{name}", freshness_policy="best_effort", **where)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.peer.kill()


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """A site nobody asked anything yet: what is loaded first follows from what was used before."""
    site = Site(tmp_path / "site")
    yield site
    site.peer.kill()


def test_each_call_names_its_workspace(site: Site) -> None:
    """WS-REGISTERED: the default one without a name, any served one by its path or a link to it; never each other's."""
    (site.roots / "also second").symlink_to(site.roots / "second")
    assert site.find("first", None)["results"][0]["name"] == "only_in_first"
    for path in (site.roots / "second", site.roots / "also second", site.roots / "first" / ".." / "second"):
        found = site.find("second", path)
        assert found["results"][0]["name"] == "only_in_second"
        assert not [hit for hit in site.find("first", path)["results"] if hit["name"] == "only_in_first"]
    shown = site.ask("health_check")["projects"]
    assert [one["repo_root"] for one in shown] == [str(site.roots / "first"), str(site.roots / "second")]


def test_an_unknown_workspace_is_indexed_at_once(site: Site) -> None:
    """WS-AUTO: the first question registers it, starts its index and says so; a later one is answered."""
    root = site.repository("third")
    said = site.find("third", root)
    assert said["results"] == [] and said["suggested_next_actions"]
    meta = said["metadata"]
    assert (meta["indexing_status"], meta["result_completeness"]) == ("indexing", "partial")
    assert (meta["freshness_status"], meta["schema_status"], meta["ref"]) == ("syncing", "not_indexed", "main")
    assert site.ask("index_status", workspace=str(root))["recent_jobs"][0]["mode"] == "full"
    found = until(lambda: site.find("third", root), lambda answer: bool(answer["results"]))
    assert found["results"][0]["path"] == "src/own.py" and found["metadata"]["indexing_status"] == "ready"
    assert site.find("first", None)["results"]


def test_a_job_tool_is_itself_the_first_index(site: Site) -> None:
    """WS-AUTO: index_repo on an unknown workspace is not in its own way."""
    root = str(site.repository("fourth"))
    started = site.ask("index_repo", workspace=root)
    assert started["status"] == "running"
    jobs = until(
        lambda: site.ask("index_status", workspace=root)["recent_jobs"], lambda jobs: jobs[0]["status"] == "published"
    )
    assert [job["job_id"] for job in jobs] == [started["job_id"]]


def test_what_may_not_be_named(site: Site, tmp_path: Path) -> None:
    """WS-ALLOWED: outside the allowed roots workspace_not_allowed, there or not; a relative path invalid_input."""
    outside = make_repository(tmp_path / "outside")
    (site.roots / "way out").symlink_to(outside)
    for path in (outside, site.roots / "way out", tmp_path / "nothing", Path("/"), site.home / "data"):
        for tool in ("search_code", "index_repo", "index_status", "health_check"):
            words = {"query": "x"} if tool == "search_code" else {}
            error = site.ask(tool, workspace=str(path), **words)["error"]
            assert error["code"] == "workspace_not_allowed", (tool, path)
            assert "--allowed-root" in error["data"]["suggestion"]
    assert site.ask("index_status", workspace="roots/first")["error"]["code"] == "invalid_input"


def test_without_auto_workspace_it_must_be_registered(own_site: Site) -> None:
    """WS-REGISTERED, WS-WARMSET: only an index job registers it; recent workspaces are loaded at start."""
    site = own_site
    site.find("second", site.roots / "second")
    assert site.peer.end("EOF")[0] == 0
    site.peer.kill()
    peer = site.peer = site.serve("--allowed-root", str(site.roots))
    unknown = str(site.repository("fifth"))
    for tool, words in (("index_status", {}), ("health_check", {}), ("search_code", {"query": "only_in_fifth"})):
        error = site.ask(tool, workspace=unknown, **words)["error"]
        assert error["code"] == "workspace_not_registered" and "codecompass init" in error["data"]["suggestion"]
    health = until(lambda: site.ask("health_check"), lambda health: health["prewarm_status"] == "complete")
    warm = health["workspace_warmset"]
    assert warm["enabled"] is True and warm["capacity"] == 3 and len(warm["members"]) <= 3
    assert warm["members"][:2] == [str(site.roots / "first"), str(site.roots / "second")]
    assert site.ask("index_repo", workspace=unknown)["status"] == "running", "the user named what to index"
    found = until(lambda: site.find("fifth", Path(unknown)), lambda answer: bool(answer["results"]))
    assert found["results"][0]["path"] == "src/own.py" and peer.is_alive()


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--auto-workspace",), "--allowed-root"), (("--allowed-root", "no/such/root"), "no/such/root")],
)
def test_roots_are_checked_before_anything_is_served(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """WS-ROOTS: refused with a line that says why, and exit code 2."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    done = shell.run("serve-mcp", *words)
    assert done.returncode == 2 and done.stdout == "" and said in done.stderr and "Traceback" not in done.stderr
