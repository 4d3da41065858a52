"""The official conformance suite on our own HTTP stack: every required scenario of both revisions, no exceptions."""

from collections.abc import Iterator

import pytest

from tests.proof import conformance
from tests.proof.node import Programs
from tests.proof.servers import CONFORMANCE_SERVER, SHIPPED, Place, http

pytestmark = pytest.mark.timeout(900)
SAID = {"tools-call-simple-text": "simple text response", "tools-call-error": "intentionally returns an error"}
"""Words of the exhibit's own answer: the suite takes any text, even that of an error, for a pass."""


@pytest.fixture(scope="module")
def conformance_server(place: Place) -> Iterator[str]:
    with http(place, CONFORMANCE_SERVER) as url:
        yield url


@pytest.mark.parametrize("revision", conformance.REVISIONS)
def test_every_required_scenario_passes(quick: Programs, conformance_server: str, revision: str) -> None:
    """P-CONFORMANCE: all required server scenarios of a revision, check by check, with an empty baseline."""
    names = conformance.required(quick, revision)
    assert len(names) == conformance.REQUIRED[revision]
    verdict = conformance.run_set(quick, conformance_server, revision)
    assert verdict.wrong(names) == []
    assert verdict.code == 0
    assert [check.id for check in verdict.checks if check.scenario in names and check.status == "SKIPPED"] == []
    for scenario, words in SAID.items():
        answer = next(check.details["result"] for check in verdict.of(scenario) if check.id == scenario)
        assert words in answer["content"][0]["text"]
        assert answer["isError"] is (scenario == "tools-call-error")


@pytest.mark.parametrize("revision", conformance.REVISIONS)
def test_the_shipped_server_passes_what_needs_no_exhibit(quick: Programs, place: Place, revision: str) -> None:
    """P-CONFORMANCE: the program as it is shipped passes every scenario that needs no tool of the suite's own."""
    with http(place, SHIPPED, *conformance.READING) as url:
        verdict = conformance.run_set(quick, url, revision)
    assert verdict.wrong(conformance.SHIPPED_SCENARIOS[revision], conformance.OF_EXHIBITS) == []
    missing = [check.message for check in verdict.checks if check.id in conformance.OF_EXHIBITS]
    assert all("test_" in text for text in missing), missing


def test_a_failing_check_is_seen() -> None:
    """P-CONFORMANCE: a failure, a warning and a scenario that never ran are all reported."""
    bad = conformance.Check("ping", "ping", "FAILURE", "no answer", {})
    odd = conformance.Check("caching", "hint", "WARNING", "none", {})
    verdict = conformance.Verdict(0, (bad, odd))
    assert [line.split(":")[0] for line in verdict.wrong(["ping", "caching", "tools-list"])] == [
        "tools-list",
        "ping",
        "caching",
    ]
