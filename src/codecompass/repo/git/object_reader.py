"""Git object reader: run git on a shadow directory. The only module that starts git.

The repository's own configuration can name programs to run, so git must never read it. Git runs on an empty bare
directory that we created, with the object store of the repository. The directory has no refs (we read those as files),
no hooks, no attributes, no work tree and no transport, and only commands that need none of these are run.
"""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from codecompass.errors import Failure, to_system_failure
from codecompass.model.near_words import find_near_words
from codecompass.repo.git.ref_name import is_abbreviation, is_hash, split_ancestry
from codecompass.repo.git.repository import GitDir, list_refs, resolve_ref
from codecompass.repo.git.shadow_directory import check_objects, prepare_shadow
from codecompass.repo.git.tree_entries import TreeChange, TreeEntry, parse_changes, parse_tree
from codecompass.repo.process.child_process import CompletedCommand, StopCheck, run
from codecompass.repo.process.worker_process import WorkerProcess

__all__ = ["ShadowGit", "TreeChange", "TreeEntry"]

_TREE_OUTPUT = 2**29
_TIMEOUT = 120.0
# Requests in flight: all of them must fit in a pipe, see WorkerProcess.write.
_WINDOW = 256
_BATCH_BYTES = 2**23
_SMALL_OBJECT_BYTES = 2**20
_TAG_DEPTH = 5
_Answer = TypeVar("_Answer")


_SAFE_REF = re.compile(r"[\w./+@-]{1,120}")
"""Refs that may be suggested: they cannot be read as a sentence."""
UNKNOWN_REF_HINT = "list_refs shows the refs of this repository; fetch the ref if it is only on a remote."


class _Object(NamedTuple):
    kind: str
    size: int


class ShadowGit:
    """Reads objects of one repository. Thread-safe; close it when done."""

    def __init__(
        self, git: GitDir, shadow: Path, *, search_path: Sequence[str] | None = None, object_roots: Sequence[str] = ()
    ) -> None:
        self._git = git
        self._object_roots = tuple(object_roots)
        """Directories that objects may be borrowed from, besides the one that contains the repository."""
        self._program = _find_program(os.get_exec_path() if search_path is None else search_path)
        self._lock = threading.Lock()
        self._checker: WorkerProcess | None = None
        self._reader: WorkerProcess | None = None
        self._shadow = shadow
        self._prepare()
        self._env = {
            "PATH": os.path.dirname(self._program),
            "HOME": "/nonexistent",
            "GIT_DIR": os.fspath(shadow),
            "GIT_OBJECT_DIRECTORY": os.fspath(git.common_dir / "objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "none",
            "LC_ALL": "C",
        }

    def resolve(self, rev: str, stop: StopCheck | None = None) -> str:
        """Resolve a ref, hash or abbreviated hash, optionally with `~n` or `^n`, to the full hash of a commit."""
        parts = split_ancestry(rev)
        if parts is None:
            raise _make_unknown_ref(rev, self._git)
        base, suffix = parts
        oid = resolve_ref(self._git, base)
        if oid is None and is_abbreviation(base, self._git.object_format):
            oid = base
        if oid is None:
            raise _make_unknown_ref(rev, self._git)
        question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{oid}{suffix}^{{commit}}")
        result = self._run(*question, stop=stop)
        commit = result.stdout.decode("ascii", "replace").strip()
        if result.returncode != 0 or not is_hash(commit, self._git.object_format):
            raise _make_unknown_ref(rev)
        return commit

    def read_tree_ids(self, commits: Sequence[str], stop: StopCheck | None = None) -> dict[str, str]:
        """Map each commit to its tree id; missing commits are left out."""
        known = dict.fromkeys(commits)
        for commit in known:
            self._require_hash(commit)
        result = self._run("log", "--no-walk=unsorted", "--format=%H %T", "--ignore-missing", *known, stop=stop)
        rows = (line.split() for line in result.stdout.decode("ascii", "replace").splitlines())
        return {row[0]: row[1] for row in rows if len(row) == 2}

    def list_tree(self, commit: str, stop: StopCheck | None = None) -> list[TreeEntry]:
        """List the regular files of a commit, without symlinks, submodules and unsafe entries."""
        self._require_hash(commit)
        result = self._run("ls-tree", "-r", "-l", "-z", "--full-tree", commit, stop=stop)
        if result.returncode != 0:
            raise _make_unknown_ref(commit)
        return parse_tree(result.stdout)

    def find_merge_base(self, one: str, other: str, stop: StopCheck | None = None) -> str | None:
        """Find the merge base of two commits, as far as the history is available; None when there is none."""
        self._require_hash(one)
        self._require_hash(other)
        result = self._run("merge-base", one, other, stop=stop)
        commit = result.stdout.decode("ascii", "replace").strip()
        if result.returncode == 0 and is_hash(commit, self._git.object_format):
            return commit
        if result.returncode != 1:
            raise Failure("REF_NOT_INDEXED", "The history of these commits cannot be read: objects are missing.",
                          hint="Fetch the missing history, or compare two commits that are available.")  # fmt: skip
        return None

    def find_root_commits(self, commit: str, stop: StopCheck | None = None) -> tuple[str, ...]:
        """Find the root commits of a history, which identify a repository; empty for a shallow clone."""
        self._require_hash(commit)
        if self.list_shallow_commits():
            return ()
        result = self._run("rev-list", "--max-parents=0", commit, stop=stop)
        found = result.stdout.decode("ascii", "replace").split() if result.returncode == 0 else []
        return tuple(sorted(oid for oid in found if is_hash(oid, self._git.object_format)))

    def list_changed_files(self, old: str, new: str, stop: StopCheck | None = None) -> list[TreeChange]:
        """List the regular files that differ between two commits; a rename is a removed and an added path."""
        self._require_hash(old)
        self._require_hash(new)
        question = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new)
        result = self._run(*question, stop=stop)
        if result.returncode != 0:
            raise Failure("REF_NOT_INDEXED", "The trees of these commits cannot be read: objects are missing.",
                          hint="Fetch the missing objects, or compare two commits that are available.")  # fmt: skip
        return parse_changes(result.stdout)

    def read_commit_dates(self, oids: Sequence[str]) -> dict[str, tuple[str, int]]:
        """Map each commit or tag to (commit, seconds since the epoch); missing objects are left out."""
        times: dict[str, int] = {}
        tags: dict[str, str] = {}
        wanted = set(oids)
        for _ in range(_TAG_DEPTH):
            for oid, data in self._read_small_objects(sorted(wanted)):
                target = _parse_tag_target(data)
                if target is None:
                    times[oid] = _parse_commit_time(data)
                elif is_hash(target, self._git.object_format):
                    tags[oid] = target
            wanted = set(tags.values()) - times.keys() - tags.keys()
            if not wanted:
                break
        found: dict[str, tuple[str, int]] = {}
        for oid in oids:
            at = oid
            for _ in range(_TAG_DEPTH):
                at = tags.get(at, at)
            if at in times:
                found[oid] = (at, times[at])
        return found

    def _read_small_objects(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Read commits and tags of an ordinary size, in windows."""
        source = iter(oids)
        while window := list(islice(source, _WINDOW)):
            for oid in window:
                self._require_hash(oid)
            with self._lock:
                infos = self._look_up(window)
                fits = [
                    oid
                    for oid, info in zip(window, infos, strict=True)
                    if info is not None and info.kind in ("commit", "tag") and info.size <= _SMALL_OBJECT_BYTES
                ]
                contents = self._fetch(fits)
            yield from contents.items()

    def read_blobs(self, oids: Iterable[str], max_bytes: int = 2**20) -> Iterator[tuple[str, bytes | None]]:
        """Yield blobs in the given order; None for an id that is missing, not a blob, or larger than `max_bytes`.

        Sizes are read first, so that an object which inflates to gigabytes is never inflated.
        """
        source = iter(oids)
        while window := list(islice(source, _WINDOW)):
            for oid in window:
                self._require_hash(oid)
            with self._lock:
                infos = self._look_up(window)
            fits = [info is not None and info.kind == "blob" and info.size <= max_bytes for info in infos]
            sizes = [info.size if info and fit else 0 for info, fit in zip(infos, fits, strict=True)]
            for batch in _split_batches(sizes):
                # The lock is not held while the caller uses the contents.
                with self._lock:
                    contents = self._fetch([window[at] for at in batch if fits[at]])
                for at in batch:
                    yield window[at], contents.get(window[at])

    def read_blob(self, oid: str, max_bytes: int = 2**20) -> bytes | None:
        """Read one blob, or return None."""
        return next(iter(self.read_blobs([oid], max_bytes)))[1]

    @property
    def object_format(self) -> str:
        return self._git.object_format

    def list_shallow_commits(self) -> frozenset[str]:
        """List the commits whose parents a shallow clone does not have."""
        return self._repair_shadow()

    def run_git(
        self, *arguments: str, input: bytes, timeout: float, max_output: int, stop: StopCheck | None = None
    ) -> CompletedCommand:
        """Run a git command for another module of this package; arguments must not come from users unchecked."""
        return self._run(*arguments, input=input, timeout=timeout, max_output=max_output, stop=stop)

    def close(self) -> None:
        """End the helper processes; the next request starts them again."""
        with self._lock:
            self._stop_workers()

    def _run(
        self,
        *arguments: str,
        input: bytes = b"",
        timeout: float = _TIMEOUT,
        max_output: int = _TREE_OUTPUT,
        stop: StopCheck | None = None,
    ) -> CompletedCommand:
        self._prepare()
        # Without configuration, hooks and pager these git commands start no other process.
        return run(
            [self._program, *arguments],
            env=self._env, input=input, timeout=timeout, max_output=max_output, stop=stop, spawns_nothing=True,
        )  # fmt: skip

    def _look_up(self, oids: Sequence[str]) -> list[_Object | None]:
        """Read kind and size of each object, None where it is missing."""
        return _retry_once(lambda: self._look_up_once(oids))

    def _look_up_once(self, oids: Sequence[str]) -> list[_Object | None]:
        if self._checker is None:
            self._checker = self._start_worker("--batch-check")
        found: list[_Object | None] = []
        try:
            self._checker.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
            for _ in oids:
                words = self._checker.readline().split()
                known = len(words) == 3 and words[2].isdigit()
                found.append(_Object(words[1].decode("ascii", "replace"), int(words[2])) if known else None)
        except BaseException:
            # The stream may be in the middle of an answer, so it cannot be used any more.
            self._stop_workers()
            raise
        return found

    def _fetch(self, oids: Sequence[str]) -> dict[str, bytes]:
        """Read the contents of objects that are known to exist."""
        return _retry_once(lambda: self._fetch_once(oids))

    def _fetch_once(self, oids: Sequence[str]) -> dict[str, bytes]:
        if self._reader is None:
            self._reader = self._start_worker("--batch")
        found: dict[str, bytes] = {}
        try:
            self._reader.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
            for oid in oids:
                words = self._reader.readline().split()
                if len(words) == 3 and words[2].isdigit():
                    found[oid] = self._reader.read_exact(int(words[2]) + 1)[:-1]
        except BaseException:
            self._stop_workers()
            raise
        return found

    def _prepare(self) -> None:
        """Check the alternates and repair the shadow directory; called before every start of git."""
        check_objects(self._git.common_dir, self._object_roots)
        self._repair_shadow()

    def _repair_shadow(self) -> frozenset[str]:
        try:
            return prepare_shadow(self._git, self._shadow)
        except OSError as error:
            raise to_system_failure(error.errno, "prepare the directory in which git runs") from error

    def _start_worker(self, mode: str) -> WorkerProcess:
        self._prepare()
        return WorkerProcess.start([self._program, "cat-file", mode], self._env, spawns_nothing=True)

    def _stop_workers(self) -> None:
        for conversation in (self._checker, self._reader):
            if conversation is not None:
                conversation.close()
        self._checker = self._reader = None

    def _require_hash(self, oid: str) -> None:
        if not is_hash(oid, self._git.object_format):
            raise Failure("INVALID_REQUEST", f"{ascii(oid[:80])} is not a full hash")


def _retry_once(ask: Callable[[], _Answer]) -> _Answer:
    """Repeat a request whose helper process died, with a new helper: requests have no side effects."""
    try:
        return ask()
    except Failure as failure:
        if failure.code != "INTERNAL":
            raise
    try:
        return ask()
    except Failure as failure:
        if failure.code != "INTERNAL":
            raise
        hint = "Run 'git fsck' in the repository: one of its objects may be damaged."
        raise Failure("INTERNAL", "git ended while it read objects of this repository.", hint=hint) from failure


def _split_batches(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Split positions into batches of limited total size, so that memory stays bounded."""
    batch: list[int] = []
    total = 0
    for at, size in enumerate(sizes):
        if batch and total + size > _BATCH_BYTES:
            yield batch
            batch, total = [], 0
        batch.append(at)
        total += size
    if batch:
        yield batch


def _find_program(search_path: Sequence[str]) -> str:
    """Find git in an absolute directory of the search path: `.` would find a program of the repository."""
    for directory in search_path:
        for name in ("git.exe", "git") if os.name == "nt" else ("git",):
            path = os.path.join(directory, name)
            if os.path.isabs(directory) and os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    hint = "Install git ('apt install git', 'brew install git', 'winget install Git.Git'), then run the command again."
    raise Failure("CAPABILITY_MISSING", "git is not installed, so only the working tree can be indexed", hint=hint)


def _parse_commit_time(data: bytes) -> int:
    """Parse the committer time of a commit object."""
    for line in data.partition(b"\n\n")[0].split(b"\n"):
        if line.startswith(b"committer "):
            words = line.rpartition(b">")[2].split()
            return int(words[0]) if words and words[0].isdigit() and len(words[0]) < 19 else 0
    return 0


def _parse_tag_target(data: bytes) -> str | None:
    """Parse the target of a tag object; None when this is a commit."""
    first = data.partition(b"\n")[0]
    return first[7:].decode("ascii", "replace") if first.startswith(b"object ") else None


def _make_unknown_ref(rev: str, git: GitDir | None = None) -> Failure:
    # Not the default hint: a ref that git does not know cannot be indexed either.
    message = f"There is no ref or commit named {ascii(rev[:200])}."
    known = (row.name for row in list_refs(git)) if git is not None else ()
    near = [name for name in find_near_words(rev, known) if _SAFE_REF.fullmatch(name)]
    details: dict[str, object] = {"ref": rev[:200]} | ({"near": near} if near else {})
    return Failure("REF_NOT_INDEXED", message, details, "Use one of the refs in `near`." if near else UNKNOWN_REF_HINT)
