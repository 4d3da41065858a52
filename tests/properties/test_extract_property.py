"""Properties of extraction: no bytes break it, and what it says is consistent."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Facts
from codecompass.store.fact_codec import unpack_facts
from tests.languages.test_cases import FILES

REGISTRY = Registry()
LANGUAGES = sorted(REGISTRY.languages)
SAMPLES = {name: [path.read_bytes() for path in FILES if REGISTRY.detect(path.name) == name] for name in LANGUAGES}
PIECES = [
    b"(", b")", b"{", b"}", b"[", b"]", b"'", b'"', b"`", b"\n", b"\r", b"\0", b"\xff", b"\xc3", b"/*", b"*/",
    b"#", b"<", b">", b"::", b"  ", b"\t",
]  # fmt: skip


def mutated(source: bytes, seed: int) -> bytes:
    """The same source after a few cuts, doublings, swaps and insertions."""
    dice = random.Random(seed)
    data = bytearray(source)
    for _ in range(dice.randint(1, 6)):
        start = dice.randrange(len(data) + 1)
        end = min(len(data), start + dice.randint(0, 80))
        action = dice.randrange(4)
        if action == 0:
            del data[start:end]
        elif action == 1:
            data[start:start] = data[start:end]
        elif action == 2:
            data[start:start] = dice.choice(PIECES) * dice.randint(1, 3)
        else:
            data[start:end] = bytes(reversed(data[start:end]))
    return bytes(data)


def assert_consistent(facts: Facts, source: bytes) -> None:
    """Lines and offsets lie in the file, parents come first and contain their children, owners exist."""
    for at, item in enumerate(facts.definitions):
        assert item.name and -1 <= item.parent < at
        assert 1 <= item.line_start <= item.name_line <= item.line_end <= facts.line_count
        assert 0 <= item.byte_start < item.byte_end <= len(source)
        if item.parent >= 0:
            around = facts.definitions[item.parent]
            assert around.byte_start <= item.byte_start and item.byte_end <= around.byte_end
    for reference in facts.references:
        assert 1 <= reference.line <= facts.line_count
        assert -1 <= reference.owner < len(facts.definitions)
    assert all(1 <= item.line <= facts.line_count for item in facts.imports)
    positions = [row.at for row in facts.insight.traits]
    assert positions == sorted(set(positions)) and all(-1 <= at < len(facts.definitions) for at in positions)
    for row in facts.insight.traits:
        lists = (row.calls, row.reads, row.writes, row.throws, row.imports, row.aliases, row.marks)
        assert all(list(words) == sorted(set(words)) for words in lists)
        assert all(count >= 0 for count in row.flow) and all(item.name for item in row.parameters)
    assert all(1 <= item.line <= facts.line_count + 1 for item in facts.insight.diagnostics)


@pytest.mark.parametrize("name", LANGUAGES)
def test_mutated_sources_are_extracted(name: str) -> None:
    """LANG-ROBUST: broken sources of every language yield consistent facts, never an error."""
    language = REGISTRY.languages[name]
    for number, sample in enumerate(SAMPLES[name]):
        for seed in range(12):
            source = mutated(sample, seed * 100 + number)
            assert_consistent(
                extract_with_embedded(REGISTRY, language, source), source.decode("utf-8", "replace").encode()
            )


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join)))
def test_arbitrary_bytes_are_parsed(name: str, data: bytes) -> None:
    """LANG-ROBUST: any bytes under any language's name become facts whose chunks cover every line."""
    parsed = parse_blob(ParserContext(REGISTRY), ParseTask(name, "x", (), data))
    facts = unpack_facts(parsed.packs[0])
    lines = [line for chunk in facts.chunks for line in range(chunk.line_start, chunk.line_end + 1)]
    assert lines == list(range(1, facts.line_count + 1))
    assert len(parsed.documents) == len(facts.chunks)


def test_every_language_has_samples() -> None:
    """LANG-ROBUST: no language is left out of the mutations."""
    assert all(SAMPLES.values())
    assert isinstance(FILES[0], Path)
