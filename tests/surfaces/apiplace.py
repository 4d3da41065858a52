"""A home with repositories in every state that the HTTP API tells apart, and readers of its streams."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.surfaces.conftest import Shell, environment, git, make_repository

MODULE = '''"""The {word} part."""

import os
from pathlib import Path


class {Word}Store:
    """Keeps every {word} on disk."""

    def load_{word}(self, name: str) -> str:
        """Read one {word} by its name."""
        return Path(os.path.join("{word}", name)).read_text()

    async def save_{word}(self, name: str, text: str) -> None:
        if not name:
            raise ValueError(name)
        Path(name).write_text(text)
'''
WORDS = ("token", "session", "invoice", "customer", "parser", "queue", "report", "signal", "cache", "window")


@dataclass(frozen=True)
class Home:
    """Where the repositories lie, and the program in the one that is served."""

    shell: Shell
    repo: Path
    empty: Path
    """Registered, never indexed."""
    unknown: Path
    """Never registered."""
    outside: Path
    """Not below the allowed root."""


def make_home(root: Path) -> Home:
    allowed = root / "allowed"
    repo = make_repository(allowed / "repo")
    # Not at the root, where `token.py` would hide a module of the program that is started there.
    parts = repo / "parts"
    parts.mkdir()
    for word in WORDS:
        (parts / f"{word}.py").write_text(MODULE.format(word=word, Word=word.title()))
        (parts / f"{word}.md").write_text(f"# {word.title()}\n\nHow a {word} is loaded, saved and reported.\n")
    (parts / "run.log").write_text("2026-01-01T00:00:00Z error token expired\n" * 20)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "parts")
    shell = Shell(repo, environment(root))
    done = shell.run("index")
    assert done.returncode == 0, done.stderr
    empty = make_repository(allowed / "empty")
    assert Shell(empty, shell.env).run("init").returncode == 0
    return Home(shell, repo, empty, make_repository(allowed / "unknown"), make_repository(root / "outside"))


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Name and data of each event; a comment is an event without a name."""
    name = ""
    for line in lines:
        if line.startswith(":"):
            yield "", line
        elif line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        else:
            assert line == "", line


def told(text: str) -> list[tuple[str, Any]]:
    """The events of a stream that has ended, without its comments."""
    return [event for event in events(iter(text.split("\n"))) if event[0]]
