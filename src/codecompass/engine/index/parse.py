"""Parse: one blob's bytes become facts and documents. Pure; runs in a worker process."""

from dataclasses import dataclass, field

from codecompass.engine.index.task import Parsed, Task
from codecompass.languages.extract import extract
from codecompass.languages.registry import Registry
from codecompass.model.code import Chunk, Facts
from codecompass.store.packing import Packer, pack_mentions
from codecompass.store.ports import Document
from codecompass.text.chunks import make_chunks
from codecompass.text.sniff import decode, sniff
from codecompass.text.tokens import Tokenizer
from codecompass.text.trigrams import trigram_words


@dataclass
class Workbench:
    """What a worker keeps from one blob to the next."""

    registry: Registry = field(default_factory=Registry)
    tokenizer: Tokenizer = field(default_factory=Tokenizer)
    packer: Packer = field(default_factory=Packer)


def parse(bench: Workbench, task: Task) -> Parsed:
    """Facts by the language's grammar where there is one and the text is worth parsing; chunks in any case."""
    sniffed = sniff(task.data, task.path)
    text, decode_notes = decode(task.data)
    source = task.data if sniffed.encoding == "utf-8" and not decode_notes else text.encode("utf-8", "replace")
    notes = tuple(dict.fromkeys((*task.notes, *sniffed.notes, *decode_notes)))
    language = bench.registry.get(task.language)
    if language is None or "minified" in notes or "poison" in notes:
        facts = plain_facts(bench.registry.shown_name(task.language), source)
    else:
        facts = extract(language, source)
    chunks = make_chunks(facts.definitions, facts.line_count)
    facts = facts._replace(chunks=chunks, notes=notes)
    return Parsed(
        notes=notes,
        packs=bench.packer.pack(facts),
        symbols=tuple((item.name, position, item.kind) for position, item in enumerate(facts.definitions)),
        mentions=tuple(pack_mentions(facts.references)),
        documents=_documents(bench.tokenizer, facts, source),
        trigrams=trigram_words(source),
    )


def plain_facts(language: str, source: bytes) -> Facts:
    """Facts of a file that is only text."""
    lines = source.count(b"\n") + (0 if source.endswith(b"\n") or not source else 1)
    return Facts(language, lines, (), (), (), (), (), 0, (), "")


def _documents(tokenizer: Tokenizer, facts: Facts, source: bytes) -> tuple[Document, ...]:
    lines = source.decode("utf-8", "replace").split("\n")
    bodies = [_lines(lines, chunk) for chunk in facts.chunks]
    names: dict[int, list[str]] = {}
    at = 0
    # Definitions and chunks are both in line order, so one walk gives each chunk the names that start in it.
    for item in sorted(facts.definitions, key=lambda definition: definition.name_line):
        while at < len(facts.chunks) - 1 and facts.chunks[at].line_end < item.name_line:
            at += 1
        names.setdefault(at, []).append(item.name)
    return tuple(
        Document(ordinal, tokenizer.words(names.get(ordinal, ())), body, tokenizer.extras(body))
        for ordinal, body in enumerate(bodies)
    )


def _lines(lines: list[str], chunk: Chunk) -> str:
    return "\n".join(lines[chunk.line_start - 1 : chunk.line_end])
