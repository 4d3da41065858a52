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

from codecompass.model.maintenance.download_values import DictionaryState
from codecompass.store.ports import Records
from codecompass.text.dictionary import JARGON, MOST_WORDS, Dictionary, holds_words, load, read_words

EPOCH_KEY = "dictionary"
ENDING = ".txt"


@dataclass(frozen=True, slots=True)
class Settlement:
    """The word list that a sync uses."""

    digest: str
    path: str
    """Path of the copy; empty without a word list."""
    new_epoch: bool
    """Whether existing blobs were built with other words."""
    again: bool
    """Whether the view was built with other words, so that all its files are read again."""


class Wordbook:
    """Word list versions of one project. Thread-safe; reads lists again only when a file has changed."""

    def __init__(self, lists_directory: Path, copies_directory: Path, *, enabled: bool) -> None:
        self._shelf = lists_directory
        self._kept = copies_directory
        self._enabled = enabled
        self._lock = Lock()
        self._signature: tuple[tuple[str, int, int], ...] | None = None
        self._digest = ""
        self._loaded: dict[str, Dictionary | None] = {}

    # -- current lists ---------------------------------------------------------------------------------------------

    def files(self) -> tuple[Path, ...]:
        try:
            with os.scandir(self._shelf) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(ENDING) and entry.is_file())
        except OSError:
            return ()
        return tuple(self._shelf / name for name in names if not name.startswith("."))

    def current(self) -> str:
        """Return the digest of the current lists; empty when they are disabled or contain no words."""
        if not self._enabled:
            return ""
        with self._lock:
            try:
                signature = tuple(
                    (path.name, info.st_mtime_ns, info.st_size) for path in self.files() for info in (path.stat(),)
                )
                if signature != self._signature:
                    self._digest = _digest(self.files())
                    self._signature = signature
            except OSError:
                return ""
            return self._digest

    # -- indexing --------------------------------------------------------------------------------------------------

    def settle(self, records: Records, view: str, is_rebuild: Callable[[], bool]) -> Settlement:
        """Choose the words for a sync of a view; the current lists when `is_rebuild` says everything is reindexed."""
        before = records.get(EPOCH_KEY) or ""
        digest = before
        if ((before or self.files()) and is_rebuild()) or (before and not self._copy(before).is_file()):
            digest = self._keep()
        path = str(self._copy(digest)) if digest else ""
        return Settlement(digest, path, digest != before, (records.get(view_key(view)) or "") != digest)

    def begin(self, records: Records, words: Settlement) -> None:
        """Record what new blobs are built with; call it only after the epoch was raised."""
        if words.new_epoch:
            records.set(EPOCH_KEY, words.digest)

    def finish(self, records: Records, view: str, words: Settlement) -> None:
        """Record what a view was built with; call it after the view is published."""
        if words.again:
            records.set(view_key(view), words.digest)

    def _keep(self) -> str:
        """Copy the current words, so that later edits of the lists do not affect this index."""
        digest = self.current()
        copy = self._copy(digest)
        if not digest or copy.is_file():
            return digest
        words = _words(self.files())
        if not words:
            return ""
        self._kept.mkdir(parents=True, exist_ok=True)
        temporary = copy.with_name(f".{copy.name}.{os.getpid()}")
        with temporary.open("w", encoding="ascii") as file:
            file.write("\n".join(words))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, copy)
        return digest

    def _copy(self, digest: str) -> Path:
        return self._kept / f"{digest}{ENDING}"

    def sweep(self, records: Records, views: tuple[str, ...]) -> None:
        """Remove copies that no view uses any more."""
        if not self._kept.is_dir():
            return
        used = {records.get(EPOCH_KEY), *(records.get(view_key(view)) for view in views)}
        for path in self._kept.glob(f"*{ENDING}"):
            if path.stem not in used:
                path.unlink(missing_ok=True)

    # -- queries ---------------------------------------------------------------------------------------------------

    def of(self, records: Records, view: str) -> Dictionary | None:
        """Load the words a view was built with; None without any, which needs no lookup in records."""
        if not self._kept.is_dir():
            return None
        digest = records.get(view_key(view)) or ""
        if not digest:
            return None
        with self._lock:
            if digest not in self._loaded:
                self._loaded = {digest: load(self._copy(digest), digest)}
            return self._loaded[digest]

    def state(self, records: Records, view: str, *, indexed: bool) -> DictionaryState:
        """Describe the current lists and the one the index of a view uses."""
        digest = self.current()
        applied = records.get(view_key(view)) or ""
        message = ""
        if indexed and digest != applied:
            message = "The word lists have changed since the index was built. Reindex to apply: index_repo with force."
        files = tuple(path.name for path in self.files())
        return DictionaryState(str(self._shelf), files, digest, self._enabled, applied, message)


def view_key(view: str) -> str:
    return f"{EPOCH_KEY}:{view}"


def _digest(files: tuple[Path, ...]) -> str:
    """Hash the contents of the lists; built-in abbreviations count too, because they change with the program."""
    hasher, any_word = blake3(" ".join(sorted(JARGON)).encode()), False
    for path in files:
        data = path.read_bytes()
        hasher.update(len(data).to_bytes(8, "little") + data)
        any_word = any_word or holds_words(data)
    return hasher.hexdigest()[:32] if any_word else ""


def _words(files: tuple[Path, ...]) -> list[str]:
    words: set[str] = set()
    for path in files:
        words.update(read_words(path.read_text(encoding="utf-8-sig", errors="replace")))
    return sorted(words)[:MOST_WORDS]
