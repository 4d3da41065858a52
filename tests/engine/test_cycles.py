"""Cycles: what a question unpacked is freed with its answer, not when a collector that runs rarely comes by."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.tool import Defaults, Host
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.call import Call
from codecompass.tools import TOOLS
from tests.engine.difflab import SHOP, Lab
from tests.repo.gitrepo import make_repo

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "param:price"}),
    ("search", {"query": "shop", "type": "function"}),
    ("search_code", {"query": "price of an item", "detail_level": "context"}),
    ("locate_symbol", {"name": "total"}),
    ("find_references", {"name": "total", "explain": True}),
    ("get_call_graph", {"name": "total"}),
    ("get_code_context", {"query": "price"}),
    ("get_file_outline", {"path": "src/cart.py"}),
    ("grep_codebase", {"pattern": "def ", "filters": {"type": "function"}}),
    ("diff_context", {}),
    ("find_risks", {}),
    ("get_diagnostics", {}),
]


@contextmanager
def unreachable() -> Iterator[list[object]]:
    """What the block leaves unreachable and not freed."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
        gc.collect()
    finally:
        gc.set_debug(0)
        gc.enable()


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda value: str(value)[:40])
def test_no_question_leaves_its_view_in_a_cycle(lab: Lab, tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    """LIVE-MEMORY: a server under load holds the facts of the questions it works on, not of those it answered."""
    repo = make_repo(tmp_path / "repo", SHOP)
    lab.engine.index(str(repo), None, force=False, call=Call())
    tool = next(tool for tool in TOOLS if tool.name == name)
    place = "workspace" if "workspace" in tool.params.__struct_fields__ else "repoPath"
    params = decode(tool.params, {**arguments, place: str(repo)})
    with unreachable() as garbage:
        tool.run(Host(lab.engine, Defaults()), Call(), params)
    left = [one for one in garbage if isinstance(one, PinnedView)]
    garbage.clear()
    assert not left
