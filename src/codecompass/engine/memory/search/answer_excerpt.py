"""Answer excerpts: select the part of a long text that answers a query, and find its source lines. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from codecompass.engine.memory.search.memory_query import ParsedMemoryQuery, QueryTerm, parse_memory_query
from codecompass.engine.memory.search.memory_tokens import stem_family, tokenize

MAX_LENGTH = 400
"""Maximum characters of an excerpt."""
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s)|$)\s*", re.MULTILINE)
_BLANK = re.compile(r"\s+")
_ELLIPSIS = "…"


class AnswerExcerpt(NamedTuple):
    """Sentences of a text, with ellipses for omitted parts, and the first and last line of the text that they cover."""

    text: str
    first: str
    last: str


def extract_excerpt(text: str, question: str, most: int = MAX_LENGTH) -> AnswerExcerpt:
    """Return a short text unchanged; from a longer one, the run of sentences that matches the query best."""
    lines = text.split("\n")
    if len(text) <= most:
        return AnswerExcerpt(text, lines[0], lines[-1])
    parts = [part for part in _SENTENCE.findall(text) if part]
    room = most - 2 * len(_ELLIPSIS) - 2
    first, last = _select_sentences(parts, _score_sentences(parts, parse_memory_query(question)), room)
    begin = sum(map(len, parts[:first]))
    whole = "".join(parts[first : last + 1])
    selected = whole.strip()[:room].rstrip()
    cut = len(selected) < len(whole.strip())
    begin += len(whole) - len(whole.lstrip())
    lead = f"{_ELLIPSIS} " if first else ""
    tail = (_ELLIPSIS if cut else f" {_ELLIPSIS}") if cut or last + 1 < len(parts) else ""
    tail = tail if not selected.endswith(_ELLIPSIS) else ""
    numbers = text.count("\n", 0, begin), text.count("\n", 0, begin + len(selected))
    return AnswerExcerpt(f"{lead}{selected}{tail}", lines[numbers[0]], lines[numbers[1]])


def locate_excerpt(found: AnswerExcerpt, lines: Sequence[str]) -> tuple[int, int]:
    """Return the first and last index of the lines that contain an excerpt; -1 if unknown.

    Mined text has no comment marks and no repeated spaces, so a source line matches if it contains the mined line.
    """
    plain = [_BLANK.sub(" ", line) for line in lines]
    first = next((at for at, line in enumerate(plain) if found.first and found.first in line), -1)
    ends = (at for at, line in enumerate(plain) if at >= first and found.last and found.last in line)
    return first, next(ends, -1) if first >= 0 else -1


def _score_sentences(parts: Sequence[str], question: ParsedMemoryQuery) -> list[float]:
    """Score each sentence by the query terms that it contains, including synonyms."""
    scores = []
    for part in parts:
        words = set(tokenize(part))
        roots = set(map(stem_family, words))
        scores.append(sum(_score_term(term, words, roots) for term in question.terms))
    return scores


def _score_term(term: QueryTerm, words: set[str], roots: set[str]) -> float:
    if term.word in words:
        return term.emphasis
    return max((worth for other, worth in term.synonyms if other in roots), default=0.0)


def _select_sentences(parts: Sequence[str], scores: Sequence[float], room: int) -> tuple[int, int]:
    """Select the best sentence and its neighbours up to the length limit, preferring those that follow."""
    first = last = scores.index(max(scores))
    size = len(parts[first])
    while True:
        after = last + 1 < len(parts) and size + len(parts[last + 1]) <= room
        before = first > 0 and size + len(parts[first - 1]) <= room
        if not after and not before:
            return first, last
        if after and (not before or scores[last + 1] >= scores[first - 1]):
            last += 1
            size += len(parts[last])
        else:
            first -= 1
            size += len(parts[first])
