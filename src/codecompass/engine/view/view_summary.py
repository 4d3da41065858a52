"""View summaries: counts of a published view that are slow to compute, cached per generation."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from codecompass.engine.view.file_modes import RECORDS_NOTE, detect_mode
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.coverage import NOTES, PENDING, SKIPS, CoverageGap
from codecompass.model.path_text import display_path
from codecompass.model.states import MODES

SummaryKey = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ViewSummary:
    """Counts of the files of a view."""

    skipped: dict[str, int]
    languages: dict[str, int]
    index_bytes: int
    modes: dict[str, int]


@dataclass
class ViewSummaryCache:
    """Caches the latest summary, file count and gaps of every view; thread-safe."""

    _summaries: dict[int, tuple[SummaryKey, ViewSummary]] = field(default_factory=dict)
    _files: dict[int, tuple[SummaryKey, int]] = field(default_factory=dict)
    _gaps: dict[int, tuple[SummaryKey, tuple[CoverageGap, ...]]] = field(default_factory=dict)
    _pending: dict[int, tuple[SummaryKey, int]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def count_files(self, view: PinnedView) -> int:
        """Return the number of indexed files; skipped files are entries too but do not count."""
        key = _make_key(view)
        with self._lock:
            cached = self._files.get(view.row.id)
        if cached is not None and cached[0] == key:
            return cached[1]
        count = sum(1 for entry in view.entries.values() if entry.blob)
        with self._lock:
            self._files[view.row.id] = (key, count)
        return count

    def count_pending(self, view: PinnedView) -> int:
        """Return the number of files that the first index has not reached; 0 when it is finished."""
        key = _make_key(view)
        with self._lock:
            cached = self._pending.get(view.row.id)
        if cached is not None and cached[0] == key:
            return cached[1]
        count = view.snapshot.skips(view.row).get(PENDING, 0)
        with self._lock:
            self._pending[view.row.id] = (key, count)
        return count

    def find_gaps(self, view: PinnedView) -> tuple[CoverageGap, ...]:
        """Return the files that are not or only partly indexed, by path."""
        key = _make_key(view)
        with self._lock:
            cached = self._gaps.get(view.row.id)
        if cached is not None and cached[0] == key:
            return cached[1]
        found = _find_gaps(view)
        with self._lock:
            self._gaps[view.row.id] = (key, found)
        return found

    def get(self, view: PinnedView, size: Callable[[], int]) -> ViewSummary:
        key = _make_key(view)
        with self._lock:
            cached = self._summaries.get(view.row.id)
        if cached is not None and cached[0] == key:
            return cached[1]
        counted = ViewSummary(_count_skips(view), view.snapshot.language_counts(view.row), size(), _count_modes(view))
        with self._lock:
            self._summaries[view.row.id] = (key, counted)
        return counted


def _find_gaps(view: PinnedView) -> tuple[CoverageGap, ...]:
    found = view.snapshot.skipped_files(view.row, SKIPS)
    for note in NOTES:
        for blob in view.snapshot.find_view_blobs_with_note(view.row, note):
            found |= {path: note for path in view.paths.get(blob, ()) if path not in found}
    sizes = {path: view.entries[path].size for path in found if path in view.entries}
    return tuple(CoverageGap(display_path(path), found[path], sizes.get(path, 0)) for path in sorted(found))


def _count_skips(view: PinnedView) -> dict[str, int]:
    """Count the files that are left out for good, by reason."""
    return {reason: count for reason, count in view.snapshot.skips(view.row).items() if reason != PENDING}


def _count_modes(view: PinnedView) -> dict[str, int]:
    """Count the files of each mode; empty modes are left out."""
    identities = view.snapshot.identities(view.row)
    logs = view.snapshot.find_view_blobs_with_note(view.row, RECORDS_NOTE)
    found = Counter(
        detect_mode(path, view.registry.display_name(identities[entry.blob][1]), looks_like_records=entry.blob in logs)
        for path, entry in view.entries.items()
        if entry.blob in identities
    )
    return {mode: found[mode] for mode in MODES if found[mode]}


def _make_key(view: PinnedView) -> SummaryKey:
    # Generation numbers restart when an index is rebuilt from scratch; the time of a scan is unique.
    return (view.snapshot.generation, view.row.scanned_ns)
