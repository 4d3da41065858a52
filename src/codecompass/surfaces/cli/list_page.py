"""The part of a list that a command shows, and the command that shows the next part. Imports nothing heavy."""

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from codecompass.errors import Failure
from codecompass.model.call import ListRange

LISTS = {
    "search_code": ("results",),
    "locate_symbol": ("results",),
    "search": ("code", "prose", "extractedProse", "records"),
    "find_references": ("references", "excluded_mentions"),
    "get_call_graph": ("callers", "callees"),
    "get_symbol_hierarchy": ("subtypes", "members"),
    "inspect_symbol": ("diagnostics",),
    "get_diagnostics": ("diagnostics",),
    "find_risks": ("findings",),
    "diff_context": ("changes",),
    "list_refs": ("refs",),
    "context_search": ("results",),
}
"""The lists of each tool that a cursor continues."""
MAX_LIMIT = 100
"""Largest limit of a tool."""


def is_tool_limit(limit: int | None, most: int = MAX_LIMIT) -> bool:
    """Whether a tool takes this limit itself; more than it takes, or everything, is only for commands."""
    return limit is not None and 0 < limit <= most


def read_range(limit: int | None, offset: int | None, most: int = MAX_LIMIT) -> ListRange | None:
    """Return the part of a list that flags name; None where the tool's own limit says enough."""
    if min(limit or 0, offset or 0) < 0:
        raise Failure("INVALID_REQUEST", "--limit and --offset are at least 0.", hint="--limit 0 shows everything.")
    own = limit is None or is_tool_limit(limit, most)
    return None if own and offset is None else ListRange(offset or 0, None if own else limit)


class ListPage(NamedTuple):
    """What a command shows of a list, and the words of its command line."""

    wanted: ListRange | None
    words: list[str]

    def format_next(self, tool: str, payload: Mapping[str, Any]) -> str:
        """Return the line that says how to see more; empty at the end of the list."""
        if "next_cursor" not in payload:
            return ""
        return self.format_after(max((len(payload.get(name, ())) for name in LISTS[tool]), default=0))

    def format_after(self, shown: int) -> str:
        """Return the line that says how to see more than those shown here."""
        following = (self.wanted.offset if self.wanted else 0) + shown
        command = shlex.join(["codecompass", *drop_option(self.words, "--offset"), "--offset", str(following)])
        return f"more: {command}   (or --all)"


def drop_option(words: list[str], name: str) -> list[str]:
    """Return a command line without an option and its value."""
    kept: list[str] = []
    skips = False
    for word in words:
        if skips or word == name:
            skips = word == name and not skips
        elif not word.startswith(f"{name}="):
            kept.append(word)
    return kept
