"""What commands print: it fits the terminal, shows the hit, links to the editor, and says how to see more."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import pytest
from rich.cells import cell_len

from codecompass.errors import Failure
from codecompass.surfaces.cli.editor.open_command import build_editor_command
from codecompass.surfaces.cli.list_page import ListPage, drop_option, read_range
from codecompass.surfaces.cli.views.hits_view import show_lists
from codecompass.surfaces.cli.views.navigation_view import (
    show_context,
    show_diff,
    show_outline,
    show_references,
    show_refs,
)
from codecompass.surfaces.cli.views.relation_view import show_calls, show_types
from codecompass.surfaces.cli.views.render import drop_module, name_with_class, show_results
from codecompass.surfaces.cli.views.risk_view import show_risks
from codecompass.surfaces.cli.views.source_lines import SourceLine, choose_lines, split_query
from codecompass.surfaces.cli.views.symbol_view import show_diagnostics, show_symbol
from codecompass.surfaces.cli.views.terminal import TerminalConsole, make_link
from tests.surfaces.conftest import Shell

META = {
    "ref": "main", "freshness_status": "fresh", "result_completeness": "truncated", "indexing_status": "ready",
    "warnings": ["Something that is worth knowing about the answer."],
}  # fmt: skip
ODD = (
    "名前の長いファイル",
    "日本語のコメント",
    "👩‍👩‍👧 family",
    "e\u0301e\u0301 combining",
    "plain words",
    "x" * 90,
    "tab\there",
)
SYMBOL = {"kind": "class", "name": "shop.cart.Cart", "path": "shop/cart.py", "line_start": 3, "line_end": 9}


def screen(
    width: int, *, scheme: str = "", colors: Literal["standard"] | None = None
) -> tuple[TerminalConsole, StringIO]:
    file = StringIO()
    out = TerminalConsole(
        file=file, force_terminal=True, width=width, markup=False, highlight=False, emoji=False,
        no_color=colors is None, color_system=colors, legacy_windows=False, _environ={"TERM": "xterm-256color"},
    )  # fmt: skip
    out.link_scheme = scheme
    return out, file


def hit(chance: random.Random) -> dict[str, Any]:
    text = chance.choice(ODD)
    line = chance.randrange(1, 2_000)
    source = [{"line": line + at, "text": " " * at + chance.choice(ODD)} for at in range(6)]
    return {
        "path": f"src/{chance.choice(ODD)}/cart.py", "file": "src/cart.py", "line_start": line, "startLine": line,
        "kind": "method", "name": "total", "qualified_name": f"shop.{text}.Cart.total", "score": 0.5,
        "language": "python", "lang": "python", "source": source, "headline": text,
    }  # fmt: skip


def views(chance: random.Random) -> list[tuple[Callable[..., None], dict[str, Any]]]:
    hits = [hit(chance) for _ in range(4)]
    use = {"path": "src/日本.py", "line": 4, "kind": "call", "text": chance.choice(ODD), "resolution": "unresolved"}
    edge = {"symbol": SYMBOL, "call_site": {"path": "a/b.py", "line": 3}, "resolution": "ambiguous", "candidates": 3}
    finding = {
        "path": "src/日本.py", "line": 9, "severity": "high", "category": "sql", "sink": "execute", "symbol": "f",
        "scope": "call", "via": [f"step:{at}" for at in range(9)], "cwe": 89,
        "source": {"name": "input", "path": "x.py", "line": 1},
    }  # fmt: skip
    node = {"kind": "class", "name": "X", "signature": f"class X({chance.choice(ODD)})", "line_start": 3}
    other = {"name": f"shop.{chance.choice(ODD)}.Special", "path": "src/shop/special.py", "line_start": 9}
    branch = {**other, "kind": "class", "children": [{**other, "resolution": "ambiguous"}, {"name": "x.Outside",
              "resolution": "unresolved"}]}  # fmt: skip
    member = {"kind": "method", "name": "shop.cart.Cart.total", "line_start": 4}
    message = {"path": "src/日本.py", "line": 1_204, "column": 13, "code": "B904", "message": "Do not " * 30, "in": "f"}
    facts = {"doc": "What it is. " * 20, "parameters": [{"name": f"p{at}", "type": "int"} for at in range(30)]}
    history = {"last_author": "A", "last_modified": "2026-01-01"}
    change = {
        "change": "modified", "kind": "method", "qualified_name": f"shop.{chance.choice(ODD)}.total", "path": "a/b.py",
        "before": {"line_start": 3, "signature": "def total(" + "a, " * 60}, "signature_changed": True,
        "after": {"line_start": 4, "signature": "def total(" + "b, " * 60}, "callers_total": 9,
        "callers": [{"path": "a/日本.py", "line": 3, "name": "shop.cart.pay", "resolution": "unresolved"}],
    }  # fmt: skip
    ref = {"name": f"feature/{chance.choice(ODD)}", "kind": "branch", "commit": "0" * 40, "indexed": True,
           "freshness": "fresh", "files": 5_736, "symbols": 64_936}  # fmt: skip
    piece = {"path": "src/日本.py", "line_start": 1, "line_end": 4, "section": "definitions", "why": "matches",
             "code": f"def f():\n    return '{chance.choice(ODD)}'"}  # fmt: skip
    modes = {"code": {"total": 9, "totalExact": False, "relaxed": True}}
    stats = {"modes": modes, "branch": "main", "freshness": "fresh"}
    return [
        (show_results, {"results": hits, "total_candidates": 1_337, "metadata": META}),
        (lambda out, payload, ms: show_lists(out, payload, "cart", ms), {"code": hits, "stats": stats, "backend": "x"}),
        (show_references, {"symbol": SYMBOL, "references": [use], "by_resolution": {"unresolved": 1},
                           "total_references": 1, "metadata": META}),
        (show_calls, {"symbol": SYMBOL, "callers": [edge], "total_callers": 7, "metadata": META}),
        (show_risks, {"findings": [finding] * 3, "total": 3, "severities": {"high": 3}, "files": 9, "metadata": META}),
        (show_types, {"symbol": SYMBOL, "supertypes": [branch], "subtypes": [branch], "members": [member],
                      "also_named": [other], "metadata": META}),
        (show_diagnostics, {"diagnostics": [message], "total": 1_337, "files": 9, "by_code": {"B904": 1_337},
                            "metadata": META}),
        (show_symbol, {"symbol": {**SYMBOL, "signature": "def f(" + "a, " * 60}, "facts": facts, "history": history,
                       "diagnostics": [message], "linted": True, "metadata": META}),
        (show_diff, {"base": {"ref": "HEAD~1"}, "head": {"ref": "HEAD"}, "changes": [change], "totals": {"modified": 1},
                     "metadata": META}),
        (show_refs, {"refs": [ref, {**ref, "indexed": False}], "total_refs": 2, "metadata": META}),
        (show_context, {"items": [piece], "estimated_tokens": 1_337, "metadata": META}),
        (show_outline, {"file_path": "src/日本.py", "language": "python", "symbols": [node], "metadata": META}),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [20, 33, 80, 140, 400])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """CLI-WIDTH: wrapped or cut, also with wide, joined and combining characters."""
    for seed in range(4):
        for show, payload in views(random.Random(seed)):
            out, file = screen(width)
            show(out, payload, 12.0)
            lines = file.getvalue().split("\n")
            assert max(map(cell_len, lines)) <= width, (show, lines)
            assert not [line for line in lines if line.endswith(" ")], (show, lines)


def test_a_pipe_gets_whole_lines() -> None:
    """CLI-WIDTH: nothing is cut where no terminal shows it."""
    file = StringIO()
    out = TerminalConsole(file=file, markup=False, highlight=False, emoji=False, soft_wrap=True, width=80)
    line = "def total(" + "argument, " * 30 + ")"
    payload = {"results": [{**hit(random.Random(1)), "source": [{"line": 7, "text": line}], "line_start": 7}]}
    show_results(out, payload | {"total_candidates": 1, "metadata": META}, 1.0)
    assert line in file.getvalue() and "\x1b" not in file.getvalue()


def test_the_hit_is_among_the_lines() -> None:
    """CLI-HIT-LINES: the definition's own line and the lines with the words, with and without context."""
    lines = [SourceLine(at, f"line {at}") for at in range(10, 60)]
    lines[30] = SourceLine(40, "    return basket_total(prices)")
    for context in (None, 1, 3):
        shown = [line.number for line in choose_lines(lines, 10, split_query("basket total"), context)]
        assert {10, 40} <= set(shown)
        assert context is None or {40 - context, 40 + context} <= set(shown)
    assert [line.number for line in choose_lines(lines, 10, ["nothing"], None)] == [10, 11, 12]


@pytest.mark.parametrize("words", [[], ["--context", "2"], ["--full"], ["--mode", "code", "--context", "1"]])
def test_every_search_shows_the_line_that_matched(indexed: Shell, words: list[str]) -> None:
    """CLI-HIT-LINES: whatever else is asked for, the code of the hit is on the screen."""
    found = indexed.run("search", "validate token", *words)
    assert found.returncode == 0, found.stderr
    assert re.search(r"\d+ │ .*def validate", found.stdout), found.stdout


def test_names() -> None:
    """CLI-NAMES: members with their class, names without the module that the path repeats."""
    item = {"kind": "method", "name": "get", "qualified_name": "django.db.models.query.QuerySet.get"}
    assert name_with_class(item) == "QuerySet.get"
    assert name_with_class({**item, "kind": "fn"}) == "get"
    assert name_with_class({"kind": "method", "name": "run", "qualified_name": "crate::job::Job::run"}) == "Job::run"
    assert drop_module("django.db.models.query.QuerySet", "django/db/models/query.py") == "QuerySet"
    assert drop_module("flask.app.Flask.run", "src/flask/app.py") == "Flask.run"
    assert drop_module("packages/a/b.run", "packages/a/b.ts") == "run"
    assert drop_module("other.name", "src/app.py") == "other.name"


def test_an_outline_says_nothing_twice() -> None:
    """CLI-NAMES: a signature that names its kind stands alone."""
    nodes = [
        {"kind": "class", "name": "X", "signature": "class X", "line_start": 1,
         "children": [{"kind": "method", "name": "run", "signature": "def run(self)", "line_start": 2}]},
        {"kind": "interface", "name": "Y", "signature": "export interface Y", "line_start": 5},
        {"kind": "const", "name": "Z", "signature": "Z = 1", "line_start": 9},
    ]  # fmt: skip
    out, file = screen(80)
    show_outline(out, {"file_path": "a.py", "language": "python", "symbols": nodes, "metadata": META}, 1.0)
    rows = [line.split() for line in file.getvalue().split("\n")[1:5]]
    assert rows[0] == ["1", "class", "X"] and rows[1] == ["2", "def", "run(self)"]
    assert rows[2] == ["5", "export", "interface", "Y"] and rows[3] == ["9", "const", "Z", "=", "1"]


def test_certainty_in_words() -> None:
    """CLI-CERTAINTY: uses are grouped by it, the surest first, with a heading that needs no explanation."""
    uses = [{"path": f"{at}.py", "line": at, "kind": "call", "text": "f()"} for at in range(3)]
    uses[0] |= {"resolution": "unresolved"}
    uses[1] |= {"resolution": "ambiguous"}
    out, file = screen(100)
    counts = {"resolved": 1, "ambiguous": 1, "unresolved": 1}
    payload = {"symbol": SYMBOL, "references": uses, "by_resolution": counts, "total_references": 3, "metadata": META}
    show_references(out, payload, 1.0)
    text = file.getvalue()
    order = [text.index(word) for word in ("certain:", "2.py", "likely:", "1.py", "unsure:", "0.py")]
    assert order == sorted(order) and "(1 certain, 1 likely, 1 unsure)" in text
    assert "resolved" not in text and "ambiguous" not in text


def test_calls_of_one_caller_are_one_line() -> None:
    """CLI-NAMES: a function that calls five times is named once, with all places."""
    site = {"path": "shop/pay.py", "line": 3}
    edge = {"symbol": {**SYMBOL, "name": "shop.cart.run"}, "call_site": site, "resolution": "resolved"}
    edges = [{**edge, "call_site": {**site, "line": line}} for line in (3, 9, 9, 14)]
    out, file = screen(80)
    show_calls(out, {"symbol": SYMBOL, "callers": edges, "total_callers": 4, "metadata": META}, 1.0)
    rows = [line for line in file.getvalue().split("\n") if "←" in line]
    assert rows == ["  ←   run  shop/pay.py:3, 9, 14"]


def test_a_run_of_imports_is_one_line() -> None:
    """CLI-NAMES: an outline begins with what the file defines, not with forty lines of imports."""
    nodes = [{"kind": "use", "name": f"package.m{at}", "line_start": at} for at in range(1, 41)]
    nodes.append({"kind": "class", "name": "X", "signature": "class X", "line_start": 50})
    out, file = screen(40)
    show_outline(out, {"file_path": "a.py", "language": "python", "symbols": nodes, "metadata": META}, 1.0)
    lines = file.getvalue().split("\n")
    assert lines[1].startswith("     1  40 imports package.m1,")
    assert lines[2].split() == ["50", "class", "X"]


def test_risks_by_severity_with_tests_apart() -> None:
    """CLI-CERTAINTY: the worst first; those in tests after all of the code; equal lines are counted."""
    base = {"line": 1, "category": "sql", "sink": "execute", "symbol": "f", "scope": "local"}
    findings = [
        {**base, "path": "a.py", "severity": "high"}, {**base, "path": "a.py", "severity": "low"},
        {**base, "path": "a.py", "severity": "low"},
        {**base, "path": "tests/t.py", "severity": "critical", "role": "test"},
    ]  # fmt: skip
    out, file = screen(100)
    show_risks(out, {"findings": findings, "total": 4, "severities": {"high": 1, "low": 2, "critical": 1}, "files": 2,
                     "roles": {"test": 1}, "metadata": META}, 1.0)  # fmt: skip
    lines = [line.strip() for line in file.getvalue().split("\n")]
    assert [line for line in lines if line in ("critical", "high", "low", "-- in tests --")] == [
        "high", "low", "-- in tests --", "critical",
    ]  # fmt: skip
    assert any(line.endswith("×2") for line in lines)


def test_links_lead_to_the_line() -> None:
    """CLI-LINKS: a path on a terminal is a link of the chosen editor; elsewhere there is none."""
    payload = {"results": [{**hit(random.Random(2)), "path": "src/a b.py", "line_start": 7}], "total_candidates": 1}
    out, file = screen(80, scheme="vscode", colors="standard")
    show_results(out, payload | {"metadata": META}, 1.0)
    assert f"vscode://file{Path.cwd().as_posix()}/src/a%20b.py:7" in file.getvalue()
    out, file = screen(80)
    show_results(out, payload | {"metadata": META}, 1.0)
    assert "\x1b]8" not in file.getvalue()
    assert make_link("idea", "/x/y.py", 3) == "idea://open?file=/x/y.py&line=3"
    assert make_link("file", "/x/é.py", 3) == "file:///x/%C3%A9.py"


def test_colours_need_a_terminal() -> None:
    """CLI-WIDTH: source is highlighted only where colours are shown; pygments is not loaded elsewhere."""
    payload = {"results": [{**hit(random.Random(3)), "source": [{"line": 1, "text": "def f(): return 1"}]}]}
    payload["results"][0] |= {"line_start": 1}
    out, file = screen(80, colors="standard")
    show_results(out, payload | {"total_candidates": 1, "metadata": META}, 1.0)
    assert re.search(r"\x1b\[[0-9;]*m+def", file.getvalue())
    modules = "import sys; from codecompass.surfaces.cli.commands import query_commands; "
    check = modules + "sys.exit('pygments' in sys.modules or 'rich.syntax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_the_command_for_more() -> None:
    """CLI-PAGES: it is the command that was given, with the next offset, quoted for a shell."""
    words = ["search", "it's here", "--offset", "5", "--limit=5"]
    page = ListPage(read_range(5, 5), words)
    assert page.format_next("search_code", {"results": [1] * 5}) == "", "at the end of the list"
    told = page.format_next("search_code", {"results": [1] * 5, "next_cursor": "x"})
    assert told.startswith("""more: codecompass search 'it'"'"'s here' --limit=5 --offset 10""")
    assert drop_option(["--offset=3", "a", "--offset", "4", "b"], "--offset") == ["a", "b"]
    with pytest.raises(Failure, match="at least 0"):
        read_range(-1, None)


def test_pages_of_a_command(indexed: Shell) -> None:
    """CLI-PAGES: pages by offset are the whole list, and each says how to go on until the last."""
    whole = indexed.run("grep", "e", "--all").stdout.splitlines()
    refs = indexed.run("refs", "--limit", "1")
    assert "1 of " in refs.stdout and "more: codecompass refs --limit 1 --offset 1" in refs.stdout
    assert "more:" not in indexed.run("refs", "--all").stdout
    assert "more:" not in indexed.run("refs", "--limit", "0").stdout
    read: list[str] = []
    while len(read) < len(whole):
        part = indexed.run("grep", "e", "--limit", "40", "--offset", str(len(read)))
        read += part.stdout.splitlines()
        assert (f"--offset {len(read)}" in part.stderr) == (len(read) < len(whole))
    assert read == whole


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vim", ["vim", "+7", "/a b/c;d.py"]),
        ("/usr/bin/code -w", ["/usr/bin/code", "-w", "--goto", "/a b/c;d.py:7"]),
        ("'my editor' {path} -l {line}", ["my editor", "/a b/c;d.py", "-l", "7"]),
        ("unknown", ["unknown", "/a b/c;d.py"]),
    ],
)
def test_the_editor_gets_whole_words(editor: str, words: list[str]) -> None:
    """CLI-OPEN: no part of a path becomes a word, an option or a command of its own."""
    assert build_editor_command(editor, "/a b/c;d.py", 7) == words


def test_open(indexed: Shell) -> None:
    """CLI-OPEN: a file, a line of it, a name; what is none of them is said so."""
    by_line = indexed.run("open", "--print", "src/auth.py:3", env={"EDITOR": "vim"})
    assert by_line.stdout == f"vim +3 {indexed.cwd}/src/auth.py\n", by_line.stderr
    by_name = indexed.run("open", "--print", "validate_token", env={"VISUAL": "code", "EDITOR": "vim"})
    assert by_name.stdout.startswith(f"code --goto {indexed.cwd}/src/"), by_name.stderr
    nothing = indexed.run("open", "--print", "no_such_name_here", env={"EDITOR": "vim"})
    assert nothing.returncode != 0 and "codecompass search no_such_name_here" in nothing.stderr
    unset = indexed.run("open", "src/auth.py", env={"EDITOR": "", "VISUAL": ""})
    assert unset.returncode != 0 and "No editor is set" in unset.stderr
