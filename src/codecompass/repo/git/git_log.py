"""Git log: read commits, line counts and blame through the shadow directory, bounded in time and output.

Git does not see the repository's configuration, attributes or mailmap there, so no textconv or diff program can run:
lines are counted by content alone, and authors appear as they are in the commits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from codecompass.errors import Failure
from codecompass.model.history_facts import Blame, CommitRecord, MergeOrigin
from codecompass.repo.git.log_parser import (
    LOG_FORMAT,
    find_octopus_routes,
    parse_blame,
    parse_combined,
    parse_counts,
    parse_difference,
    parse_log,
    parse_tree_names,
)
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.ref_name import get_hash_length, is_hash
from codecompass.repo.process.child_process import CompletedCommand, StopCheck

MAX_OUTPUT = 2**28
_RENAME_LIMIT = 200
"""Renames by similarity are detected only among this many files; the comparison is quadratic."""
_RAW = ("-r", "-z", "--raw", "--no-abbrev", "--no-ext-diff", "--no-textconv")


@dataclass
class GitLog:
    """Reads a repository's history. `exact` is set for good when file contents are missing."""

    git: ShadowGit
    exact: bool = False
    """Detect only renames with identical content; similarity cannot be computed without the contents."""
    stop: StopCheck | None = None
    """Checked while git runs; ends the running command."""

    def list_shallow_commits(self) -> frozenset[str]:
        """List the commits at which a shallow clone's history ends."""
        return self.git.list_shallow_commits()

    def read_tree(self, commit: str, timeout: float) -> dict[bytes, str]:
        """Map each path of a commit to its object id."""
        done = self._run_git(("ls-tree", "-r", "-z", "--full-tree", self._require_hash(commit)), b"", timeout)
        if done.returncode != 0:
            raise _make_missing_failure()
        return parse_tree_names(done.stdout)

    def list_commits(
        self, starts: Sequence[str], excluded: Sequence[str], count: int, timeout: float
    ) -> tuple[list[CommitRecord], bool]:
        """List at most `count` commits reachable from `starts` but not from `excluded`, newest first.

        The second value is false where objects are missing: the list may be incomplete.
        """
        lines = [*(self._require_hash(name) for name in starts), *(f"^{self._require_hash(name)}" for name in excluded)]
        fed = "".join(f"{line}\n" for line in lines).encode("ascii")
        renames = "100%" if self.exact else "50%"
        done = self._run_git(
            ("log", "--stdin", "--ignore-missing", f"--max-count={count}", "--no-show-signature", "--no-mailmap",
             "--diff-merges=first-parent", f"--find-renames={renames}", f"-l{_RENAME_LIMIT}", "--date=raw",
             f"--format={LOG_FORMAT}", "--encoding=UTF-8", *_RAW),
            fed, timeout,
        )  # fmt: skip
        whole = done.returncode == 0
        if not whole and not self.exact:
            self.exact = True
            return self.list_commits(starts, excluded, count, timeout)
        return self._add_routes(parse_log(done.stdout, whole=whole), timeout), whole

    def _add_routes(self, records: list[CommitRecord], timeout: float) -> list[CommitRecord]:
        """Add the routes of merges to the records."""
        twos = [record.commit.id for record in records if len(record.parents) == 2 and record.changes]
        combined: dict[str, list[MergeOrigin]] = {}
        if twos:
            fed = "".join(f"{name}\n" for name in twos).encode("ascii")
            done = self._run_git(("diff-tree", "--stdin", "-c", "--no-renames", *_RAW), fed, timeout)
            if done.returncode != 0:
                raise _make_missing_failure()
            combined = parse_combined(done.stdout)
        return [
            record if len(record.parents) < 2 or not record.changes
            else record._replace(routes=tuple(combined.get(record.commit.id, ()))) if len(record.parents) == 2
            else record._replace(routes=self._find_octopus_routes(record, timeout))
            for record in records
        ]  # fmt: skip

    def _find_octopus_routes(self, record: CommitRecord, timeout: float) -> tuple[MergeOrigin, ...]:
        differing = []
        for parent in record.parents:
            question = ("diff-tree", "--no-renames", *_RAW, self._require_hash(parent), record.commit.id)
            done = self._run_git(question, b"", timeout)
            if done.returncode != 0:
                raise _make_missing_failure()
            differing.append(parse_difference(done.stdout))
        return find_octopus_routes(record.changes, differing)

    def count_lines(
        self, commits: Sequence[str], paths: Sequence[bytes], timeout: float
    ) -> tuple[dict[str, list[tuple[bytes, int, int]]], bool]:
        """Count lines added and deleted by commits that are not merges, in these paths, or in all when none is given.

        The second value is false where contents are missing: the last commit of git's output is then left out.
        """
        fed = "".join(f"{self._require_hash(name)}\n" for name in commits).encode("ascii")
        named = [f":(top,literal){path.decode('utf-8', 'surrogateescape')}" for path in paths]
        renames = "100%" if self.exact else "50%"
        done = self._run_git(
            ("diff-tree", "--stdin", "--root", "--always", "-r", "-z", "--numstat", f"--find-renames={renames}",
             f"-l{_RENAME_LIMIT}", "--no-ext-diff", "--no-textconv", "--", *named),
            fed, timeout,
        )  # fmt: skip
        found = dict(parse_counts(done.stdout, get_hash_length(self.git.object_format)))
        if done.returncode != 0 and found:
            found.popitem()
        return found, done.returncode == 0

    def blame(self, commit: str, path: bytes, timeout: float) -> Blame:
        """Blame each line of a file at a commit."""
        question = ("blame", "--porcelain", "--root", "--no-textconv", self._require_hash(commit), "--")
        done = self._run_git((*question, path.decode("utf-8", "surrogateescape")), b"", timeout)
        if done.returncode != 0:
            raise _make_missing_failure()
        return parse_blame(done.stdout)

    def _run_git(self, arguments: Sequence[str], fed: bytes, timeout: float) -> CompletedCommand:
        return self.git.run_git(*arguments, input=fed, timeout=max(timeout, 0.1), max_output=MAX_OUTPUT, stop=self.stop)

    def _require_hash(self, name: str) -> str:
        if not is_hash(name, self.git.object_format):
            raise Failure("INVALID_REQUEST", f"{ascii(name[:80])} is not a full hash")
        return name


def _make_missing_failure() -> Failure:
    return Failure("REF_NOT_INDEXED", "The history cannot be read: objects are missing.",
                   hint="Fetch the missing history.")  # fmt: skip
