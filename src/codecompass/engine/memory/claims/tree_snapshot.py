"""Tree snapshots: paths, definitions and manifests of a view or a commit, as claim checks need them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from codecompass.engine.memory.claims.parse_cache import Parsing
from codecompass.engine.memory.manifests.manifest_reader import is_manifest, read_manifest
from codecompass.engine.memory.manifests.package_manifest import Manifest
from codecompass.engine.memory.time_budget import Budget
from codecompass.engine.navigation.diff.fingerprint import Sheet, Worded
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.git.commit_log import GitMessages
from codecompass.repo.git.git_log import GitLog
from codecompass.text.sniff import decode

MANY = 12
"""Maximum number of files to parse to find one definition in a commit."""
MANIFESTS = 60
"""Maximum number of manifests near the root to read if a text names none."""
_TWINS = 40
_MENTIONS = "mentions"
_LEAST_S, _LIST_S = 0.3, 5.0
"""Minimum and maximum seconds for listing a commit's files."""
_NO_CODE = frozenset({"section", "key", "use", "impl"})
"""Kinds of definitions that a name in a sentence does not refer to."""


class Scene(Protocol):
    """A file tree that claims are checked against."""

    @property
    def paths(self) -> frozenset[str]: ...

    def sheet(self, path: str) -> Sheet | None:
        """Return the definitions of a file with their tokens; None if it cannot be parsed."""

    def expect(self, names: Iterable[str]) -> None:
        """Announce names that will be looked up, so that one search can find them all."""

    def defining(self, name: str, near: Sequence[str] = ()) -> Sequence[str]:
        """Return files that may define a name. If exactly one of the files in `near` defines it, that one suffices."""

    @property
    def manifest_paths(self) -> Sequence[str]:
        """All manifests, sorted by depth."""

    def manifest(self, path: str) -> Manifest: ...


@dataclass
class PresentScene:
    """The view that is queried."""

    project: Project
    view: PinnedView
    shared: dict[str, dict[str, Manifest]] = field(default_factory=dict)
    """Manifests that other queries about the same published view have read."""
    _sheets: dict[str, Sheet | None] = field(default_factory=dict)

    @property
    def commit(self) -> str:
        return self.view.row.commit

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.view.entries)

    def stands(self, path: str) -> bool:
        """Whether a file or directory exists, including files that a view leaves out, such as images and links."""
        if path in self.paths or any(one.startswith(path + "/") for one in self.paths):
            return True
        if self.view.row.name.startswith("live:"):
            return _lies(self.project.workspace.root, path)
        return bool(self.commit) and self._is_listed(path)

    def _is_listed(self, path: str) -> bool:
        """Whether the commit contains a path; cached, because the whole tree must be listed."""
        cache = self.project.store.memory
        key = bytes.fromhex(self.commit) + _raw(path)
        known = cache.find("listed", [key]).get(key)
        if known is None:
            known = b"\1" if path in self.tree else b"\0"
            cache.keep("listed", [(key, known)])
        return known == b"\1"

    @cached_property
    def tree(self) -> dict[str, str]:
        """Path → object id in the commit that the view is based on."""
        if self.project.workspace.git is None or not self.commit:
            return {}
        return names_of(GitLog(self.project.git()), self.commit, _LIST_S)

    def read(self, path: str) -> bytes | None:
        """Read the text of a file of the view as bytes."""
        lines = self.project.reader(self.view).lines(self.view, path) if path in self.paths else None
        return "\n".join(lines).encode("utf-8", "surrogateescape") if lines is not None else None

    def oid(self, path: str) -> str:
        """Return the git object id of a file's content; empty if unknown."""
        entry = self.view.entries.get(path)
        return self.view.snapshot.identity(entry.blob)[1].hex() if entry is not None and entry.blob else ""

    def sheet(self, path: str) -> Sheet | None:
        if path not in self._sheets:
            self._sheets[path] = self._made(path)
        return self._sheets[path]

    def _made(self, path: str) -> Sheet | None:
        entry = self.view.entries.get(path)
        if entry is None or not entry.blob:
            return None
        source = self.read(path)
        if source is None:
            return None
        return Sheet(self.view, path, source, self.view.snapshot.uses(entry.blob).comments)

    def expect(self, names: Iterable[str]) -> None:
        """Do nothing: the index is fast enough for single lookups."""

    def defining(self, name: str, near: Sequence[str] = ()) -> Sequence[str]:
        rows = self.view.snapshot.symbols_named(name.casefold(), prefix=False, limit=_TWINS * 4)
        blobs = {row.blob for row in rows if row.name == name}
        found = sorted(path for blob in blobs for path in self.view.paths.get(blob, ()))
        if len(found) > _TWINS or len(rows) >= _TWINS * 4:
            # For a very common name, the limit must not cut off the files that the text names.
            found = [path for path in dict.fromkeys(near) if definitions(self.sheet(path), name)] + found
        return list(dict.fromkeys(found))[:_TWINS]

    @cached_property
    def manifest_paths(self) -> Sequence[str]:
        return nearest(path for path in self.paths if self.view.entries[path].blob)

    def manifest(self, path: str) -> Manifest:
        known = self.shared.setdefault("manifests", {})
        if path not in known:
            lines = self.project.reader(self.view).lines(self.view, path)
            known[path] = read_manifest(path, "\n".join(lines or ()))
        return known[path]

    def manifests(self) -> dict[str, Manifest]:
        """Return the manifests near the root."""
        return {path: self.manifest(path) for path in self.manifest_paths[:MANIFESTS]}


@dataclass
class PastScene:
    """A commit, read from the object database and parsed on demand."""

    project: Project
    commit: str
    parsing: Parsing
    budget: Budget
    present: PresentScene
    """The current view; files that did not change since the commit are not parsed again."""
    _sheets: dict[str, Sheet | None] = field(default_factory=dict)
    _manifests: dict[str, Manifest] = field(default_factory=dict)
    _expected: set[str] = field(default_factory=set)

    @cached_property
    def _tree(self) -> dict[str, str]:
        log = GitLog(self.project.git(), stop=self.budget.call.check)
        return names_of(log, self.commit, min(max(self.budget.left(), _LEAST_S), _LIST_S))

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self._tree)

    def oid(self, path: str) -> str:
        return self._tree.get(path, "")

    def content(self, path: str) -> bytes | None:
        oid = self._tree.get(path) if not is_secret(path) else None
        return self.project.git().read_blob(oid, self.project.options.max_file_bytes) if oid else None

    def sheet(self, path: str) -> Sheet | None:
        if path not in self._sheets:
            self._sheets[path] = self._made(path)
        return self._sheets[path]

    def _made(self, path: str) -> Sheet | None:
        if self.present.oid(path) == self._tree.get(path, "-"):
            return self.present.sheet(path)
        data = self.content(path)
        if data is None:
            return None
        # A cached result costs almost nothing, so the budget is checked only before parsing.
        return self.parsing.known(path, data) or (None if self.budget.over() else self.parsing.parse(path, data))

    def expect(self, names: Iterable[str]) -> None:
        # If one name is a prefix of another, such as `area` and `area!`, git would report only one.
        self._expected.update(name for name in names if name.isidentifier())

    def defining(self, name: str, near: Sequence[str] = ()) -> Sequence[str]:
        word = _raw(name)
        local = [path for path in dict.fromkeys(near) if word in (self.content(path) or b"")]
        defining = [path for path in local if definitions(self.sheet(path), name)]
        found = defining if len(defining) == 1 else self._mentions(name)
        return sorted((path for path in found if path in self._tree), key=_code_first)[:MANY]

    def _mentions(self, name: str) -> list[str]:
        """Return files that contain a name. One git call, which reads the whole tree, covers all prefetched names."""
        cache = self.project.store.memory
        asked = {self._key(one): one for one in (name, *self._expected)}
        known = cache.find(_MENTIONS, asked)
        found = known.get(self._key(name))
        if found is not None:
            return [path.decode("utf-8", "surrogateescape") for path in found.split(b"\0") if path]
        if self.budget.over():
            return []
        missing = [one for key, one in asked.items() if key not in known]
        log = GitMessages(self.project.git(), self.budget.call.check)
        mentions = log.mentions(self.commit, missing, max(self.budget.left(), 0.2), 200)
        rows = ((self._key(one), b"\0".join(map(_raw, paths))) for one, paths in mentions.items())
        cache.keep(_MENTIONS, rows)
        return mentions[name]

    def _key(self, name: str) -> bytes:
        return bytes.fromhex(self.commit) + _raw(name)

    @cached_property
    def manifest_paths(self) -> Sequence[str]:
        return nearest(self.paths)

    def manifest(self, path: str) -> Manifest:
        if path not in self._manifests:
            data = self.content(path)
            self._manifests[path] = read_manifest(path, decode(data)[0]) if data is not None else Manifest()
        return self._manifests[path]


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def names_of(log: GitLog, commit: str, timeout: float) -> dict[str, str]:
    return {path.decode("utf-8", "surrogateescape"): oid for path, oid in log.tree(commit, timeout).items()}


def _lies(root: Path, path: str) -> bool:
    """Whether a path below the root exists and none of its directories is a link."""
    place = root
    for part in path.split("/"):
        if part in ("", ".", "..") or place.is_symlink() and place != root:
            return False
        place = place / part
    return os.path.lexists(place)


def nearest(paths: Iterable[str]) -> list[str]:
    """Return the manifests among paths, sorted by depth."""
    return sorted(filter(is_manifest, paths), key=lambda path: (path.count("/"), path))


def _code_first(path: str) -> tuple[bool, str]:
    return path.endswith((".md", ".rst", ".txt", ".json", ".po")), path


def definitions(sheet: Sheet | None, name: str, scope: str = "") -> list[Worded]:
    """Return the definitions with a name and, if given, an innermost scope."""
    if sheet is None:
        return []
    found = [one for one in sheet.worded if one.definition.name == name and one.definition.kind not in _NO_CODE]
    if scope:
        found = [one for one in found if one.definition.scope.replace("::", ".").split(".")[-1] == scope]
    return found
