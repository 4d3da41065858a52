"""Dictionary versions: which word lists a project's index was built with.

Queries must split words exactly as the index did, so a project stores a copy of the words it was built with, named by
their digest. Changed lists take effect only at a full reindex: until then both indexing and queries use the copy.

dictionary               (records) digest of the words that blobs of the current epoch were built with
dictionary:<view>        (records) the same for one view
words/<digest>.txt       the copy
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from blake3 import blake3

from codecompass.atomic import write_file
from codecompass.model.maintenance.download_values import DictionaryState
from codecompass.store.ports import ProjectRecords
from codecompass.text.dictionary import ABBREVIATIONS, MAX_WORDS, Dictionary, has_words, load_dictionary, read_words

EPOCH_KEY = "dictionary"
SUFFIX = ".txt"


@dataclass(frozen=True, slots=True)
class DictionaryChoice:
    """The word list that a sync uses."""

    digest: str
    path: str
    """Path of the copy; empty without a word list."""
    new_epoch: bool
    """Whether existing blobs were built with other words."""
    rescan: bool
    """Whether the view was built with other words, so that all its files are read again."""


class DictionaryVersions:
    """Word list versions of one project. Thread-safe; reads lists again only when a file has changed."""

    def __init__(self, lists_directory: Path, copies_directory: Path, *, enabled: bool) -> None:
        self._lists_directory = lists_directory
        self._copies_directory = copies_directory
        self._enabled = enabled
        self._lock = Lock()
        self._signature: tuple[tuple[str, int, int], ...] | None = None
        self._digest = ""
        self._loaded: dict[str, Dictionary | None] = {}

    # -- current lists ---------------------------------------------------------------------------------------------

    def list_files(self) -> tuple[Path, ...]:
        try:
            with os.scandir(self._lists_directory) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(SUFFIX) and entry.is_file())
        except OSError:
            return ()
        return tuple(self._lists_directory / name for name in names if not name.startswith("."))

    def get_digest(self) -> str:
        """Return the digest of the current lists; empty when they are disabled or contain no words."""
        if not self._enabled:
            return ""
        with self._lock:
            try:
                signature = tuple(
                    (path.name, info.st_mtime_ns, info.st_size) for path in self.list_files() for info in (path.stat(),)
                )
                if signature != self._signature:
                    self._digest = _hash_lists(self.list_files())
                    self._signature = signature
            except OSError:
                return ""
            return self._digest

    # -- indexing --------------------------------------------------------------------------------------------------

    def choose(self, records: ProjectRecords, view: str, is_rebuild: Callable[[], bool]) -> DictionaryChoice:
        """Choose the words for a sync of a view; the current lists when `is_rebuild` says everything is reindexed."""
        before = records.get(EPOCH_KEY) or ""
        digest = before
        if ((before or self.list_files()) and is_rebuild()) or (before and not self._copy_path(before).is_file()):
            digest = self._copy_lists()
        path = str(self._copy_path(digest)) if digest else ""
        return DictionaryChoice(digest, path, digest != before, (records.get(make_view_key(view)) or "") != digest)

    def start(self, records: ProjectRecords, words: DictionaryChoice) -> None:
        """Record what new blobs are built with; call it only after the epoch was raised."""
        if words.new_epoch:
            records.set(EPOCH_KEY, words.digest)

    def commit(self, records: ProjectRecords, view: str, words: DictionaryChoice) -> None:
        """Record what a view was built with; call it after the view is published."""
        if words.rescan:
            records.set(make_view_key(view), words.digest)

    def _copy_lists(self) -> str:
        """Copy the current words, so that later edits of the lists do not affect this index."""
        digest = self.get_digest()
        copy = self._copy_path(digest)
        if not digest or copy.is_file():
            return digest
        words = _read_lists(self.list_files())
        if not words:
            return ""
        self._copies_directory.mkdir(parents=True, exist_ok=True)
        write_file(copy, "\n".join(words).encode("ascii"))
        return digest

    def _copy_path(self, digest: str) -> Path:
        return self._copies_directory / f"{digest}{SUFFIX}"

    def remove_unused(self, records: ProjectRecords, views: tuple[str, ...]) -> None:
        """Remove copies that no view uses any more."""
        if not self._copies_directory.is_dir():
            return
        used = {records.get(EPOCH_KEY), *(records.get(make_view_key(view)) for view in views)}
        for path in self._copies_directory.glob(f"*{SUFFIX}"):
            if path.stem not in used:
                path.unlink(missing_ok=True)

    # -- queries ---------------------------------------------------------------------------------------------------

    def load_for_view(self, records: ProjectRecords, view: str) -> Dictionary | None:
        """Load the words a view was built with; None without any, which needs no lookup in records."""
        if not self._copies_directory.is_dir():
            return None
        digest = records.get(make_view_key(view)) or ""
        if not digest:
            return None
        with self._lock:
            if digest not in self._loaded:
                self._loaded = {digest: load_dictionary(self._copy_path(digest), digest)}
            return self._loaded[digest]

    def get_state(self, records: ProjectRecords, view: str, *, indexed: bool) -> DictionaryState:
        """Describe the current lists and the one the index of a view uses."""
        digest = self.get_digest()
        applied = records.get(make_view_key(view)) or ""
        message = ""
        if indexed and digest != applied:
            message = "The word lists have changed since the index was built. Reindex to apply: index_repo with force."
        files = tuple(path.name for path in self.list_files())
        return DictionaryState(str(self._lists_directory), files, digest, self._enabled, applied, message)


def make_view_key(view: str) -> str:
    return f"{EPOCH_KEY}:{view}"


def _hash_lists(files: tuple[Path, ...]) -> str:
    """Hash the contents of the lists; built-in abbreviations count too, because they change with the program."""
    hasher, any_word = blake3(" ".join(sorted(ABBREVIATIONS)).encode()), False
    for path in files:
        data = path.read_bytes()
        hasher.update(len(data).to_bytes(8, "little") + data)
        any_word = any_word or has_words(data)
    return hasher.hexdigest()[:32] if any_word else ""


def _read_lists(files: tuple[Path, ...]) -> list[str]:
    words: set[str] = set()
    for path in files:
        words.update(read_words(path.read_text(encoding="utf-8-sig", errors="replace")))
    return sorted(words)[:MAX_WORDS]
