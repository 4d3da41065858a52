"""Documentation comments in languages that do not place them directly before the definition."""

import re

from tree_sitter import Node

from codecompass.languages.language_spec import LanguageSpec

_HEADING = re.compile(rb"^=(?:head[1-6]|item)[ \t]+(.*?)\s*$(.*?)(?=^=|\Z)", re.MULTILINE | re.DOTALL)
_HEADING_NAME = re.compile(r"(?:[A-Z]<+)?\s*(?:[$\w:]+(?:->|::))?[&$@%*]?(\w+)")
_DIRECTIVE = re.compile(r"^=\w+.*$\n?", re.MULTILINE)
_CODE = re.compile(r"[A-Z]<+\s*(.*?)\s*>+")
_MAX_NAMED = 2_000


def find_string_before(source: bytes, outer: Node) -> str:
    """Return a string literal statement just before the definition."""
    before = outer.prev_named_sibling
    if before is None or "string" not in before.type or outer.start_point.row - before.end_point.row > 1:
        return ""
    text = source[before.start_byte : before.end_byte].decode("utf-8", "replace")
    return text.removeprefix("raw").removeprefix("md").strip('"')


def find_comment_after(spec: LanguageSpec, source: bytes, outer: Node) -> str:
    """Return a comment that documents the preceding definition, by its prefix or the empty line after it."""
    end = outer.end_byte
    line = source.find(b"\n", end)
    following = source.find(b"\n", line + 1) if line >= 0 else -1
    tail = source[end : following if following >= 0 else len(source)]
    if not any(prefix.encode() in tail for prefix in spec.behind_prefixes):
        return ""
    anchor, sibling = outer, outer.next_sibling
    while sibling is None and anchor.parent is not None and anchor.parent.end_byte == end:
        anchor = anchor.parent
        sibling = anchor.next_sibling
    while sibling is not None and not sibling.is_named and sibling.end_byte - sibling.start_byte == 1:
        sibling = sibling.next_sibling  # the comma or the semicolon between
    if sibling is None or sibling.type not in spec.comment_nodes:
        return ""
    text = source[sibling.start_byte : sibling.end_byte].decode("utf-8", "replace")
    distance = sibling.start_point.row - outer.end_point.row
    if not text.startswith(spec.behind_prefixes) or distance > 1:
        return ""
    both = text.startswith(spec.doc_prefixes)
    if both and distance and anchor != outer:
        return ""  # it documents the whole, not its last part
    after = sibling.next_sibling
    apart = after is None or after.start_point.row - sibling.end_point.row > 1
    return text if not distance or apart or not both else ""


def find_named_headings(source: bytes) -> dict[str, str]:
    """Map names to the text under their headings, in documents between or after the code."""
    found: dict[str, str] = {}
    for match in _HEADING.finditer(source):
        name = _HEADING_NAME.match(match[1].decode("utf-8", "replace"))
        text = strip_markup(match[2].decode("utf-8", "replace")).strip()
        if name and text and len(found) < _MAX_NAMED:
            found.setdefault(name[1], text)
    return found


def strip_markup(text: str) -> str:
    """Remove directives and markup for code and emphasis."""
    return _CODE.sub(r"\1", _DIRECTIVE.sub("", text))
