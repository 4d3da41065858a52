"""Stems: a light stemmer without a dictionary for plurals, -ing, -ed, -er and -ation.

A stem need not be a word (`validate`, `validated` and `validation` share `validat`), only the same for all of them.
"""

from functools import lru_cache

from codecompass.text.spelling import to_american, to_british
from codecompass.text.tokens import split_identifier

_ENDINGS = (
    ("izations", "ize"), ("ization", "ize"), ("izers", "ize"), ("izer", "ize"), ("ations", "at"), ("ation", "at"),
    ("izing", "ize"), ("ized", "ize"), ("ingly", ""), ("ings", ""), ("ing", ""), ("edly", ""), ("ies", "y"),
    ("ied", "y"), ("ers", ""), ("ors", ""), ("er", ""), ("or", ""), ("ed", ""), ("es", ""), ("ly", ""), ("ss", "ss"),
    ("s", ""),
)  # fmt: skip
"""Ending → replacement; the first ending that matches is replaced."""
_FORMS = ("", "e", "s", "es", "ed", "ing", "ings", "ion", "ions", "ation", "ations", "ly", "er", "ers", "or",
          "ors")  # fmt: skip
_MIN_LETTERS = 3
"""Minimum letters that must remain."""
_SHORT = 4
"""Words up to this length only lose a plural s."""
_CACHE_SIZE = 50_000


@lru_cache(maxsize=_CACHE_SIZE)
def stem(word: str) -> str:
    """Return the stem of a lower-case word, the same for British and American spelling."""
    word = to_american(word)
    if len(word) <= _SHORT:
        return word[:-1] if len(word) == _SHORT and word.endswith("s") and not word.endswith("ss") else word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_LETTERS:
            word = word[: -len(ending)] + instead
            break
    if len(word) > _MIN_LETTERS and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORT and word.endswith("e") else word


@lru_cache(maxsize=_CACHE_SIZE)
def stem_parts(name: str) -> tuple[str, ...]:
    """Return the stems of the parts of an identifier, in order, without single letters."""
    return tuple([stem(part) for part in split_identifier(name) if len(part) > 1])


@lru_cache(maxsize=_CACHE_SIZE)
def distinct_stems(name: str) -> tuple[str, ...]:
    """Return the stems of the parts of an identifier without duplicates."""
    found = stem_parts(name)
    return found if len(found) < 2 else tuple(dict.fromkeys(found))


@lru_cache(maxsize=4_096)
def list_inflections(word: str) -> tuple[str, ...]:
    """Return a word and its possible inflections with the same stem, the word first."""
    root = stem(word)
    made = [root + ending for ending in _FORMS] + [root + root[-1:] + ending for ending in ("ed", "ing")]
    if root.endswith("y"):
        made += [root[:-1] + "ies", root[:-1] + "ied"]
    found = [word, *(form for form in made if len(form) > 1 and stem(form) == root)]
    return tuple(dict.fromkeys([*found, *(to_british(form) for form in found), *(to_american(form) for form in found)]))
