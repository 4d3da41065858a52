"""Case files of traits: under the line that names a definition stand the facts it must have, one to a line.

    async def fetch(url: str, tries=3) -> Page:
    #         ^ params: url: str | tries = 3
    #         ^ returns: Page
    #         ^ marks: async

The caret stands under the name. Lists are written in alphabetical order with commas; an empty text says that there is
nothing. Such lines are taken out before parsing. `has NAME: words` asks only that the words are among the list.
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from codecompass.languages.extraction.extractor import extract
from codecompass.languages.registry import DATA, Registry
from codecompass.model.code.facts import Definition, Facts
from codecompass.model.code.traits import Traits

CASES = Path(__file__).parent / "facts"
MARK = re.compile(r"^\s*(?:#|//|--|/\*|<!--)?\s*\^ (?P<has>has )?(?P<key>[a-z]+):(?P<value>.*?)\s*(?:\*/|-->)?\s*$")
REGISTRY = Registry()
KEYS = (
    "params", "returns", "marks", "decorators", "visibility", "bases", "doc", "throws", "awaits", "calls", "imports",
    "names", "reads", "writes", "mutations", "aliases", "types", "branches", "loops", "breaks", "continues", "returned",
)  # fmt: skip
LACKS = {
    "c": {"awaits", "bases", "throws", "decorators", "imports"},
    "cpp": {"imports"},
    "go": {"awaits", "throws", "decorators", "marks"},
    "java": {"awaits"},
    "php": {"awaits"},
    "swift": {"imports"},
    "ruby": {"awaits", "decorators", "imports", "returns"},
    "javascript": {"returns"},
}
"""What a language has no syntax for. Everything else must be proved in each language that has `facts.scm`."""


class Expectation(NamedTuple):
    line: int
    col: int
    key: str
    value: str
    contains: bool


def read_case(path: Path) -> tuple[bytes, list[Expectation]]:
    code: list[str] = []
    expected: list[Expectation] = []
    for raw in path.read_text(encoding="utf-8").splitlines():
        mark = MARK.match(raw)
        if mark:
            value = mark["value"].strip()
            expected.append(Expectation(len(code), raw.index("^"), mark["key"], value, bool(mark["has"])))
        else:
            code.append(raw)
    return ("\n".join(code) + "\n").encode(), expected


FILES = sorted(path for path in CASES.rglob("*") if path.is_file())
PARSED = {path: read_case(path) for path in FILES}


def language_of(path: Path) -> str:
    return REGISTRY.detect(path.name, PARSED[path][0])


def shown(item: Definition, traits: Traits) -> dict[str, str]:
    """Every fact as the case files write it."""
    params = []
    for parameter in traits.parameters:
        kind = f": {parameter.type}" if parameter.type else ""
        params.append(parameter.name + kind + (f" = {parameter.default}" if parameter.default else ""))
    lists = {
        "marks": traits.marks,
        "bases": traits.bases,
        "throws": traits.throws,
        "awaits": traits.awaits,
        "calls": traits.calls,
        "imports": traits.imports,
        "names": sorted(traits.collect_identifiers()),
        "reads": traits.reads,
        "writes": traits.writes,
        "mutations": traits.mutations,
        "aliases": traits.aliases,
        "decorators": item.decorators,
        "types": [f"{row.name}: {row.type} {row.how}" for row in traits.types],
    }
    flow = traits.flow
    return {
        **{key: ", ".join(words) for key, words in lists.items()},
        "params": " | ".join(params), "returns": traits.returns, "visibility": item.visibility,
        "doc": " / ".join(line for line in item.doc.splitlines() if line),
        "branches": str(flow.branches), "loops": str(flow.loops),
        "breaks": str(flow.breaks), "continues": str(flow.continues), "returned": str(flow.returns),
    }  # fmt: skip


def check(facts: Facts, want: Expectation) -> str:
    """An empty string when the expectation holds, else what was found."""
    for at, item in enumerate(facts.definitions):
        if (item.name_line, item.name_col) == (want.line, want.col):
            traits = next((row for row in facts.insight.traits if row.at == at), Traits(at))
            have = shown(item, traits)[want.key]
            if want.contains:
                missing = set(want.value.split(", ")) - set(have.split(", "))
                return f"{item.name} lacks {sorted(missing)}: {have}" if missing else ""
            return "" if have == want.value else f"{item.name} has {have!r}"
    return "no definition there"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_facts(path: Path) -> None:
    """LANG-FACTS: every definition has exactly the traits its case file states."""
    source, expected = PARSED[path]
    language = REGISTRY.get(language_of(path))
    assert language is not None, f"no language claims {path.name}"
    facts = extract(language, source)
    failures = [f"{path.name}:{row.line} {row.key}: {row.value!r}: {said}"
                for row in expected if (said := check(facts, row))]  # fmt: skip
    assert expected, "the file states nothing"
    assert not failures, "\n".join(failures)


def says_something(path: Path) -> bool:
    """Whether a language has facts of its own: one that only inherits them is proved with the other."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return (path.parent / "language.toml").exists() and any(line and not line.startswith(";") for line in lines)


@pytest.mark.parametrize("name", sorted(path.parent.name for path in DATA.glob("*/facts.scm") if says_something(path)))
def test_every_fact_is_proved(name: str) -> None:
    """LANG-FACTS: in each language with facts every one of them is proved by a case that finds something."""
    proved: defaultdict[str, set[str]] = defaultdict(set)
    for path, (_, expected) in PARSED.items():
        if language_of(path) == name:
            for row in expected:
                if row.value not in ("", "0"):
                    proved[row.key].add(row.value)
    missing = set(KEYS) - LACKS.get(name, set()) - proved.keys()
    assert not missing, f"{name} proves nothing of {sorted(missing)}"
