"""Excerpt: the part of a long text that answers a question. Pure."""

import re

from codecompass.engine.memory.wording import words_of

MOST = 400
"""Letters of an excerpt."""
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s)|$)\s*", re.MULTILINE)
_GAP = "…"


def excerpt(text: str, question: str, most: int = MOST) -> str:
    """A short text as it is; of a longer one the run of sentences with most of the question's words, and gaps shown."""
    if len(text) <= most:
        return text
    parts = [part for part in _SENTENCE.findall(text) if part]
    wanted = set(words_of(question))
    shared = [len(wanted & set(words_of(part))) for part in parts]
    first = shared.index(max(shared))
    last, size = first, len(parts[first])
    room = most - 2 * len(_GAP) - 2
    # What follows explains, what stands before leads there: in turns, as long as there is room.
    while True:
        after = last + 1 < len(parts) and size + len(parts[last + 1]) <= room
        before = first > 0 and size + len(parts[first - 1]) <= room
        if not after and not before:
            break
        if after and (not before or shared[last + 1] >= shared[first - 1]):
            last += 1
            size += len(parts[last])
        else:
            first -= 1
            size += len(parts[first])
    kept = "".join(parts[first : last + 1]).strip()
    cut = len(kept) > room
    kept = kept[:room].rstrip()
    lead = f"{_GAP} " if first else ""
    tail = _GAP if cut or last + 1 < len(parts) and not kept.endswith(_GAP) else ""
    return f"{lead}{kept}{' ' if tail and not cut else ''}{tail}"
