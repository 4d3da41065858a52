"""Verbatim search: chunks that contain the text of a query, such as a message copied from a log.

Runs of words are looked up by their trigrams, so a query without a match costs little. In the few files that may
contain it, words are compared in order. Quotes, line breaks between the parts of a string, format placeholders (`%s`,
`{}`, `{name!r}`) and the values that a program inserted for them may be between the words.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.text.documents import is_document

_WORD = re.compile(r"[^\W_]+(?:'[a-z]{1,2}(?![\w'\"]))?")
_EXCEPTION_PREFIX = re.compile(r"^\s*[\w.]*(?:Error|Exception|Warning|Panic|Failure)\s*:\s+")
"""Exception type before the message in a stack trace."""
_MESSAGE_MARKS = re.compile(r"(?<!\w)['\"`<{\[(]|%[sdrvqx]\b|[:;,.!]\s|[.!]$|\b\d+\b")
"""Punctuation and numbers by which a query looks like a copied message."""
_RUN_LENGTHS = (4, 3, 2)
"""Lengths of the word runs to look up; shorter runs are tried only if no longer run matches."""
_MIN_WORDS, _MIN_CHARS = 3, 12
_MIN_PLAIN_RUN = 4
"""Minimum run of words for a plain sentence; a text that looks like a message may have gaps."""
_MAX_RUNS = 14
_MAX_WORDS = 48
_MAX_BLOBS_PER_RUN = 40
"""A run that more blobs may contain is ignored."""
_MAX_BLOBS_READ = 12
"""Maximum number of blobs that are read."""
_MIN_COVERAGE = 0.6
"""Minimum share of the words that must match in one chunk."""
_MAX_GAP_WORDS = 8
"""Maximum number of words between two words of the message: a placeholder's name or a longer expression."""


@dataclass(frozen=True, slots=True)
class VerbatimMatch:
    """A chunk that contains the text, and the share of its words that match in order."""

    blob: int
    ordinal: int
    share: float


def find_verbatim(view: PinnedView, reader: ContentReader, text: str, *, message: bool) -> list[VerbatimMatch]:
    """Find chunks that contain a text, best first. `message`: the query was classified as an error message."""
    text = _EXCEPTION_PREFIX.sub("", text).strip().strip("\"'`")
    spans = [found.span() for found in _WORD.finditer(text)][:_MAX_WORDS]
    if len(spans) < (_MIN_WORDS if message else _MIN_PLAIN_RUN) or len(text) < _MIN_CHARS:
        return []
    message = message or _MESSAGE_MARKS.search(text) is not None
    search = _VerbatimSearch(view, reader, text, spans, message)
    for length in _RUN_LENGTHS if message else (_MIN_PLAIN_RUN,):
        found = search.find_matches(length)
        if found:
            return sorted(found, key=lambda quote: -quote.share)
    return []


class _VerbatimSearch:
    """Search for one text; reads each blob once."""

    def __init__(
        self, view: PinnedView, reader: ContentReader, text: str, spans: list[tuple[int, int]], message: bool
    ) -> None:
        self._view = view
        self._reader = reader
        self._text = text
        self._spans = spans
        self._message = message
        self._words = [text[start:end].lower() for start, end in spans]
        self._contents: dict[int, str] = {}

    def find_matches(self, length: int) -> list[VerbatimMatch]:
        """Find blobs with a run of `length` words of the text that also contain enough of all words."""
        runs = [run.lower() for run in self._word_runs(length)]
        found = []
        for blob in self._candidate_blobs(runs):
            content = self._read_content(blob)
            folded = content.lower()
            if any(run in folded for run in runs) and (quote := self._best_match(blob, content)) is not None:
                found.append(quote)
        return found

    def _word_runs(self, length: int) -> Iterator[str]:
        """Yield runs of `length` words with the characters between them, spread evenly over the text."""
        text, spans = self._text, self._spans
        starts = range(len(spans) - min(length, len(spans)) + 1)
        step = max(1, -(-len(starts) // _MAX_RUNS))
        for at in starts[::step]:
            run = text[spans[at][0] : spans[min(at + length, len(spans)) - 1][1]]
            if len(run) >= 2 * length:
                yield run

    def _candidate_blobs(self, runs: list[str]) -> list[int]:
        """Return blobs that may contain the text, those with most of its runs first."""
        view = self._view
        if not self._message:
            # A plain sentence must match as a whole: one lookup is enough.
            return sorted(view.snapshot.find_blobs_containing(self._text, view.row, _MAX_BLOBS_READ) or ())
        counts: Counter[int] = Counter()
        for run in runs:
            counts.update(view.snapshot.find_blobs_containing(run, view.row, _MAX_BLOBS_PER_RUN) or ())
        return [blob for blob, _ in counts.most_common(_MAX_BLOBS_READ)]

    def _read_content(self, blob: int) -> str:
        if blob not in self._contents:
            path = next(iter(self._view.paths.get(blob, ())), None)
            readable = path is not None and not is_document(self._view.language_of(path))
            lines = self._reader.read_lines(self._view, path) if path is not None and readable else None
            self._contents[blob] = "\n".join(lines or ())
        return self._contents[blob]

    def _best_match(self, blob: int, content: str) -> VerbatimMatch | None:
        """Return the best match in one blob, if it contains enough of the words."""
        words, tokens = self._words, list(_WORD.finditer(content))
        covered, run, at = _find_best_position([found.group().lower() for found in tokens], words)
        if covered < _MIN_COVERAGE * len(words) or run < (2 if self._message else _MIN_PLAIN_RUN):
            return None
        ordinal = _find_chunk(self._view, blob, content.count("\n", 0, tokens[at].start()) + 1)
        return VerbatimMatch(blob, ordinal, covered / len(words)) if ordinal >= 0 else None


def _find_best_position(tokens: list[str], words: list[str]) -> tuple[int, int, int]:
    """Find the best alignment: the number of words in order, their longest run, and where it begins."""
    first: dict[tuple[str, str], list[int]] = {}
    for at, pair in enumerate(zip(words, words[1:], strict=False)):
        first.setdefault(pair, []).append(at)
    best = (0, 0, 0)
    for at, pair in enumerate(zip(tokens, tokens[1:], strict=False)):
        for begin in first.get(pair, ()):
            found = _align_words(tokens, words, at, begin)
            if found > best[:2]:
                best = (*found, at)
    return best


def _align_words(tokens: list[str], words: list[str], at: int, begin: int) -> tuple[int, int]:
    """Align words from one position on, with gaps on either side; returns the matched words and the longest run."""
    covered = run = longest = 0
    while at < len(tokens) and begin < len(words):
        if tokens[at] == words[begin]:
            covered, run = covered + 1, run + 1
            at, begin = at + 1, begin + 1
            longest = max(longest, run)
            continue
        run = 0
        gap = _find_next_match(tokens, words, at, begin)
        if gap is None:
            break
        at, begin = gap
    return covered, longest


def _find_next_match(tokens: list[str], words: list[str], at: int, begin: int) -> tuple[int, int] | None:
    """Find the nearest pair of equal words after a gap."""
    for distance in range(1, 2 * _MAX_GAP_WORDS):
        for skipped in range(max(0, distance - _MAX_GAP_WORDS), min(distance, _MAX_GAP_WORDS) + 1):
            position, word = at + distance - skipped, begin + skipped
            if position < len(tokens) and word < len(words) and tokens[position] == words[word]:
                return position, word
    return None


def _find_chunk(view: PinnedView, blob: int, line: int) -> int:
    for ordinal, chunk in enumerate(view.snapshot.facts(blob).chunks):
        if chunk.line_start <= line <= chunk.line_end:
            return ordinal
    return -1
