"""Excerpt: the part of a long text that answers a question, and the lines of the source where it stands. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from codecompass.engine.memory.search.memory_query import Question, Thing, read_question
from codecompass.engine.memory.search.memory_tokens import root, words_of

MOST = 400
"""Letters of an excerpt."""
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s)|$)\s*", re.MULTILINE)
_BLANK = re.compile(r"\s+")
_GAP = "…"


class Excerpt(NamedTuple):
    """Sentences of a text with its gaps shown, and the text's first and last line they are of, as it has them."""

    text: str
    first: str
    last: str


def excerpt(text: str, question: str, most: int = MOST) -> Excerpt:
    """A short text as it is; of a longer one the run of sentences that has most of what is asked."""
    lines = text.split("\n")
    if len(text) <= most:
        return Excerpt(text, lines[0], lines[-1])
    parts = [part for part in _SENTENCE.findall(text) if part]
    room = most - 2 * len(_GAP) - 2
    first, last = _run(parts, _told(parts, read_question(question)), room)
    begin = sum(map(len, parts[:first]))
    whole = "".join(parts[first : last + 1])
    kept = whole.strip()[:room].rstrip()
    cut = len(kept) < len(whole.strip())
    begin += len(whole) - len(whole.lstrip())
    lead = f"{_GAP} " if first else ""
    tail = (_GAP if cut else f" {_GAP}") if cut or last + 1 < len(parts) else ""
    tail = tail if not kept.endswith(_GAP) else ""
    numbers = text.count("\n", 0, begin), text.count("\n", 0, begin + len(kept))
    return Excerpt(f"{lead}{kept}{tail}", lines[numbers[0]], lines[numbers[1]])


def place(found: Excerpt, lines: Sequence[str]) -> tuple[int, int]:
    """The first and the last of some lines that an excerpt stands in, from 0; -1 where it cannot be told.

    What was mined has no marks of comments and no runs of blanks, so a line is known by holding the mined one.
    """
    plain = [_BLANK.sub(" ", line) for line in lines]
    first = next((at for at, line in enumerate(plain) if found.first and found.first in line), -1)
    ends = (at for at, line in enumerate(plain) if at >= first and found.last and found.last in line)
    return first, next(ends, -1) if first >= 0 else -1


def _told(parts: Sequence[str], question: Question) -> list[float]:
    """How much of what is asked each sentence has, by whatever words."""
    told = []
    for part in parts:
        words = set(words_of(part))
        roots = set(map(root, words))
        told.append(sum(_worth(thing, words, roots) for thing in question.things))
    return told


def _worth(thing: Thing, words: set[str], roots: set[str]) -> float:
    if thing.word in words:
        return thing.emphasis
    return max((worth for other, worth in thing.others if other in roots), default=0.0)


def _run(parts: Sequence[str], told: Sequence[float], room: int) -> tuple[int, int]:
    """The best sentence with its neighbours: what follows explains, what stands before leads there."""
    first = last = told.index(max(told))
    size = len(parts[first])
    while True:
        after = last + 1 < len(parts) and size + len(parts[last + 1]) <= room
        before = first > 0 and size + len(parts[first - 1]) <= room
        if not after and not before:
            return first, last
        if after and (not before or told[last + 1] >= told[first - 1]):
            last += 1
            size += len(parts[last])
        else:
            first -= 1
            size += len(parts[first])
