"""codecompass search: a flag for every filter and option, the tool's payload for programs, a picture for people."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from codecompass.model.queries.filters import FILTERS, FilterRow
from codecompass.surfaces.cli.parser import build_parser
from codecompass.surfaces.cli.search_args import select_tool
from codecompass.surfaces.cli.standard_streams import read_question
from codecompass.surfaces.cli.tool_args import read_arguments
from codecompass.surfaces.cli.views.hits_view import show_lists
from codecompass.tools import TOOLS
from tests.surfaces.conftest import Shell
from tests.surfaces.stdio_client import Peer

TYPED: dict[str, tuple[list[str], object]] = {
    "text": (["jo"], "jo"), "words": (["a,b"], "a,b"), "texts": (["a"], ["a"]), "count": (["3"], 3),
    "days": (["1.5"], 1.5), "date": (["2026-01-31"], "2026-01-31"), "flag": ([], True), "meta": (["a=b"], ["a=b"]),
    "json": (['{"a": 1}'], '{"a": 1}'),
}  # fmt: skip
FLAGS: dict[str, tuple[list[str], object]] = {
    "mode": (["--mode", "all"], "all"), "backend": (["--backend", "tantivy"], "tantivy"),
    "output": (["--full"], "full"), "ann": (["--no-ann"], False), "top": (["-n", "3"], 3),
    "context": (["--context", "2"], 2), "case": (["--case"], True), "caseFile": (["--case-file"], True),
    "caseTokens": (["--case-tokens"], True), "explain": (["--explain"], True),
}  # fmt: skip


def understood(*words: str) -> tuple[str, dict[str, object]]:
    return select_tool(build_parser().parse_args(["search", "some words", *words]))


@pytest.mark.parametrize("row", FILTERS, ids=lambda row: row.field)
def test_every_filter_has_its_flag(row: FilterRow) -> None:
    """CLI-FILTERS: the flag of the table, a value of its kind, the same argument for both tools."""
    words, value = TYPED[row.kind]
    tool, raw = understood(row.flag, *words, "--mode", "code")
    assert tool == "search" and raw[row.field] == value
    tool, raw = understood(row.flag, *words)
    assert tool == "search_code" and (raw.get("filters") or {"lang": raw.get("language")}) == {row.field: value}


def test_flags_repeat_and_deny() -> None:
    """CLI-FILTERS: patterns may be given several times; a flag may ask for its opposite."""
    assert understood("--path", "a", "--path", "b", "--no-async")[1]["filters"] == {"path": ["a", "b"], "async": False}
    assert understood("--lang", "py") == ("search_code", {"query": "some words", "limit": 10, "language": "py"})


@pytest.mark.parametrize("name", FLAGS)
def test_every_option_has_its_flag(name: str) -> None:
    """CLI-FILTERS: any option of the tool `search` is answered by that tool."""
    words, value = FLAGS[name]
    assert understood(*words) == ("search", {"query": "some words", name: value})


def test_no_parameter_is_without_a_flag() -> None:
    """CLI-FILTERS: what MCP takes the command line takes."""
    search = next(tool for tool in TOOLS if tool.name == "search")
    # A page by cursor is for agents; the command has --offset.
    reached = {"query", "repoPath", "branch", "cursor"} | {row.field for row in FILTERS} | set(FLAGS)
    assert set(search.fields) == reached
    assert understood("--branch", "side", "--limit", "2", "--mode", "all")[1] == {
        "query": "some words", "mode": "all", "branch": "side", "top": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "raw"),
    [
        (["--mode", "all"], {"mode": "all"}),
        (["--top", "2", "--type", "function", "--path", "src"], {"top": 2, "type": "function", "path": ["src"]}),
        (["--full", "--context", "1", "--explain"], {"output": "full", "context": 1, "explain": True}),
    ],
)
def test_json_is_what_the_server_says(
    indexed: Shell, connect: Callable[..., Peer], words: list[str], raw: dict[str, object]
) -> None:
    """CLI-PARITY: `search --json` and MCP `search` give the same bytes."""
    peer = connect()
    said = peer.call(1, "search", query="rate limit", **raw)["result"]
    assert indexed.run("search", "rate limit", "--json", *words).stdout == said["content"][0]["text"] + "\n"


def test_lists_for_people(indexed: Shell) -> None:
    """CLI-LISTS: a list for each kind of text with place, kind, name and score, and what was left out."""
    shown = indexed.run("search", "rate limit", "--mode", "all", "--context", "1", "--explain")
    assert shown.returncode == 0, shown.stderr
    assert "code  " in shown.stdout and "records  0" in shown.stdout and "rate_limit" in shown.stdout
    assert "exactMatch" in shown.stdout and "tantivy" in shown.stdout
    assert "\x1b" not in shown.stdout, "no colour in a pipe"


@pytest.mark.parametrize(("exact", "said"), [(True, "code  1 of 7 hits\n"), (False, "code  1 of at least 7 hits\n")])
def test_a_number_that_was_not_counted_out_is_shown_as_one(exact: bool, said: str) -> None:
    """CLI-LISTS: what a list leaves out is told as far as it is known."""
    hit = {"file": "a.py", "startLine": 3, "score": 0.5, "kind": "class", "name": "A"}
    mode = {"total": 7, "totalExact": exact, "shown": 1, "relaxed": False, "completeness": "truncated"}
    stats = {"modes": {"code": mode}, "branch": "main", "freshness": "fresh"}
    out = StringIO()
    show_lists(Console(file=out, width=100), {"code": [hit], "backend": "tantivy", "stats": stats}, "a", 1.0)
    assert said in out.getvalue()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--type", "nonsense"], "unknown kind"),
        (["--top", "101"], "top"),
        (["--mode", "everything"], "mode"),
        (["--branches", "many"], "branches"),
        (["--backend", "memory", "--json"], "backend"),
        (["--modified-after", "soon"], "ISO"),
    ],
)
def test_nonsense_is_refused(indexed: Shell, words: list[str], said: str) -> None:
    """CLI-EXIT-CODES: one clear line and exit code 2."""
    done = indexed.run("search", "rate", *words)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert json.loads(done.stdout)["ok"] is False if done.stdout else True


def test_a_dash_reads_the_question_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-QUESTIONS: an issue is piped into any command that asks a question."""
    story = "A title\n\nand a sentence\n" * 400
    search = next(tool for tool in TOOLS if tool.name == "search_code")
    monkeypatch.setattr("sys.stdin", StringIO(story))
    assert read_question("-") == story.strip()
    monkeypatch.setattr("sys.stdin", StringIO(story))
    assert read_arguments(search, ["-"])["query"] == story.strip()
    assert read_question("token") == "token"
