"""Trees: the files of one commit as git has them, and what became of paths between two commits.

Nothing of the program is used here: truth must not depend on what is measured.
"""

import os
import subprocess
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

MAX_BYTES = 400_000
_ENV = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def ask_git(directory: Path, words: Sequence[str], given: bytes | None = None) -> bytes:
    argv = ["git", f"--git-dir={directory}", *words]
    return subprocess.run(argv, input=given, capture_output=True, check=True, timeout=600, env=_ENV).stdout


class Tree:
    """The regular files of a commit."""

    def __init__(self, directory: Path, commit: str) -> None:
        self.directory = directory
        self.commit = commit

    @cached_property
    def blobs(self) -> dict[str, str]:
        """Path → name of its blob."""
        rows = ask_git(self.directory, ["ls-tree", "-r", "-z", self.commit]).split(b"\0")
        found = {}
        for row in filter(None, rows):
            facts, _, path = row.partition(b"\t")
            mode, _, blob = facts.decode().split()
            if mode in ("100644", "100755"):
                found[path.decode("utf-8", "replace")] = blob
        return found

    @cached_property
    def texts(self) -> dict[str, str]:
        """Path → text, of files that are text and not huge."""
        names = sorted(set(self.blobs.values()))
        given = "".join(f"{name}\n" for name in names).encode()
        out = ask_git(self.directory, ["cat-file", "--batch"], given)
        contents, at = {}, 0
        for name in names:
            end = out.index(b"\n", at)
            last = out[at:end].split()[-1]
            if last == b"missing":  # a mirror may lack its largest files
                at = end + 1
                continue
            contents[name] = out[end + 1 : end + 1 + int(last)]
            at = end + int(last) + 2
        plain = {name: data for name, data in contents.items() if len(data) <= MAX_BYTES and b"\0" not in data}
        return {
            path: plain[blob].decode("utf-8", "replace") for path, blob in sorted(self.blobs.items()) if blob in plain
        }


def renames(before: Tree, after: Tree) -> dict[str, str]:
    """Old path → new path of files that git takes for the same when it compares the two trees."""
    words = ["diff-tree", "-r", "-z", "-M50%", "-l0", "--name-status", "--diff-filter=R", before.commit, after.commit]
    rows = ask_git(before.directory, words).decode("utf-8", "replace").split("\0")
    return {rows[at + 1]: rows[at + 2] for at in range(0, len(rows) - 2, 3)}


def followed(before: Tree, after: Tree) -> dict[str, str]:
    """Old path → the path it has in the later tree, by the renames that git sees in the commits between, in order."""
    span = f"{before.commit}..{after.commit}"
    words = [
        "log",
        "--reverse",
        "--topo-order",
        "-z",
        "-M50%",
        "-l0",
        "--name-status",
        "--diff-filter=R",
        "--format=",
        span,
    ]
    rows = [row for row in ask_git(before.directory, words).decode("utf-8", "replace").split("\0") if row]
    now: dict[str, str] = {}
    for at in range(0, len(rows) - 2, 3):
        old, new = rows[at + 1], rows[at + 2]
        starts = [path for path, place in now.items() if place == old]
        for path in [*starts, *([old] if old in before.blobs and old not in now else [])]:
            now[path] = new
    return {path: place for path, place in now.items() if place in after.blobs and path not in after.blobs}
