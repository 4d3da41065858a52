"""Pattern trigrams: the trigrams that a text must contain if a pattern matches in it.

The algorithm is that of Russ Cox's code search. Each part of a pattern is described by the exact texts it can match
(while they are few) or by their possible prefixes and suffixes, and by a condition that every match fulfils. Where two
parts meet, the suffixes of the first and the prefixes of the second form new trigrams. In doubt nothing is required, so
no match is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

from codecompass.engine.grep.regex.case_folding import get_case_variants
from codecompass.engine.grep.regex.regex_syntax import (
    Alternation,
    Assertion,
    Charset,
    Concatenation,
    LiteralChar,
    Node,
    Repeat,
)
from codecompass.model.queries.grep_query import TrigramQuery

MATCH_ALL = TrigramQuery()
MATCH_NONE = TrigramQuery(any=True)
_MAX_EXACT = 12
"""Maximum number of exact texts of a part before only prefixes and suffixes are kept."""
_MAX_ENDS = 24
_MAX_UNROLLED = 4
_MAX_CLASS_SIZE = 24
"""Maximum size of a character class that is expanded into its characters."""
# The index has no trigrams with these bytes.
_UNINDEXED_BYTES = frozenset(b"\0\r\n")

Texts = frozenset[bytes]
_EMPTY: Texts = frozenset({b""})


def extract_trigrams(node: Node) -> TrigramQuery:
    """Return the trigram condition of a pattern; `is_everything` if it requires nothing."""
    return _apply_exact(_analyze(node)).match


# -- conditions --------------------------------------------------------------------------------------------------------


def combine_and(one: TrigramQuery, other: TrigramQuery) -> TrigramQuery:
    if one.matches_all or other.matches_none:
        return other
    if other.matches_all or one.matches_none:
        return one
    if not one.any and not other.any:
        return TrigramQuery(False, one.words | other.words, tuple(dict.fromkeys(one.parts + other.parts)))
    if one.any:
        one, other = other, one
    return TrigramQuery(False, frozenset(), (one, other)) if one.any else _add_part(one, other)


def _add_part(one: TrigramQuery, part: TrigramQuery) -> TrigramQuery:
    return one if part in one.parts else replace(one, parts=(*one.parts, part))


def combine_or(one: TrigramQuery, other: TrigramQuery) -> TrigramQuery:
    if one.matches_all or other.matches_none or one == other:
        return one
    if other.matches_all or one.matches_none:
        return other
    words: frozenset[bytes] = frozenset()
    parts: tuple[TrigramQuery, ...] = ()
    for side in (one, other):
        if side.any or len(side.words) + len(side.parts) == 1:
            words, parts = words | side.words, parts + side.parts
        else:
            parts += (side,)
    return TrigramQuery(True, words, tuple(dict.fromkeys(parts)))


def _grams_of_any(texts: Texts) -> TrigramQuery:
    """Return the condition that at least one of these texts occurs."""
    return reduce(combine_or, (_grams_of_text(text) for text in sorted(texts)), MATCH_NONE)


def _grams_of_text(text: bytes) -> TrigramQuery:
    runs = {text[at : at + 3] for at in range(len(text) - 2)}
    return TrigramQuery(False, frozenset(run for run in runs if _UNINDEXED_BYTES.isdisjoint(run)))


# -- descriptions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _NodeInfo:
    """What is known about the matches of one part of a pattern."""

    can_be_empty: bool
    exact: Texts | None
    first: Texts = _EMPTY
    last: Texts = _EMPTY
    match: TrigramQuery = MATCH_ALL


_ANY_CHAR = _NodeInfo(can_be_empty=False, exact=None)
_ANY_TEXT = _NodeInfo(can_be_empty=True, exact=None)
_EMPTY_MATCH = _NodeInfo(can_be_empty=True, exact=_EMPTY)


def _analyze(node: Node) -> _NodeInfo:
    match node:
        case LiteralChar():
            return _simplify(_NodeInfo(False, _encode_variants(node.code, node.fold)))
        case Charset():
            return _analyze_charset(node)
        case Assertion():
            return _EMPTY_MATCH
        case Concatenation():
            return reduce(_concatenate, (_analyze(part) for part in node.parts), _EMPTY_MATCH)
        case Alternation():
            return reduce(_alternate, (_analyze(part) for part in node.parts))
        case Repeat():
            return _analyze_repeat(node)
        case _:
            return _ANY_CHAR


def _analyze_charset(node: Charset) -> _NodeInfo:
    width = sum(high - low + 1 for low, high in node.ranges)
    if node.negated or node.named or width > _MAX_CLASS_SIZE:
        return _ANY_CHAR
    texts = (_encode_variants(code, node.fold) for low, high in node.ranges for code in range(low, high + 1))
    return _simplify(_NodeInfo(False, frozenset().union(*texts)))


def _analyze_repeat(node: Repeat) -> _NodeInfo:
    if node.most == 0:
        return _EMPTY_MATCH
    one = _analyze(node.node)
    if node.least == 0:
        return _alternate(one, _EMPTY_MATCH) if node.most == 1 else _ANY_TEXT
    if node.most == node.least <= _MAX_UNROLLED:
        return reduce(_concatenate, [one] * node.least)
    return reduce(_concatenate, [*[one] * (min(node.least, _MAX_UNROLLED) - 1), _repeat_unbounded(one)])


def _repeat_unbounded(one: _NodeInfo) -> _NodeInfo:
    """Describe one or more repetitions: same prefixes and suffixes, exact texts unknown."""
    return _simplify(_NodeInfo(one.can_be_empty, None, *_get_ends(one), _apply_exact(one).match))


def _concatenate(one: _NodeInfo, other: _NodeInfo) -> _NodeInfo:
    match = combine_and(one.match, other.match)
    empty = one.can_be_empty and other.can_be_empty
    if one.exact is not None and other.exact is not None:
        return _simplify(_NodeInfo(empty, _cross_product(one.exact, other.exact), match=match))
    (first, one_last), (other_first, last) = _get_ends(one), _get_ends(other)
    if one.exact is not None:
        first = _cross_product(one.exact, other_first)
    elif one.can_be_empty:
        first = first | other_first
    if other.exact is not None:
        last = _cross_product(one_last, other.exact)
    elif other.can_be_empty:
        last = last | one_last
    if one.exact is None and other.exact is None and len(one.last) * len(other.first) <= _MAX_ENDS:
        match = combine_and(match, _grams_of_any(_cross_product(one.last, other.first)))
    return _simplify(_NodeInfo(empty, None, first, last, match))


def _alternate(one: _NodeInfo, other: _NodeInfo) -> _NodeInfo:
    empty = one.can_be_empty or other.can_be_empty
    if one.exact is not None and other.exact is not None and one.match == other.match:
        return _simplify(_NodeInfo(empty, one.exact | other.exact, match=one.match))
    (first, last), (first_too, last_too) = _get_ends(one), _get_ends(other)
    match = combine_or(_apply_exact(one).match, _apply_exact(other).match)
    return _simplify(_NodeInfo(empty, None, first | first_too, last | last_too, match))


def _get_ends(info: _NodeInfo) -> tuple[Texts, Texts]:
    """Return the possible prefixes and suffixes."""
    return (info.first, info.last) if info.exact is None else (info.exact, info.exact)


def _cross_product(ones: Texts, others: Texts) -> Texts:
    return frozenset(one + other for one in ones for other in others)


def _apply_exact(info: _NodeInfo) -> _NodeInfo:
    """Add the trigrams of the exact texts to the condition."""
    return info if info.exact is None else replace(info, match=combine_and(info.match, _grams_of_any(info.exact)))


def _simplify(info: _NodeInfo) -> _NodeInfo:
    """Replace exact texts that are too long or too many by their condition and short prefixes and suffixes."""
    exact = info.exact
    if exact is not None:
        if exact and len(exact) <= _MAX_EXACT and min(map(len, exact)) < 4:
            return info
        if not exact:
            return replace(info, match=MATCH_NONE)
        info = replace(_apply_exact(info), exact=None, first=exact, last=exact)
    match = combine_and(info.match, combine_and(_grams_of_any(info.first), _grams_of_any(info.last)))
    first = _shorten(info.first, lambda text, size: text[:size])
    last = _shorten(info.last, lambda text, size: text[max(len(text) - size, 0) :])
    return replace(info, first=first, last=last, match=match)


def _shorten(texts: Texts, cut: Callable[[bytes, int], bytes]) -> Texts:
    size = 2
    found = frozenset(cut(text, size) for text in texts)
    while len(found) > _MAX_ENDS and size:
        size -= 1
        found = frozenset(cut(text, size) for text in texts)
    return found


# -- letters -----------------------------------------------------------------------------------------------------------


def _encode_variants(code: int, fold: bool) -> Texts:
    """Return a character as indexed (lowercase UTF-8), in every case variant that matches it."""
    if 0xD800 <= code <= 0xDFFF:
        return _EMPTY
    return frozenset(form.encode().lower() for form in (get_case_variants(chr(code)) if fold else chr(code)))
