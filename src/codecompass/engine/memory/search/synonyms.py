"""Synonyms: words that programmers use for the same thing, so that a query need not use the author's words.

The file `synonyms.txt` has one group a line; a word may be in several groups. Groups are general and not specific to
one project: a new line should hold in every repository. Pure.
"""

from functools import cache
from pathlib import Path

from codecompass.engine.memory.search.memory_tokens import stem_family
from codecompass.text.tokens import stem_parts

SYNONYMS_FILE = Path(__file__).with_name("synonyms.txt")
_MAX_PHRASE_WORDS = 3
"""Maximum words of a phrase."""


@cache
def _load_tables() -> tuple[dict[str, tuple[str, ...]], dict[tuple[str, ...], tuple[str, ...]]]:
    """Load (stem family → synonyms, stem families of a phrase → synonyms)."""
    single: dict[str, dict[str, None]] = {}
    joined: dict[tuple[str, ...], dict[str, None]] = {}
    for line in SYNONYMS_FILE.read_text("utf-8").splitlines():
        group = [tuple(map(stem_family, stem_parts(word))) for word in line.split()] if not line.startswith("#") else []
        plain = [word[0] for word in group if len(word) == 1]
        for word in filter(None, group):
            held = joined.setdefault(word, {}) if len(word) > 1 else single.setdefault(word[0], {})
            held.update(dict.fromkeys(other for other in plain if (other,) != word))
    return {word: tuple(held) for word, held in single.items()}, {word: tuple(held) for word, held in joined.items()}


def find_synonyms(family: str) -> tuple[str, ...]:
    """Return the stem families of synonyms."""
    return _load_tables()[0].get(family, ())


def find_phrases(words: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return (phrase, synonyms) for known phrases of adjacent words."""
    known = _load_tables()[1]
    spans = [words[at : at + size] for size in range(2, _MAX_PHRASE_WORDS + 1) for at in range(len(words) - size + 1)]
    return [(" ".join(span), known[span]) for span in dict.fromkeys(spans) if span in known]
