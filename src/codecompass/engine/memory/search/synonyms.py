"""Thesaurus: other words that programmers use for one thing, so that a question need not have the author's own.

The words stand in `synonyms.txt`, one thing a line; a word may stand in several. They are of the trade and not of any
one project: who adds a line should find it true in every repository. Pure.
"""

from functools import cache
from pathlib import Path

from codecompass.engine.memory.search.memory_tokens import root
from codecompass.text.stems import stems

WORDS = Path(__file__).with_name("synonyms.txt")
_LONGEST = 3
"""Words of the longest phrase."""


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[tuple[str, ...], tuple[str, ...]]]:
    """(root → other roots, roots of a phrase → other roots)."""
    single: dict[str, dict[str, None]] = {}
    joined: dict[tuple[str, ...], dict[str, None]] = {}
    for line in WORDS.read_text("utf-8").splitlines():
        group = [tuple(map(root, stems(word))) for word in line.split()] if not line.startswith("#") else []
        plain = [word[0] for word in group if len(word) == 1]
        for word in filter(None, group):
            held = joined.setdefault(word, {}) if len(word) > 1 else single.setdefault(word[0], {})
            held.update(dict.fromkeys(other for other in plain if (other,) != word))
    return {word: tuple(held) for word, held in single.items()}, {word: tuple(held) for word, held in joined.items()}


def others(root: str) -> tuple[str, ...]:
    """Roots of other words for the same thing."""
    return _tables()[0].get(root, ())


def phrases(words: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """(phrase, other roots) for what neighbouring roots mean together."""
    known = _tables()[1]
    spans = [words[at : at + size] for size in range(2, _LONGEST + 1) for at in range(len(words) - size + 1)]
    return [(" ".join(span), known[span]) for span in dict.fromkeys(spans) if span in known]
