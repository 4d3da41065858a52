"""Settings: precedence, strictness, and what a repository may not say."""

import os
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.settings import SETTINGS, Settings, load_settings


class Places:
    """The four files and the environment of one test."""

    def __init__(self, root: Path) -> None:
        self.user = root / "user.toml"
        self.repo = root / "repo"
        self.given = root / "given.toml"
        (self.repo / ".codecompass").mkdir(parents=True)
        self.project = self.repo / ".codecompass" / "config.toml"

    def load(self, env: dict[str, str] | None = None) -> Settings:
        config = str(self.given) if self.given.exists() else None
        return load_settings(config=config, project=str(self.repo), env=env or {}, user_config=self.user)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_later_sources_win(places: Places) -> None:
    """S-PRECEDENCE: each source beats the one before it."""
    assert places.load()["query.freshness_policy"] == "balanced"
    places.user.write_text('[query]\nfreshness_policy = "strict"\n')
    assert places.load()["query.freshness_policy"] == "strict"
    places.project.write_text('[query]\nfreshness_policy = "best_effort"\n')
    assert places.load()["query.freshness_policy"] == "best_effort"
    places.given.write_text('[query]\nfreshness_policy = "strict"\n')
    assert places.load()["query.freshness_policy"] == "strict"
    assert places.load({"CODECOMPASS_QUERY_FRESHNESS_POLICY": "balanced"})["query.freshness_policy"] == "balanced"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[query", "TOML"),
        ("[query]\nbogus = 1", "query.bogus"),
        ("[bogus]\nx = 1", "bogus.x"),
        ("x = 1", "'x'"),
        ("[query]\nfreshness_policy = 3", "query.freshness_policy"),
        ('[query]\nfreshness_policy = "never"', "query.freshness_policy"),
        ("[query]\nmax_response_bytes = true", "query.max_response_bytes"),
        ("[query]\nmax_response_bytes = 1", "query.max_response_bytes"),
        ("[index]\nparse_timeout_s = nan", "index.parse_timeout_s"),
        ('[mcp]\ntoolTimeouts = {a = "b"}', "mcp.toolTimeouts"),
        ("[server]\nallowed_roots = [1]", "server.allowed_roots"),
        ("\udcff", "TOML"),
    ],
)
def test_a_bad_file_is_named_with_its_key(places: Places, text: str, named: str) -> None:
    """S-STRICT: the failure says which file and which key."""
    places.given.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Failure) as caught:
        places.load()
    assert caught.value.code == "INVALID_REQUEST"
    assert named in caught.value.message and "given.toml" in caught.value.message


def test_a_missing_file_matters_only_when_it_was_named(places: Places) -> None:
    """S-STRICT: --config must exist."""
    with pytest.raises(Failure, match="not found"):
        load_settings(config=str(places.given), env={}, user_config=places.user)


def test_an_enormous_file_is_refused(places: Places) -> None:
    """S-STRICT: without reading all of it."""
    places.given.write_text("#" * 2_000_000)
    with pytest.raises(Failure, match="larger"):
        places.load()


@pytest.mark.parametrize("row", [row for row in SETTINGS if not row.project], ids=lambda row: row.name)
def test_a_repository_may_not_set_paths_or_programs(places: Places, row: object) -> None:
    """S-HOSTILE: rows that are not marked for projects are refused from a project's file."""
    assert hasattr(row, "section") and hasattr(row, "key") and hasattr(row, "name")
    places.project.write_text(f'[{row.section}]\n{row.key} = "x"\n')
    with pytest.raises(Failure, match="may not be set by a repository"):
        places.load()


def test_nothing_a_repository_may_set_names_a_path() -> None:
    """S-HOSTILE: the list of what it may set is short and known."""
    assert {row.name for row in SETTINGS if row.project} == {
        "query.freshness_policy", "query.ranking_explain_level", "query.max_response_bytes", "debug.ranking_reasons",
        "index.max_file_size", "index.parse_timeout_s",
    }  # fmt: skip


@pytest.mark.parametrize("trick", ["link", "directory link", "pipe"])
def test_a_repository_cannot_make_us_read_something_else(places: Places, trick: str, tmp_path: Path) -> None:
    """S-HOSTILE: links and pipes in place of the config are passed over, without blocking."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.toml").write_text('[query]\nfreshness_policy = "strict"\n')
    if trick == "link":
        places.project.symlink_to(other / "config.toml")
    elif trick == "pipe":
        os.mkfifo(places.project)
    else:
        places.project.parent.rmdir()
        places.project.parent.symlink_to(other)
    assert places.load()["query.freshness_policy"] == "balanced"


def test_the_legacy_switch(places: Places) -> None:
    """S-LEGACY-REASONS: true means full; the explicit level is authoritative."""
    places.user.write_text("[debug]\nranking_reasons = true\n")
    assert places.load().explain_level == "full"
    places.user.write_text("[debug]\nranking_reasons = false\n")
    assert places.load().explain_level == "off"
    places.user.write_text('[debug]\nranking_reasons = true\n[query]\nranking_explain_level = "basic"\n')
    assert places.load().explain_level == "basic"


def test_timeouts(places: Places) -> None:
    """S-TIMEOUTS: one tool's row, then the global one, then the tool's own."""
    assert places.load().timeout_ms("search_code", 120) == 120
    assert places.load({"CODECOMPASS_MCP_TOOL_TIMEOUT_MS": "7"}).timeout_ms("search_code", 120) == 7
    assert places.load({"CODECOMPASS_MCP_TOOL_TIMEOUT_MS": "-1"}).timeout_ms("search_code", 120) == 0
    places.user.write_text("[mcp]\ntoolTimeouts = {search_code = 5}\ntoolTimeoutMs = 9\n")
    assert places.load().timeout_ms("search_code", 120) == 5
    assert places.load().timeout_ms("index_repo", 120) == 9


@pytest.mark.parametrize(
    ("name", "text"),
    [("CODECOMPASS_INDEX_WORKERS", "many"), ("CODECOMPASS_SERVER_DEBUG", "maybe"), ("CODECOMPASS_MCP_MODE", "x")],
)
def test_a_bad_environment_value_is_named(places: Places, name: str, text: str) -> None:
    """S-STRICT: with the variable's name."""
    with pytest.raises(Failure, match=name):
        places.load({name: text})


def test_environment_values_are_typed(places: Places) -> None:
    found = places.load({
        "CODECOMPASS_SERVER_DEBUG": "true", "CODECOMPASS_INDEX_PARSE_TIMEOUT_S": "2.5",
        "CODECOMPASS_SERVER_ALLOWED_ROOTS": os.pathsep.join(("/a", "/b")), "CODECOMPASS_STORAGE_DATA_DIR": "/data",
    })  # fmt: skip
    assert found["server.debug"] is True and found["index.parse_timeout_s"] == 2.5
    assert found["server.allowed_roots"] == ("/a", "/b") and found.data_dir == Path("/data")
