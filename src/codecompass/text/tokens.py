"""Tokens: words of code and queries, their parts, stems and spellings.

`getHTTPResponse_v2` yields the whole identifier and its parts: `gethttpresponse_v2 get http response v2`. The text
index splits plain words itself; this module adds what it cannot derive (whole identifiers, camel-case parts).

A stem need not be a word (`validate`, `validated` and `validation` share `validat`), only the same for all of them. A
word is converted between British and American spelling only if its root is listed, or if it ends in -ise or -ize and is
not an exception: `four` is not `for`, `hour` is not `hor`, `prise` is not `prize`.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_BLANKED = bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)) + b" " * 128
MAX_WORD = 100
"""A longer run of word characters is data, not a name."""
_MEMO_LIMIT = 200_000
_CACHE_SIZE, _STEM_CACHE_SIZE = 20_000, 50_000


def split_identifier(word: str) -> list[str]:
    """Split an identifier into its lower-case parts, in order."""
    return [part.lower() for part in _PART.findall(word)]


@lru_cache(maxsize=_CACHE_SIZE)
def name_parts(name: str) -> frozenset[str]:
    """Return the distinct parts of a name; cached, because the same names are requested repeatedly."""
    return frozenset(split_identifier(name))


def split_preserving_case(word: str) -> list[str]:
    """Split an identifier into its parts without changing case."""
    return _PART.findall(word)


def expand(word: str, split: Callable[[str], list[str]] | None = None) -> str:
    """Return a word as it is indexed: in lower case, followed by its parts if there are several.

    `split` replaces the default splitting, for example by a dictionary.
    """
    if len(word) > MAX_WORD:
        return ""
    lower = word.lower()
    if split is None and word.isascii() and word.isalpha() and (word.islower() or word.isupper()):
        return lower
    parts = split(word) if split is not None else split_identifier(word)
    return lower if parts == [lower] else " ".join((lower, *parts))


def _split_words(text: str) -> list[str]:
    """Split a text into words. Source is mostly ASCII, for which a byte table is twice as fast as a pattern."""
    if text.isascii():
        return text.encode().translate(_BLANKED).decode().split()
    return _WORD.findall(text)


def find_extra_tokens(word: str, split: Callable[[str], list[str]] | None = None) -> str:
    """Return tokens that splitting at non-alphanumerics does not yield: `foo_bar` itself, the parts of `fooBar`.

    A non-ASCII word is returned whole and in parts, because engines disagree about what a letter is.
    """
    words = expand(word, split).split()
    if not word.isascii():
        return " ".join(words)
    pieces = word.lower().split("_")
    return " ".join(part for part in words if part not in pieces)


class _MemoDict(dict[str, str]):
    """Memoizes a function of a word, because a repository repeats the same identifiers."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> str:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        known = self[word] = self._make(word)
        return known


class Tokenizer:
    """Memoized tokenization. The loops run in C, because they are the hottest lines of text indexing."""

    def __init__(self, split: Callable[[str], list[str]] | None = None) -> None:
        self._expanded = _MemoDict(partial(expand, split=split))
        self._extras = _MemoDict(partial(find_extra_tokens, split=split))

    def expand_all(self, words: Iterable[str]) -> str:
        """Expand each name and join the results with spaces."""
        return " ".join(map(self._expanded.__getitem__, words))

    def find_extra_tokens(self, source: str) -> str:
        """Return tokens that the text index's own tokenizer would miss, for each distinct word of a text."""
        return " ".join(filter(None, map(self._extras.__getitem__, dict.fromkeys(_split_words(source)))))


def split_query_words(text: str) -> list[str]:
    """Return the whole words of a query, in order, without duplicates."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if len(word) <= MAX_WORD))


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
"""Minimum letters that must remain before an ending."""
_SHORT = 4
"""Words up to this length only lose a plural s."""


@lru_cache(maxsize=_STEM_CACHE_SIZE)
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


@lru_cache(maxsize=_STEM_CACHE_SIZE)
def stem_parts(name: str) -> tuple[str, ...]:
    """Return the stems of the parts of an identifier, in order, without single letters."""
    return tuple([stem(part) for part in split_identifier(name) if len(part) > 1])


@lru_cache(maxsize=_STEM_CACHE_SIZE)
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


_OUR = (
    "arbour armour behaviour candour clamour colour demeanour discolour dishonour disfavour endeavour favour fervour"
    " flavour glamour harbour honour humour labour misbehaviour neighbour odour parlour rancour rigour rumour saviour"
    " savour splendour tumour valour vapour vigour"
)
_RE = (
    "calibre centimetre centre epicentre fibre kilometre litre lustre meagre metre millilitre millimetre nanometre"
    " recentre sabre sombre spectre theatre"
)
_OGUE = "analogue catalogue dialogue epilogue monologue prologue"
_YSE = "analyse catalyse dialyse electrolyse hydrolyse paralyse"
_DOUBLED = (
    "bevel cancel channel counsel dial duel enamel equal fuel funnel initial jewel kernel label level libel marshal"
    " model panel parcel pencil quarrel relabel remodel rival shovel signal snorkel spiral symbol total towel"
    " travel tunnel unlabel unravel"
)
"""Verbs whose last letter British spelling doubles before an ending: labelled, labeled."""
_SINGLES = {
    "acknowledgement": "acknowledgment", "aluminium": "aluminum", "artefact": "artifact", "defence": "defense",
    "enrol": "enroll", "enrolment": "enrollment", "fulfil": "fulfill", "fulfilment": "fulfillment", "grey": "gray",
    "greyscale": "grayscale", "instalment": "installment", "judgement": "judgment", "licence": "license",
    "mould": "mold", "offence": "offense", "plough": "plow", "pretence": "pretense", "programme": "program",
    "sceptic": "skeptic", "sulphur": "sulfur",
}  # fmt: skip
_ISE_ONLY = frozenset(
    "advise advertise apprise arise bruise chemise circumcise comprise compromise concise cruise demise"
    " despise devise disguise enterprise excise exercise expertise franchise guise improvise incise likewise"
    " merchandise misadvise noise otherwise paradise poise porpoise praise precise premise prise promise raise reprise"
    " revise rise supervise surmise surprise televise tortoise treatise turquoise unwise upraise vise wise".split()
)
"""Words that end in -ise in both spellings."""
_IZE_ONLY = frozenset("capsize maize oversize prize resize seize size".split())
_PREFIXES = ("de", "dis", "mis", "over", "pre", "re", "un", "up")
_ISE_ENDINGS = ("e", "ed", "es", "er", "ers", "ing", "able", "ation", "ations", "ational")
_SPELLING_ENDINGS = ("", *"s ed ing er ers able ful less ite ites al ally hood ist ly".split())


def _build_pairs() -> dict[str, str]:
    """Return British form → American form for every listed root with its endings."""
    pairs = dict(_SINGLES)
    pairs |= {f"{one}s": f"{other}s" for one, other in _SINGLES.items()}
    for ending in _SPELLING_ENDINGS:
        pairs |= {root + ending: root[:-3] + "or" + ending for root in _OUR.split()}
    for root in _RE.split():
        pairs |= {root: root[:-2] + "er", f"{root}s": root[:-2] + "ers", f"{root}d": root[:-2] + "ered"}
    pairs |= {root[:-1] + "ing": root[:-2] + "ering" for root in _RE.split()}
    for root in _OGUE.split():
        pairs |= {root: root[:-2], f"{root}s": root[:-2] + "s", f"{root}d": root[:-2] + "ed"}
        pairs[root[:-2] + "uing"] = root[:-2] + "ing"
    for ending in ("e", "ed", "es", "er", "ers", "ing"):
        pairs |= {root[:-1] + ending: root[:-2] + "z" + ending for root in _YSE.split()}
    for ending in ("ed", "ing", "er", "ers"):
        pairs |= {root + "l" + ending: root + ending for root in _DOUBLED.split()}
    return pairs


_AMERICAN = _build_pairs()
_BRITISH = {other: one for one, other in _AMERICAN.items()}


@lru_cache(maxsize=_CACHE_SIZE)
def to_american(word: str) -> str:
    """Return the American spelling of a lower-case word; the word itself if there is only one spelling."""
    known = _AMERICAN.get(word)
    return known if known is not None else _swap_ise_ize(word, "is", "iz", _ISE_ONLY) or word


@lru_cache(maxsize=_CACHE_SIZE)
def to_british(word: str) -> str:
    """Return the British spelling of a lower-case word; the word itself if there is only one spelling."""
    known = _BRITISH.get(word)
    return known if known is not None else _swap_ise_ize(word, "iz", "is", _IZE_ONLY) or word


def list_spellings(word: str) -> tuple[str, ...]:
    """Return all spellings of a word, the given one first."""
    return tuple(dict.fromkeys((word, to_american(word), to_british(word))))


def _swap_ise_ize(word: str, one: str, other: str, apart: frozenset[str]) -> str:
    """Convert a form of a verb in -ise or -ize to the other spelling; empty for other words."""
    at = word.rfind(one)
    if at < _MIN_LETTERS or word[at + 2 :] not in _ISE_ENDINGS:
        return ""
    root = word[:at] + one + "e"
    if root in apart or any(root.removeprefix(prefix) in apart for prefix in _PREFIXES):
        return ""
    return word[:at] + other + word[at + 2 :]
