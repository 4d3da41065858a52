"""Answer excerpts: select the part of a long text that answers a query, and find its source lines. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from codecompass.engine.memory.search.memory_query import Question, Thing, read_question
from codecompass.engine.memory.search.memory_tokens import root, words_of

MOST = 400
"""Maximum characters of an excerpt."""
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s)|$)\s*", re.MULTILINE)
_BLANK = re.compile(r"\s+")
_GAP = "…"


class Excerpt(NamedTuple):
    """Sentences of a text, with ellipses for omitted parts, and the first and last line of the text that they cover."""

    text: str
    first: str
    last: str


def excerpt(text: str, question: str, most: int = MOST) -> Excerpt:
    """Return a short text unchanged; from a longer one, the run of sentences that matches the query best."""
    lines = text.split("\n")
    if len(text) <= most:
        return Excerpt(text, lines[0], lines[-1])
    parts = [part for part in _SENTENCE.findall(text) if part]
    room = most - 2 * len(_GAP) - 2
    first, last = _run(parts, _told(parts, read_question(question)), room)
    begin = sum(map(len, parts[:first]))
    whole = "".join(parts[first : last + 1])
    selected = whole.strip()[:room].rstrip()
    cut = len(selected) < len(whole.strip())
    begin += len(whole) - len(whole.lstrip())
    lead = f"{_GAP} " if first else ""
    tail = (_GAP if cut else f" {_GAP}") if cut or last + 1 < len(parts) else ""
    tail = tail if not selected.endswith(_GAP) else ""
    numbers = text.count("\n", 0, begin), text.count("\n", 0, begin + len(selected))
    return Excerpt(f"{lead}{selected}{tail}", lines[numbers[0]], lines[numbers[1]])


def place(found: Excerpt, lines: Sequence[str]) -> tuple[int, int]:
    """Return the first and last index of the lines that contain an excerpt; -1 if unknown.

    Mined text has no comment marks and no repeated spaces, so a source line matches if it contains the mined line.
    """
    plain = [_BLANK.sub(" ", line) for line in lines]
    first = next((at for at, line in enumerate(plain) if found.first and found.first in line), -1)
    ends = (at for at, line in enumerate(plain) if at >= first and found.last and found.last in line)
    return first, next(ends, -1) if first >= 0 else -1


def _told(parts: Sequence[str], question: Question) -> list[float]:
    """Score each sentence by the query terms that it contains, including synonyms."""
    scores = []
    for part in parts:
        words = set(words_of(part))
        roots = set(map(root, words))
        scores.append(sum(_worth(term, words, roots) for term in question.things))
    return scores


def _worth(term: Thing, words: set[str], roots: set[str]) -> float:
    if term.word in words:
        return term.emphasis
    return max((worth for other, worth in term.others if other in roots), default=0.0)


def _run(parts: Sequence[str], scores: Sequence[float], room: int) -> tuple[int, int]:
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
