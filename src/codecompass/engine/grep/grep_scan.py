"""Grep scan: select candidate files by trigrams and verify each with the pattern, in path order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from blake3 import blake3

from codecompass.engine.grep.file_source import FileSource
from codecompass.engine.grep.grep_filters import GrepFilter
from codecompass.engine.grep.grep_scope import GrepScope, is_excluded
from codecompass.engine.grep.line_matches import LineMatch, LineSearch, build_excerpt, to_searchable_text
from codecompass.engine.grep.match_counter import MatchCounter
from codecompass.engine.grep.regex.pattern import Expression
from codecompass.engine.grep.text_cache import MAX_TEXT_BYTES, TextCache
from codecompass.engine.search.filters.path_patterns import PathTest
from codecompass.engine.view.pinned_view import PinnedView, display_path
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepMatch
from codecompass.model.time_budget import TimeBudget
from codecompass.store.fact_codec import ContentPacker

COUNT_S = 2.5
"""Seconds after which the scan stops counting, once it has found as many lines as requested."""
SCAN_S = 30.0
"""Seconds after which a scan that has found something stops with partial results."""
_WINDOW = 128
_MANY = 300
"""Number of files above which a scan caches their texts."""


@dataclass
class GrepScan:
    """One search. Not thread-safe."""

    expression: Expression
    source: FileSource
    grep_filter: GrepFilter
    limit: int
    call: Call
    text_cache: TextCache
    path_test: PathTest | None = None
    view: PinnedView | None = None
    scope: GrepScope | None = None
    masked: bool = True
    matches: list[GrepMatch] = field(default_factory=list)
    total: int = 0
    searched: int = 0
    complete: bool = True

    def __post_init__(self) -> None:
        self._packer = ContentPacker()
        self._search_number = self.text_cache.start_search()
        self._count_budget = TimeBudget.start(COUNT_S, self.call)
        self._scan_budget = TimeBudget.start(SCAN_S, self.call)
        self._caches_texts = False
        self._compresses_texts = self.scope is not None and self.scope.size > self.text_cache.budget
        self._counter = MatchCounter(self.expression, self.call.check)

    def run(self) -> None:
        """Run the scan; set `matches`, `total`, `searched` and `complete`."""
        loose = [path for path in self.source.unindexed if not is_excluded(path) and self._matches_glob(path)]
        indexed = self._select_candidates()
        self.searched += len(loose)
        if len(indexed) + len(loose) > _MANY:
            self._caches_texts = True
        self.grep_filter.prefetch(indexed)
        source = iter(sorted([*indexed, *loose]))
        while window := list(islice(source, _WINDOW)):
            for path, text, from_memory in self._read_texts(window):
                self.call.check()
                if text:
                    self._scan_file(path, text, from_memory=from_memory)
            if self._is_out_of_time():
                self.complete = next(source, None) is None
                break
        self.total += self._counter.finish()

    def _matches_glob(self, path: str) -> bool:
        return self.path_test is None or self.path_test(path)

    def _select_candidates(self) -> list[str]:
        """Return the indexed files in which the pattern may match."""
        view, scope = self.view, self.scope
        if view is None or scope is None:
            return []
        here = scope.files - self.source.outdated
        if self.path_test is not None or self.grep_filter.filters:
            here = frozenset(
                path for path in here if self._matches_glob(path) and self.grep_filter.may_match_file(path)
            )
        self.searched += len(here)
        grams = self.expression.grams
        if grams.matches_all:
            return list(here)
        paths = view.paths
        matching = {
            path for blob in view.snapshot.find_blobs_by_trigrams(grams, view.row) for path in paths.get(blob, ())
        }
        return list(here & (matching | scope.always_read))

    # -- texts -----------------------------------------------------------------------------------------------------

    def _read_texts(self, window: list[str]) -> Iterator[tuple[str, bytes | None, bool]]:
        """Yield (path, text, whether it came from the cache) for each file; uncached files are read."""
        packs = {path: self._get_cached(path) for path in window}
        contents = self.source.read([path for path in window if packs[path] is None])
        for path in window:
            pack = packs[path]
            if pack is not None:
                yield path, self._packer.unpack(pack[0]) if pack[1] else pack[0], True
                continue
            _, data = next(contents)
            text = self._to_text(path, data)
            if text is not None and data is not None and self._caches_texts:
                self._cache_text(path, data, text)
            yield path, text, False

    def _get_cached(self, path: str) -> tuple[bytes, bool] | None:
        return None if (digest := self._get_digest(path)) is None else self.text_cache.get(digest, self._search_number)

    def _get_digest(self, path: str) -> bytes | None:
        """Return the content hash that the index has for a file, or None if it has none."""
        if path in self.source.unindexed or self.view is None or self.scope is None:
            return None
        return self.scope.digests.get(self.view.entries[path].blob)

    def _to_text(self, path: str, data: bytes | None) -> bytes | None:
        if data is None:
            return None
        if (
            path in self.source.unindexed
            and self.grep_filter.filters
            and not self.grep_filter.matches_unindexed(path, data)
        ):
            return None
        return to_searchable_text(data, masked=self.masked)

    def _cache_text(self, path: str, data: bytes, text: bytes) -> None:
        digest = self._get_digest(path) if len(text) <= MAX_TEXT_BYTES else None
        # The file may have changed since it was compared, so verify the hash before caching the text under it.
        if digest is not None and blake3(data).digest() == digest:
            kept = self._packer.pack(text) if self._compresses_texts else text
            self.text_cache.put(digest, kept, self._search_number, packed=self._compresses_texts)

    # -- lines -----------------------------------------------------------------------------------------------------

    def _scan_file(self, path: str, text: bytes, *, from_memory: bool) -> None:
        want = self.limit - len(self.matches)
        passes = None if path in self.source.unindexed else self.grep_filter.build_line_test(path)
        if not want and passes is None:
            self._counter.add(text)
            return
        found = LineSearch(text, want, passes).run(self.expression.split_by_matcher(text))
        if found.matches and from_memory and self.source.live:
            # Read the file again before showing a cached line: some writes leave no trace in the metadata.
            data = next(iter(self.source.read([path])))[1]
            text = to_searchable_text(data or b"", masked=self.masked) or b""
            found = LineSearch(text, want, passes).run(self.expression.split_by_matcher(text))
        self.total += found.total
        self._counter.add(text, found.resume_at)
        self.matches += [self._build_match(path, text, place) for place in found.matches]

    def _build_match(self, path: str, text: bytes, place: LineMatch) -> GrepMatch:
        found = build_excerpt(text, place)
        column = place.at - place.start + 1
        return GrepMatch(display_path(path), place.line, column, found.text, found.before, found.after, found.cut)

    def _is_out_of_time(self) -> bool:
        budget = self._count_budget if len(self.matches) >= self.limit else self._scan_budget
        return self.total > 0 and budget.is_over()
