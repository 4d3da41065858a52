"""Pages of every list: their cursors, and that together they are the whole list."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_failure, render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.engine.engine import Engine
from codecompass.errors import Failure
from codecompass.model.call import Call, ListRange
from codecompass.tools import TOOLS
from tests.engine.support import desk_on
from tests.repo.gitrepo import commit, git, make_repo

BY_NAME = {tool.name: tool for tool in TOOLS}
PAGED = {tool.name for tool in TOOLS if "cursor" in tool.fields}


@dataclass(frozen=True)
class Case:
    """A call with long lists, and the names of these."""

    tool: str
    given: dict[str, object]
    lists: tuple[str, ...]
    least: int = 60
    """Items that the whole list has at least, so that there is something to page through."""
    limit: str = "limit"
    most: int = 100


CASES = (
    Case("search_code", {"query": "basket total"}, ("results",), 200),
    Case("search_code", {"query": "basket", "filters": {"type": "function"}}, ("results",), 101),
    Case("search_code", {"query": "where is the basket total computed from all the prices"}, ("results",), 200),
    Case("search", {"query": "basket"}, ("code", "prose", "extractedProse", "records"), 300, "top"),
    Case("locate_symbol", {"name": "handle"}, ("results",), 100),
    Case("find_references", {"name": "basket_total"}, ("references",), 200),
    Case("find_references", {"name": "basket_total", "explain": True}, ("references", "excluded_mentions"), 200),
    Case("get_call_graph", {"name": "basket_total"}, ("callers", "callees")),
    Case("get_call_graph", {"name": "basket_total", "direction": "callers"}, ("callers",)),
    Case("get_symbol_hierarchy", {"name": "Base"}, ("subtypes", "members")),
    Case("list_refs", {}, ("refs",)),
    Case("get_diagnostics", {}, ("diagnostics",)),
    Case("find_risks", {}, ("findings",)),
    Case("diff_context", {"base_ref": "old", "head_ref": "main"}, ("changes",)),
    Case("grep_codebase", {"pattern": "basket"}, ("matches",), 400),
    Case("context_search", {"query": "rounding of prices"}, ("results",), 30, most=20),
    Case("inspect_symbol", {"name": "noisy"}, ("diagnostics",), 20),
)


def write_files() -> dict[str, str]:
    """A repository in which every list is long."""
    files = {
        "shop/total.py": "def basket_total(prices):\n    # the basket total of all prices\n    return sum(prices)\n"
    }
    for at in range(120):
        files[f"shop/part_{at}.py"] = (
            "import os\nfrom shop.total import basket_total\n\n\n"
            f"def handle(prices):\n    # the basket of part {at}\n"
            f"    return basket_total(prices) + basket_total([{at}])\n\n\n"
            f"def run_{at}():\n    return os.system(input())\n"
        )
        files[f"docs/part_{at}.md"] = f"# Part {at}\n\nThe basket of part {at} is summed by `basket_total`.\n"
    members = "".join(f"    def member_{at}(self):\n        return {at}\n\n" for at in range(80))
    files["shop/base.py"] = f"class Base:\n{members}"
    files["shop/kinds.py"] = "from shop.base import Base\n\n" + "".join(
        f"class Kind{at}(Base):\n    pass\n\n\n" for at in range(70)
    )
    unused = "".join(f"    unused_{at} = {at}\n" for at in range(40))
    files["shop/noisy.py"] = "import sys, re, json\n" * 20 + f"\n\ndef noisy():\n{unused}    return missing\n"
    return files


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_repo(tmp_path_factory.mktemp("pages") / "repo", {"README.md": "# Shop\n"})
    git(path, "branch", "old")
    for at in range(65):
        git(path, "branch", f"topic-{at}")
    commit(path, write_files())
    return path


@pytest.fixture(scope="module")
def engine(repo: Path) -> Iterator[Engine]:
    with desk_on(repo, repo.parent / "data", workers=2) as desk:
        desk.index()
        tool = BY_NAME["context_record"]
        for at in range(40):
            content = f"Rounding of prices in part {at} happens {'once' if at % 2 else 'twice'}, in step {at}."
            raw = {"content": content, "type": "decision"}
            tool.run(Host(desk.engine), Call(), decode(tool.params, raw))
        yield desk.engine


def ask(engine: Engine, case: Case, raw: dict[str, object], budget: int = 65_536, **call: Any) -> dict[str, Any]:  # noqa: ANN401
    tool = BY_NAME[case.tool]
    host = Host(engine, Defaults(freshness_policy="best_effort", max_response_bytes=budget))
    answer = tool.run(host, Call(**call), decode(tool.params, {**case.given, **raw}))
    reply = render_success(tool.family, answer)
    assert call or len(encode(reply.payload)) <= budget, "C-BYTE-BUDGET"
    return reply.payload


def place(item: dict[str, Any]) -> bytes:
    """What identifies an item; scores of records and similar figures may depend on the page."""
    return encode({key: value for key, value in item.items() if key not in ("score", "relevance")})


def read_lists(case: Case, payload: dict[str, Any]) -> list[list[bytes]]:
    return [[place(item) for item in payload[name]] for name in case.lists]


def test_every_limited_list_has_a_case() -> None:
    """C-PAGES: a tool that takes a limit takes a cursor, and is among the cases."""
    limited = {tool.name for tool in TOOLS if {"limit", "top"} & set(tool.fields)}
    assert limited == PAGED == {case.tool for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tool}-{'-'.join(map(str, case.given.values()))}"[:60])
def test_pages_are_the_whole_list(engine: Engine, case: Case) -> None:
    """C-PAGES: whatever the limits and the byte budget, the pages one after the other are the list."""
    sized: dict[str, object] = {"limit": 7} if case.tool == "context_search" else {}
    whole = read_lists(case, ask(engine, case, sized, wanted=ListRange(0, 0)))
    assert sum(map(len, whole)) >= case.least
    for items in whole:
        assert len(set(items)) == len(items)
    for seed in range(2):
        chance = random.Random(seed)
        budget = chance.choice((65_536, 9_000))
        read: list[list[bytes]] = [[] for _ in case.lists]
        raw: dict[str, object] = {}
        for _ in range(600):
            size = sized.get("limit") or chance.choice((1, 7, 33, case.most)) if budget == 65_536 else case.most
            payload = ask(engine, case, {**raw, case.limit: sized.get("limit", size)}, budget)
            for known, new in zip(read, read_lists(case, payload), strict=True):
                known += new
            if "next_cursor" not in payload:
                break
            raw = {"cursor": payload["next_cursor"]}
        else:
            pytest.fail("the pages do not end")
        assert read == whole


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tool}-{'-'.join(map(str, case.given.values()))}"[:60])
def test_a_range_is_a_part_of_the_list(engine: Engine, case: Case) -> None:
    """C-PAGES: an offset and a limit of a command cut the same list."""
    whole = read_lists(case, ask(engine, case, {}, wanted=ListRange(0, 0)))
    part = read_lists(case, ask(engine, case, {}, wanted=ListRange(3, 11)))
    assert part == [items[3:14] for items in whole]


def refused(engine: Engine, case: Case, raw: dict[str, object]) -> str:
    tool = BY_NAME[case.tool]
    with pytest.raises(Failure) as caught:
        ask(engine, case, raw)
    assert caught.value.code == "INVALID_REQUEST"
    reply = render_failure(tool.family, caught.value, engine.describe(None, None), tool.name)
    assert reply.failure is not None
    return caught.value.message


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tool}-{'-'.join(map(str, case.given.values()))}"[:60])
def test_a_cursor_belongs_to_its_call(engine: Engine, case: Case) -> None:
    """C-PAGE-CHANGED: with other arguments, or made up, it is refused; it says what to do."""
    cursor = ask(engine, case, {case.limit: 5})["next_cursor"]
    other = replace(case, given={**case.given, "ref" if case.tool != "search" else "branch": "main"})
    if case.tool not in ("list_refs", "diff_context"):
        assert "other arguments" in refused(engine, other, {"cursor": cursor, case.limit: 5})
    for wrong in ("", "5", "nonsense", cursor + "0", "٣-00000000-000000000000", "9" * 5_000):
        assert "not a next_cursor" in refused(engine, case, {"cursor": wrong, case.limit: 5})
    forged = cursor[:-1] + ("0" if cursor[-1] != "0" else "1")
    assert "list changed" in refused(engine, case, {"cursor": forged, case.limit: 5})


def test_a_list_that_changed_says_so(repo: Path, tmp_path: Path) -> None:
    """C-PAGE-CHANGED: after the index was published anew, and after an edit of a file that grep has shown."""
    copy = tmp_path / "repo"
    make_repo(copy, {f"part_{at}.py": "def handle():\n    return basket\n" for at in range(12)})
    with desk_on(copy, tmp_path / "data") as desk:
        desk.index()
        located = Case("locate_symbol", {"name": "handle"}, ())
        grepped = Case("grep_codebase", {"pattern": "basket"}, ())
        first = ask(desk.engine, located, {"limit": 5})["next_cursor"]
        lines = ask(desk.engine, grepped, {"limit": 5})["next_cursor"]
        (copy / "part_00.py").write_text("def handle():\n    return basket\n")
        desk.index()
        assert "list changed" in refused(desk.engine, located, {"limit": 5, "cursor": first})
        assert "list changed" in refused(desk.engine, grepped, {"limit": 5, "cursor": lines})
