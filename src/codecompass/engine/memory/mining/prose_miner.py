"""Prose miner: extract prescriptive sections, agent instructions and decision records from documents. Pure."""

import re
from collections.abc import Iterator, Sequence

from codecompass.engine.memory.mining.cue_words import PRESCRIPTION_CUES, classify_type
from codecompass.engine.memory.mining.mined_item import MinedItem, make_item
from codecompass.engine.memory.mining.tool_choices import extract_tool_choices
from codecompass.model.code.facts import Definition
from codecompass.model.memory_values import MAX_CONTENT
from codecompass.model.states import ProseKind

_AGENT = re.compile(
    r"(?:^|/)(?:AGENTS?|CLAUDE|GEMINI|WARP|CONVENTIONS)(?:\.local)?\.md$|(?:^|/)\.(?:cursorrules|windsurfrules|clinerules)$"
    r"|(?:^|/)\.(?:cursor|windsurf|clinerules|roo|continue|claude|kiro)/(?:rules|steering)?.*\.mdc?$"
    r"|(?:^|/)\.github/(?:copilot-instructions\.md$|instructions/)",
    re.IGNORECASE,
)
_RECORD = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|decision[-_]records?|architecture[-_]decisions?|architectural[-_]decisions?"
    r"|doc/arch)/(?!.*(?:template|readme|index)).*\.(?:md|markdown|rst|adoc)$|(?:^|/)adr[-_]?\d+[^/]*\.md$",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"\.(?:md|mdx|mdc|markdown|rst|adoc|txt|org)$|(?:^|/)(?:README|CONTRIBUTING|HACKING|INSTALL)$", re.IGNORECASE
)
_EXCLUDED_PATH = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|testdata|fixtures?|licen[cs]es?|tests?|__tests__|specs?)/"
    r"|(?:^|/)(?:licen[cs]e|copying|notice|authors|contributors|backers|sponsors|requirements|robots)[^/]*$"
    r"|(?:^|/)[^/]*template[^/]*$",
    re.IGNORECASE,
)
_STATUS_LINE = re.compile(r"^\W*status\W*[:=]?\W*(\w[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_STATUSES = re.compile(r"\b(accepted|superseded|deprecated|rejected|proposed|draft|withdrawn|amended)\b", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]{0,120})\]\(([^)\s]{1,300})[^)\n]{0,60}\)")
_BY = re.compile(r"(?:superseded|replaced|obsoleted)[ -]+by\W*([^\n.]{1,200})", re.IGNORECASE)
_OVER = re.compile(r"\b(?:supersedes|replaces|obsoletes)\W+([^\n.]{1,200})", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,5}")
_HEADING_LINE = re.compile(r"^#{1,6}\s|^[=\-~^\"'*+#]{3,}\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_DECISION_HEADING = re.compile(
    r"^(?:the )?(?:our )?(?:decisions?|outcome|resolution|solution|what we decided|chosen option)\b"
    r"(?! (?:drivers?|records?|makers?|log|status|date|criteria|process)|:)",
    re.IGNORECASE,
)
_SKIPPED_HEADING = re.compile(
    r"^(?:status|date|deciders?|decision makers?|authors?|table of contents|contents|links?|references?|change ?log"
    r"|metadata|tags)\b",
    re.IGNORECASE,
)
"""Sections of a decision record that say nothing about its subject."""
MIN_LENGTH = 30
MAX_ITEMS = 300
_PIECE_LENGTH = 700
"""Target length of a piece of a section; a longer paragraph is cut at the maximum length of a discovery."""


def classify_prose(path: str) -> ProseKind | None:
    """Classify a path as a kind of prose; None if it is not prose."""
    if _AGENT.search(path):
        return "agent_file"
    if _EXCLUDED_PATH.search(path) or not _PROSE.search(path):
        return None
    return "adr" if _RECORD.search(path) else "document"


def mine_prose(kind: ProseKind, lines: Sequence[str], definitions: Sequence[Definition]) -> Iterator[MinedItem]:
    """Mine one document."""
    if kind == "adr":
        yield from _mine_decision_record(lines, definitions)
        return
    count = 0
    for title, start, end in _iter_sections(lines, definitions):
        for item in _split_section(kind, title, lines, start, end):
            yield item
            count += 1
            if count >= MAX_ITEMS:
                return


def _iter_sections(lines: Sequence[str], definitions: Sequence[Definition]) -> Iterator[tuple[str, int, int]]:
    """Yield (title, first line, last line) of the text directly under each heading; lines count from 1."""
    heads = [item for item in definitions if item.kind in ("section", "mod") or item.signature.startswith("#")]
    starts = sorted({item.line_start for item in heads})
    if not starts or starts[0] > 1:
        yield "", 1, (starts[0] - 1 if starts else len(lines))
    for item in heads:
        after = next((start for start in starts if start > item.line_start), item.line_end + 1)
        title = " › ".join(part for part in (item.scope.replace("::", " › "), item.name) if part)
        yield title, item.line_start, min(item.line_end, after - 1)


def _split_section(kind: ProseKind, title: str, lines: Sequence[str], start: int, end: int) -> Iterator[MinedItem]:
    """Split a section into pieces and yield the prescriptive ones; for an agent file, all."""
    held: list[str] = []
    first = last = start

    def make_items() -> Iterator[MinedItem]:
        text = "\n".join(held).strip()
        if len(text) >= MIN_LENGTH and (kind in ("agent_file", "adr") or PRESCRIPTION_CUES.search(text)):
            type = classify_type(text)
            item = make_item("rule" if kind == "agent_file" and type == "pattern" else type, kind, text, title,
                             lines=(first, last))  # fmt: skip
            yield item._replace(slots=extract_tool_choices(text))

    fenced = False
    for number in range(start, end + 1):
        line = lines[number - 1] if number <= len(lines) else ""
        fenced ^= bool(_FENCE.match(line))
        if _HEADING_LINE.match(line) and not fenced or (number == start and title and line.strip("# ") in title):
            continue
        size = sum(map(len, held))
        if held and size + len(line) > (
            _PIECE_LENGTH if not line.strip() or line.lstrip()[:1] in "-*+" else MAX_CONTENT - 50
        ):
            yield from make_items()
            held, first = [], number
        if held or line.strip():
            if not held:
                first = number
            held.append(line)
        if line.strip():
            last = number
    if held:
        yield from make_items()


def _mine_decision_record(lines: Sequence[str], definitions: Sequence[Definition]) -> Iterator[MinedItem]:
    """Mine a decision record: its decision first, else the whole of it, then each of the other sections."""
    text = "\n".join(lines)
    sections = list(_iter_sections(lines, definitions))
    bodies = {title.rpartition("›")[2].strip().casefold(): (start, end) for title, start, end in sections}
    heading = next((title for title, _, _ in sections if title and "›" not in title), "")
    title = (heading or next((line.strip("# =") for line in lines if line.strip()), ""))[:200]
    chosen = next((span for name, span in bodies.items() if _DECISION_HEADING.match(name)), None)
    status_span = next((span for name, span in bodies.items() if name.startswith("status")), None)
    status_text = "\n".join(lines[status_span[0] : status_span[1]]) if status_span else ""
    line = _STATUS_LINE.search(text)
    status_text = status_text or (line[1] if line else "")
    found = _STATUSES.search(status_text)
    status = {"deprecated": "superseded", "draft": "proposed", "withdrawn": "rejected"}.get(
        found[1].lower(), found[1].lower()) if found else "accepted"  # fmt: skip
    start, end = chosen or (1, len(lines))
    body = "\n".join(line for line in lines[start - 1 : end] if not _HEADING_LINE.match(line))
    if chosen and len(body) < MAX_CONTENT // 2:
        why = next((span for name, span in bodies.items() if name.startswith(("context", "problem", "why"))), None)
        body += "\n" + "\n".join(lines[why[0] : why[1]]) if why else ""
    if len(body.strip()) < MIN_LENGTH:
        return
    while end > start and not "".join(lines[end - 1 : end]).strip():
        end -= 1
    item = make_item("decision", "adr", body, title, lines=(start, end), key=f"{title}\n{body}")
    by = tuple(name for one in _BY.findall(_flatten_links(status_text or text)) for name in _extract_numbers(one))
    over = tuple(name for one in _OVER.findall(_flatten_links(text)) for name in _extract_numbers(one))
    if by:
        status = "superseded"
    yield item._replace(status=status, replaced_by=by, replaces=over, slots=extract_tool_choices(body))
    for section, first, last in sections:
        name = section.rpartition("›")[2].strip()
        if not chosen or (first, last) == chosen or section in ("", heading) or _SKIPPED_HEADING.match(name):
            continue
        for part in _split_section("adr", f"{title} › {name}", lines, first, last):
            yield part._replace(status=status)


def _flatten_links(text: str) -> str:
    """Replace links by their text and target, so that either can name a record."""
    return _LINK.sub(r"\1 \2", text).replace(".md", "")


def _extract_numbers(text: str) -> tuple[str, ...]:
    """Extract record numbers from a text, without leading zeros."""
    return tuple(dict.fromkeys(str(int(one)) for one in _NUMBER.findall(text)))[:5]
