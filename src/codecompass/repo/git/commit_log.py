"""Commit log: read messages, touched paths and renames of commits through git, bounded like `git_log.py`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codecompass.model.history_facts import Commit, CommitMessage, PathRevision
from codecompass.repo.git.log_parser import parse_raw_date
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.process.child_process import CompletedCommand, StopCheck

MAX_OUTPUT = 2**27
_MAX_MESSAGE = 20_000
"""Bytes read of one message."""
_FORMAT = "%x01%H%x00%an%x00%ad%x00%ct%x00%P%x00"
_UNLIMITED_RENAMES = "-l0"
"""No limit on rename detection but time: projects often move their sources in one huge commit."""
_MERGES = "--diff-merges=first-parent"
_PLAIN_FORMAT = (
    "--no-show-signature",
    "--no-mailmap",
    "--date=raw",
    "--encoding=UTF-8",
    "--no-ext-diff",
    "--no-textconv",
)


@dataclass
class CommitLog:
    """Reads commit messages and the commits that touched a path."""

    git: ShadowGit
    stop: StopCheck | None = None

    def list_ancestors(self, commit: str, count: int, timeout: float) -> list[str]:
        """List at most `count` ancestors of a commit, newest first, including itself."""
        done = self._run_git(("rev-list", f"--max-count={count}", commit), b"", timeout)
        return done.stdout.decode("ascii", "replace").split() if done.returncode == 0 else []

    def list_between(self, start: str, end: str, count: int, timeout: float) -> list[str]:
        """List the ancestors of `end` that are not ancestors of `start`."""
        limits = (end, f"^{start}") if start else (end,)
        done = self._run_git(("rev-list", f"--max-count={count}", *limits), b"", timeout)
        return done.stdout.decode("ascii", "replace").split() if done.returncode == 0 else []

    def read_messages(self, commits: Sequence[str], timeout: float) -> list[CommitMessage]:
        """Read the messages of these commits."""
        fed = "".join(f"{name}\n" for name in commits).encode("ascii")
        shape = f"--format=tformat:{_FORMAT}%B%x00"
        done = self._run_git(
            ("log", "--stdin", "--no-walk=unsorted", "--ignore-missing", shape, *_PLAIN_FORMAT), fed, timeout
        )
        return list(_parse_messages(done.stdout))

    def list_changed_paths(self, commits: Sequence[str], timeout: float) -> dict[str, tuple[str, ...]]:
        """Map each commit to the paths it changed against its parent; merges have none."""
        fed = "".join(f"{name}\n" for name in commits).encode("ascii")
        question = ("diff-tree", "--stdin", "--root", "-r", "-z", "--name-only", "--no-renames")
        done = self._run_git(question, fed, timeout)
        wanted = set(commits)
        found: dict[str, list[str]] = {}
        current: list[str] = []
        for token in done.stdout.split(b"\0"):
            name = token.decode("utf-8", "surrogateescape")
            if name in wanted:
                current = found.setdefault(name, [])
            elif name:
                current.append(name)
        return {name: tuple(paths) for name, paths in found.items()}

    def list_touches(
        self, end: str, start: str, paths: Sequence[str], count: int, timeout: float, *, first_parent: bool = False
    ) -> list[PathRevision]:
        """List commits between two that changed a path, newest first, with its object id after each.

        Several paths are successive names of one file: where one was removed and another added, the added one counts.
        With `first_parent` a merge stands for all its changes, so that the commits form one line without branches.
        """
        limits = (end, f"^{start}") if start else (end,)
        named = [f":(top,literal){path}" for path in paths]
        question = (
            "log",
            f"--max-count={count}",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            _MERGES,
            f"--format=tformat:{_FORMAT}",
            *_PLAIN_FORMAT,
            *(("--first-parent",) if first_parent else ()),
            *limits,
            "--",
            *named,
        )
        return list(_parse_touches(self._run_git(question, b"", timeout).stdout))

    def find_renames(self, commit: str, timeout: float, share: int = 50) -> dict[str, str]:
        """Map old to new paths of the files that a commit renamed, without a limit on the number of files.

        `share` is the similarity in percent; 100 compares only object ids, which is fast.
        """
        question = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", f"--find-renames={share}%", _UNLIMITED_RENAMES,
                    "--no-commit-id", "--diff-filter=R", _MERGES, commit)  # fmt: skip
        tokens = self._run_git(question, b"", timeout).stdout.split(b"\0")
        found = {}
        for at, token in enumerate(tokens[:-2]):
            if token.startswith(b":") and b" R" in token:
                old, new = tokens[at + 1 : at + 3]
                found[old.decode("utf-8", "surrogateescape")] = new.decode("utf-8", "surrogateescape")
        return found

    def find_removed_lines(
        self, commits: Sequence[str], pattern: str, timeout: float
    ) -> dict[str, list[tuple[str, str]]]:
        """Map each commit to the (path, line) pairs it removed from files whose diff matches a pattern."""
        fed = "".join(f"{name}\n" for name in commits).encode("ascii")
        question = ("diff-tree", "--stdin", "-r", "--root", "-p", "-U0", f"-G{pattern}", "--no-renames",
                    "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/")  # fmt: skip
        return _parse_removed_lines(
            self._run_git(question, fed, timeout).stdout.decode("utf-8", "replace"), set(commits)
        )

    def find_mentions(self, commit: str, words: Sequence[str], timeout: float, most: int) -> dict[str, list[str]]:
        """Map each word to at most `most` files of a commit that contain it; one pass over the tree for all words."""
        patterns = [part for word in words for part in ("-e", word)]
        done = self._run_git(("grep", "-o", "-z", "-w", "-F", "-I", *patterns, commit), b"", timeout)
        found: dict[str, dict[str, None]] = {word: {} for word in words}
        for row in done.stdout.decode("utf-8", "surrogateescape").split("\n"):
            place, _, word = row.partition("\0")
            if word in found and len(found[word]) < most:
                found[word][place.partition(":")[2]] = None
        return {word: list(held) for word, held in found.items()}

    def list_files_with(self, commit: str, words: Sequence[str], timeout: float, most: int) -> list[str]:
        """List at most `most` files of a commit that contain all the words, in any case."""
        patterns = [part for word in words for part in ("-e", word)]
        done = self._run_git(("grep", "-l", "-z", "-i", "-F", "-I", "--all-match", *patterns, commit), b"", timeout)
        rows = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        return [row.partition(":")[2] for row in rows if row][:most]

    def _run_git(self, arguments: Sequence[str], fed: bytes, timeout: float) -> CompletedCommand:
        return self.git.run_git(*arguments, input=fed, timeout=max(timeout, 0.1), max_output=MAX_OUTPUT, stop=self.stop)


def _parse_commit(fields: Sequence[bytes]) -> Commit:
    name, author, date, committed, parents = fields
    time, shown = parse_raw_date(date.decode("ascii", "replace"))
    seconds = int(committed) if committed.isdigit() and len(committed) < 18 else 0
    return Commit(name.decode("ascii", "replace"), author.decode("utf-8", "replace"), shown, time, seconds,
                  b" " in parents)  # fmt: skip


def _parse_messages(output: bytes) -> Iterator[CommitMessage]:
    for record in output.split(b"\x01")[1:]:
        fields = record.split(b"\0")
        if len(fields) >= 6:
            yield CommitMessage(_parse_commit(fields[:5]), fields[5][:_MAX_MESSAGE].decode("utf-8", "replace"))


def _parse_touches(output: bytes) -> Iterator[PathRevision]:
    for record in output.split(b"\x01")[1:]:
        fields = record.split(b"\0")
        if len(fields) < 7:
            continue
        commit = _parse_commit(fields[:5])
        rest = fields[5:]
        found: PathRevision | None = None
        for at, token in enumerate(rest[:-1]):
            words = token.lstrip(b"\n").split(b" ")
            if words[0].startswith(b":") and len(words) == 5:
                oid = b"" if words[4].startswith(b"D") else words[3]
                if found is None or oid:
                    path = rest[at + 1].decode("utf-8", "surrogateescape")
                    found = PathRevision(commit, oid.decode("ascii", "replace"), path)
        if found is not None:
            yield found


def _parse_removed_lines(output: str, commits: set[str]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    commit, path = "", ""
    for line in output.split("\n"):
        if line in commits:
            commit = line
        elif line.startswith("--- a/"):
            path = line[6:]
        elif line.startswith("-") and not line.startswith("---"):
            found.setdefault(commit, []).append((path, line[1:]))
    return found
