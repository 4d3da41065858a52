"""Prose: what is said of paths and commands in texts that people wrote long before anybody checked them.

Every discovery mined from documents, agent files and comments of a head is asked for, and each of its verdicts about a
path or a command is compared with the tree: what is named is there (sound), or is not but once was (stale). What never
was in the history as written is left out, since nobody can say what was meant.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.copies import temporary_directory
from bench.memory.manifests import scripts_of
from bench.memory.repositories import Repository, clone, git_directory, read_repositories
from bench.memory.scores import count
from bench.memory.staleness import ALARMS
from bench.memory.trees import Tree, ask_git
from bench.ours import engine_on
from bench.report import number, record, table
from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.model.memory import Discovery, MemoryFilter, Verdict

SOURCES = ("document", "agent_file", "comment", "adr")
PAGE = 50
MOST = 100
"""Discoveries of one source that are asked for in one repository."""


class Said(NamedTuple):
    """One verdict about one claim of a text, and whether what it names is there."""

    repository: str
    place: str
    kind: str
    target: str
    alarm: bool
    stale: bool


class Presence:
    """What is, and what once was, in a repository."""

    def __init__(self, source: Path, head: str) -> None:
        self._source = source
        self._head = head
        self._tree = Tree(source, head)
        rows = ask_git(source, ["log", "--format=", "--name-only", "--no-renames", "-z", head]).split(b"\0")
        self._ever = {row.decode("utf-8", "replace").strip("\n") for row in rows}
        self._calls = {row.call for path, text in self._tree.texts.items() for row in scripts_of(path, text)}

    def stale(self, kind: str, target: str) -> bool | None:
        """Whether something is gone; None where that cannot be told."""
        if kind == "path":
            now, once = _holds(self._tree.blobs, target), _holds(self._ever, target)
            return False if now else True if once else None
        if kind == "command" and target in self._calls:
            return False
        return None


def _holds(paths: Any, target: str) -> bool:  # noqa: ANN401 - a set or the keys of a mapping
    """A path is there as a file or as a directory, from the root."""
    wanted = target.strip("/").removeprefix("./")
    return wanted in paths or any(path.startswith(f"{wanted}/") for path in paths)


def verdicts_of(engine: Engine) -> Iterator[tuple[Discovery, Verdict]]:
    for source in SOURCES:
        for offset in range(0, MOST, PAGE):
            wanted = MemoryFilter(source=source, limit=PAGE, offset=offset)
            items = engine.discoveries(None, wanted, Call()).items
            for item in items:
                yield from ((item, verdict) for verdict in engine.discovery(None, item.id, None, Call()).verdicts)
            if len(items) < PAGE:
                break


def said_in(repository: Repository, source: Path, work: Path) -> Iterator[Said]:
    presence = Presence(source, repository.head)
    tree = work / repository.name
    if not tree.exists():
        clone(source, tree, repository.head)
    with engine_on(tree, work / f"{repository.name}-data", watch=False) as engine:
        engine.index(None, None, force=False, call=Call())
        for item, verdict in verdicts_of(engine):
            stale = presence.stale(verdict.claim.kind, verdict.claim.target)
            if stale is not None and verdict.status != "unchecked":
                place = f"{item.source.path}:{item.source.line_start}"
                alarm = verdict.status in ALARMS
                yield Said(repository.name, place, verdict.claim.kind, verdict.claim.target, alarm, stale)


def show(rows: list[Said]) -> dict[str, Any]:
    lines, figures = [], {}
    for kind in dict.fromkeys(["all", *(row.kind for row in rows)]):
        alarms = count((row.alarm, row.stale) for row in rows if kind in ("all", row.kind))
        measures = (alarms.precision, alarms.recall, alarms.alarms_per_catch)
        lines.append([kind, str(alarms.claims), str(alarms.right + alarms.missed), *map(number, measures)])
        figures[kind] = alarms._asdict()
    table(
        "Claims in prose of the repository", ("claims", "n", "stale", "precision", "recall", "alarms per catch"), lines
    )
    return figures


def run(args: argparse.Namespace) -> None:
    rows: list[Said] = []
    with temporary_directory() as work:
        for repository in read_repositories(args.only):
            found = list(said_in(repository, git_directory(args.repos, repository), args.data or work))
            rows += found
            print(f"{repository.name}: {len(found)} claims", flush=True)
    if not rows:
        raise SystemExit("No claim was found: see --only.")
    record("memory_prose", show(rows))
    if args.mistakes:
        wrong = [row._asdict() for row in rows if row.alarm != row.stale]
        args.mistakes.write_text("".join(json.dumps(row) + "\n" for row in wrong), encoding="utf-8")
