"""Peers: the programs measured beside ours, as rows of data. One that is not installed is a row without numbers."""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Measured, run

TIMEOUT_S = 1800.0
NOT_INSTALLED = "not installed"
_QUIET = {
    "CODEGRAPH_TELEMETRY": "0", "CODEGRAPH_NO_DOWNLOAD": "1", "CODEGRAPH_NO_DAEMON": "1", "DO_NOT_TRACK": "1",
    "NO_COLOR": "1", "CI": "1",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Peer:
    """One program. Builders take the binary and the copy of the repository it works in."""

    name: str
    binary: str
    index: Callable[[str, Path], list[str]]
    index_place: Callable[[Path], Path]
    """The file or directory that is its index: measured for size, deleted before each run."""
    files: Callable[[Path], set[str]]
    """The files its index knows, so that its MB/s counts what it really read."""
    sync: Callable[[str, Path], list[str]] | None = None
    query: Callable[[str, Path, str], list[str]] | None = None

    def run(self, argv: list[str], repo: Path) -> Measured:
        home = repo.parent / f"home-{self.name}"
        home.mkdir(exist_ok=True)
        return run(argv, cwd=repo, env={**os.environ, **_QUIET, "HOME": str(home)}, timeout_s=TIMEOUT_S)

    def build(self, repo: Path) -> Measured:
        """A full index from nothing."""
        self.clean(repo)
        return self.run(self.index(self.binary, repo), repo)

    def clean(self, repo: Path) -> None:
        place = self.index_place(repo)
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def version(self) -> str:
        argv, env = [self.binary, "--version"], {**os.environ, **_QUIET}
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, env=env)
        return (done.stdout.strip().splitlines() or ["unknown"])[0][:80]


def _tags_file(repo: Path) -> Path:
    return repo.parent / "ctags.json"


def _tagged_files(repo: Path) -> set[str]:
    with _tags_file(repo).open(encoding="utf-8", errors="replace") as lines:
        rows = (json.loads(line) for line in lines)
        return {row["path"].removeprefix("./") for row in rows if "path" in row}


def ctags(binary: str) -> Peer:
    """universal-ctags: definitions only, one JSON line each."""
    return Peer(
        name="ctags",
        binary=binary,
        index=lambda program, repo: [
            program, "-R", "--fields=+nKS", "--output-format=json", "-f", str(_tags_file(repo)), ".",
        ],
        index_place=_tags_file,
        files=_tagged_files,
    )  # fmt: skip


def _graph_files(repo: Path) -> set[str]:
    database = sqlite3.connect(f"file:{repo / '.codegraph' / 'codegraph.db'}?mode=ro", uri=True)
    try:
        return {path for (path,) in database.execute("SELECT path FROM files")}
    finally:
        database.close()


def codegraph(binary: str) -> Peer:
    """CodeGraph: writes `.codegraph/` into the directory it indexes, so it gets a copy of its own."""
    return Peer(
        name="CodeGraph",
        binary=binary,
        index=lambda program, repo: [program, "init", "--yes", str(repo)],
        index_place=lambda repo: repo / ".codegraph",
        files=_graph_files,
        sync=lambda program, repo: [program, "sync", str(repo)],
        query=lambda program, repo, name: [program, "query", "--path", str(repo), "--json", name],
    )


def add_flags(parser: argparse.ArgumentParser, *, with_ctags: bool = False) -> None:
    parser.add_argument("--codegraph", metavar="BIN", default=os.environ.get("BENCH_CODEGRAPH", "codegraph"),
                        help="CodeGraph's program (default: $BENCH_CODEGRAPH, or from PATH)")  # fmt: skip
    if with_ctags:
        parser.add_argument("--ctags", metavar="BIN", default=os.environ.get("BENCH_CTAGS", "ctags"),
                            help="universal-ctags (default: $BENCH_CTAGS, or from PATH)")  # fmt: skip


def find_codegraph(args: argparse.Namespace) -> Peer | None:
    found = shutil.which(args.codegraph)
    return codegraph(os.path.abspath(found)) if found else None


def find_ctags(args: argparse.Namespace) -> Peer | None:
    """Only universal-ctags with JSON output will do; the older ctags has neither."""
    found = shutil.which(args.ctags)
    if found is None:
        return None
    features = subprocess.run([found, "--list-features"], capture_output=True, text=True, timeout=30, check=False)
    return ctags(os.path.abspath(found)) if "json" in features.stdout else None
