"""Tree snapshots: paths, definitions and manifests of a view or a commit, as claim checks need them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from codecompass.cache import LRU
from codecompass.engine.memory.claims.parse_cache import ParseCache
from codecompass.engine.memory.manifests.manifest_reader import is_manifest, read_manifest
from codecompass.engine.memory.manifests.package_manifest import PackageManifest
from codecompass.engine.memory.prose_claims.word_search import is_code_path, strip_code_comments
from codecompass.engine.navigation.diff.fingerprint import DefinitionTokens, FileDefinitions
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.git.commit_log import CommitLog
from codecompass.repo.git.git_log import GitLog
from codecompass.text.sniff import decode

MAX_PARSED_FILES = 12
"""Maximum number of files to parse to find one definition in a commit."""
MAX_MANIFESTS = 60
"""Maximum number of manifests near the root to read if a text names none."""
_MAX_SAME_NAME = 40
_MENTIONS_KIND = "mentions"
_FILES_KIND = "files with"
_MAX_CONTAINING = 2_000
_MAX_CODE_CHARACTERS = 8_000_000
_MIN_TIMEOUT_S, _LIST_TIMEOUT_S = 0.3, 5.0
"""Minimum and maximum seconds for listing a commit's files."""
_NON_CODE_KINDS = frozenset({"section", "key", "use", "impl"})
"""Kinds of definitions that a name in a sentence does not refer to."""


class TreeSnapshot(Protocol):
    """A file tree that claims are checked against."""

    @property
    def paths(self) -> frozenset[str]: ...

    def definitions_of(self, path: str) -> FileDefinitions | None:
        """Return the definitions of a file with their tokens; None if it cannot be parsed."""

    def prefetch_names(self, names: Iterable[str]) -> None:
        """Announce names that will be looked up, so that one search can find them all."""

    def find_defining_files(self, name: str, near: Sequence[str] = ()) -> Sequence[str]:
        """Return files that may define a name. If exactly one of the files in `near` defines it, that one suffices."""

    @property
    def manifest_paths(self) -> Sequence[str]:
        """All manifests, sorted by depth."""

    def get_manifest(self, path: str) -> PackageManifest: ...

    def find_files_with(self, words: Sequence[str]) -> Sequence[str]:
        """Return code files that may contain all the words."""

    def read_code(self, path: str) -> str:
        """Return the text of a file without comments; empty if it cannot be read."""


@dataclass
class SharedLookups:
    """What queries about the same published view have read of it."""

    manifests: dict[str, PackageManifest] = field(default_factory=dict)
    files_with: dict[tuple[str, ...], Sequence[str]] = field(default_factory=dict)
    codes: LRU[str, str] = field(default_factory=lambda: LRU(_MAX_CODE_CHARACTERS))


@dataclass
class ViewTreeSnapshot:
    """The view that is queried."""

    project: Project
    view: PinnedView
    shared: SharedLookups = field(default_factory=SharedLookups)
    _definitions: dict[str, FileDefinitions | None] = field(default_factory=dict)

    @property
    def commit(self) -> str:
        return self.view.row.commit

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.view.entries)

    def exists(self, path: str) -> bool:
        """Whether a file or directory exists, including files that a view leaves out, such as images and links."""
        if path in self.paths or any(one.startswith(path + "/") for one in self.paths):
            return True
        if self.view.row.name.startswith("live:"):
            return _exists_below(self.project.workspace.root, path)
        return bool(self.commit) and self._is_in_commit(path)

    def _is_in_commit(self, path: str) -> bool:
        """Whether the commit contains a path; cached, because the whole tree must be listed."""
        cache = self.project.store.memory_cache
        key = bytes.fromhex(self.commit) + _to_bytes(path)
        known = cache.get_many("listed", [key]).get(key)
        if known is None:
            known = b"\1" if path in self.commit_oids else b"\0"
            cache.put_many("listed", [(key, known)])
        return known == b"\1"

    @cached_property
    def commit_oids(self) -> dict[str, str]:
        """Path → object id in the commit that the view is based on."""
        if self.project.workspace.git is None or not self.commit:
            return {}
        return list_tree(GitLog(self.project.git()), self.commit, _LIST_TIMEOUT_S)

    def read(self, path: str) -> bytes | None:
        """Read the text of a file of the view as bytes."""
        lines = self.project.reader(self.view).read_lines(self.view, path) if path in self.paths else None
        return "\n".join(lines).encode("utf-8", "surrogateescape") if lines is not None else None

    def get_oid(self, path: str) -> str:
        """Return the git object id of a file's content; empty if unknown."""
        entry = self.view.entries.get(path)
        return self.view.snapshot.identity(entry.blob)[1].hex() if entry is not None and entry.blob else ""

    def definitions_of(self, path: str) -> FileDefinitions | None:
        if path not in self._definitions:
            self._definitions[path] = self._load_definitions(path)
        return self._definitions[path]

    def _load_definitions(self, path: str) -> FileDefinitions | None:
        entry = self.view.entries.get(path)
        if entry is None or not entry.blob:
            return None
        source = self.read(path)
        if source is None:
            return None
        return FileDefinitions(self.view, path, source, self.view.snapshot.references(entry.blob).comments)

    def prefetch_names(self, names: Iterable[str]) -> None:
        """Do nothing: the index is fast enough for single lookups."""

    def find_defining_files(self, name: str, near: Sequence[str] = ()) -> Sequence[str]:
        rows = self.view.snapshot.find_symbols(name.casefold(), prefix=False, limit=_MAX_SAME_NAME * 4)
        blobs = {row.blob for row in rows if row.name == name}
        found = sorted(path for blob in blobs for path in self.view.paths.get(blob, ()))
        if len(found) > _MAX_SAME_NAME or len(rows) >= _MAX_SAME_NAME * 4:
            # For a very common name, the limit must not cut off the files that the text names.
            found = [path for path in dict.fromkeys(near) if find_definitions(self.definitions_of(path), name)] + found
        return list(dict.fromkeys(found))[:_MAX_SAME_NAME]

    @cached_property
    def manifest_paths(self) -> Sequence[str]:
        return sort_manifests(path for path in self.paths if self.view.entries[path].blob)

    def get_manifest(self, path: str) -> PackageManifest:
        known = self.shared.manifests
        if path not in known:
            lines = self.project.reader(self.view).read_lines(self.view, path)
            known[path] = read_manifest(path, "\n".join(lines or ()))
        return known[path]

    def find_files_with(self, words: Sequence[str]) -> Sequence[str]:
        key = tuple(words)
        found = self.shared.files_with.get(key)
        if found is None:
            found = self.shared.files_with[key] = self._find_files_with(words)
        return found

    def _find_files_with(self, words: Sequence[str]) -> Sequence[str]:
        chosen: set[int] | None = None
        for word in words:
            held = self.view.snapshot.find_blobs_containing(word, self.view.row, _MAX_CONTAINING)
            if held is not None:
                chosen = held if chosen is None else chosen & held
        blobs = self.view.paths if chosen is None else chosen
        paths = (path for blob in blobs for path in self.view.paths.get(blob, ()))
        return sorted(filter(is_code_path, paths), key=lambda path: (path.count("/"), path))

    def read_code(self, path: str) -> str:
        known = self.shared.codes.get(path)
        if known is None:
            known = strip_code_comments(path, (self.read(path) or b"").decode("utf-8", "replace"))
            self.shared.codes.put(path, known, len(known) + 100)
        return known

    def read_root_manifests(self) -> dict[str, PackageManifest]:
        """Return the manifests near the root."""
        return {path: self.get_manifest(path) for path in self.manifest_paths[:MAX_MANIFESTS]}


@dataclass
class CommitTreeSnapshot:
    """A commit, read from the object database and parsed on demand."""

    project: Project
    commit: str
    parse_cache: ParseCache
    budget: TimeBudget
    view_tree: ViewTreeSnapshot
    """The current view; files that did not change since the commit are not parsed again."""
    _definitions: dict[str, FileDefinitions | None] = field(default_factory=dict)
    _manifests: dict[str, PackageManifest] = field(default_factory=dict)
    _prefetched_names: set[str] = field(default_factory=set)

    @cached_property
    def _oids(self) -> dict[str, str]:
        log = GitLog(self.project.git(), stop=self.budget.call.check)
        return list_tree(log, self.commit, min(max(self.budget.get_remaining(), _MIN_TIMEOUT_S), _LIST_TIMEOUT_S))

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self._oids)

    def get_oid(self, path: str) -> str:
        return self._oids.get(path, "")

    def read_content(self, path: str) -> bytes | None:
        oid = self._oids.get(path) if not is_secret(path) else None
        return self.project.git().read_blob(oid, self.project.options.max_file_bytes) if oid else None

    def definitions_of(self, path: str) -> FileDefinitions | None:
        if path not in self._definitions:
            self._definitions[path] = self._load_definitions(path)
        return self._definitions[path]

    def _load_definitions(self, path: str) -> FileDefinitions | None:
        if self.view_tree.get_oid(path) == self._oids.get(path, "-"):
            return self.view_tree.definitions_of(path)
        data = self.read_content(path)
        if data is None:
            return None
        # A cached result costs almost nothing, so the budget is checked only before parsing.
        return self.parse_cache.find_cached(path, data) or (
            None if self.budget.is_over() else self.parse_cache.parse(path, data)
        )

    def prefetch_names(self, names: Iterable[str]) -> None:
        # If one name is a prefix of another, such as `area` and `area!`, git would report only one.
        self._prefetched_names.update(name for name in names if name.isidentifier())

    def find_defining_files(self, name: str, near: Sequence[str] = ()) -> Sequence[str]:
        word = _to_bytes(name)
        local = [path for path in dict.fromkeys(near) if word in (self.read_content(path) or b"")]
        defining = [path for path in local if find_definitions(self.definitions_of(path), name)]
        found = defining if len(defining) == 1 else self._find_mentions(name)
        return sorted((path for path in found if path in self._oids), key=_rank_code_first)[:MAX_PARSED_FILES]

    def _find_mentions(self, name: str) -> list[str]:
        """Return files that contain a name. One git call, which reads the whole tree, covers all prefetched names."""
        cache = self.project.store.memory_cache
        asked = {self._make_key(one): one for one in (name, *self._prefetched_names)}
        known = cache.get_many(_MENTIONS_KIND, asked)
        found = known.get(self._make_key(name))
        if found is not None:
            return [path.decode("utf-8", "surrogateescape") for path in found.split(b"\0") if path]
        if self.budget.is_over():
            return []
        missing = [one for key, one in asked.items() if key not in known]
        log = CommitLog(self.project.git(), self.budget.call.check)
        mentions = log.find_mentions(self.commit, missing, max(self.budget.get_remaining(), 0.2), 200)
        rows = ((self._make_key(one), b"\0".join(map(_to_bytes, paths))) for one, paths in mentions.items())
        cache.put_many(_MENTIONS_KIND, rows)
        return mentions[name]

    def find_files_with(self, words: Sequence[str]) -> Sequence[str]:
        cache = self.project.store.memory_cache
        key = bytes.fromhex(self.commit) + _to_bytes("\0".join(words))
        known = cache.get_many(_FILES_KIND, [key]).get(key)
        if known is None:
            if self.budget.is_over():
                return ()
            log = CommitLog(self.project.git(), self.budget.call.check)
            paths = log.list_files_with(self.commit, words, max(self.budget.get_remaining(), 0.2), _MAX_CONTAINING)
            known = b"\0".join(map(_to_bytes, filter(is_code_path, paths)))
            cache.put_many(_FILES_KIND, [(key, known)])
        found = [path.decode("utf-8", "surrogateescape") for path in known.split(b"\0") if path]
        return sorted((path for path in found if path in self._oids), key=lambda path: (path.count("/"), path))

    def read_code(self, path: str) -> str:
        data = self.read_content(path)
        return strip_code_comments(path, decode(data)[0]) if data is not None else ""

    def _make_key(self, name: str) -> bytes:
        return bytes.fromhex(self.commit) + _to_bytes(name)

    @cached_property
    def manifest_paths(self) -> Sequence[str]:
        return sort_manifests(self.paths)

    def get_manifest(self, path: str) -> PackageManifest:
        if path not in self._manifests:
            data = self.read_content(path)
            self._manifests[path] = read_manifest(path, decode(data)[0]) if data is not None else PackageManifest()
        return self._manifests[path]


def _to_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def list_tree(log: GitLog, commit: str, timeout: float) -> dict[str, str]:
    return {path.decode("utf-8", "surrogateescape"): oid for path, oid in log.read_tree(commit, timeout).items()}


def _exists_below(root: Path, path: str) -> bool:
    """Whether a path below the root exists and none of its directories is a link."""
    place = root
    for part in path.split("/"):
        if part in ("", ".", "..") or place.is_symlink() and place != root:
            return False
        place = place / part
    return os.path.lexists(place)


def sort_manifests(paths: Iterable[str]) -> list[str]:
    """Return the manifests among paths, sorted by depth."""
    return sorted(filter(is_manifest, paths), key=lambda path: (path.count("/"), path))


def _rank_code_first(path: str) -> tuple[bool, str]:
    return path.endswith((".md", ".rst", ".txt", ".json", ".po")), path


def find_definitions(sheet: FileDefinitions | None, name: str, scope: str = "") -> list[DefinitionTokens]:
    """Return the definitions with a name and, if given, an innermost scope."""
    if sheet is None:
        return []
    found = [
        one for one in sheet.definitions if one.definition.name == name and one.definition.kind not in _NON_CODE_KINDS
    ]
    if scope:
        found = [one for one in found if one.definition.scope.replace("::", ".").split(".")[-1] == scope]
    return found
