"""Settings: every key one row; read once, from the weakest source to the strongest.

    defaults < user config < <repo>/.codecompass/config.toml < --config FILE < CODECOMPASS_<SECTION>_<KEY>

The project's file comes with the repository and is hostile input: it may set only rows marked `project`, none of which
names a path or a program. Nothing but this module reads the environment.
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

MAX_CONFIG_BYTES = 1_048_576
FRESHNESS = ("strict", "balanced", "best_effort")
EXPLAIN = ("off", "basic", "full")


@dataclass(frozen=True, slots=True)
class Row:
    """One key: where it stands in a file, its type, its default and what it does."""

    section: str
    key: str
    kind: type
    default: object
    doc: str
    project: bool = False
    """Whether a repository may set it for itself."""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def env(self) -> str:
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.key)
        return f"CODECOMPASS_{self.section}_{snake}".upper()


ROWS = (
    Row("query", "freshness_policy", str, "balanced", "When the index is behind the files: `strict` refuses, "
        "`balanced` answers and syncs in the background, `best_effort` only answers.", True, FRESHNESS),
    Row("query", "ranking_explain_level", str, "off", "Ranking reasons in the metadata unless a call says otherwise.",
        True, EXPLAIN),
    Row("query", "max_response_bytes", int, 65_536, "Largest payload of one answer; more is cut and said to be cut.",
        True, (), 4_096, 16_777_216),
    Row("debug", "ranking_reasons", bool, False, "Legacy: true means `ranking_explain_level = \"full\"`; the explicit "
        "level wins.", True),
    Row("storage", "data_dir", str, "", "Where indexes and records live. Default: the platform's user data directory."),
    Row("index", "max_file_size", int, 1_048_576, "Bytes; a longer file is indexed up to the last line that fits.",
        True, (), 1, 1_073_741_824),
    Row("index", "workers", int, 0, "Parse processes; 0 means one a processor.", False, (), 0, 256),
    Row("index", "parse_timeout_s", float, 20.0, "Seconds a file may take to parse before it is indexed as text.", True,
        (), 0.1, 600),
    Row("index", "worker_memory_mb", int, 1_024, "Address space of one parse process.", False, (), 128, 65_536),
    Row("index", "watch", bool, True, "Watch the working tree, so that a save is searchable at once."),
    Row("index", "auto_sync", bool, True, "A server brings the index of an indexed working tree up to date by itself."),
    Row("index", "lint_rules", str, "E4,E7,E9,F,B,PLE", "Rules of the Python linter (ruff) whose messages are kept, "
        "with commas; empty for none."),
    Row("risk", "rules", list, (), "Files with risk rules of your own (TOML), added to those that come along; a rule "
        "with a known id replaces it."),
    Row("history", "window", int, 10, "Newest commits of a file over which its churn is counted.", False, (), 1, 1_000),
    Row("history", "max_commits", int, 20_000, "Commits of git's history that are looked at; beyond them a file's "
        "history is said to be truncated.", False, (), 1, 10_000_000),
    Row("history", "timeout_s", float, 20.0, "Seconds one question may spend on reading git's history; the next one "
        "goes on where it stopped.", False, (), 0.1, 3_600),
    Row("mcp", "mode", str, "sdk", "Framing of the stdio server.", False, ("sdk",)),
    Row("mcp", "toolTimeoutMs", int, 0, "Milliseconds every tool may take; unset keeps each tool's own, 0 or less "
        "means no limit."),
    Row("mcp", "toolTimeouts", dict, {}, "The same for single tools: a table of tool name to milliseconds."),
    Row("mcp", "queueMax", int, 64, "Calls running and waiting; one more is refused.", False, (), 1, 10_000),
    Row("mcp", "workers", int, 4, "Calls that run at the same time.", False, (), 1, 64),
    Row("server", "debug", bool, False, "Adds the `debug` block to search answers."),
    Row("server", "max_open_projects", int, 8, "Projects held open at once; the least recently used one that no call "
        "uses is closed, never deleted.", False, (), 1, 256),
    Row("server", "memory_budget_mb", int, 512, "Resident memory above which projects that no call uses are closed, "
        "least recently used first.", False, (), 64, 1_048_576),
    Row("server", "warmset_capacity", int, 3, "Recent workspaces loaded after the start; 0 loads none.", False, (), 0,
        32),
    Row("server", "auto_workspace", bool, False, "Register an allowed workspace when it is first named in a call."),
    Row("server", "allowed_roots", list, (), "Directories that a call's workspace may lie in, besides the server's own "
        "workspaces."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """All values, resolved. `origin` says where each value that is not a default came from."""

    values: Mapping[str, Any]
    origin: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a row's type is known only to its reader
        return self.values[name]

    @property
    def data_dir(self) -> Path:
        return Path(self["storage.data_dir"] or platformdirs.user_data_dir("codecompass", appauthor=False)).expanduser()

    @property
    def explain_level(self) -> str:
        """The explicit level wins over the legacy switch."""
        if "query.ranking_explain_level" not in self.origin and self["debug.ranking_reasons"]:
            return "full"
        return str(self["query.ranking_explain_level"])

    def timeout_ms(self, tool: str, own: int) -> int:
        """Milliseconds for one tool, 0 for no limit: its own row, else the global one, else the tool's."""
        if tool in self["mcp.toolTimeouts"]:
            return max(0, int(self["mcp.toolTimeouts"][tool]))
        if "mcp.toolTimeoutMs" not in self.origin:
            return own
        return max(0, int(self["mcp.toolTimeoutMs"]))


def environment() -> dict[str, str]:
    """The environment as it stands, for the one place that starts child processes."""
    return dict(os.environ)


def user_config_path() -> Path:
    """The file that holds a person's own settings."""
    return Path(platformdirs.user_config_dir("codecompass", appauthor=False)) / "config.toml"


def load(
    *,
    config: str | None = None,
    project: str | None = None,
    env: Mapping[str, str] | None = None,
    user_config: Path | None = None,
) -> Settings:
    """Read every source once. `project` is the root of a repository, `config` a file named on the command line."""
    values = {row.name: row.default for row in ROWS}
    origin: dict[str, str] = {}
    sources: list[tuple[Path, bool, bool]] = [(user_config or user_config_path(), False, False)]
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


def _read_file(path: Path, *, hostile: bool, required: bool) -> list[tuple[Row, object]]:
    label = "project config" if hostile else str(path)
    try:
        if hostile and not _is_plain(path):
            return []
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
    return _rows_of(tree, label, hostile=hostile)


def _is_plain(path: Path) -> bool:
    """A regular file in a real directory: a link could read any file, and a pipe would block for ever."""
    return not path.parent.is_symlink() and stat.S_ISREG(path.lstat().st_mode)


def _rows_of(tree: dict[str, Any], label: str, *, hostile: bool) -> list[tuple[Row, object]]:
    known = {row.name: row for row in ROWS}
    found: list[tuple[Row, object]] = []
    for section, keys in tree.items():
        if not isinstance(keys, dict):
            raise Failure("INVALID_REQUEST", f"{label}: unknown key '{section}'.", hint=_near(section))
        for key, value in keys.items():
            row = known.get(f"{section}.{key}")
            if row is None:
                raise Failure("INVALID_REQUEST", f"{label}: unknown key '{section}.{key}'.", hint=_near(section))
            if hostile and not row.project:
                said = f"{label}: '{row.name}' may not be set by a repository."
                raise Failure("INVALID_REQUEST", said, hint="Set it in your own config file or the environment.")
            found.append((row, _checked(row, value, label)))
    return found


def _near(section: str) -> str:
    keys = [row.name for row in ROWS if row.section == section]
    sections = sorted({row.section for row in ROWS})
    return f"Known keys: {', '.join(keys)}." if keys else f"Known sections: {', '.join(sections)}."


def _checked(row: Row, value: object, label: str) -> object:
    where = f"{label}: '{row.name}'"
    if row.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    # bool is an int to Python and not to a person.
    if not isinstance(value, row.kind) or (row.kind is not bool and isinstance(value, bool)):
        raise Failure("INVALID_REQUEST", f"{where} must be {_KIND_WORDS[row.kind]}.")
    if row.choices and value not in row.choices:
        raise Failure("INVALID_REQUEST", f"{where} must be one of {', '.join(row.choices)}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        too_small = row.least is not None and value < row.least
        too_large = row.most is not None and value > row.most
        if too_small or too_large or value != value:
            raise Failure("INVALID_REQUEST", f"{where} must lie between {row.least:g} and {row.most:g}.")
    if isinstance(value, list):
        if not all(isinstance(item, str) for item in value):
            raise Failure("INVALID_REQUEST", f"{where} must be a list of strings.")
        return tuple(value)
    if isinstance(value, dict) and not all(type(item) is int for item in value.values()):
        raise Failure("INVALID_REQUEST", f"{where} must map names to whole numbers.")
    return value


_KIND_WORDS = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false", list: "a list of strings",
    dict: "a table of names to whole numbers",
}  # fmt: skip


def _read_env(env: Mapping[str, str]) -> list[tuple[Row, object]]:
    return [(row, _from_text(row, env[row.env])) for row in ROWS if row.env in env]


def _from_text(row: Row, text: str) -> object:
    """An environment value, which is always text, as the type its row wants."""
    value: object = text
    try:
        if row.kind is bool:
            value = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[text.lower()]
        elif row.kind in (int, float):
            value = row.kind(text)
        elif row.kind is list:
            value = [part for part in text.split(os.pathsep) if part]
        elif row.kind is dict:
            value = {name: int(ms) for name, _, ms in (part.partition("=") for part in text.split(",") if part)}
    except (ValueError, KeyError):
        raise Failure("INVALID_REQUEST", f"environment: {row.env} must be {_KIND_WORDS[row.kind]}.") from None
    return _checked(row, value, f"environment {row.env}")
