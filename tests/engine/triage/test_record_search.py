"""Records are found by their words and fields, beside log files, and nothing that needs facts of code finds them."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.model.queries.file_excerpt import ExcerptQuery
from codecompass.model.queries.filters import FILTERS, Filters
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import SearchBackend
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.tools import TOOLS
from tests.engine.search.test_filters import CASES
from tests.engine.triage.triage_repo import MERGE, YAML, Bench

OF_RECORDS = {"path", "file", "ext", "lang", "meta", "metaJson"}


@pytest.fixture
def filled(bench: Bench) -> Bench:
    bench.ingest(YAML, MERGE)
    return bench


def ask(bench: Bench, **raw: object) -> dict[str, Any]:
    """The payload of the tool `search`."""
    admission = Admission(workers=1)
    try:
        host = Host(bench.engine, Defaults(freshness_policy="best_effort"))
        reply = Dispatch(TOOLS, host, Log("error"), admission=admission).call("search", raw)
    finally:
        admission.close()
    assert not reply.is_error, reply.body
    return reply.payload


def test_words(filled: Bench) -> None:
    """TRIAGE-SEARCH: by any words of the record, in any form; all words first, else any of them, and said so."""
    assert filled.names("code loading") == ["CVE-2031-50005"]
    assert filled.names("CVE-2031-50005") == ["CVE-2031-50005"]
    assert filled.names("pollutions of prototypes") == ["GHSA-aaaa-bbbb-cccc"]
    assert filled.names('"prototype pollution"') == ["GHSA-aaaa-bbbb-cccc"]
    assert filled.names("package -lodash") == ["CVE-2031-50005"]
    query = SearchQuery("prototype zebra", mode="records", freshness="best_effort")
    found = filled.engine.search(None, query, Call())
    assert [hit.name for hit in found.hits] == ["GHSA-aaaa-bbbb-cccc"] and found.relaxed
    assert filled.names("zebra") == []


def test_files_and_records_are_one_list(filled: Bench) -> None:
    """TRIAGE-SEARCH: log files and records by score; what has all words leaves looser finds of the other side out."""
    assert [hit.path for hit in filled.hits("engine failed")] == ["logs/run.txt"]
    assert filled.names("prototype pollution") == ["GHSA-aaaa-bbbb-cccc"]
    assert {hit.path.partition("/")[0] for hit in filled.hits("engine loading")} == {"logs", "triage"}
    scores = [hit.score for hit in filled.hits("engine loading pollution")]
    assert scores == sorted(scores, reverse=True) and all(0 < score <= 1 for score in scores)
    assert not [hit for hit in filled.hits("code runs while loading", "code") if hit.path.startswith("triage/")]


def test_handles_and_paths(filled: Bench) -> None:
    """TRIAGE-SEARCH: a hit has a handle and a path of its own; both lead to the record's text."""
    (hit,) = filled.hits("code loading")
    assert (hit.result_type, hit.kind, hit.language) == ("record", "record", "markdown")
    record = hit.result_id.removeprefix("rec_")
    assert hit.path == f"triage/records/{record}.md" and (filled.folder() / f"{record}.json").exists()
    for query in (ExcerptQuery(handle=hit.result_id), ExcerptQuery(path=hit.path)):
        shown = filled.engine.excerpt(None, query, Call())
        assert "\n".join(shown.lines) + "\n" == (filled.folder() / f"{record}.md").read_text()
        assert (shown.path, shown.total) == (hit.path, hit.line_end)
    part = filled.engine.excerpt(None, ExcerptQuery(path=hit.path, first=1, last=1), Call())
    assert part.lines == ("# CVE-2031-50005: Code runs while loading",)
    for query in (ExcerptQuery(handle="rec_none"), ExcerptQuery(path="triage/records/none.md")):
        with pytest.raises(Failure) as caught:
            filled.engine.excerpt(None, query, Call())
        assert caught.value.code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("meta", "names"),
    [
        ("service=api", ["CVE-2031-50005"]),
        ("service=AP", ["CVE-2031-50005"]),
        ("service", ["CVE-2031-50005", "GHSA-aaaa-bbbb-cccc"]),
        ("team", []),
        (["service=api", "env=prod"], ["CVE-2031-50005"]),
        (["service=api", "env=staging"], []),
        ({"service": "web", "env": "staging"}, ["GHSA-aaaa-bbbb-cccc"]),
        ([{"service": "web"}, "severity=high"], ["GHSA-aaaa-bbbb-cccc"]),
        ("status=open", ["CVE-2031-50005", "GHSA-aaaa-bbbb-cccc"]),
        ("packageName=yaml", ["CVE-2031-50005"]),
        ("package.name=yaml", ["CVE-2031-50005"]),
        ("vuln.cvss.score=9.8", ["CVE-2031-50005"]),
        ("vuln.symbols=merge", ["GHSA-aaaa-bbbb-cccc"]),
        ("vuln.cvss=9.8", ["CVE-2031-50005"]),
        ("exposure.publicEndpoint", ["CVE-2031-50005"]),
        ("vuln.nothing.at.all", []),
        ("recordType=decision", []),
    ],
)
def test_meta(filled: Bench, meta: object, names: list[str]) -> None:
    """TRIAGE-META: key or key=value, dotted keys descend, values are part of the text in any case, all must hold."""
    assert sorted(filled.names(meta=meta)) == names
    assert sorted(filled.names("", "", meta=meta)) == names, "records answer a filter only they can pass, in any list"


def test_meta_json_and_shorthands(filled: Bench) -> None:
    """TRIAGE-META: metaJson is the same as JSON; in a query meta stands as any filter, also excluded."""
    assert filled.names(metaJson={"service": "api"}) == ["CVE-2031-50005"]
    assert filled.names(metaJson='[{"vuln": {"severity": "high"}}]') == ["GHSA-aaaa-bbbb-cccc"]
    assert filled.names("meta:service=api") == ["CVE-2031-50005"]
    assert filled.names("-meta:service=api meta:service") == ["GHSA-aaaa-bbbb-cccc"]
    assert sorted(filled.names("meta:service=api OR meta:service=web")) == ["CVE-2031-50005", "GHSA-aaaa-bbbb-cccc"]
    assert filled.names("", "code", meta="service=api") == [], "files have no fields of records"


@pytest.mark.parametrize("field", [row.field for row in FILTERS if row.field not in OF_RECORDS])
def test_filters_of_code_find_no_record(filled: Bench, field: str) -> None:
    """TRIAGE-META: a filter that asks for facts of code never holds for a record; where it is excluded nothing is."""
    value = CASES[field]["value"]
    assert [hit for hit in filled.hits("loading", **{field: value}) if hit.kind == "record"] == []
    query = SearchQuery("loading", mode="records", freshness="best_effort", without=Filters.parse({field: value}))
    assert "CVE-2031-50005" in [hit.name for hit in filled.engine.search(None, query, Call()).hits]


def test_filters_of_files(filled: Bench) -> None:
    """TRIAGE-SEARCH: path, file, ext and lang hold for the path and the language that a hit shows."""
    for filters in ({"path": "triage/"}, {"path": "triage/**"}, {"ext": "md"}, {"lang": "markdown"}, {"file": "/md$/"}):
        assert filled.names("loading", **filters) == ["CVE-2031-50005"]
    for filters in ({"path": "src/"}, {"ext": "py"}, {"lang": "python"}):
        assert filled.names("loading", **filters) == []


def test_the_tool_search(filled: Bench) -> None:
    """TRIAGE-SEARCH: hits in the list of records and in the bundles, with their fields where all is asked for."""
    found = ask(filled, query="code loading", mode="records", output="full", meta={"service": "api"})
    (hit,) = found["records"]
    assert (hit["kind"], hit["name"], hit["ext"]) == ("record", "CVE-2031-50005", ".md")
    assert hit["docmeta"]["record"]["status"] == "open" and hit["docmeta"]["record"]["packageEcosystem"] == "pip"
    assert hit["headline"] == "Code runs while loading" and "loading" in hit["snippet"]
    assert [group["file"] for group in found["bundles"]["groups"]] == [hit["file"]]
    assert found["stats"]["modes"]["records"]["total"] == 1
    every = ask(filled, query="PyYAML", mode="all")
    assert any(hit["kind"] == "record" for hit in every["records"]) and every["prose"]
    assert all(hit.get("kind") != "record" for name in ("code", "prose", "extractedProse") for hit in every[name])
    assert ask(filled, query="PyYAML")["records"] == []


OR_CASES: tuple[tuple[str, list[str], list[str]], ...] = (
    ("meta:service=api OR load", ["CVE-2031-50005"], ["load", "other"]),
    ("load OR meta:service=api", ["CVE-2031-50005"], ["load", "other"]),
    ("(meta:service=api OR load) -zebra", ["CVE-2031-50005"], ["load", "other"]),
    ("meta.package:lodash OR cart", ["GHSA-aaaa-bbbb-cccc"], ["cart"]),
    ('meta.package.name:"left-lodash" OR cart', ["GHSA-aaaa-bbbb-cccc"], ["cart"]),
    ("meta:service=api OR meta:service=web", ["CVE-2031-50005", "GHSA-aaaa-bbbb-cccc"], []),
    ("lodash AND (meta:service=web OR zebra)", ["GHSA-aaaa-bbbb-cccc"], []),
    ("meta:service=api OR type:class OR Tag", ["CVE-2031-50005"], ["Tag"]),
)
"""A query, the records that answer it, and definitions that do."""


@pytest.fixture(params=["tantivy", "sqlite"])
def backend(filled: Bench, request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        filled.engine.build_portable(None, PortableBuildRequest(), Call())
    yield str(request.param)
    shutil.rmtree(filled.desk.home / "portable", ignore_errors=True)


@pytest.mark.parametrize(("query", "records", "definitions"), OR_CASES)
def test_a_choice_between_records_and_code(
    filled: Bench, backend: SearchBackend, query: str, records: list[str], definitions: list[str]
) -> None:
    """TRIAGE-CHOICE: records answer one side of an OR and files the other, in every list that may hold them."""
    for mode in ({}, {"mode": "all"}, {"mode": "records"}):
        found = ask(filled, query=query, backend=backend, **mode)
        assert sorted(hit["name"] for hit in found["records"] if hit["kind"] == "record") == records, mode
        if mode != {"mode": "records"}:
            assert {hit.get("name") for hit in found["code"]} >= set(definitions), mode
    one_list = SearchQuery(query, freshness="best_effort", backend=backend, limit=50)
    hits = filled.engine.search(None, one_list, Call()).hits
    assert sorted(hit.name for hit in hits if hit.kind == "record") == records
    assert {hit.name for hit in hits} >= set(definitions)


def test_a_choice_within_the_modes_that_were_named(filled: Bench, backend: str) -> None:
    """TRIAGE-CHOICE: a mode that was named is kept to, and an excluded field of records asks for none."""
    for mode in ("both", "code", "prose"):
        assert ask(filled, query="meta:service=api OR load", mode=mode, backend=backend)["records"] == []
    assert ask(filled, query="load -meta:service=api", backend=backend)["records"] == []
    assert ask(filled, query="(load OR own) (text OR NOT meta:service=api)", backend=backend)["records"] == []


def test_a_choice_means_for_files_what_is_left_of_it(filled: Bench) -> None:
    """TRIAGE-CHOICE: files are found and ranked as if the fields of records, which none has, had not been asked for."""
    plain = ask(filled, query="load", mode="code")
    assert ask(filled, query="meta:service=api OR load", mode="code")["code"] == plain["code"]
    nothing = ask(filled, query="meta:service=api OR meta:service=web", mode="code")
    assert nothing["code"] == [] and nothing["stats"]["modes"]["code"]["totalExact"]


def test_a_choice_is_explained(filled: Bench) -> None:
    """TRIAGE-CHOICE: where a record stands in the answer to such a query is told by the numbers that ranked it."""
    query = SearchQuery("meta:service=api OR load", freshness="best_effort", limit=50)
    hits = filled.engine.search(None, query, Call()).hits
    at = next(at for at, hit in enumerate(hits) if hit.kind == "record")
    told = filled.engine.explain(None, query, SymbolTarget(handle=hits[at].result_id), Call())
    assert (told.rank, told.standing.hit.score) == (at + 1, hits[at].score)


def test_many_records_stay_bounded(bench: Bench) -> None:
    """TRIAGE-SEARCH: total counts all that match, the list has as many as were asked for, the answer its size."""
    bench.ingest(*({**YAML, "vulnId": f"V-{number}", "description": "long " * 200} for number in range(60)))
    found = ask(bench, query="loading", mode="records", output="full", top=50)
    assert found["stats"]["modes"]["records"]["total"] == 60 and len(json.dumps(found)) < 70_000
    assert len(bench.hits("loading", "records", 7)) == 7
