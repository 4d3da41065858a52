"""Internal tool that completes refs, paths, names and modules; surfaces offer it as MCP completions."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.prompts import COMPLETION_TOOL, MAX_COMPLETIONS, ValueKind
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call

_NOTHING_YET: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED", "PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED")
"""Failures that mean that there is nothing to complete from."""


class CompleteValueParams(Params, frozen=True, kw_only=True):
    kind: ValueKind
    values: Annotated[tuple[str, ...], Meta(max_length=1)] = ()
    """The text so far; a list, because it may be empty."""


def run(host: Host, call: Call, params: CompleteValueParams) -> Answer:
    text = params.values[0] if params.values else ""
    try:
        values, total = _complete(host, call, params.kind, text)
    except Failure as failure:
        if failure.code not in _NOTHING_YET:
            raise
        values, total = (), 0
    shown = list(values[:MAX_COMPLETIONS])
    return Answer({"values": shown, "total": total, "hasMore": total > len(shown)})


def _complete(host: Host, call: Call, kind: ValueKind, text: str) -> tuple[tuple[str, ...], int]:
    if kind == "ref":
        refs = host.engine.refs(None, text[:255], MAX_COMPLETIONS, call)
        return tuple(entry.name for entry in refs.refs), refs.total
    if kind == "module":
        folded = text.casefold()
        modules = host.engine.memory_overview(None, None, call).modules
        found = tuple(name for name, _ in modules if name.casefold().startswith(folded))
        return found, len(found)
    return host.engine.complete(None, kind, text[:500], MAX_COMPLETIONS, call)


TOOL = Tool(
    name=COMPLETION_TOOL,
    family="context",
    summary="Values that begin with a text.",
    params=CompleteValueParams,
    run=run,
    errors=("INVALID_REQUEST", "INTERNAL"),
)
