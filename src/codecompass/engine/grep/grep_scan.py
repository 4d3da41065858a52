"""Grep scan: select candidate files by trigrams and verify each with the pattern, in path order."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from blake3 import blake3

from codecompass.engine.grep.file_source import FileSource
from codecompass.engine.grep.grep_filters import GrepFilter
from codecompass.engine.grep.grep_scope import GrepScope, is_excluded
from codecompass.engine.grep.line_matches import (
    LineMatch,
    LineSearch,
    LineTest,
    build_excerpt,
    decode_line,
    find_other_lines,
    read_line,
    read_whole_line,
    to_searchable_text,
)
from codecompass.engine.grep.match_counter import MatchCounter
from codecompass.engine.grep.match_spans import SpanFinder
from codecompass.engine.grep.regex.pattern import Expression
from codecompass.engine.grep.text_cache import MAX_TEXT_BYTES, TextCache
from codecompass.engine.search.filters.path_patterns import PathTest
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.call import Call
from codecompass.model.path_text import display_path
from codecompass.model.queries.grep_query import GrepMatch, GrepQuery, MatchListener
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
    query: GrepQuery = GrepQuery("")
    on_matches: MatchListener | None = None
    """Receives the matches of each file; they are then not collected."""
    file_counts: list[tuple[str, int]] = field(default_factory=list)
    matches: list[GrepMatch] = field(default_factory=list)
    total: int = 0
    searched: int = 0
    complete: bool = True

    def __post_init__(self) -> None:
        self._packer = ContentPacker()
        self._taken = 0
        """Matches so far, collected or handed over."""
        self._search_number = self.text_cache.start_search()
        self._count_budget = TimeBudget.start(COUNT_S, self.call)
        self._scan_budget = TimeBudget.start(SCAN_S, self.call)
        self._caches_texts = False
        self._compresses_texts = self.scope is not None and self.scope.size > self.text_cache.budget
        self._spans = SpanFinder(self.expression)
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
        if grams.matches_all or self.query.is_inverted:
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

    def _count_file(self, path: str, text: bytes) -> None:
        """Count the matching lines of a file, or its matches."""
        passes = None if path in self.source.unindexed else self.grep_filter.build_line_test(path)
        places = self._find_places(text, passes, 1 if self.query.output == "files" else sys.maxsize)
        count = len(places)
        if self.query.output == "match_counts" and not self.query.is_inverted:
            count = sum(len(self._spans.find(read_line(text, place.start))) for place in places)
        self.total += count
        if count:
            self.file_counts.append((display_path(path), count))

    def _find_places(self, text: bytes, passes: LineTest | None, limit: int) -> list[LineMatch]:
        pieces = self.expression.split_by_matcher(text)
        if self.query.is_inverted:
            return find_other_lines(text, pieces, passes)
        return LineSearch(text, limit, passes).run(pieces).matches

    def _scan_file(self, path: str, text: bytes, *, from_memory: bool) -> None:
        if self.query.output in ("files", "counts", "match_counts"):
            self._count_file(path, text)
            return
        if self.query.is_inverted:
            passes = None if path in self.source.unindexed else self.grep_filter.build_line_test(path)
            places = find_other_lines(text, self.expression.split_by_matcher(text), passes)
            self.total += len(places)
            self._take(path, text, places[: self.limit - self._taken])
            return
        want = self.limit - self._taken
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
        self._take(path, text, found.matches)

    def _take(self, path: str, text: bytes, places: Sequence[LineMatch]) -> None:
        """Collect the matches of one file, or hand them to the listener."""
        if not places:
            return
        self._taken += len(places)
        found = [self._build_match(path, text, place) for place in places]
        if self.on_matches is None:
            self.matches += found
        else:
            self.on_matches(found)

    def _build_match(self, path: str, text: bytes, place: LineMatch) -> GrepMatch:
        shown = display_path(path)
        if self.query.output == "excerpts":
            found = build_excerpt(text, place)
            column = place.at - place.start + 1
            return GrepMatch(shown, place.line, column, found.text, found.before, found.after, found.cut)
        line = read_line(text, place.start)
        if not (self.query.wants_spans or self.query.before or self.query.after):
            return GrepMatch(shown, place.line, place.at - place.start + 1, decode_line(line), (), ())
        found = read_whole_line(text, place, self.query.before, self.query.after)
        spans = self._spans.find(line) if self.query.wants_spans and not self.query.is_inverted else []
        column = spans[0][0] + 1 if spans else place.at - place.start + 1
        ends = [tuple(len(line[:at].decode("utf-8", "replace")) for at in span) for span in spans]
        places = tuple((min(start, len(found.text)), min(end, len(found.text))) for start, end in ends)
        return GrepMatch(shown, place.line, column, found.text, found.before, found.after, spans=places)

    def _is_out_of_time(self) -> bool:
        budget = self._count_budget if self._taken >= self.limit else self._scan_budget
        return self.total > 0 and budget.is_over()
