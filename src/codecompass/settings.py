"""Settings: one row for each key, and the loader that reads all sources once, from the weakest to the strongest.

    defaults < user config < <repo>/.codecompass/config.toml < --config FILE < CODECOMPASS_<SECTION>_<KEY>

The project's file comes with the repository and is untrusted input: it may set only rows marked `project`, none of
which names a path or a program. No other module reads the environment.
"""

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from codecompass.errors import Failure
from codecompass.model.editor_links import LINK_SCHEMES
from codecompass.model.states import EXPLAIN_LEVELS, FRESHNESS_POLICIES, ExplainLevel
from codecompass.ownership import require_own_file

MAX_CONFIG_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Setting:
    """One key: its section in a file, its type, its default and its documentation."""

    section: str
    key: str
    kind: type
    default: object
    doc: str
    project: bool = False
    """Whether a repository may set it for itself."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    separator: str = os.pathsep
    """Separator between the values of a list in the environment."""

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def is_secret(self) -> bool:
        """Whether its value must never be shown."""
        return self.key.endswith("token")

    @property
    def env(self) -> str:
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.key)
        return f"CODECOMPASS_{self.section}_{snake}".upper()


SETTINGS = (
    Setting("query", "freshness_policy", str, "balanced", "When the index is behind the files: `strict` refuses, "
        "`balanced` answers and syncs in the background, `best_effort` only answers.", True, FRESHNESS_POLICIES),
    Setting("query", "ranking_explain_level", str, "off", "Ranking reasons in the metadata unless a call says "
        "otherwise.", True, EXPLAIN_LEVELS),
    Setting("query", "max_response_bytes", int, 65_536, "Largest payload of one answer; a longer one is cut and "
        "marked.", True, (), 4_096, 16_777_216),
    Setting("query", "sync_s", float, 1.0, "Seconds that a command may take to bring a few changed files up to date "
        "before it answers; 0 answers from the index as it is.", False, (), 0, 600),
    Setting("debug", "ranking_reasons", bool, False, "Legacy: true means `ranking_explain_level = \"full\"`; the "
        "explicit level wins.", True),
    Setting("storage", "data_dir", str, "", "Where indexes and records live. Default: the platform's user data "
        "directory."),
    Setting("index", "max_file_size", int, 16_777_216, "Bytes; a longer file is indexed up to the last line that fits, "
        "and answers that may miss the rest are `partial` and name it.", True, (), 1, 1_073_741_824),
    Setting("index", "workers", int, 0, "Parse processes; 0 means one per processor.", False, (), 0, 256),
    Setting("index", "parse_timeout_s", float, 20.0, "Seconds that a file, or each MiB of a long one, may take to "
        "parse before it is indexed as text.", True, (), 0.1, 600),
    Setting("index", "worker_memory_mb", int, 1_024, "Address space of one parse process.", False, (), 128, 65_536),
    Setting("index", "watch", bool, True, "Watch the working tree, so that a save is searchable at once."),
    Setting("index", "auto_sync", bool, True, "A server brings the index of an indexed working tree up to date by "
        "itself; with `query.freshness_policy = \"best_effort\"` only when this is set explicitly."),
    Setting("index", "import_bundles", bool, False, "Whether `bootstrap` and `build_index` may begin from an index "
        "that a build server left in the workspace. Whoever can write there decides what such an index says."),
    Setting("index", "auto_index", bool, True, "A server registers and indexes the workspace it was started for, where "
        "that is a git work tree or has a project manifest."),
    Setting("index", "object_roots", list, (), "Directories that a repository may borrow git objects from (`git clone "
        "--shared` and `--reference`), besides the one that contains it."),
    Setting("index", "lint_rules", str, "E4,E7,E9,F,B,PLE", "Rules of the Python linter (ruff) whose messages are "
        "kept, separated by commas; empty for none."),
    Setting("embed", "model", str, "bundled", "The embedding model: `bundled`, `none`, `endpoint`, or the directory of "
        "a model2vec or ONNX model."),
    Setting("embed", "endpoint_url", str, "", "An OpenAI-compatible service such as `https://host/v1`; used only with "
        "`embed.model = \"endpoint\"` and `embed.allow_network`."),
    Setting("embed", "endpoint_model", str, "", "The model that the service is asked for."),
    Setting("embed", "endpoint_token", str, "", "Sent to the service as `Authorization: Bearer`; better in the "
        "environment than here."),
    Setting("embed", "allow_network", bool, False, "Lets the texts of your code leave this machine for that service."),
    Setting("embed", "timeout_s", float, 30.0, "Seconds one request to the service may take.", False, (), 0.05, 600),
    Setting("risk", "rules", list, (), "Files with risk rules of your own (TOML), added to the built-in ones; a rule "
        "with a known id replaces it."),
    Setting("secrets", "mask", bool, True, "Mask private keys and tokens that files hold, in the index, in search "
        "answers and in exports; `read_file` shows them with a note."),
    Setting("history", "window", int, 10, "Newest commits of a file over which its churn is counted.", False, (), 1,
        1_000),
    Setting("history", "max_commits", int, 20_000, "Commits of git's history that are read; beyond them a file's "
        "history is reported as truncated.", False, (), 1, 10_000_000),
    Setting("history", "timeout_s", float, 20.0, "Seconds one call may spend on reading git's history; the next one "
        "continues where it stopped.", False, (), 0.1, 3_600),
    Setting("index", "dictionaries", bool, True, "Split compounds such as `httprequest` with the word lists of the "
        "data directory, if there are any."),
    Setting("downloads", "dictionaries", list, (), "Word lists to download: `name=url`, followed by `#sha256=…` where "
        "the hash is known.", separator=" "),
    Setting("downloads", "models", list, (), "Embedding models: `name=url` of an archive, or of a directory (with a "
        "slash at the end).", separator=" "),
    Setting("downloads", "extensions", list, (), "Extensions of SQLite: `platform=url#sha256=…`, such as "
        "`linux-x86_64=…`.", separator=" "),
    Setting("downloads", "allowed_hosts", list, (), "The only hosts to download from; `*.example.org` means every name "
        "below it. Empty for every public host.", separator=" "),
    Setting("downloads", "private_hosts", list, (), "Hosts to download from though their address is not public.",
        separator=" "),
    Setting("downloads", "file_roots", list, (), "Directories that may hold `file:` sources, besides the workspace and "
        "the allowed roots."),
    Setting("downloads", "proxy", str, "environment", "Proxy for downloads: `http://host:port`, `none`, or "
        "`environment` for that of `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY`. Hosts of `NO_PROXY` are contacted "
        "directly."),
    Setting("downloads", "ca_file", str, "", "File with certificates to trust instead of the system's."),
    Setting("downloads", "max_mb", int, 512, "Largest file to download.", False, (), 1, 16_384),
    Setting("downloads", "timeout_s", float, 600.0, "Seconds one file may take.", False, (), 1, 86_400),
    Setting("downloads", "idle_s", float, 30.0, "Seconds after which a download without data is aborted.", False, (),
        0.1, 3_600),
    Setting("grep", "cache_mb", int, 128, "Memory for texts that `grep_codebase` searches, compressed where there are "
        "more; 0 reads every file again.", False, (), 0, 65_536),
    Setting("terminal", "hyperlinks", str, "file", "Paths on a terminal are links that open in this editor; `file` "
        "leaves the choice to the system, `off` makes no links.", False, ("off", *LINK_SCHEMES)),
    Setting("terminal", "editor", str, "", "Command that `codecompass open` runs, such as `code --goto {path}:{line}`. "
        "Default: `VISUAL` or `EDITOR`."),
    Setting("process", "grace_ms", int, 2_000, "Milliseconds that a process has to end after SIGTERM before it is "
        "killed.", False, (), 0, 60_000),
    Setting("mcp", "mode", str, "sdk", "Framing of the stdio server: `sdk` has one JSON message a line, `legacy` has "
        "`Content-Length` headers. Never detected automatically.", False, ("sdk", "legacy")),
    Setting("mcp", "maxBufferBytes", int, 8_388_608, "Largest message a client may send. Calls are also refused while "
        "answers of this size wait to be read.", False, (), 65_536, 268_435_456),
    Setting("mcp", "toolTimeoutMs", int, 0, "Milliseconds every tool may take; unset keeps each tool's own, 0 or less "
        "means no limit."),
    Setting("mcp", "toolTimeouts", dict, {}, "The same for single tools: a table of tool name to milliseconds."),
    Setting("mcp", "queueMax", int, 64, "Calls running and waiting; further calls are refused.", False, (), 1, 10_000),
    Setting("mcp", "workers", int, 4, "Calls that run at the same time.", False, (), 1, 64),
    Setting("mcp", "lostWorkerGraceMs", int, 2_000, "Milliseconds that a call which was cancelled or timed out may "
        "occupy its worker; then another worker replaces it.", False, (), 0, 600_000),
    Setting("mcp", "rateLimits", dict, {"context_search": 30, "read_file": 100, "grep_codebase": 60}, "Calls per "
        "minute that a server accepts for a tool from one client: a table of tool name to number, added to the "
        "default; 0 means no limit."),
    Setting("log", "level", str, "warning", "Lowest level of the lines on stderr; `-v` shows more. `info` has one line "
        "per call.", False, ("debug", "info", "warning", "error")),
    Setting("log", "format", str, "auto", "Lines for people or for machines; `auto` is `text` on a terminal, else "
        "`json`.", False, ("auto", "text", "json")),
    Setting("server", "debug", bool, False, "Adds the `debug` block to search answers."),
    Setting("server", "max_open_projects", int, 8, "Projects held open at once; the least recently used one that no "
        "call uses is closed, never deleted.", False, (), 1, 256),
    Setting("server", "memory_budget_mb", int, 512, "Resident memory that a server stays below: from seven "
        "eighths of it on, projects that no call uses are closed, least recently used first, then caches are dropped.",
        False, (), 64, 1_048_576),
    Setting("server", "warmset_capacity", int, 3, "Recent workspaces loaded after the start; 0 loads none.", False, (),
        0, 32),
    Setting("server", "auto_workspace", bool, False, "Register an allowed workspace when it is first named in a call."),
    Setting("server", "allowed_roots", list, (), "Directories that may hold a call's workspace, besides the server's "
        "own workspaces."),
    Setting("http", "host", str, "127.0.0.1", "Address of `serve-http`; anything but this machine needs a token."),
    Setting("http", "port", int, 7_345, "Its port; 0 takes a free one.", False, (), 0, 65_535),
    Setting("http", "auth_token", str, "", "Token that every request must carry as `Authorization: Bearer`; better in "
        "the environment or a file than here."),
    Setting("http", "auth_token_file", str, "", "File that holds the token and that nobody else can read."),
    Setting("http", "allowed_hosts", list, (), "Values allowed in the `Host` header of requests, besides the server's "
        "own addresses."),
    Setting("http", "cors_origins", list, (), "Web pages that may call the server, such as `https://example.org`."),
    Setting("http", "stateless", bool, False, "Serve MCP without sessions: every request is independent."),
    Setting("http", "max_sessions", int, 256, "MCP sessions open at a time; more are refused.", False, (), 1, 10_000),
    Setting("http", "session_idle_s", float, 1_800.0, "Seconds without a request after which a session ends.", False,
        (), 0.1, 604_800),
    Setting("http", "max_connections", int, 512, "Connections open at a time, limited by the file descriptors of the "
        "process.", False, (), 4, 100_000),
    Setting("http", "max_body_bytes", int, 1_000_000, "Largest request body of the HTTP API.", False, (), 1_000,
        16_777_216),
    Setting("http", "max_mcp_body_bytes", int, 4_194_304, "Largest request body at `/mcp`.", False, (), 1_000,
        67_108_864),
    Setting("http", "header_timeout_s", float, 10.0, "Seconds for the line and headers of a request.", False, (), 0.1,
        600),
    Setting("http", "body_timeout_s", float, 30.0, "Seconds for the body of a request.", False, (), 0.1, 3_600),
    Setting("http", "keep_alive_s", float, 75.0, "Seconds a connection may wait for its next request.", False, (), 0.1,
        3_600),
    Setting("http", "write_timeout_s", float, 30.0, "Seconds after which a client that does not read is cut off.",
        False, (), 0.1, 3_600),
    Setting("http", "replay_bytes", int, 16_777_216, "Bytes of sent messages kept for clients that resume, all "
        "sessions together.", False, (), 0, 1_073_741_824),
    Setting("http", "replay_s", float, 300.0, "Seconds such messages are kept.", False, (), 0, 86_400),
    Setting("http", "heartbeat_s", float, 15.0, "Seconds after which a silent stream sends a comment.",
        False, (), 0.05, 3_600),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """All resolved values. `origin` maps each value that is not a default to its source."""

    values: Mapping[str, Any]
    origin: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a row's type is known only to its reader
        return self.values[name]

    @property
    def data_dir(self) -> Path:
        return Path(self["storage.data_dir"] or platformdirs.user_data_dir("codecompass", appauthor=False)).expanduser()

    @property
    def explain_level(self) -> ExplainLevel:
        """The explicit level wins over the legacy switch."""
        if "query.ranking_explain_level" not in self.origin and self["debug.ranking_reasons"]:
            return "full"
        level: ExplainLevel = self["query.ranking_explain_level"]
        return level

    @property
    def rate_limits(self) -> dict[str, int]:
        """Calls per minute of each tool that has a limit: the defaults, overridden by the configured table."""
        standard = next(row.default for row in SETTINGS if row.name == "mcp.rateLimits")
        assert isinstance(standard, dict)
        return {**standard, **self["mcp.rateLimits"]}

    def timeout_ms(self, tool: str, own: int) -> int:
        """Return the timeout of a tool in milliseconds, 0 for none: its own row, the global one, or the tool's."""
        if tool in self["mcp.toolTimeouts"]:
            return max(0, int(self["mcp.toolTimeouts"][tool]))
        if "mcp.toolTimeoutMs" not in self.origin:
            return own
        return max(0, int(self["mcp.toolTimeoutMs"]))


def find_editor() -> str:
    """Return the command of the user's editor from the environment, as git reads it; empty if there is none."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def read_environment() -> dict[str, str]:
    """Return a copy of the current environment, for the one place that starts child processes."""
    return dict(os.environ)


def get_user_config_path() -> Path:
    """Return the path of the user's own configuration file."""
    return Path(platformdirs.user_config_dir("codecompass", appauthor=False)) / "config.toml"


def load_settings(
    *,
    config: str | None = None,
    project: str | None = None,
    env: Mapping[str, str] | None = None,
    user_config: Path | None = None,
) -> Settings:
    """Read every source once. `project` is the root of a repository, `config` a file from the command line."""
    values = {row.name: row.default for row in SETTINGS}
    origin: dict[str, str] = {}
    sources: list[tuple[Path, bool, bool]] = [(user_config or get_user_config_path(), False, False)]
    if project:
        sources.append((Path(project) / ".codecompass" / "config.toml", True, False))
    if config:
        sources.append((Path(config), False, True))
    for path, hostile, required in sources:
        for row, value in _read_file(path, hostile=hostile, required=required):
            values[row.name], origin[row.name] = value, str(path)
    for row, text in _read_env(os.environ if env is None else env):
        values[row.name], origin[row.name] = text, row.env
    return Settings(values, origin)


def _read_file(path: Path, *, hostile: bool, required: bool) -> list[tuple[Setting, object]]:
    label = "project config" if hostile else str(path)
    try:
        if hostile and not _is_regular_file(path):
            return []
        if not hostile:
            # It decides what is loaded and which hosts are contacted, so no other user may have written it.
            require_own_file(path)
        with path.open("rb") as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise Failure("INVALID_REQUEST", f"Config file not found: {path}.") from None
        return []
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"{label}: cannot be read ({error.strerror}).") from None
    if len(data) > MAX_CONFIG_BYTES:
        raise Failure("INVALID_REQUEST", f"{label}: larger than {MAX_CONFIG_BYTES} bytes.")
    try:
        tree = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Failure("INVALID_REQUEST", f"{label}: not valid TOML: {error}") from None
    return _collect_values(tree, label, hostile=hostile)


def _is_regular_file(path: Path) -> bool:
    """Whether this is a regular file in a real directory: a link could read any file, and a pipe would block."""
    return not path.parent.is_symlink() and stat.S_ISREG(path.lstat().st_mode)


def _collect_values(tree: dict[str, Any], label: str, *, hostile: bool) -> list[tuple[Setting, object]]:
    known = {row.name: row for row in SETTINGS}
    found: list[tuple[Setting, object]] = []
    for section, keys in tree.items():
        if not isinstance(keys, dict):
            raise Failure("INVALID_REQUEST", f"{label}: unknown key '{section}'.", hint=_suggest_keys(section))
        for key, value in keys.items():
            row = known.get(f"{section}.{key}")
            if row is None:
                raise Failure(
                    "INVALID_REQUEST", f"{label}: unknown key '{section}.{key}'.", hint=_suggest_keys(section)
                )
            if hostile and not row.project:
                message = f"{label}: '{row.name}' may not be set by a repository."
                raise Failure("INVALID_REQUEST", message, hint="Set it in your own config file or the environment.")
            found.append((row, _check_value(row, value, label)))
    return found


def _suggest_keys(section: str) -> str:
    keys = [row.name for row in SETTINGS if row.section == section]
    sections = sorted({row.section for row in SETTINGS})
    return f"Known keys: {', '.join(keys)}." if keys else f"Known sections: {', '.join(sections)}."


def _check_value(row: Setting, value: object, label: str) -> object:
    where = f"{label}: '{row.name}'"
    if row.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    # In Python a bool is an int; in a configuration file it is not.
    if not isinstance(value, row.kind) or (row.kind is not bool and isinstance(value, bool)):
        raise Failure("INVALID_REQUEST", f"{where} must be {_TYPE_NAMES[row.kind]}.")
    if row.choices and value not in row.choices:
        raise Failure("INVALID_REQUEST", f"{where} must be one of {', '.join(row.choices)}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        too_small = row.minimum is not None and value < row.minimum
        too_large = row.maximum is not None and value > row.maximum
        if too_small or too_large or value != value:
            raise Failure("INVALID_REQUEST", f"{where} must be between {row.minimum:g} and {row.maximum:g}.")
    if isinstance(value, list):
        if not all(isinstance(item, str) for item in value):
            raise Failure("INVALID_REQUEST", f"{where} must be a list of strings.")
        return tuple(value)
    if isinstance(value, dict) and not all(type(item) is int for item in value.values()):
        raise Failure("INVALID_REQUEST", f"{where} must map names to whole numbers.")
    return value


_TYPE_NAMES = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", list: "a list of strings",
    dict: "a table of names to whole numbers",
}  # fmt: skip


def _read_env(env: Mapping[str, str]) -> list[tuple[Setting, object]]:
    return [(row, _parse_text(row, env[row.env])) for row in SETTINGS if row.env in env]


def _parse_text(row: Setting, text: str) -> object:
    """Convert an environment value, which is always text, to the type of its row."""
    value: object = text
    try:
        if row.kind is bool:
            value = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[text.lower()]
        elif row.kind in (int, float):
            value = row.kind(text)
        elif row.kind is list:
            value = [part for part in text.split(row.separator) if part]
        elif row.kind is dict:
            value = {name: int(ms) for name, _, ms in (part.partition("=") for part in text.split(",") if part)}
    except (ValueError, KeyError):
        raise Failure("INVALID_REQUEST", f"environment: {row.env} must be {_TYPE_NAMES[row.kind]}.") from None
    return _check_value(row, value, f"environment {row.env}")
