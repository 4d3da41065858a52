"""Tool definitions: name, params, effects, limits and handler. Surfaces derive everything from them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from codecompass.contract.engine_ports import EnginePort
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.workspace_usage import EffectiveSetting
from codecompass.model.near_words import describe_typo
from codecompass.model.queries.results import ViewState
from codecompass.model.states import Completeness, ExplainLevel, FreshnessPolicy

TOOLSETS = ("all", "agent", "compass", "cleats", "context", "admin")
DEFAULT_TIMEOUT_MS = 120_000
TIMEOUTS_MS = {
    "build_index": 600_000,
    "index_build": 600_000,
    "build_sqlite_index": 600_000,
    "download_models": 600_000,
    "download_dictionaries": 600_000,
    "download_extensions": 600_000,
    "bootstrap": 600_000,
    "triage_ingest": 300_000,
}
"""Documented timeouts of tools that need more than the default."""
DEFAULT_SLOW_MS = 2_000
SLOW_MS = {"context_search": 5_000, "grep_codebase": 3_000}
"""Documented maximum times; a slower call is answered, and the log warns. Other tools have the default."""


EFFECTS = {
    "read": "answers from the index, the files and the records",
    "write": "changes the index, the records, or files in the data directory or the workspace",
    "job": "starts work that outlives the call",
    "network": "speaks to other machines",
    "execute": "loads a library that is not part of this program",
    "delete": "removes what was kept",
    "decide": "records a decision in a person's name",
}
"""What a tool may do. Everything except `read` needs a token over HTTP and is declared to MCP clients."""


class Params(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Arguments of a tool. The struct is the schema: unknown fields are refused."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """The server's defaults for arguments that a call leaves out."""

    freshness_policy: FreshnessPolicy = "balanced"
    ranking_explain_level: ExplainLevel = "off"
    max_response_bytes: int = 65_536
    debug: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """The context of a tool: the engine, the server's defaults, settings and counters."""

    engine: EnginePort
    defaults: Defaults = Defaults()
    metrics: Callable[[], dict[str, Any]] | None = None
    """Counts of calls and the queue since the process started; None when they are not counted."""
    settings: tuple[EffectiveSetting, ...] = ()
    """Every setting with its current value."""
    totals: Callable[[], tuple[int, int]] = lambda: (0, 0)
    """Calls answered and calls failed since the process started."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns: its payload, and the input of the metadata block."""

    payload: dict[str, Any]
    state: ViewState | None = None
    completeness: Completeness = "complete"
    extra: dict[str, Any] = field(default_factory=dict)
    """Further metadata: `ranking_reasons`, `symbol_count`."""
    warnings: tuple[str, ...] = ()


MAX_SUBJECT = 1_000
"""Characters of a pasted text that a session note keeps."""


@dataclass(frozen=True, slots=True)
class SessionNoteRule:
    """How a call is recorded in its session: the kind of event, and where to find its subject."""

    kind: str
    """`read` a file, ask a `query`, `record` a discovery."""
    argument: str = ""
    """The argument that is the subject; if empty, `result` is used."""
    result: tuple[str, ...] = ()
    """The path of keys to the subject in the payload."""

    def read_subject(self, raw: object, payload: dict[str, Any]) -> str:
        """Return the subject of one call; empty when there is none."""
        found: object = raw.get(self.argument) if isinstance(raw, dict) and self.argument else payload
        for key in self.result:
            found = found.get(key) if isinstance(found, dict) else None
        return found[:MAX_SUBJECT] if isinstance(found, str) else ""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its definition and the function that does the work."""

    name: str
    family: str
    summary: str
    params: type[Params]
    run: Callable[[Host, Call, Any], Answer]
    effects: tuple[str, ...] = ("read",)
    """What it may do: keys of `EFFECTS`."""
    quick: bool = False
    """Answers within milliseconds from memory, so it does not wait behind slower calls."""
    timeout_ms: int = 0
    """Milliseconds until a call is stopped; default: by name, from `TIMEOUTS_MS`."""
    slow_ms: int = 0
    """Milliseconds above which a call is logged as slow; default: by name, from `SLOW_MS`."""
    version: int = 1
    toolsets: tuple[str, ...] = ()
    errors: tuple[ErrorCode, ...] = ()
    positional: str = ""
    """The parameter that is positional on the command line."""
    noted: SessionNoteRule | None = None
    """How its calls are recorded in the session, if at all."""
    title: str = ""
    """What a client shows to people; default: the name as words."""
    preloaded: bool = False
    """Whether a client that loads tools when they are needed should have this one from the start."""

    def __post_init__(self) -> None:
        # Resolve defaults once, so that readers get plain numbers.
        object.__setattr__(self, "timeout_ms", self.timeout_ms or TIMEOUTS_MS.get(self.name, DEFAULT_TIMEOUT_MS))
        object.__setattr__(self, "slow_ms", self.slow_ms or SLOW_MS.get(self.name, DEFAULT_SLOW_MS))
        object.__setattr__(self, "title", self.title or self.name.replace("_", " ").capitalize())
        if not self.effects or set(self.effects) - set(EFFECTS):
            raise ValueError(f"{self.name} has unknown effects: {self.effects}")

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return self.params.__struct_encode_fields__

    @property
    def reads_only(self) -> bool:
        """Whether a call changes nothing, loads no library and uses no network."""
        return self.effects == ("read",)

    @property
    def may_be_shared(self) -> bool:
        """Whether another process may answer a call: it reads, and is not answered from the memory of this process."""
        return self.reads_only and not self.quick

    @property
    def starts_job(self) -> bool:
        return "job" in self.effects

    @property
    def annotations(self) -> dict[str, str | bool]:
        """Title and hints of MCP, for clients that ask their user before a call.

        Whether a repeated call changes more is said of tools that change something: for others MCP gives it no meaning.
        """
        return {
            "title": self.title,
            "readOnlyHint": self.reads_only,
            "destructiveHint": "delete" in self.effects,
            **({} if self.reads_only else {"idempotentHint": False}),
            "openWorldHint": "network" in self.effects,
        }

    def belongs_to(self, toolset: str) -> bool:
        return toolset in ("all", self.family) or toolset in self.toolsets


def select_tools(tools: tuple[Tool, ...], toolsets: tuple[str, ...]) -> tuple[Tool, ...]:
    """Return the tools that belong to any of the given toolsets, in their fixed order."""
    wanted = toolsets or ("all",)
    unknown = sorted(set(wanted) - set(TOOLSETS))
    if unknown:
        known = f"Known: {', '.join(TOOLSETS)}."
        typo = describe_typo(unknown[0], TOOLSETS)
        raise Failure("INVALID_REQUEST", f"Unknown toolset: {', '.join(unknown)}.", typo, hint=known)
    return tuple(tool for tool in tools if any(tool.belongs_to(name) for name in wanted))
