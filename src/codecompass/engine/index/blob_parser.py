"""Blob parser: turn the bytes of a blob into facts and documents. Pure; runs in a worker process."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from codecompass.engine.index.facet_builder import build_facets
from codecompass.engine.index.parse_task import ParsedBlob, ParseTask
from codecompass.engine.view.file_modes import RECORDS_NOTE as RECORDS_NOTE
from codecompass.languages.formats.embedded_languages import blank_outside_segments, extract_with_embedded
from codecompass.languages.formats.source_parts import extract_in_parts
from codecompass.languages.formats.template_tags import drop_template_errors
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Chunk, Definition, Facts
from codecompass.store.fact_codec import Packer, pack_mentions
from codecompass.store.ports import Document
from codecompass.text.chunks import make_chunks, make_page_chunks
from codecompass.text.credentials import MASKED_NOTE, mask_credentials
from codecompass.text.documents import DocumentText, UnreadableDocument, get_markup, is_document, read_document
from codecompass.text.log_detection import looks_like_log
from codecompass.text.sniff import decode, sniff
from codecompass.text.tokens import Tokenizer
from codecompass.text.trigrams import trigram_words


@dataclass
class ParserContext:
    """State that a worker reuses from one blob to the next."""

    registry: Registry = field(default_factory=Registry)
    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    packer: Packer = field(default_factory=Packer)
    masked: bool = True
    """Whether credentials are masked before any other processing."""
    send_heartbeat: Callable[[], None] = lambda: None
    """Signals that the worker is alive: called between the parts of a long source, each with its own time limit."""


def parse_blob(context: ParserContext, task: ParseTask) -> ParsedBlob:
    """Parse a blob: facts from the language's grammar where there is one and the text allows it, chunks always."""
    if is_document(task.language):
        return parse_document(context, task)
    sniffed = sniff(task.data, task.path)
    text, decode_notes = decode(task.data, masked=context.masked)
    source = task.data if sniffed.encoding == "utf-8" and not decode_notes else text.encode("utf-8", "replace")
    notes = tuple(dict.fromkeys((*task.notes, *sniffed.notes, *decode_notes)))
    language = context.registry.get(task.language)
    cells = language is not None and language.spec.cells
    if cells:  # long lines of a notebook are program output
        notes = tuple(note for note in notes if note != "minified")
    if language is None or not {"minified", "poison", *language.spec.plain_when}.isdisjoint(notes):
        facts = make_plain_facts(context.registry.display_name(task.language), source)
    else:
        whole = extract_in_parts(context.registry, language, source, context.send_heartbeat)
        facts = drop_template_errors(whole, source, language.spec)
        notes += facts.notes
    chunks = make_chunks(facts.definitions, facts.line_count)
    if cells and any(not item.language for item in facts.segments):
        notes += ("inline_cells",)
    if not task.language and looks_like_log(source):
        notes += (RECORDS_NOTE,)
    facts = facts._replace(chunks=chunks, notes=notes)
    spoken = blank_outside_segments(source, facts.segments) if cells else source
    return _build_parsed_blob(context, facts, spoken, group_comments(facts, source))


def group_comments(facts: Facts, source: bytes) -> dict[int, str]:
    """Map each chunk to its comments and docs; a comment that spans two chunks belongs to the first."""
    starts = [chunk.line_start for chunk in facts.chunks]
    found: dict[int, list[bytes]] = {}
    for item in facts.comments:
        index = bisect_right(starts, item.line_start) - 1
        found.setdefault(max(index, 0), []).append(source[item.byte_start : item.byte_end])
    return {index: b"\n".join(parts).decode("utf-8", "replace") for index, parts in found.items()}


def _build_parsed_blob(
    context: ParserContext,
    facts: Facts,
    text: bytes,
    prose: dict[int, str],
    titles: bytes = b"",
    rendition: bytes = b"",
) -> ParsedBlob:
    """Build the stored form of facts and their indexed text; `titles` are searchable words outside the text."""
    return ParsedBlob(
        notes=facts.notes,
        packs=context.packer.pack(facts),
        symbols=tuple((item.name, position, item.kind) for position, item in enumerate(facts.definitions)),
        mentions=tuple(pack_mentions(facts.references)),
        documents=build_documents(context.tokenizer, facts, text, prose),
        trigrams=trigram_words(text + b"\n" + titles if titles else text),
        rendition=rendition,
        facets=build_facets(facts, text, context.registry.display_name),
    )


def parse_document(context: ParserContext, task: ParseTask) -> ParsedBlob:
    """Parse the text of a document by headings or pages; the note `unreadable` says when there is no text."""
    try:
        found = read_document(task.language, task.data)
    except UnreadableDocument:
        found = DocumentText("")
    notes = (*task.notes, *(("truncated",) if found.truncated else ()), *(() if found.text else ("unreadable",)))
    source = found.text.encode("utf-8", "replace")
    if context.masked and (clean := mask_credentials(source)) is not source:
        source, notes = clean, (*notes, MASKED_NOTE)
        found = found._replace(text=source.decode("utf-8", "replace"))
    marked = context.registry.get(get_markup(task.language))
    facts = extract_with_embedded(context.registry, marked, source) if marked else make_plain_facts("", source)
    if found.pages:
        facts = facts._replace(definitions=_make_page_definitions(found, source))
    facts = facts._replace(language=task.language, notes=notes, insight=facts.insight._replace(diagnostics=()))
    cut = make_page_chunks(facts.definitions) if found.pages else make_chunks(facts.definitions, facts.line_count)
    facts = facts._replace(chunks=cut)
    lines = found.text.split("\n")
    prose = {ordinal: _join_lines(lines, chunk) for ordinal, chunk in enumerate(facts.chunks)}
    titles = "\n".join(page.title for page in found.pages).encode("utf-8", "replace")
    return _build_parsed_blob(context, facts, source, prose, titles, context.packer.pack_document_text(found.text))


def _make_page_definitions(found: DocumentText, source: bytes) -> tuple[Definition, ...]:
    """Make a section definition of each page."""
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return tuple(
        Definition(
            kind="section", name=page.title, scope="", parent=-1, line_start=page.line_start, line_end=page.line_end,
            byte_start=starts[page.line_start - 1], byte_end=starts[page.line_end], name_line=page.line_start,
            name_col=0, signature=page.title, visibility="public", doc="", decorators=(),
        )
        for page in found.pages
    )  # fmt: skip


def make_plain_facts(language: str, source: bytes) -> Facts:
    """Make the facts of a plain text file."""
    lines = source.count(b"\n") + (0 if source.endswith(b"\n") or not source else 1)
    return Facts(language, lines, (), (), (), (), (), 0, (), "")


def build_documents(
    tokenizer: Tokenizer, facts: Facts, source: bytes, prose: Mapping[int, str] = MappingProxyType({})
) -> tuple[Document, ...]:
    lines = source.decode("utf-8", "replace").split("\n")
    bodies = [_join_lines(lines, chunk) for chunk in facts.chunks]
    names: dict[int, list[str]] = {}
    index = 0
    # Definitions and chunks are both in line order, so one walk gives each chunk the names that start in it.
    for item in sorted(facts.definitions, key=lambda definition: definition.name_line):
        while index < len(facts.chunks) - 1 and facts.chunks[index].line_end < item.name_line:
            index += 1
        names.setdefault(index, []).append(item.name)
    return tuple(
        Document(
            ordinal,
            tokenizer.expand_all(names.get(ordinal, ())),
            body,
            tokenizer.find_extra_tokens(body),
            prose.get(ordinal, ""),
        )
        for ordinal, body in enumerate(bodies)
    )


def _join_lines(lines: list[str], chunk: Chunk) -> str:
    return "\n".join(lines[chunk.line_start - 1 : chunk.line_end])
