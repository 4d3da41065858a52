"""Grep scan: select candidate files by trigrams and verify each with the pattern, in path order."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from blake3 import blake3

from codecompass.engine.grep.file_source import Tree
from codecompass.engine.grep.grep_filters import Narrowing
from codecompass.engine.grep.grep_scope import Scope, is_excluded
from codecompass.engine.grep.line_matches import Place, Search, excerpt, text_of
from codecompass.engine.grep.match_counter import Tally
from codecompass.engine.grep.regex.pattern import Expression
from codecompass.engine.grep.text_cache import LARGEST, KeptTexts
from codecompass.engine.search.filters.path_patterns import PathTest
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepMatch
from codecompass.store.fact_codec import ContentPacker

COUNT_S = 2.5
"""Seconds after which the scan stops counting, once it has found as many lines as requested."""
LOOK_S = 30.0
"""Seconds after which a scan that has found something stops with partial results."""
_WINDOW = 128
_MANY = 300
"""Number of files above which a scan caches their texts."""


@dataclass
class Scan:
    """One search. Not thread-safe."""

    expression: Expression
    tree: Tree
    narrowing: Narrowing
    limit: int
    call: Call
    kept: KeptTexts
    test: PathTest | None = None
    view: PinnedView | None = None
    scope: Scope | None = None
    masked: bool = True
    matches: list[GrepMatch] = field(default_factory=list)
    total: int = 0
    searched: int = 0
    complete: bool = True

    def __post_init__(self) -> None:
        self._packer = ContentPacker()
        self._turn = self.kept.begin()
        self._began = time.monotonic()
        self._keeping = False
        self._packing = self.scope is not None and self.scope.size > self.kept.budget
        self._tally = Tally(self.expression, self.call.check)

    def run(self) -> None:
        """Run the scan; set `matches`, `total`, `searched` and `complete`."""
        loose = [path for path in self.tree.loose if not is_excluded(path) and self._fits(path)]
        indexed = self._candidates()
        self.searched += len(loose)
        if len(indexed) + len(loose) > _MANY:
            self._keeping = True
        self.narrowing.prepare(indexed)
        source = iter(sorted([*indexed, *loose]))
        while window := list(islice(source, _WINDOW)):
            for path, text, from_memory in self._texts(window):
                self.call.check()
                if text:
                    self._look(path, text, from_memory=from_memory)
            if self._is_late():
                self.complete = next(source, None) is None
                break
        self.total += self._tally.finish()

    def _fits(self, path: str) -> bool:
        return self.test is None or self.test(path)

    def _candidates(self) -> list[str]:
        """Return the indexed files in which the pattern may match."""
        view, scope = self.view, self.scope
        if view is None or scope is None:
            return []
        here = scope.files - self.tree.outdated
        if self.test is not None or self.narrowing.filters:
            here = frozenset(path for path in here if self._fits(path) and self.narrowing.admits(path))
        self.searched += len(here)
        grams = self.expression.grams
        if grams.is_everything:
            return list(here)
        paths = view.paths
        matching = {path for blob in view.snapshot.blobs_fulfilling(grams, view.row) for path in paths.get(blob, ())}
        return list(here & (matching | scope.untold))

    # -- texts -----------------------------------------------------------------------------------------------------

    def _texts(self, window: list[str]) -> Iterator[tuple[str, bytes | None, bool]]:
        """Yield (path, text, whether it came from the cache) for each file; uncached files are read."""
        packs = {path: self._pack(path) for path in window}
        contents = self.tree.read([path for path in window if packs[path] is None])
        for path in window:
            pack = packs[path]
            if pack is not None:
                yield path, self._packer.unpack(pack[0]) if pack[1] else pack[0], True
                continue
            _, data = next(contents)
            text = self._text(path, data)
            if text is not None and data is not None and self._keeping:
                self._keep(path, data, text)
            yield path, text, False

    def _pack(self, path: str) -> tuple[bytes, bool] | None:
        return None if (digest := self._digest(path)) is None else self.kept.get(digest, self._turn)

    def _digest(self, path: str) -> bytes | None:
        """Return the content hash that the index has for a file, or None if it has none."""
        if path in self.tree.loose or self.view is None or self.scope is None:
            return None
        return self.scope.digests.get(self.view.entries[path].blob)

    def _text(self, path: str, data: bytes | None) -> bytes | None:
        if data is None:
            return None
        if path in self.tree.loose and self.narrowing.filters and not self.narrowing.admits_loose(path, data):
            return None
        return text_of(data, masked=self.masked)

    def _keep(self, path: str, data: bytes, text: bytes) -> None:
        digest = self._digest(path) if len(text) <= LARGEST else None
        # The file may have changed since it was compared, so verify the hash before caching the text under it.
        if digest is not None and blake3(data).digest() == digest:
            kept = self._packer.pack(text) if self._packing else text
            self.kept.put(digest, kept, self._turn, packed=self._packing)

    # -- lines -----------------------------------------------------------------------------------------------------

    def _look(self, path: str, text: bytes, *, from_memory: bool) -> None:
        want = self.limit - len(self.matches)
        passes = None if path in self.tree.loose else self.narrowing.judge(path)
        if not want and passes is None:
            self._tally.add(text)
            return
        found = Search(text, want, passes).run(self.expression.pieces(text))
        if found.found and from_memory and self.tree.live:
            # Read the file again before showing a cached line: some writes leave no trace in the metadata.
            data = next(iter(self.tree.read([path])))[1]
            text = text_of(data or b"", masked=self.masked) or b""
            found = Search(text, want, passes).run(self.expression.pieces(text))
        self.total += found.total
        self._tally.add(text, found.rest)
        self.matches += [self._match(path, text, place) for place in found.found]

    def _match(self, path: str, text: bytes, place: Place) -> GrepMatch:
        found = excerpt(text, place)
        column = place.at - place.start + 1
        return GrepMatch(shown(path), place.line, column, found.text, found.before, found.after, found.cut)

    def _is_late(self) -> bool:
        spent = time.monotonic() - self._began
        return spent > (COUNT_S if len(self.matches) >= self.limit else LOOK_S) and self.total > 0
