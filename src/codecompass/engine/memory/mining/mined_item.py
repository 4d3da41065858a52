"""Mined items: statements extracted from one file content or commit, before a view assigns a path."""

import re
from typing import NamedTuple

from codecompass.model.ids import discovery_id
from codecompass.model.memory_values import MAX_CONTENT
from codecompass.model.secrecy import visible, without_secrets
from codecompass.text.credentials import mask_credentials

_BLANK = re.compile(r"[ \t\r\f\v]+")
_BLANK_LINES = re.compile(r"\n\s*\n+")


class Item(NamedTuple):
    """A statement without a path: equal contents yield equal items."""

    id: str
    type: str
    kind: str
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
    type: str, kind: str, content: str, title: str = "", *, lines: tuple[int, int] = (0, 0), key: str = ""
) -> Item:
    """Make an item with its text sanitized: secrets masked, whitespace collapsed, length limited."""
    tidy, redacted = capture(content)
    name, _ = capture(title, 200)
    made = discovery_id(*((kind, key) if key else ("text", name if kind != "comment" else "", tidy)))
    return Item(made, type, kind, tidy, name, *lines, redacted=redacted)


def capture(text: str, most: int = MAX_CONTENT) -> tuple[str, bool]:
    """Sanitize text for storage, with control characters made visible; return it and whether a secret was masked."""
    clean = mask_credentials(without_secrets(text).encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    tidy = _BLANK_LINES.sub("\n", _BLANK.sub(" ", clean)).strip()
    tidy = "\n".join(map(visible, tidy.split("\n")))
    if len(tidy) > most:
        tidy = tidy[: most - 1].rstrip() + "…"
    return tidy, clean != text
