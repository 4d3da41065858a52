"""Properties of risk extraction: no bytes break it, what it says lies in the file, and its work is bounded."""

import pytest

from codecompass.languages.extraction.extractor import extract
from codecompass.languages.formats.embedded_languages import extract_with_embedded
from codecompass.languages.registry import Registry
from codecompass.languages.taint.risk_finder import MAX_FLOWS, MAX_LINES
from codecompass.model.code.facts import Facts
from tests.languages.risk.test_risk_cases import FILES
from tests.properties.test_extract_property import mutated

REGISTRY = Registry()


def assert_consistent(facts: Facts, source: bytes) -> None:
    """Every place lies in the file, every owner exists."""
    risks, count = facts.insight.risks, len(facts.definitions)
    lines = source.split(b"\n")
    for use in risks.uses:
        assert 1 <= use.line <= facts.line_count and use.col <= len(lines[use.line - 1])
        assert -1 <= use.owner < count
    for flow in risks.flows:
        assert 1 <= flow.origin.line <= facts.line_count and 1 <= flow.reach.line <= facts.line_count
        assert -1 <= flow.owner < count and 0 < flow.confidence <= 1 and flow.severity
    owners = [item.owner for item in risks.params] + [item.owner for item in risks.returns]
    assert all(0 <= owner < count for owner in owners)
    callees = [item.callee for item in risks.calls] + [item.callee for item in risks.results]
    assert all(1 <= callee.line <= facts.line_count and -1 <= callee.owner < count for callee in callees)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_mutated_sources_have_risks(path: object) -> None:
    """RISK-ROBUST: broken sources of every language with rules yield consistent risks, never an error."""
    name = REGISTRY.detect(str(path))
    language = REGISTRY.languages[name]
    sample = next(one for one in FILES if one is path).read_bytes()
    for seed in range(25):
        source = mutated(sample, seed)
        assert_consistent(extract(language, source), source.decode("utf-8", "replace").encode())


def risks_of(text: str) -> Facts:
    return extract(REGISTRY.languages["python"], text.encode())


def test_a_long_function_is_left_out() -> None:
    """RISK-ROBUST: a function beyond the limit is not followed, and that is said."""
    head = "import os\nfrom flask import request\n\ndef f():\n    x = request.args['x']\n"
    short, long = (head + "    pass\n" * count + "    os.system(x)\n" for count in (10, MAX_LINES))
    assert len(risks_of(short).insight.risks.flows) == 1 and not risks_of(short).insight.risks.capped
    assert not risks_of(long).insight.risks.flows and risks_of(long).insight.risks.capped


def test_many_flows_are_cut() -> None:
    """RISK-ROBUST: a file keeps so many flows and no more, and that is said."""
    body = "".join(f"    x{number} = request.args['x']\n    eval(x{number})\n" for number in range(MAX_FLOWS + 50))
    found = risks_of("from flask import request\n\ndef f():\n" + body).insight.risks
    assert len(found.flows) == MAX_FLOWS and found.capped


def test_nested_loops_end() -> None:
    """RISK-ROBUST: loops in loops are followed a bounded number of times."""
    lines = ["from flask import request", "import os", "", "def f(items):", "    a0 = request.args['x']"]
    for depth in range(1, 18):
        lines.append("    " * depth + f"for i{depth} in items:")
        lines.append("    " * (depth + 1) + f"a{depth} = a{depth - 1}")
    lines.append("    " * 18 + "os.system(a17)")
    found = risks_of("\n".join(lines) + "\n").insight.risks
    assert [flow.name for flow in found.flows] == ["req.input->os.system"]


def test_embedded_programs_keep_their_places() -> None:
    """RISK-ROBUST: a script inside a page is found where it stands in the page."""
    page = REGISTRY.languages["html"]
    text = "<html>\n<script>\nfunction f() {\n  document.body.innerHTML = location.hash;\n}\n</script>\n</html>\n"
    facts = extract_with_embedded(REGISTRY, page, text.encode())
    (flow,) = facts.insight.risks.flows
    assert (flow.name, flow.reach.line) == ("location->innerHTML", 4)
    assert facts.definitions[flow.owner].name == "f"
