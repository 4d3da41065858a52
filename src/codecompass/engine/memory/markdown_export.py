"""Markdown export: write recorded, superseded and forgotten discoveries as Markdown, and parse it again.

Each discovery is one section. Sections are sorted by id, so that two people who add one change different lines:

    ## disc_000000000000000: decision
    - module: billing
    - date: 2026-01-02T03:04:05Z

    The text, indented by nothing, up to the next heading of the second level.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from codecompass.engine.memory.mining.mined_item import MinedItem, sanitize_text
from codecompass.engine.memory.mining.tool_choices import extract_tool_choices
from codecompass.model.ids import make_discovery_id
from codecompass.model.memory_values import (
    CLAIMS,
    MAX_CONTENT,
    MIN_CONTENT,
    TYPES,
    Anchor,
    Claim,
    Discovery,
    DiscoverySource,
)
from codecompass.model.secrecy import REDACTED
from codecompass.store.memory_port import DiscoveryMark, RecordedDiscovery

HEAD = "# Project memory\n\nWritten by `codecompass context export`; read back by `codecompass context import`.\n"
_SECTION = re.compile(r"^## (disc_\d{15})(?:: (\w+))?\s*$", re.MULTILINE)
_FIELD = re.compile(r"^- (\w+): (.*)$")
_FIELDS = ("author", "date", "module", "title", "commit")
_MAX_SECTIONS = 10_000


class ParsedExport(NamedTuple):
    """The contents of an export."""

    recorded: tuple[RecordedDiscovery, ...]
    marks: tuple[DiscoveryMark, ...]
    rejections: tuple[str, ...]


def write_export(recorded: Iterable[RecordedDiscovery], marks: Iterable[DiscoveryMark]) -> str:
    """Write all recorded discoveries and marks as Markdown."""
    found = {row.discovery.id: row for row in recorded}
    marked = {mark.id: mark for mark in marks}
    names = sorted(found.keys() | marked.keys())
    return "\n".join([HEAD, *(_format_section(name, found.get(name), marked.get(name)) for name in names)])


def _format_section(name: str, row: RecordedDiscovery | None, mark: DiscoveryMark | None) -> str:
    if mark is not None and mark.state == "forgotten":
        # The content of a forgotten discovery is not exported; its id alone suppresses it.
        return f"## {name}\n- forgotten: {mark.moment}\n"
    lines = [f"## {name}: {row.discovery.type}" if row else f"## {name}"]
    if mark is not None:
        lines.append(f"- superseded: {mark.by} {mark.moment}")
    if row is not None:
        item = row.discovery
        values = (item.author, item.date, item.module, item.title, item.source.commit)
        lines += [
            f"- {key}: {_collapse_whitespace(value)}" for key, value in zip(_FIELDS, values, strict=True) if value
        ]
        if item.symbols:
            lines.append(f"- symbols: {', '.join(map(_collapse_whitespace, item.symbols))}")
        lines += ["- claim: " + " | ".join(map(_escape_cell, (*claim, *anchor))) for claim, anchor in row.anchors]
        lines += ["", *(f"\\{line}" if line.startswith(("## ", "\\")) else line for line in item.content.split("\n"))]
    return "\n".join(lines) + "\n"


def _collapse_whitespace(value: str) -> str:
    return " ".join(value.split())


def _escape_cell(value: str) -> str:
    return _collapse_whitespace(value.replace("\\", "\\\\").replace("|", "\\p").replace("\0", "\\0")) or "\\e"


def _unescape_cell(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"p": "|", "0": "\0", "e": ""}.get(match[1], match[1]), value.strip())


def parse_export(text: str) -> ParsedExport:
    """Parse an export. Each invalid section is rejected on its own, with its line."""
    recorded: list[RecordedDiscovery] = []
    marks: list[DiscoveryMark] = []
    refused: list[str] = []
    for line, head, body in _split_sections(text):
        problem = _parse_section(head[1], head[2] or "", *_parse_body(body), recorded, marks)
        if problem:
            refused.append(f"line {line}: {problem}")
    return ParsedExport(tuple(recorded), tuple(marks), tuple(refused))


def mine_export(text: str) -> Iterator[MinedItem]:
    """Mine an export that lies in the repository. Items have the same ids as after an import."""
    for line, head, body in _split_sections(text):
        recorded: list[RecordedDiscovery] = []
        marks: list[DiscoveryMark] = []
        _parse_section(head[1], head[2] or "", *_parse_body(body), recorded, marks)
        for row in recorded:
            made, last = row.discovery, line + body.rstrip().count("\n")
            yield MinedItem(
                made.id, made.type, "document", made.content, made.title, line, last, made.author,
                "superseded" if marks else "", slots=extract_tool_choices(made.content), redacted=made.redacted,
            )  # fmt: skip


def _split_sections(text: str) -> Iterator[tuple[int, re.Match[str], str]]:
    """Yield (line, heading, body) for each discovery."""
    heads = list(_SECTION.finditer(text))
    for at, head in enumerate(heads[:_MAX_SECTIONS]):
        end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        yield text.count("\n", 0, head.start()) + 1, head, text[head.end() : end]


def _parse_body(text: str) -> tuple[list[tuple[str, str]], str]:
    lines = text.strip("\n").split("\n")
    fields = []
    at = 0
    while at < len(lines) and (found := _FIELD.match(lines[at])):
        fields.append((found[1], found[2].strip()))
        at += 1
    content = [line[1:] if line.startswith("\\") else line for line in lines[at:]]
    return fields, "\n".join(content).strip()


def _parse_section(
    name: str,
    type: str,
    fields: Sequence[tuple[str, str]],
    content: str,
    recorded: list[RecordedDiscovery],
    marks: list[DiscoveryMark],
) -> str:
    """Parse one section into `recorded` and `marks`; return an error message, or an empty string."""
    known = dict(fields)
    if "forgotten" in known:
        marks.append(DiscoveryMark(name, "forgotten", "", known["forgotten"]))
        return ""
    if "superseded" in known:
        by, _, moment = known["superseded"].partition(" ")
        marks.append(DiscoveryMark(name, "superseded", by, moment))
    if not content:
        return "" if "superseded" in known else "the section has no text"
    if type not in TYPES:
        return f"the type must be one of {', '.join(TYPES)}"
    clean, redacted = sanitize_text(content)
    if len(clean) < MIN_CONTENT or len(content) > MAX_CONTENT * 2:
        return f"the text must have {MIN_CONTENT} to {MAX_CONTENT} characters"
    if make_recorded_id(type, clean) != name:
        return "the text was edited: record it as a new discovery that supersedes the old one"
    item = Discovery(
        name, type, clean, DiscoverySource("recorded", commit=known.get("commit", "")), known.get("author", "")[:200],
        known.get("date", "")[:40], known.get("module", "")[:200],
        tuple(one.strip() for one in known.get("symbols", "").split(",") if one.strip())[:20],
        title=sanitize_text(known.get("title", ""), 200)[0], redacted=redacted or REDACTED in clean,
    )  # fmt: skip
    recorded.append(RecordedDiscovery(item, tuple(_parse_claims(value for key, value in fields if key == "claim"))))
    return ""


def _parse_claims(rows: Iterable[str]) -> Iterable[tuple[Claim, Anchor]]:
    for row in rows:
        cells = [_unescape_cell(cell) for cell in row.split(" | ")]
        kind = next((claim for claim in CLAIMS if claim == cells[0]), None)
        if len(cells) == 8 and kind is not None:
            yield Claim(kind, *cells[1:4]), Anchor(*cells[4:])


def make_recorded_id(type: str, content: str) -> str:
    """Compute the id of a recorded discovery; equal statements have equal ids."""
    return make_discovery_id("recorded", type, " ".join(content.split()))
