"""Characters that change how source looks: every tool that shows source says that they are there."""

import json
from collections.abc import Iterator

import pytest

from codecompass.contract.encoding import encode
from codecompass.contract.hidden_text import describe_hidden_text
from codecompass.model.call import Call
from codecompass.tools import TOOLS
from tests.contract.contract_repo import Yard, yard_in
from tests.repo.gitrepo import commit

RLO, ESC = "\u202e", "\x1b"
HOSTILE = f'''"""Payments. Rule: never log {RLO}tokens, because logs are shipped to others."""

import subprocess


def hostile_payment(amount="{RLO}", colour="{ESC}[31m"):  # {RLO} evil {ESC}[2J
    """Pays {RLO} once."""
    subprocess.run("echo {RLO} {ESC}" + amount, shell=True)
    return amount


def hostile_caller():
    return hostile_payment("{RLO}{ESC}")
'''
CALLS: dict[str, dict[str, object]] = {
    "locate_symbol": {"name": "hostile_payment", "detail_level": "context"},
    "search_code": {"query": "hostile_payment", "detail_level": "context"},
    "get_file_outline": {"path": "hostile.py"},
    "get_code_context": {"query": "hostile_payment"},
    "find_references": {"name": "hostile_payment"},
    "inspect_symbol": {"name": "hostile_payment"},
    "search": {"query": "hostile_payment", "output": "full", "context": 3},
    "show_file": {"path": "hostile.py"},
    "read_file": {"path": "hostile.py"},
    "grep_codebase": {"pattern": "hostile_payment"},
}
"""Tools that show source, asked so that they show it."""
OTHERS: dict[str, dict[str, object]] = {
    "get_call_graph": {"name": "hostile_payment"}, "get_symbol_hierarchy": {"name": "hostile_payment"},
    "diff_context": {}, "find_risks": {"path": "hostile.py"}, "get_diagnostics": {"path": "hostile.py"},
    "explain_ranking": {"query": "hostile_payment", "path": "hostile.py"},
    "context_search": {"query": "never log tokens"},
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yard]:
    with yard_in(tmp_path_factory.mktemp("hostile")) as made:
        commit(made.repo, {"hostile.py": HOSTILE})
        made.engine.index(None, None, force=False, call=Call())
        yield made


def test_every_tool_that_shows_source_says_so(hostile: Yard) -> None:
    """C-HIDDEN-TEXT: whatever answer holds such a character has the note, and no other has it."""
    showed = set()
    reading = {tool.name for tool in TOOLS if tool.reads_only}
    for name in sorted(reading):
        raw = CALLS.get(name, OTHERS.get(name, {}))
        reply = hostile.ask(name, raw)
        text = json.dumps(reply.payload, ensure_ascii=False)
        holds = RLO in text or "\\u001b" in text
        assert ("bidirectional characters" in text) == holds, (name, text[:300])
        if holds:
            showed.add(name)
            assert "U+202E" in text or "U+001B" in text
    assert showed >= set(CALLS), set(CALLS) - showed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("plain é 😀 \t\r\n\f", ""), ("\u202e", "U+202E"), ("\u2066x\u2069", "U+2066, U+2069"), ("\x1b", "U+001B"),
        ("\x00\x08", "U+0000, U+0008"), ("\\u001b as text, \\\\b too", ""), ("\\\x1b", "U+001B"), ("\x7f", "U+007F"),
        ("\x9b", "U+009B"), ("\u200f", "U+200F"), ("ء\u061c", "U+061C"), ("\u200b\u2013\u2026", ""),
    ],
)  # fmt: skip
def test_what_counts_as_hidden(text: str, names: str) -> None:
    """C-HIDDEN-TEXT: the characters themselves, not text that spells them; tabs, line ends and letters are ordinary."""
    said = describe_hidden_text(encode({"text": text}))
    assert (f"({names})" in said) if names else said == ""
