"""Copies: the temporary clones the benchmarks work on. The repository that was named is only ever read."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BRANCH = "bench-main"
SETTLE_S = 2.2
"""Files written so shortly before a scan are looked at again by their bytes; a working day has few of them."""
_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0")
_GIT_TIMEOUT_S = 600


@contextmanager
def temporary_directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="codecompass-bench-", ignore_cleanup_errors=True) as name:
        yield Path(os.path.realpath(name))


def git(directory: Path, *words: str) -> str:
    """Run git without anybody's configuration; its output."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    argv = ["git", *_IDENTITY, *words]
    return subprocess.run(argv, cwd=directory, env=env, capture_output=True, text=True, timeout=_GIT_TIMEOUT_S,
                          check=True).stdout.strip()  # fmt: skip


def copy_repository(repo: Path, place: Path) -> Path:
    """A clone of what is committed; of a directory without commits, a copy that is then committed."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if _has_commit(repo):
        how = ("--quiet", "--local", "--no-tags", "--single-branch")
        git(place.parent, "clone", *how, str(repo.resolve()), str(place))
        git(place, "switch", "--quiet", "-c", BRANCH)
    else:
        shutil.copytree(repo, place, symlinks=True, ignore=shutil.ignore_patterns(".git", "node_modules", ".venv"))
        git(place, "init", "--quiet", "-b", BRANCH)
        git(place, "add", "--all")
        git(place, "commit", "--quiet", "-m", "bench")
    return place


def _has_commit(repo: Path) -> bool:
    try:
        return (repo / ".git").exists() and bool(git(repo, "rev-parse", "--verify", "--quiet", "HEAD"))
    except subprocess.CalledProcessError:
        return False


def settle() -> None:
    time.sleep(SETTLE_S)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a directory."""
    if path.is_file():
        return path.stat().st_size
    found = [item.stat() for item in path.rglob("*") if item.is_file() and not item.is_symlink()]
    # A file with two names takes its room once.
    return sum({(info.st_dev, info.st_ino): info.st_size for info in found}.values())


def sizes_of(root: Path, paths: set[str]) -> int:
    """Bytes of the named files that exist."""
    return sum((root / path).stat().st_size for path in paths if (root / path).is_file())
