"""Tree sources: list and read the files to index, from the working tree or from a commit."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from codecompass.errors import Failure
from codecompass.repo.files.open_mappings import find_mapped_files
from codecompass.repo.files.path_guard import TreeReader
from codecompass.repo.files.secret_names import is_secret
from codecompass.repo.files.skip_list import SKIPPED_DIRECTORIES, has_binary_name
from codecompass.repo.files.tree_walk import walk_tree
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import read_head
from codecompass.repo.process.child_process import StopCheck
from codecompass.repo.workspace import Workspace
from codecompass.text.documents import get_size_limit

NOT_INDEXED = 0
"""Blob of an entry whose file is known but not indexed; the skips contain the reason."""
RACY_NS = 2_000_000_000
"""A file changed this shortly before the last scan may have changed again within clock resolution: compare bytes."""


class SourceFile(NamedTuple):
    """A file that may be indexed. `oid` is known in advance only for commits."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    oid: bytes


class SourceContent(NamedTuple):
    """The bytes of a file, or the reason why there are none. `oid` is empty if the bytes are not the whole file."""

    file: SourceFile
    data: bytes | None
    reason: str
    oid: bytes
    truncated: bool


class SourceListing(NamedTuple):
    """The files of a source, and those that are skipped."""

    files: list[SourceFile]
    skips: list[tuple[str, str]]
    uncertain: frozenset[str] = frozenset()
    """Files whose times do not prove that they are unchanged: another process has a writable mapping of them."""


class TreeSource(Protocol):
    """A source of files to index, with the name of its view."""

    view: str
    commit: str
    head: str
    max_bytes: int
    """Longer files are truncated to this size."""

    def list(self) -> SourceListing: ...

    def read(self, candidates: Sequence[SourceFile]) -> Iterator[SourceContent]: ...


def live_view_name(workspace: Workspace) -> str:
    """Return the name of a worktree's live view; worktrees of one repository share an index, not a view."""
    return f"live:{workspace.worktree_key}"


@dataclass
class WorkingTreeSource:
    """The files on disk, including uncommitted edits."""

    workspace: Workspace
    max_bytes: int

    def __post_init__(self) -> None:
        now = read_head(self.workspace.git) if self.workspace.git else None
        self.view = live_view_name(self.workspace)
        self.commit = (now.commit or "") if now else ""
        self.head = (now.branch or "") if now else ""

    def list(self) -> SourceListing:
        listing = walk_tree(self.workspace.root, self.workspace.git)
        files = [SourceFile(item.path, item.size, item.mtime_ns, item.ctime_ns, b"") for item in listing.files]
        skips = [(item.path, item.reason) for item in listing.skipped]
        return SourceListing(files, skips, find_mapped_files(str(self.workspace.root)))

    def read(self, candidates: Sequence[SourceFile]) -> Iterator[SourceContent]:
        algorithm = self.workspace.git.object_format if self.workspace.git else "sha1"
        reader = TreeReader(self.workspace.root)
        try:
            for item in candidates:
                result = reader.read(item.path, self.max_bytes)
                if result.data is None:
                    yield SourceContent(item, None, result.reason, b"", truncated=False)
                    continue
                truncated = result.reason == "truncated"
                oid = b"" if truncated else _git_object_id(result.data, algorithm)
                data = select_indexed_bytes(result.data, truncated=truncated)
                yield SourceContent(item, data, "", oid, truncated)
        finally:
            reader.close()


@dataclass
class CommitTreeSource:
    """The files of one commit, read from the object database; nothing is checked out."""

    git: ShadowGit
    ref: str
    max_bytes: int
    stop: StopCheck | None = None
    """Cancels the running git command."""

    def __post_init__(self) -> None:
        self.commit = self.git.resolve(self.ref, self.stop)
        self.view = f"ref:{self.ref}"
        self.head = self.ref

    def list(self) -> SourceListing:
        files, skips = [], []
        for item in self.git.list_tree(self.commit, self.stop):
            if is_secret(item.path):
                skips.append((item.path, "secret"))
            elif not SKIPPED_DIRECTORIES.isdisjoint(item.path.split("/")[:-1]):
                skips.append((item.path, "excluded_directory"))
            elif has_binary_name(item.path):
                skips.append((item.path, "binary_name"))
            else:
                files.append(SourceFile(item.path, item.size, 0, 0, bytes.fromhex(item.oid)))
        return SourceListing(files, skips)

    def read(self, candidates: Sequence[SourceFile]) -> Iterator[SourceContent]:
        by_oid: dict[str, list[SourceFile]] = {}
        for item in candidates:
            by_oid.setdefault(item.oid.hex(), []).append(item)
        for oid, data in self.git.read_blobs(list(by_oid), MAX_OBJECT_BYTES):
            for item in by_oid[oid]:
                if data is None:
                    # git reports no size for a missing object, as in a partial clone.
                    reason = "missing_object" if item.size < 0 else "too_large"
                    yield SourceContent(item, None, reason, b"", truncated=False)
                elif len(data) > (limit := get_size_limit(item.path, self.max_bytes)):
                    yield SourceContent(
                        item, select_indexed_bytes(data[:limit], truncated=True), "", b"", truncated=True
                    )
                else:
                    yield SourceContent(item, data, "", item.oid, truncated=False)


MAX_OBJECT_BYTES = 32 * 2**20
"""Larger objects are not loaded at all, not even to truncate them."""


def _git_object_id(data: bytes, algorithm: str) -> bytes:
    """Return the git object id of these bytes, so that a branch that contains them finds the blob without reading."""
    if algorithm not in ("sha1", "sha256"):
        raise Failure("CAPABILITY_MISSING", f"The git object format {algorithm} is not supported.")
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()


def select_indexed_bytes(data: bytes, *, truncated: bool) -> bytes:
    """Return the bytes of a file that are indexed and hashed: only the complete lines of a truncated file.

    A single line longer than the limit is cut at the limit.
    """
    at = data.rfind(b"\n") if truncated else -1
    return data[: at + 1] if at > 0 else data
