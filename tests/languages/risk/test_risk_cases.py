"""Caret-commented case files of risks: what the rules say stands under the code it speaks of.

Comment lines with a caret (or `<-` for the column where the comment starts) are expectations about the last code line
above; `== title` opens a case. Forms after the caret:

    source NAME | sink NAME | sanitizer NAME    a rule of that name applies here
    finding NAME                                and the place alone is a finding
    flow SOURCE->SINK                           a value from such a source reaches the sink here
    clean                                       nothing reaches the sinks of this line
    none                                        no rule applies here

Every flow of a file must be expected, so an invented one fails as surely as a missed one.
"""

from pathlib import Path

import pytest

from codecompass.languages.extraction.extractor import extract
from codecompass.languages.registry import Registry
from codecompass.model.code.risk_facts import Risks
from tests.languages.test_cases import Expectation, read_case

CASES = Path(__file__).parent / "cases"
REGISTRY = Registry()
FILES = sorted(path for path in CASES.rglob("*") if path.is_file())
PARSED = {path: read_case(path) for path in FILES}
RISKS: dict[Path, Risks] = {}
SECTIONS = [
    (path, section) for path, (_, rows) in PARSED.items() for section in dict.fromkeys(row.section for row in rows)
]
ENOUGH = {"python": 20, "javascript": 20, "go": 12, "java": 12, "ruby": 12, "php": 12, "csharp": 12}


def risks_of(path: Path) -> Risks:
    if path not in RISKS:
        language = REGISTRY.get(REGISTRY.detect(path.name))
        assert language is not None, path.name
        RISKS[path] = extract(language, PARSED[path][0]).insight.risks
    return RISKS[path]


def check(risks: Risks, want: Expectation) -> str:
    """An empty string when the expectation holds, else what was found."""
    place = (want.line, want.col)
    uses = [item for item in risks.uses if (item.line, item.col) == place]
    if want.form in ("source", "sink", "sanitizer"):
        found = {item.name for item in uses if item.kind == want.form}
        return "" if want.words[0] in found else f"found {uses}"
    if want.form == "finding":
        return "" if any(item.finding and item.name == want.words[0] for item in uses) else f"found {uses}"
    if want.form == "flow":
        flows = {item.name for item in risks.flows if (item.reach.line, item.reach.col) == place}
        return "" if want.words[0] in flows else f"flows there: {flows}"
    if want.form == "clean":
        return "".join(item.name for item in risks.flows if item.reach.line == want.line)
    if want.form == "none":
        return f"found {uses}" if uses else ""
    return f"unknown form {want.form!r}"


@pytest.mark.parametrize(("path", "section"), SECTIONS, ids=lambda v: v.name if isinstance(v, Path) else v)
def test_case(path: Path, section: str) -> None:
    """RISK-CASES: sources, sinks, sanitizers and flows are what the carets state."""
    rows = [row for row in PARSED[path][1] if row.section == section]
    risks = risks_of(path)
    wrong = [f"{path.name}:{row.line}:{row.col} {row.form} {row.words}: {said}"
             for row in rows if (said := check(risks, row))]  # fmt: skip
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_no_flow_is_unexpected(path: Path) -> None:
    """RISK-CASES: nothing is invented: each flow found is one the case file names."""
    expected = {(row.line, row.col, row.words[0]) for row in PARSED[path][1] if row.form == "flow"}
    extra = [
        f"{path.name}:{flow.reach.line}:{flow.reach.col} {flow.name} via {flow.via}"
        for flow in risks_of(path).flows
        if (flow.reach.line, flow.reach.col, flow.name) not in expected
    ]
    assert not extra, "\n".join(extra)


@pytest.mark.parametrize(("language", "least"), ENOUGH.items())
def test_enough_cases(language: str, least: int) -> None:
    """RISK-CASES: each language with rules proves its share of cases."""
    assert len({title for path, title in SECTIONS if path.parent.name == language}) >= least
