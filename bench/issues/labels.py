"""Labels: commits that fix something, with the files and functions they change; only their ids are kept here.

Usage: python -m bench.issues.labels MIRROR… > bench/issues/labels.jsonl

A question is the message of a commit, read from git when it is asked. All fixes of a repository are asked on one tree
before them; a file or function that this tree does not have yet is no label.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.copies import git
from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.engine.search.paths.path_roles import find_roles
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Definition
from codecompass.model.code.kinds import CALLABLE
from codecompass.store.fact_codec import unpack_facts

LABELS = Path(__file__).parent / "labels.jsonl"
FEWEST_CHARS = 300
MOST_FILES = 3
MOST_FUNCTIONS = 6
WANTED, BACK = 40, 2_500
_FIX = re.compile(r"\b(?:fix(?:e[sd])?|bug|crash|regression|incorrect|wrong|broken|error|fail(?:s|ed|ure)?)\b", re.I)
_TRAILER = re.compile(
    r"^(?:(?:Signed-off-by|Co-authored-by|Reviewed-(?:by|on)|Change-Id|LUCI-TryBot-Result|TryBot-Result|Auto-Submit|Run-TryBot"
    r"|PR-URL|PiperOrigin-RevId|Commit-Queue|Closes|Reported-by|Approved-by|gopls-CI|Tested-by|Cc): ?.*|\(?#\d+\)?"
    r"|\(cherry picked from .*)$",
    re.I,
)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.M)
_UNIT, _END = "\x1f", "\x1e"


@dataclass(frozen=True, slots=True)
class Label:
    """One fix: the tree it is asked on, and what it changes there."""

    repo: str
    base: str
    commit: str
    files: list[str]
    functions: list[str]
    """`path#scope.name` of the functions with changed lines."""


def read_labels(names: set[str] | None = None) -> list[Label]:
    rows = [Label(**json.loads(line)) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if names is None or row.repo in names]


def clean(message: str) -> str:
    """A message as somebody would paste it: without the lines that tools and committers add."""
    lines = [line.rstrip() for line in message.strip().split("\n") if not _TRAILER.match(line.strip())]
    return "\n".join(lines).strip()


def is_source(path: str) -> bool:
    names = {role.name for role in find_roles(path)}
    return not names & {"test", "documentation", "documentation directory", "aside"}


def name_of(item: Definition) -> str:
    return f"{item.scope}.{item.name}" if item.scope else item.name


def changed_functions(repository: Path, commit: str, path: str, registry: Registry, parser: ParserContext) -> set[str]:
    """Names of the innermost functions that have lines which a commit changes."""
    language = registry.detect(path)
    if not language:
        return set()
    shown = ["git", "show", f"{commit}^:{path}"]
    data = subprocess.run(shown, cwd=repository, capture_output=True, check=True).stdout
    facts = unpack_facts(parse_blob(parser, ParseTask(language, path, (), data)).packs[0])
    found = set()
    for start, count in _HUNK.findall(git(repository, "show", "--format=", "--unified=0", commit, "--", path)):
        # A hunk without old lines stands after the named line.
        for line in range(int(start), int(start) + max(1, int(count or 1))):
            inside = [one for one in facts.definitions
                      if one.kind in CALLABLE and one.line_start <= line <= one.line_end]  # fmt: skip
            if inside:
                found.add(f"{path}#{name_of(min(inside, key=lambda one: one.line_end - one.line_start))}")
    return found


def find_labels(repository: Path, name: str, registry: Registry) -> Iterator[Label]:
    """The newest fixes with long messages, and what they change in the tree before all of them."""
    parser = ParserContext(registry)
    log = git(repository, "log", "--no-merges", "--no-renames", "--name-only", "--diff-filter=M", f"-{BACK}",
              f"--format={_END}%H%n%B{_UNIT}", "HEAD")  # fmt: skip
    chosen: list[tuple[str, list[str]]] = []
    for entry in log.split(_END)[1:]:
        head, _, names = entry.partition(_UNIT)
        commit, _, message = head.partition("\n")
        files = [path for path in names.split("\n") if path and is_source(path) and registry.detect(path)]
        if 1 <= len(files) <= MOST_FILES and len(clean(message)) >= FEWEST_CHARS and _FIX.search(message):
            chosen.append((commit, files))
        if len(chosen) == 2 * WANTED:
            break
    if not chosen:
        return
    base = git(repository, "rev-parse", f"{chosen[-1][0]}^")
    known = set(git(repository, "ls-tree", "-r", "--name-only", base).split("\n"))
    count = 0
    for commit, files in chosen:
        functions = set().union(*(changed_functions(repository, commit, one, registry, parser) for one in files))
        if set(files) <= known and len(functions) <= MOST_FUNCTIONS and count < WANTED:
            count += 1
            yield Label(name, base, commit, files, sorted(functions))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", nargs="+", type=Path, help="git directories below OWNER+NAME")
    args = parser.parse_args()
    registry = Registry()
    for mirror in args.mirrors:
        for label in find_labels(mirror, mirror.parent.name.replace("+", "/"), registry):
            print(json.dumps(asdict(label), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
