"""The model: what is true of a repository, told by git and the files themselves, slowly and simply."""

import os
import re
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from tests.repo.gitrepo import ENV
from tests.simulation.content import definitions, words_of

NEVER_LISTED = frozenset({"node_modules"})
"""Directories that the program leaves out by their name, of those that the simulation makes."""
SECRETS = frozenset({".env"})
OWN_RULES = ".codecompassignore"
Place = tuple[str, int]


@dataclass(frozen=True, eq=False)
class Tree:
    """The files of one state of a repository that can be found, with their bytes."""

    files: dict[str, bytes]
    head: str = ""
    """Of a working tree: the branch and commit that are checked out."""

    def equals(self, other: "Tree") -> bool:
        """Whether nobody who asks could tell one from the other."""
        return self.texts == other.texts and self.files.keys() == other.files.keys()

    @cached_property
    def texts(self) -> dict[str, bytes]:
        return {path: data for path, data in self.files.items() if b"\0" not in data}

    @cached_property
    def words(self) -> list[str]:
        return sorted({word for data in self.texts.values() for word in words_of(data)})

    @cached_property
    def names(self) -> list[str]:
        return sorted({name for path in self.texts for name, _ in self.defined(path)})

    def holding(self, word: str) -> set[str]:
        """Files that hold a word, in whatever case."""
        pattern = re.compile(rb"(?i)\b" + re.escape(word.encode()) + rb"\b")
        return {path for path, data in self.texts.items() if pattern.search(data)}

    def defining(self, name: str) -> set[Place]:
        return {(path, line) for path in self.texts for found, line in self.defined(path) if found == name}

    def defined(self, path: str) -> list[tuple[str, int]]:
        return definitions(path, self.texts[path])

    def matching(self, pattern: str) -> list[Place]:
        """Lines that a regular expression matches."""
        compiled = re.compile(pattern.encode())
        return [
            (path, number)
            for path, data in sorted(self.texts.items())
            for number, line in enumerate(data.split(b"\n"), 1)
            if compiled.search(line)
        ]


class Model:
    """Reads states of a repository; those of commits are kept."""

    def __init__(self) -> None:
        self._commits: dict[str, Tree] = {}

    def live(self, root: Path) -> Tree:
        """The working tree as git lists it, without what the program's own rules leave out."""
        listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0")
        rules = _own_rules(root)
        files = {}
        for raw in sorted(set(listed)):
            path = os.fsdecode(raw)
            whole = root / path
            if raw and _is_listed(path) and not _ruled_out(path, rules) and whole.is_file() and not whole.is_symlink():
                files[path] = whole.read_bytes()
        return Tree(files, _git(root, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD").decode())

    def at(self, root: Path, commit: str) -> Tree:
        """The files of a commit."""
        known = self._commits.get(commit)
        if known is None:
            known = self._commits[commit] = self._read(root, commit)
        return known

    def _read(self, root: Path, commit: str) -> Tree:
        rows = [row.split(b"\t", 1) for row in _git(root, "ls-tree", "-rz", commit).split(b"\0") if row]
        found = [(os.fsdecode(path), head.split()[2]) for head, path in rows if head.split()[1] == b"blob"]
        wanted = [(path, oid) for path, oid in found if _is_listed(path)]
        said = _git(root, "cat-file", "--batch", feed=b"".join(oid + b"\n" for _, oid in wanted))
        files, at = {}, 0
        for path, _ in wanted:
            end = said.index(b"\n", at)
            size = int(said[at:end].split()[2])
            files[path] = said[end + 1 : end + 1 + size]
            at = end + size + 2
        return Tree(files)


def _is_listed(path: str) -> bool:
    parts = path.split("/")
    return NEVER_LISTED.isdisjoint(parts[:-1]) and parts[-1] not in SECRETS


def _own_rules(root: Path) -> list[str]:
    path = root / OWN_RULES
    return path.read_text().split() if path.is_file() else []


def _ruled_out(path: str, rules: list[str]) -> bool:
    """The rules that the simulation writes: a pattern of names of files."""
    return any(fnmatchcase(path.rpartition("/")[2], rule) for rule in rules)


def _git(root: Path, *arguments: str, feed: bytes = b"") -> bytes:
    done = subprocess.run(["git", *arguments], cwd=root, env=ENV, input=feed, capture_output=True, check=True)
    return done.stdout
