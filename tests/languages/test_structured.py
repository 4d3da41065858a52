"""Structured text: configuration and prose beside code, in bounds, and never before code of the same name."""

import json
import time
from pathlib import Path

import pytest

from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.code.facts import Facts
from codecompass.model.code.kinds import KINDS, SECONDARY, normalize_kind
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import LocateQuery, ReferenceQuery
from codecompass.store.fact_codec import unpack_facts
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo

REGISTRY = Registry()
BENCH = ParserContext()


def facts(language: str, text: str) -> Facts:
    found = REGISTRY.get(language)
    assert found is not None
    return extract_with_embedded(REGISTRY, found, text.encode())


def indexed(path: str, text: str) -> Facts:
    """The facts as indexing makes them of a file."""
    data = text.encode()
    return unpack_facts(parse_blob(BENCH, ParseTask(REGISTRY.detect(path, data), path, (), data)).packs[0])


def names(found: Facts) -> list[str]:
    return [f"{item.scope}|{item.name}" for item in found.definitions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", []),
        ("[]", []),
        ("3", []),
        ("", []),
        ('["a", {"k": 1}]', []),
        ('{"a": 1}', ["|a"]),
        ('{"a": {"b": {"c": 1}}}', ["|a", "a|b"]),
        ('{"a": [{"b": 1}]}', ["|a"]),
        ('{"": 1}', ['|""']),
        ('// note\n{"a": 1, /* more */ "b": 2}', ["|a", "|b"]),
        ('{"a": 1,}', ["|a"]),
        ('{"a": 1, "a": 2}', ["|a", "|a"]),
        ('\ufeff{"a": 1}', ["|a"]),
        ('{"a": {"b": 1}, "c"', []),
    ],
)
def test_keys_of_objects(text: str, expected: list[str]) -> None:
    """LANG-STRUCTURED: the keys of two levels, with comments and stray commas too; an unfinished text is only text."""
    assert names(facts("json", text)) == expected


def test_no_value_is_shown() -> None:
    """LANG-STRUCTURED: heads of keys hold no values, which may be secrets or pages long."""
    written = {
        "a.json": '{"password": "hunter2", "deep": {"token": "hunter2"}}',
        "a.yaml": "password: hunter2\ndeep:\n  token: hunter2\n",
        "a.toml": 'password = "hunter2"\n[deep]\ntoken = "hunter2"\n',
        "a.ini": "password = hunter2\n[deep]\ntoken: hunter2\n",
        "a.properties": "password=hunter2\ndeep.token=hunter2\n",
    }
    for path, text in written.items():
        found = indexed(path, text)
        assert [item.kind for item in found.definitions].count("key") >= 2, path
        assert not any("hunter2" in item.signature + item.name + item.doc for item in found.definitions), path


@pytest.mark.parametrize("path", ["package-lock.json", "pnpm-lock.yaml", "uv.lock", "poetry.lock", "Cargo.lock"])
def test_what_a_program_wrote_is_text(path: str) -> None:
    """LANG-STRUCTURED: lock files are searched and not listed."""
    assert indexed(path, '{"a": {"b": 1}}\n').definitions == ()


def test_structured_files_are_bounded() -> None:
    """LANG-STRUCTURED: at most 2,000 definitions of one file; depth and breadth of data cost little."""
    wide = json.dumps({f"key{number}": {"x": 1} for number in range(5_000)}, indent=1)
    sections = "".join(f"[table{number}]\nx = 1\n" for number in range(5_000))
    for language, text in (("json", wide), ("toml", sections), ("ini", sections)):
        assert len(facts(language, text).definitions) == 2_000, language
    array = json.dumps([{"id": number, "tags": ["a", "b"]} for number in range(20_000)], indent=1)
    assert facts("json", array).definitions == ()
    assert facts("json", "[" * 100_000).definitions == ()


@pytest.mark.parametrize("language", ["asciidoc", "ini"])
@pytest.mark.parametrize("unit", ["= ", "[", "==== \n", ":a", "x=", "//// \n", "[[a", " \t", "a:", "----\n", "é\xa0"])
def test_lined_formats_take_linear_time(language: str, unit: str) -> None:
    """LANG-LINED: no line makes a pattern wander: twice the text costs about twice the time."""

    def spent(count: int) -> float:
        text = unit * count
        began = time.process_time()
        facts(language, text)
        return time.process_time() - began

    spent(100)
    small, large = spent(10_000), spent(80_000)
    assert large < 40 * small + 0.25


def test_lined_sections_nest_by_level() -> None:
    """LANG-LINED: a section reaches to the next that is not deeper, whatever levels are left out."""
    found = facts("asciidoc", "= A\n\n==== D\n\n== B\ntext\n=== C\n\n== E\n").definitions
    spans = [(item.name, item.scope, item.line_start, item.line_end, item.parent) for item in found]
    assert spans == [
        ("A", "", 1, 9, -1), ("D", "A", 3, 4, 0), ("B", "A", 5, 8, 0), ("C", "A > B", 7, 8, 2), ("E", "A", 9, 9, 0),
    ]  # fmt: skip
    assert facts("asciidoc", "= A\r\n== B\r\n").definitions[1].name == "B"


def test_every_kind_has_spellings() -> None:
    """C-KINDS: the kinds of prose and configuration are asked for in the words people use."""
    spoken = {
        "heading": "section", "chapter": "section", "option": "key", "setting": "key", "target": "rule",
        "selector": "rule", "view": "table", "message": "struct", "service": "interface", "rpc": "method",
    }  # fmt: skip
    assert {word: normalize_kind(word) for word in spoken} == spoken
    assert set(KINDS) >= SECONDARY


SHOP = {
    "src/session.py": "class Session:\n    timeout = 3\n\n\ndef checkout(cart):\n    return cart\n",
    "tests/test_session.py": "def checkout():\n    return 1\n",
    "config/app.json": '{"session": {"timeout": 1, "checkout": true}, "checkout": {"a": 1}, "only_here": 3}',
    "config/other.yaml": "checkout:\n  a: 1\nsession: 2\n",
    "docs/guide.rst": "checkout\n========\n\ncheckout checkout checkout\n\nInstallation\n------------\n\nwords\n",
    "Makefile": "checkout:\n\techo\n",
    "infra/main.tf": 'resource "aws_instance" "web" {\n  ami = 1\n}\nvariable "region" {}\n',
}


def test_code_comes_before_configuration(tmp_path: Path) -> None:
    """KIND-SECONDARY: keys, headings and targets are found by name, after all code of that name, and silence none."""
    with desk_on(make_repo(tmp_path / "repo", SHOP), tmp_path / "data") as desk:
        desk.index()
        hits = desk.locate("checkout").hits
        assert [hit.path for hit in hits[:2]] == ["src/session.py", "tests/test_session.py"]
        assert {hit.kind for hit in hits[2:]} == {"key", "section", "rule"}
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        # A key in the very spelling does not silence a class in another.
        assert desk.locate("session").hits[0].path == "src/session.py"
        assert desk.search("checkout").hits[0].path == "src/session.py"
        assert {hit.path for hit in desk.locate("only_here").hits} == {"config/app.json"}
        assert desk.locate("session.timeout").hits[0].kind == "field"
        assert desk.locate("Installation").hits[0].path == "docs/guide.rst"
        (web,) = desk.locate("aws_instance.web").hits
        assert (web.path, web.kind, web.tier) == ("infra/main.tf", "key", "exact")
        keys = desk.engine.locate(None, LocateQuery("checkout", kind="key", freshness="best_effort"), Call()).hits
        assert {hit.path for hit in keys} == {"config/app.json", "config/other.yaml"}
        uses = desk.engine.references(
            None, ReferenceQuery(SymbolTarget(name="checkout"), freshness="best_effort"), Call()
        )
        meant = {item.path for item in (uses.symbol, *uses.others)}
        assert meant == {"src/session.py", "tests/test_session.py"}


def test_many_keys_leave_room_for_code(tmp_path: Path) -> None:
    """KIND-SECONDARY: however many files have a key, the code of that name is among the answers, and first."""
    files = {f"pkg/{number}/package.json": f'{{"name": "p{number}", "version": 1}}' for number in range(150)}
    files["zzz/last.py"] = "def version():\n    return 1\n"
    with desk_on(make_repo(tmp_path / "repo", files), tmp_path / "data") as desk:
        desk.index()
        for found in (desk.locate("version", limit=5), desk.search("version", limit=5)):
            assert found.hits[0].path == "zzz/last.py"
