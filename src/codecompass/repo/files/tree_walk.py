"""Tree walk: list the files of a working tree as git would, with what was left out and why.

Rules are applied to paths relative to the root, never to absolute ones: a project under `/srv/build/` is not a build.
Precedence: `.codecompassignore` (deepest first) → built-in directories → `.gitignore` (deepest first) →
`.git/info/exclude`; the last two do not apply to a file that git tracks. The user's global ignore file is not read:
two users must get the same index. No link is followed.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from codecompass.errors import is_resource_exhaustion, to_system_failure
from codecompass.repo.files.ignore_file import IgnoreFile
from codecompass.repo.files.secret_names import is_secret, is_secret_name, may_hold_secrets
from codecompass.repo.files.skip_list import SKIPPED_DIRECTORIES, has_binary_name
from codecompass.repo.git.index_file import TrackedFiles
from codecompass.repo.git.repository import GitDir, read_small

_RULES_LIMIT = 4 * 2**20
_LISTED, _BY_GIT_RULE, _FINAL = range(3)
_BARE_REPOSITORY_NAMES = frozenset({"HEAD", "objects", "refs"})
RULE_NAMES = frozenset({".gitignore", ".codecompassignore"})
LISTING_RULE_NAMES = RULE_NAMES | _BARE_REPOSITORY_NAMES | {".git", "Cargo.toml", "CACHEDIR.TAG"}
"""Names whose creation or removal changes how other entries are listed, even if they are not listed themselves."""
_MAX_LEFT_OUT = 20_000

DirectoryCallback = Callable[[str, str], None]
"""Called before each directory is read, with its path and its path below the root, which ends in a slash."""


class WalkLimits(NamedTuple):
    """Limits of a listing; entries beyond them are reported as skipped."""

    max_files: int = 1_000_000
    max_depth: int = 200


DEFAULT_LIMITS = WalkLimits()


class FileStat(NamedTuple):
    """Path and stat data of a listed file: enough to detect a later change."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int
    links: int = 1
    """Number of hard links."""


class SkippedPath(NamedTuple):
    """An entry left out for a reason other than an ignore rule.

    Reasons: secret, binary_name, symlink, not_regular, unreadable, nested_repository, too_deep, too_many.
    """

    path: str
    reason: str


class TreeListing(NamedTuple):
    """Files and skipped entries, each sorted by path; `ignored` counts entries that rules left out."""

    files: list[FileStat]
    skipped: list[SkippedPath]
    ignored: int
    directories: tuple[str, ...] = ()
    """Every directory that was read, the root being the empty path."""
    rules: tuple[str, ...] = ()
    """Paths of the rule files, including those that do not exist."""
    left_out: frozenset[str] = frozenset()
    """The first entries that rules left out; a directory ends in a slash."""


class _Scope(NamedTuple):
    """Ignore files in force in a directory, deepest first, each with the length of the path to its directory."""

    own: tuple[tuple[IgnoreFile, int], ...]
    git: tuple[tuple[IgnoreFile, int], ...]


class _Frame(NamedTuple):
    directory: str
    prefix: str
    depth: int
    scope: _Scope
    only_tracked: bool = False
    """Inside an ignored directory: only files that git tracks are listed."""


def walk_tree(
    root: Path,
    git: GitDir | None,
    *,
    limits: WalkLimits = DEFAULT_LIMITS,
    on_directory: DirectoryCallback | None = None,
) -> TreeListing:
    """List the files under `root`. A file or directory that cannot be read is reported in `skipped`, not raised."""
    walker = _Walker(git, limits)
    exclude = walker.read_rules(os.path.join(git.common_dir, "info", "exclude")) if git else None
    stack = [_Frame(os.fspath(root), "", 0, _Scope((), ((exclude, 0),) if exclude else ()))]
    directories = []
    while stack:
        frame = stack.pop()
        directories.append(frame.prefix[:-1])
        if on_directory is not None:
            on_directory(frame.directory, frame.prefix)
        walker.visit(frame, stack)
    walker.files.sort()
    walker.skipped.sort()
    rules, left_out = tuple(walker.rules), frozenset(walker.left_out)
    return TreeListing(walker.files, walker.skipped, walker.ignored, tuple(directories), rules, left_out)


class _Walker:
    def __init__(self, git: GitDir | None, limits: WalkLimits) -> None:
        self.git = git
        self.limits = limits
        self.files: list[FileStat] = []
        self.skipped: list[SkippedPath] = []
        self.ignored = 0
        self.rules: list[str] = []
        self.left_out: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._rules: dict[bytes, IgnoreFile] = {}
        self._tracked: TrackedFiles | None = None

    def visit(self, frame: _Frame, stack: list[_Frame]) -> None:
        """List one directory and push the directories in it."""
        prefix = frame.prefix
        try:
            with os.scandir(frame.directory) as found:
                entries = {entry.name: entry for entry in found}
        except OSError as error:
            if is_resource_exhaustion(error):
                # Without file descriptors the directory cannot be listed; it must not count as empty.
                raise to_system_failure(error.errno, "list a directory of the workspace") from error
            self.skipped.append(SkippedPath(prefix[:-1], "unreadable"))
            return
        if prefix and (".git" in entries or entries.keys() >= _BARE_REPOSITORY_NAMES):
            self.skipped.append(SkippedPath(prefix[:-1], "nested_repository"))
            return
        scope = self._extend_scope(frame, entries)
        guarded = may_hold_secrets(prefix)
        for name, entry in entries.items():
            path = prefix + name
            is_directory = entry.is_dir(follow_symlinks=False)
            reason = self._reasons.get(name)
            if reason is None:
                reason = self._reasons[name] = _find_name_reason(name)
            verdict = _decide(scope, path, name, is_directory, entries)
            by_rule = frame.only_tracked or verdict == _BY_GIT_RULE
            if verdict == _FINAL or (by_rule and not self._is_tracked(path, is_directory)):
                self.ignored += 1
                if len(self.left_out) < _MAX_LEFT_OUT:
                    self.left_out.add(path + "/" if is_directory else path)
            elif reason == "secret" or (guarded and is_secret(path)):
                self.skipped.append(SkippedPath(path, "secret"))
            elif not is_directory:
                self._add_file(entry, path, reason)
            elif frame.depth >= self.limits.max_depth:
                self.skipped.append(SkippedPath(path, "too_deep"))
            else:
                stack.append(_Frame(entry.path, path + "/", frame.depth + 1, scope, by_rule))

    def _add_file(self, entry: os.DirEntry[str], path: str, reason: str) -> None:
        try:
            if not entry.is_file(follow_symlinks=False):
                reason = "symlink" if entry.is_symlink() else "not_regular"
            elif len(self.files) >= self.limits.max_files:
                reason = "too_many"
            elif not reason:
                stat = entry.stat(follow_symlinks=False)
                times = stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns
                self.files.append(FileStat(path, stat.st_size, *times, stat.st_nlink))
                return
        except OSError:
            reason = "unreadable"
        self.skipped.append(SkippedPath(path, reason))

    def _is_tracked(self, path: str, is_directory: bool) -> bool:
        if self._tracked is None:
            if self.git is not None:
                self.rules.append(os.path.join(self.git.git_dir, "index"))
            self._tracked = TrackedFiles(self.git)
        raw = os.fsencode(path)
        return self._tracked.has_below(raw) if is_directory else self._tracked.has_file(raw)

    def _extend_scope(self, frame: _Frame, entries: dict[str, os.DirEntry[str]]) -> _Scope:
        """Return the scope of a directory: its own ignore files before those of its parents."""
        scope = frame.scope
        if ".gitignore" in entries:
            rules = self.read_rules(os.path.join(frame.directory, ".gitignore"))
            # info/exclude has the lowest precedence; it was added first and stays last.
            scope = scope._replace(git=((rules, len(frame.prefix)), *scope.git)) if rules else scope
        if ".codecompassignore" in entries:
            rules = self.read_rules(os.path.join(frame.directory, ".codecompassignore"))
            scope = scope._replace(own=((rules, len(frame.prefix)), *scope.own)) if rules else scope
        return scope

    def read_rules(self, path: str) -> IgnoreFile | None:
        """Read the rules of a file; files with equal content are compiled once."""
        self.rules.append(path)
        data = read_small(path, _RULES_LIMIT)
        if not data:
            return None
        rules = self._rules.get(data)
        if rules is None:
            rules = self._rules[data] = IgnoreFile(data)
        return rules or None


def _find_name_reason(name: str) -> str:
    if is_secret_name(name):
        return "secret"
    return "binary_name" if has_binary_name(name) else ""


def _decide(scope: _Scope, path: str, name: str, is_directory: bool, siblings: dict[str, os.DirEntry[str]]) -> int:
    if name == ".git":
        # No rule can include it, not even as a file: it is the repository itself.
        return _FINAL
    for rules, base in scope.own:
        ignored = rules.decide(path[base:], name, is_directory)
        if ignored is not None:
            return _FINAL if ignored else _LISTED
    if is_directory and (name in SKIPPED_DIRECTORIES or (name == "target" and _is_cargo_target(siblings))):
        return _FINAL
    for rules, base in scope.git:
        ignored = rules.decide(path[base:], name, is_directory)
        if ignored is not None:
            return _BY_GIT_RULE if ignored else _LISTED
    return _LISTED


def _is_cargo_target(siblings: dict[str, os.DirEntry[str]]) -> bool:
    """Whether a directory called target belongs to cargo: many projects have one with sources."""
    return "Cargo.toml" in siblings or os.path.lexists(os.path.join(siblings["target"].path, "CACHEDIR.TAG"))
