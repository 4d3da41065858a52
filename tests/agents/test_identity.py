"""Setup and undo on hostile configurations: nothing but our entry changes, and undo is the identity."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.agents.agent_places import Machine
from codecompass.agents.agent_setup import SetupRequest, find_entry, plan_setup, plan_undo
from codecompass.agents.agent_table import AGENTS_BY_NAME
from codecompass.agents.file_edit import apply_edits
from codecompass.errors import Failure
from tests.agents.hostile_configs import make_configs, make_toml_configs

PROGRAM = ("/opt/bin/codecompass",)
FILES = {"claude": ".claude.json", "gemini": ".gemini/settings.json", "codex": ".codex/config.toml"}
JSON_CASES = {**{f"claude: {name}": ("claude", text) for name, text in make_configs("mcpServers").items()}}
TOML_CASES = {f"codex: {name}": ("codex", text) for name, text in make_toml_configs().items()}
CASES = JSON_CASES | TOML_CASES


def run(home: Path, name: str, *, undo: bool = False, everything: bool = True) -> int:
    """One run of setup, with hooks and instructions; return how many files changed."""
    machine = Machine(home, {"PATH": ""}, home / "project")
    more = (("sync", "guide"), True) if everything else ((), False)
    request = SetupRequest((AGENTS_BY_NAME[name],), "user", PROGRAM, *more)
    edits = (plan_undo if undo else plan_setup)(request, machine).session.list_changes()
    apply_edits(edits, home, keeps_backup=not undo)
    return len(edits)


def take_snapshot(home: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(home)): (path.read_bytes(), path.stat().st_mode)
        for path in home.rglob("*")
        if path.is_file()
    }


def strip_comments(text: str) -> dict[str, Any]:
    """A second opinion on JSON with comments, by substitution and the standard parser."""
    string, comment = r'"(?:[^"\\]|\\.)*"', r"//[^\r\n]*|/\*.*?\*/"
    bare = re.sub(f"({string})|{comment}", lambda found: found[1] or " ", text, flags=re.DOTALL)
    bare = re.sub(rf"({string})|,(?=\s*[}}\]])", lambda found: found[1] or "", bare, flags=re.DOTALL)
    found: dict[str, Any] = json.loads(bare) if bare.strip() else {}
    return found


def test_there_are_enough_cases() -> None:
    assert len(CASES) > 400


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


@pytest.mark.parametrize("case", CASES)
def test_undo_is_the_identity(home: Path, case: str) -> None:
    """SETUP-IDENTITY, SETUP-TWICE, SETUP-KEEPS: install, install again, undo."""
    name, content = CASES[case]
    path = home / FILES[name]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o640)
    before = take_snapshot(home)
    assert run(home, name) > 0
    written = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert run(home, name) == 0, "a second run changes nothing"
    entry = find_entry(AGENTS_BY_NAME[name], Machine(home, {"PATH": ""}, home), "user")
    assert entry is not None and entry.command == [*PROGRAM, "serve-mcp", "--toolset", "agent"]
    assert_only_our_entry_differs(name, content, written)
    assert run(home, name, undo=True) > 0
    assert take_snapshot(home) == before


def assert_only_our_entry_differs(name: str, content: bytes, written: bytes) -> None:
    old, new = (text.decode().removeprefix("\ufeff") for text in (content, written))
    assert content.startswith(b"\xef\xbb\xbf") == written.startswith(b"\xef\xbb\xbf")
    if "\r\n" in old:
        assert new.count("\n") == new.count("\r\n")
    else:
        assert "\r" not in new
    if name == "codex":
        sides, key = [tomllib.loads(old.replace("\r\n", "\n")), tomllib.loads(new.replace("\r\n", "\n"))], "mcp_servers"
    else:
        sides, key = [strip_comments(old), strip_comments(new)], "mcpServers"
        for comment in re.findall(r"//[^\r\n]*|/\*.*?\*/", old):
            assert comment in new
    for side in sides:
        assert isinstance(side, dict)
        side.setdefault(key, {}).pop("codecompass", None)
    assert sides[0] == sides[1]


@pytest.mark.parametrize("case", JSON_CASES)
def test_only_our_parts_are_removed_after_a_change(home: Path, case: str) -> None:
    """SETUP-CHANGED: what others wrote since stays, and a replaced entry comes back."""
    name, content = CASES[case]
    path = home / FILES[name]
    path.write_bytes(content)
    run(home, name, everything=False)
    path.write_bytes(path.read_bytes() + b"\n// by somebody else\n")
    run(home, name, undo=True, everything=False)
    left = path.read_bytes().decode()
    assert left.endswith("// by somebody else\n")
    assert strip_comments(left.removeprefix("\ufeff")) == strip_comments(content.decode().removeprefix("\ufeff"))
    assert [one.name for one in home.iterdir()] == [".claude.json"]


def test_a_link_is_followed(home: Path) -> None:
    """SETUP-IDENTITY: the link stays a link; the file that it names is edited."""
    (home / "dotfiles").mkdir()
    real = home / "dotfiles" / "claude"
    real.write_text('{"a": 1}')
    (home / ".claude.json").symlink_to(real)
    run(home, "claude")
    assert (home / ".claude.json").is_symlink() and "serve-mcp" in real.read_text()
    run(home, "claude", undo=True)
    assert real.read_text() == '{"a": 1}' and (home / ".claude.json").is_symlink()
    assert os.listdir(home / "dotfiles") == ["claude"]


def test_steps_are_undone_at_once(home: Path) -> None:
    """SETUP-IDENTITY: hooks that join the same file later do not hide the first bytes."""
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n\t"hooks": {"AfterTool": []}, // mine\n}')
    before = take_snapshot(home)
    run(home, "gemini", everything=False)
    run(home, "gemini")
    assert len(list(path.parent.glob("settings.json.*.bak"))) == 1
    run(home, "gemini", undo=True)
    assert take_snapshot(home) == before


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b'{"a": 1,, }', "line 1, column 9"), (b'{\n  "a" 1}', "line 2, column 7"), (b"{} {}", "line 1, column 4"),
        (b'{"a": [1}', "line 1, column 9"), (b'{"a": "b', "line 1, column 7"), (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b"[]", "not an object"), (b'{"mcpServers": []}', "mcpServers is not an object"), (b"{'a': 1}", "column 2"),
        (b'{"a": 1', "the end is missing"), (b'{"mcpServers": null}', "not an object"),
        (b"[" * 5_000, "nested too deeply"), (b'{"a": 01}', "column 7"), (b"/* open", "column 1"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_parsed_stays(home: Path, content: bytes, where: str) -> None:
    """SETUP-REFUSES: the message says where, and nothing is written."""
    (home / ".claude.json").write_bytes(content)
    before = take_snapshot(home)
    with pytest.raises(Failure, match=re.escape(where)) as caught:
        run(home, "claude")
    assert str(home / ".claude.json") in caught.value.message
    assert take_snapshot(home) == before


@pytest.mark.parametrize("content", [b"a = ", b"[x\n", b"a = 1\na = 2\n", b"mcp_servers = 3\n"])
def test_toml_that_cannot_be_parsed_stays(home: Path, content: bytes) -> None:
    """SETUP-REFUSES: the same for TOML."""
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_bytes(content)
    before = take_snapshot(home)
    with pytest.raises(Failure, match="cannot be edited"):
        run(home, "codex")
    assert take_snapshot(home) == before


def test_a_read_only_file_stays(home: Path) -> None:
    """SETUP-REFUSES: a read-only file is named with the command that helps, before any other file is written."""
    (home / ".claude").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text("{}")
    settings.chmod(0o444)
    before = take_snapshot(home)
    with pytest.raises(Failure, match="read-only") as caught:
        run(home, "claude")
    assert caught.value.hint == f"chmod u+w '{settings}'"
    assert take_snapshot(home) == before
