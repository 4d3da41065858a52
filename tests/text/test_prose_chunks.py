"""Prose is cut at its headings."""

from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Facts
from codecompass.text.chunks import WINDOW_LINES, make_chunks

REGISTRY = Registry()


def read(text: str) -> tuple[Facts, list[tuple[int, int, str]]]:
    language = REGISTRY.get("markdown")
    assert language is not None
    facts = extract_with_embedded(REGISTRY, language, text.encode())
    chunks = make_chunks(facts.definitions, facts.line_count)
    names = [facts.definitions[chunk.owner].name if chunk.owner >= 0 else "" for chunk in chunks]
    return facts, [(chunk.line_start, chunk.line_end, name) for chunk, name in zip(chunks, names, strict=True)]


def test_a_document_is_cut_at_its_headings() -> None:
    """PROSE-CHUNKS: each section is a piece of its own and belongs to its heading; a long one is cut in windows."""
    text = "# Title\n" + "words\n" * 9 + "## Long\n" + "words\n" * (3 * WINDOW_LINES) + "## Last\n" + "words\n" * 9
    _, chunks = read(text)
    assert chunks[0] == (1, 10, "Title")
    assert [name for _, _, name in chunks[1:-1]] == ["Long"] * 3
    assert chunks[-1] == (12 + 3 * WINDOW_LINES, 21 + 3 * WINDOW_LINES, "Last")


def test_a_heading_with_nothing_below_it_joins_the_next() -> None:
    """PROSE-CHUNKS: a title and the heading under it are one piece, which belongs to the one that has the words."""
    _, chunks = read("# Title\n\n## Start\n" + "words\n" * 9)
    assert chunks == [(1, 12, "Start")]


def test_a_short_example_stays_in_its_text() -> None:
    """PROSE-CHUNKS: a sample is no piece of its own; a long program is."""
    text = "# Title\n" + "words\n" * 9 + "```python\ndef f():\n    return 1\n```\n" + "words\n" * 9
    assert read(text)[1] == [(1, 23, "Title")]
    long = "# Title\n" + "words\n" * 9 + "```python\ndef f():\n" + "    x()\n" * 20 + "```\n" + "words\n" * 9
    assert [name for _, _, name in read(long)[1]] == ["Title", "f", "Title"]
