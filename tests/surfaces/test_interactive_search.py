"""codecompass search -i: the state of the screen, and the whole program driven in tmux."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codecompass.surfaces.cli.editor.interactive_search import SearchScreen
from tests.surfaces.conftest import Shell

META = {"ref": "main", "freshness_status": "fresh"}


def filled(count: int) -> SearchScreen:
    screen = SearchScreen()
    results = [
        {"path": f"src/part_{at}.py", "line_start": 5, "kind": "method", "name": "run", "qualified_name": f"P{at}.run",
         "source": [{"line": line, "text": f"line {line}{' basket' * (line == 30)}"} for line in range(1, 41)]}
        for at in range(count)
    ]  # fmt: skip
    screen.show_answer("basket", {"results": results, "total_candidates": 1_337, "metadata": META})
    return screen


def text(fragments: list[tuple[str, str]]) -> str:
    return "".join(part for _, part in fragments)


def test_moving() -> None:
    """CLI-INTERACTIVE: the ends of the list stop, and the chosen result is always among the rows."""
    screen = filled(30)
    for step in (-1, 1, 1, 10, 10, 100, -3, -100):
        screen.move(step)
        rows = text(screen.format_rows(8)).splitlines()
        assert len(rows) == 8 and sum(row.startswith("▌") for row in rows) == 1
        assert f"▌ src/part_{screen.chosen}.py:5  method P{screen.chosen}.run" in rows
    empty = SearchScreen()
    empty.move(1)
    assert empty.item is None and empty.format_rows(5) == [] and empty.format_preview(5) == []


def test_the_preview_shows_the_match() -> None:
    """CLI-INTERACTIVE: whatever the height, the line that matched is in it."""
    for height in (1, 4, 12, 100):
        assert "line 30 basket" in text(filled(1).format_preview(height))


def test_refs_and_failures() -> None:
    """CLI-INTERACTIVE: Ctrl-R goes between the branch and the working tree; a failure replaces the results."""
    screen = filled(3)
    assert "3 of 1,337" in screen.state
    refs = []
    for _ in range(3):
        refs.append(screen.ref)
        screen.toggle_ref()
    assert refs == [None, "live", None]
    screen.show_failure("bad\x1b[31m query")
    assert screen.item is None and "\x1b" not in screen.state


def test_a_pipe_is_refused(indexed: Shell) -> None:
    """CLI-INTERACTIVE: without a terminal it says so."""
    found = indexed.run("search", "-i", "token")
    assert found.returncode == 2 and "needs a terminal" in found.stderr
    assert "query is missing" in indexed.run("search").stderr


class Tmux:
    """A terminal of its own in which a program runs."""

    def __init__(self, socket: Path) -> None:
        self._base = ["tmux", "-S", str(socket), "-f", os.devnull]

    def run(self, *words: str) -> str:
        return subprocess.run([*self._base, *words], capture_output=True, text=True, check=True).stdout

    def wait_for(self, wanted: str) -> str:
        """Wait until a text is on the screen; return the screen."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            shown = self.run("capture-pane", "-p", "-t", "main")
            if wanted in shown:
                return shown
            time.sleep(0.1)
        pytest.fail(f"{wanted!r} does not appear:\n{shown}")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
@pytest.mark.parametrize("editor", ["", "echo opened"])
def test_in_a_terminal(indexed: Shell, tmp_path: Path, editor: str) -> None:
    """CLI-INTERACTIVE: type, see results and a preview, choose with keys, Enter opens or prints, Esc leaves."""
    tmux = Tmux(tmp_path / "t")
    variables = {**indexed.env, "EDITOR": editor, "VISUAL": "", "TERM": "screen"}
    assigned = [f"{name}={value}" for name, value in variables.items()]

    def start(*words: str) -> str:
        command = ["env", "-i", *assigned, sys.executable, "-m", "codecompass", "search", "-i", *words]
        return f"{shlex.join(command)}; echo code=$?; sleep 60"

    tmux.run("new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "-c", str(indexed.cwd), start())
    try:
        tmux.wait_for("Esc leaves")
        tmux.run("send-keys", "-t", "main", "validate token")
        shown = tmux.wait_for("▌ src/auth.py")
        assert "def validate_token" in shown, "the preview"
        tmux.run("send-keys", "-t", "main", "Enter")
        shown = tmux.wait_for("code=0")
        assert ("opened" in shown) == bool(editor) and "src/auth.py" in shown
        tmux.run("respawn-pane", "-k", "-t", "main", start("token"))
        tmux.wait_for("▌ ")
        tmux.run("send-keys", "-t", "main", "Escape")
        tmux.wait_for("code=1")
    finally:
        tmux.run("kill-server")
