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

from codecompass.engine.memory.mining.mined_item import Item, capture
from codecompass.engine.memory.mining.tool_choices import slots_in
from codecompass.model.ids import discovery_id
from codecompass.model.memory_values import CLAIMS, MAX_CONTENT, MIN_CONTENT, TYPES, Anchor, Claim, Discovery, Source
from codecompass.model.secrecy import HIDDEN
from codecompass.store.memory_port import Mark, Recorded

HEAD = "# Project memory\n\nWritten by `codecompass context export`; read back by `codecompass context import`.\n"
_SECTION = re.compile(r"^## (disc_\d{15})(?:: (\w+))?\s*$", re.MULTILINE)
_FIELD = re.compile(r"^- (\w+): (.*)$")
_FIELDS = ("author", "date", "module", "title", "commit")
_MARKS = ("superseded", "forgotten")
_MOST = 10_000


class Read(NamedTuple):
    """The contents of an export."""

    recorded: tuple[Recorded, ...]
    marks: tuple[Mark, ...]
    refused: tuple[str, ...]


def write(recorded: Iterable[Recorded], marks: Iterable[Mark]) -> str:
    """Write all recorded discoveries and marks as Markdown."""
    found = {row.discovery.id: row for row in recorded}
    marked = {mark.id: mark for mark in marks}
    names = sorted(found.keys() | marked.keys())
    return "\n".join([HEAD, *(_section(name, found.get(name), marked.get(name)) for name in names)])


def _section(name: str, row: Recorded | None, mark: Mark | None) -> str:
    if mark is not None and mark.state == "forgotten":
        # The content of a forgotten discovery is not exported; its id alone suppresses it.
        return f"## {name}\n- forgotten: {mark.moment}\n"
    lines = [f"## {name}: {row.discovery.type}" if row else f"## {name}"]
    if mark is not None:
        lines.append(f"- superseded: {mark.by} {mark.moment}")
    if row is not None:
        item = row.discovery
        values = (item.author, item.date, item.module, item.title, item.source.commit)
        lines += [f"- {key}: {_flat(value)}" for key, value in zip(_FIELDS, values, strict=True) if value]
        if item.symbols:
            lines.append(f"- symbols: {', '.join(map(_flat, item.symbols))}")
        lines += ["- claim: " + " | ".join(map(_cell, (*claim, *anchor))) for claim, anchor in row.anchors]
        lines += ["", *(f"\\{line}" if line.startswith(("## ", "\\")) else line for line in item.content.split("\n"))]
    return "\n".join(lines) + "\n"


def _flat(value: str) -> str:
    return " ".join(value.split())


def _cell(value: str) -> str:
    return _flat(value.replace("\\", "\\\\").replace("|", "\\p").replace("\0", "\\0")) or "\\e"


def _uncell(value: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"p": "|", "0": "\0", "e": ""}.get(match[1], match[1]), value.strip())


def read(text: str) -> Read:
    """Parse an export. Each invalid section is rejected on its own, with its line."""
    recorded: list[Recorded] = []
    marks: list[Mark] = []
    refused: list[str] = []
    for line, head, body in _sections(text):
        problem = _take(head[1], head[2] or "", *_body(body), recorded, marks)
        if problem:
            refused.append(f"line {line}: {problem}")
    return Read(tuple(recorded), tuple(marks), tuple(refused))


def mine_export(text: str) -> Iterator[Item]:
    """Mine an export that lies in the repository. Items have the same ids as after an import."""
    for line, head, body in _sections(text):
        recorded: list[Recorded] = []
        marks: list[Mark] = []
        _take(head[1], head[2] or "", *_body(body), recorded, marks)
        for row in recorded:
            made, last = row.discovery, line + body.rstrip().count("\n")
            yield Item(
                made.id, made.type, "document", made.content, made.title, line, last, made.author,
                "superseded" if marks else "", slots=slots_in(made.content), redacted=made.redacted,
            )  # fmt: skip


def _sections(text: str) -> Iterator[tuple[int, re.Match[str], str]]:
    """Yield (line, heading, body) for each discovery."""
    heads = list(_SECTION.finditer(text))
    for at, head in enumerate(heads[:_MOST]):
        end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        yield text.count("\n", 0, head.start()) + 1, head, text[head.end() : end]


def _body(text: str) -> tuple[list[tuple[str, str]], str]:
    lines = text.strip("\n").split("\n")
    fields = []
    at = 0
    while at < len(lines) and (found := _FIELD.match(lines[at])):
        fields.append((found[1], found[2].strip()))
        at += 1
    content = [line[1:] if line.startswith("\\") else line for line in lines[at:]]
    return fields, "\n".join(content).strip()


def _take(
    name: str, type: str, fields: Sequence[tuple[str, str]], content: str, recorded: list[Recorded], marks: list[Mark]
) -> str:
    """Parse one section into `recorded` and `marks`; return an error message, or an empty string."""
    known = dict(fields)
    if "forgotten" in known:
        marks.append(Mark(name, "forgotten", "", known["forgotten"]))
        return ""
    if "superseded" in known:
        by, _, moment = known["superseded"].partition(" ")
        marks.append(Mark(name, "superseded", by, moment))
    if not content:
        return "" if "superseded" in known else "the section has no text"
    if type not in TYPES:
        return f"the type must be one of {', '.join(TYPES)}"
    clean, redacted = capture(content)
    if len(clean) < MIN_CONTENT or len(content) > MAX_CONTENT * 2:
        return f"the text must have {MIN_CONTENT} to {MAX_CONTENT} characters"
    if recorded_id(type, clean) != name:
        return "the text was edited: record it as a new discovery that supersedes the old one"
    item = Discovery(
        name, type, clean, Source("recorded", commit=known.get("commit", "")), known.get("author", "")[:200],
        known.get("date", "")[:40], known.get("module", "")[:200],
        tuple(one.strip() for one in known.get("symbols", "").split(",") if one.strip())[:20],
        title=capture(known.get("title", ""), 200)[0], redacted=redacted or HIDDEN in clean,
    )  # fmt: skip
    recorded.append(Recorded(item, tuple(_claims(value for key, value in fields if key == "claim"))))
    return ""


def _claims(rows: Iterable[str]) -> Iterable[tuple[Claim, Anchor]]:
    for row in rows:
        cells = [_uncell(cell) for cell in row.split(" | ")]
        if len(cells) == 8 and cells[0] in CLAIMS:
            yield Claim(*cells[:4]), Anchor(*cells[4:])


def recorded_id(type: str, content: str) -> str:
    """Compute the id of a recorded discovery; equal statements have equal ids."""
    return discovery_id("recorded", type, " ".join(content.split()))
