"""Mined items: statements extracted from one file content or commit, before a view assigns a path."""

import re
from typing import NamedTuple

from codecompass.model.ids import make_discovery_id
from codecompass.model.memory_values import MAX_MINED
from codecompass.model.secrecy import escape_invisible, redact_secrets
from codecompass.model.states import DiscoveryType, SourceKind
from codecompass.text.credentials import mask_credentials

_BLANK = re.compile(r"[ \t\r\f\v]+")
_BLANK_LINES = re.compile(r"\n\s*\n+")


class MinedItem(NamedTuple):
    """A statement without a path: equal contents yield equal items."""

    id: str
    type: DiscoveryType
    kind: SourceKind
    content: str
    title: str = ""
    line_start: int = 0
    line_end: int = 0
    owner: str = ""
    """The person that a TODO names."""
    status: str = ""
    """Of a decision record: `accepted`, `superseded`, `rejected` or `proposed`."""
    replaces: tuple[str, ...] = ()
    """Names or numbers of decision records it supersedes."""
    replaced_by: tuple[str, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()
    """(slot, tool) for tools that a project has one of, such as its package manager."""
    redacted: bool = False


def make_item(
    type: DiscoveryType,
    kind: SourceKind,
    content: str,
    title: str = "",
    *,
    lines: tuple[int, int] = (0, 0),
    key: str = "",
) -> MinedItem:
    """Make an item with its text sanitized: secrets masked, whitespace collapsed, length limited."""
    tidy, redacted = sanitize_text(content)
    name, _ = sanitize_text(title, 200)
    made = make_discovery_id(*((kind, key) if key else ("text", name if kind != "comment" else "", tidy)))
    return MinedItem(made, type, kind, tidy, name, *lines, redacted=redacted)


def sanitize_text(text: str, most: int = MAX_MINED) -> tuple[str, bool]:
    """Sanitize text for storage, with control characters made visible; return it and whether a secret was masked."""
    clean = mask_credentials(redact_secrets(text).encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    tidy = _BLANK_LINES.sub("\n", _BLANK.sub(" ", clean)).strip()
    tidy = "\n".join(map(escape_invisible, tidy.split("\n")))
    if len(tidy) > most:
        tidy = tidy[: most - 1].rstrip() + "…"
    return tidy, clean != text
