"""Sources that are read in parts have the facts they would have in one piece."""

import pytest

from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.languages.formats import source_parts
from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.formats.source_parts import extract_in_parts, split_source
from codecompass.languages.registry import Registry

PYTHON = b"".join(
    b'"""Doc %d."""\n\n\nclass Thing%d(Base):\n    """Holds %d."""\n\n    def go(self, item: int) -> str:\n'
    b"        value = make(item)\n        return value.name  # \xc3\xa9nd\n\n\n" % (number, number, number)
    for number in range(200)
)
GO = b'package shop\n\nimport "fmt"\n\n' + b"".join(
    b"// Price%d is one.\nfunc Price%d(n int) int {\n\tfmt.Println(n)\n\treturn n\n}\n\n" % (number, number)
    for number in range(200)
)
MARKDOWN = b"".join(b"# Head %d\n\nText.\n\n```python\ndef f%d():\n    pass\n```\n\n" % (at, at) for at in range(400))


@pytest.mark.parametrize(("name", "source"), [("python", PYTHON), ("go", GO)], ids=["python", "go"])
def test_parts_give_the_facts_of_the_whole(monkeypatch: pytest.MonkeyPatch, name: str, source: bytes) -> None:
    """LONG-FILES: where each part ends between top-level items nothing is lost and every place is right."""
    registry = Registry()
    language = registry.get(name)
    assert language is not None
    whole = extract_with_embedded(registry, language, source)
    monkeypatch.setattr(source_parts, "PART_BYTES", 3_000)
    begun: list[int] = []
    found = extract_in_parts(registry, language, source, lambda: begun.append(1))
    assert len(begun) == len(list(split_source(source))) - 1 > 3
    assert found.definitions == whole.definitions
    assert found.references == whole.references
    assert found.imports == whole.imports
    assert found.comments == whole.comments
    assert found.segments == whole.segments
    assert sorted(found.bindings) == sorted(whole.bindings)
    assert found.insight.risks == whole.insight.risks
    assert (found.line_count, found.package) == (whole.line_count, whole.package)


def test_prose_in_parts_keeps_its_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    """LONG-FILES: a section may end with its part, but every heading and every sample is there, at its line."""
    registry = Registry()
    language = registry.get("markdown")
    assert language is not None
    monkeypatch.setattr(source_parts, "PART_BYTES", 3_000)
    found = extract_in_parts(registry, language, MARKDOWN)
    heads = [(item.name, item.name_line) for item in found.definitions if item.kind == "section"]
    assert heads == [(f"Head {at}", 9 * at + 1) for at in range(400)]
    assert {item.name for item in found.definitions} >= {f"f{at}" for at in range(400)}


@pytest.mark.parametrize("source", [b"", b"x" * 9_000, "é".encode() * 4_000, b"a\n" * 5_000, b"}\n" * 5_000, PYTHON])
def test_parts_are_the_whole_source(monkeypatch: pytest.MonkeyPatch, source: bytes) -> None:
    """LONG-FILES: nothing between parts is lost, none is too long, none begins inside a character."""
    monkeypatch.setattr(source_parts, "PART_BYTES", 1_000)
    spans = list(split_source(source))
    assert b"".join(source[start:end] for start, end in spans) == source
    assert all(0 < end - start <= 1_000 for start, end in spans)
    for start, end in spans:
        source[start:end].decode()


def test_a_worker_says_that_it_is_alive_between_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """LONG-FILES: the time limit of a worker counts for each part."""
    monkeypatch.setattr(source_parts, "PART_BYTES", 5_000)
    told: list[int] = []
    parse_blob(ParserContext(send_heartbeat=lambda: told.append(1)), ParseTask("python", "a.py", (), PYTHON))
    assert len(told) == len(list(split_source(PYTHON))) - 1
