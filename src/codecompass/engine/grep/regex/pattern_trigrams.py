"""Pattern trigrams: the trigrams that a text must contain if a pattern matches in it.

The algorithm is that of Russ Cox's code search. Each part of a pattern is described by the exact texts it can match
(while they are few) or by their possible prefixes and suffixes, and by a condition that every match fulfils. Where two
parts meet, the suffixes of the first and the prefixes of the second form new trigrams. In doubt nothing is required, so
no match is lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

from codecompass.engine.grep.regex.case_folding import cases
from codecompass.engine.grep.regex.regex_syntax import Charset, Either, Join, Letter, Mark, Node, Times
from codecompass.model.queries.grep_query import Grams

EVERYTHING = Grams()
NOTHING = Grams(any=True)
_EXACT = 12
"""Maximum number of exact texts of a part before only prefixes and suffixes are kept."""
_ENDS = 24
_UNROLLED = 4
_WIDEST = 24
"""Maximum size of a character class that is expanded into its characters."""
# The index has no trigrams with these bytes.
_UNKNOWN = frozenset(b"\0\r\n")

Texts = frozenset[bytes]
_EMPTY: Texts = frozenset({b""})


def grams_of(node: Node) -> Grams:
    """Return the trigram condition of a pattern; `is_everything` if it requires nothing."""
    return _settled(_info(node)).match


# -- conditions --------------------------------------------------------------------------------------------------------


def both(one: Grams, other: Grams) -> Grams:
    if one.is_everything or other.is_nothing:
        return other
    if other.is_everything or one.is_nothing:
        return one
    if not one.any and not other.any:
        return Grams(False, one.words | other.words, tuple(dict.fromkeys(one.parts + other.parts)))
    if one.any:
        one, other = other, one
    return Grams(False, frozenset(), (one, other)) if one.any else _with(one, other)


def _with(one: Grams, part: Grams) -> Grams:
    return one if part in one.parts else replace(one, parts=(*one.parts, part))


def either(one: Grams, other: Grams) -> Grams:
    if one.is_everything or other.is_nothing or one == other:
        return one
    if other.is_everything or one.is_nothing:
        return other
    words: frozenset[bytes] = frozenset()
    parts: tuple[Grams, ...] = ()
    for side in (one, other):
        if side.any or len(side.words) + len(side.parts) == 1:
            words, parts = words | side.words, parts + side.parts
        else:
            parts += (side,)
    return Grams(True, words, tuple(dict.fromkeys(parts)))


def _of_texts(texts: Texts) -> Grams:
    """Return the condition that at least one of these texts occurs."""
    return reduce(either, (_of_text(text) for text in sorted(texts)), NOTHING)


def _of_text(text: bytes) -> Grams:
    runs = {text[at : at + 3] for at in range(len(text) - 2)}
    return Grams(False, frozenset(run for run in runs if _UNKNOWN.isdisjoint(run)))


# -- descriptions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Info:
    """What is known about the matches of one part of a pattern."""

    can_be_empty: bool
    exact: Texts | None
    first: Texts = _EMPTY
    last: Texts = _EMPTY
    match: Grams = EVERYTHING


_ANY_SIGN = _Info(can_be_empty=False, exact=None)
_ANY_TEXT = _Info(can_be_empty=True, exact=None)
_NO_TEXT = _Info(can_be_empty=True, exact=_EMPTY)


def _info(node: Node) -> _Info:
    match node:
        case Letter():
            return _narrowed(_Info(False, _spellings(node.code, node.fold)))
        case Charset():
            return _of_charset(node)
        case Mark():
            return _NO_TEXT
        case Join():
            return reduce(_joined, (_info(part) for part in node.parts), _NO_TEXT)
        case Either():
            return reduce(_chosen, (_info(part) for part in node.parts))
        case Times():
            return _repeated(node)
        case _:
            return _ANY_SIGN


def _of_charset(node: Charset) -> _Info:
    width = sum(high - low + 1 for low, high in node.ranges)
    if node.negated or node.named or width > _WIDEST:
        return _ANY_SIGN
    texts = (_spellings(code, node.fold) for low, high in node.ranges for code in range(low, high + 1))
    return _narrowed(_Info(False, frozenset().union(*texts)))


def _repeated(node: Times) -> _Info:
    if node.most == 0:
        return _NO_TEXT
    one = _info(node.node)
    if node.least == 0:
        return _chosen(one, _NO_TEXT) if node.most == 1 else _ANY_TEXT
    if node.most == node.least <= _UNROLLED:
        return reduce(_joined, [one] * node.least)
    return reduce(_joined, [*[one] * (min(node.least, _UNROLLED) - 1), _more(one)])


def _more(one: _Info) -> _Info:
    """Describe one or more repetitions: same prefixes and suffixes, exact texts unknown."""
    return _narrowed(_Info(one.can_be_empty, None, *_ends(one), _settled(one).match))


def _joined(one: _Info, other: _Info) -> _Info:
    match = both(one.match, other.match)
    empty = one.can_be_empty and other.can_be_empty
    if one.exact is not None and other.exact is not None:
        return _narrowed(_Info(empty, _crossed(one.exact, other.exact), match=match))
    (first, one_last), (other_first, last) = _ends(one), _ends(other)
    if one.exact is not None:
        first = _crossed(one.exact, other_first)
    elif one.can_be_empty:
        first = first | other_first
    if other.exact is not None:
        last = _crossed(one_last, other.exact)
    elif other.can_be_empty:
        last = last | one_last
    if one.exact is None and other.exact is None and len(one.last) * len(other.first) <= _ENDS:
        match = both(match, _of_texts(_crossed(one.last, other.first)))
    return _narrowed(_Info(empty, None, first, last, match))


def _chosen(one: _Info, other: _Info) -> _Info:
    empty = one.can_be_empty or other.can_be_empty
    if one.exact is not None and other.exact is not None and one.match == other.match:
        return _narrowed(_Info(empty, one.exact | other.exact, match=one.match))
    (first, last), (first_too, last_too) = _ends(one), _ends(other)
    match = either(_settled(one).match, _settled(other).match)
    return _narrowed(_Info(empty, None, first | first_too, last | last_too, match))


def _ends(info: _Info) -> tuple[Texts, Texts]:
    """Return the possible prefixes and suffixes."""
    return (info.first, info.last) if info.exact is None else (info.exact, info.exact)


def _crossed(ones: Texts, others: Texts) -> Texts:
    return frozenset(one + other for one in ones for other in others)


def _settled(info: _Info) -> _Info:
    """Add the trigrams of the exact texts to the condition."""
    return info if info.exact is None else replace(info, match=both(info.match, _of_texts(info.exact)))


def _narrowed(info: _Info) -> _Info:
    """Replace exact texts that are too long or too many by their condition and short prefixes and suffixes."""
    exact = info.exact
    if exact is not None:
        if exact and len(exact) <= _EXACT and min(map(len, exact)) < 4:
            return info
        if not exact:
            return replace(info, match=NOTHING)
        info = replace(_settled(info), exact=None, first=exact, last=exact)
    match = both(info.match, both(_of_texts(info.first), _of_texts(info.last)))
    first = _shortened(info.first, lambda text, size: text[:size])
    last = _shortened(info.last, lambda text, size: text[max(len(text) - size, 0) :])
    return replace(info, first=first, last=last, match=match)


def _shortened(texts: Texts, cut: Callable[[bytes, int], bytes]) -> Texts:
    size = 2
    found = frozenset(cut(text, size) for text in texts)
    while len(found) > _ENDS and size:
        size -= 1
        found = frozenset(cut(text, size) for text in texts)
    return found


# -- letters -----------------------------------------------------------------------------------------------------------


def _spellings(code: int, fold: bool) -> Texts:
    """Return a character as indexed (lowercase UTF-8), in every case variant that matches it."""
    if 0xD800 <= code <= 0xDFFF:
        return _EMPTY
    return frozenset(form.encode().lower() for form in (cases(chr(code)) if fold else chr(code)))
