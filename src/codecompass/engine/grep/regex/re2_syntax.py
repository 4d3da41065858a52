"""RE2 syntax: renders a pattern tree for RE2 with ripgrep's meaning of lines and classes.

Nothing matches a line break: `.`, negated classes and `\\s` exclude it. `\\d`, `\\s` and `\\w` are the Unicode classes,
which can be written in several dialects: `WIDE` as they are; `ASCII`, which is shorter and equivalent on ASCII;
`SUPERSET`, which accepts every non-ASCII character as a digit or part of a word, so that it misses nothing; and one for
texts whose non-ASCII characters are all known, which is exact for them and short.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from codecompass.engine.grep.regex.case_folding import NON_ASCII_CASES, get_case_variants
from codecompass.engine.grep.regex.regex_syntax import (
    Alternation,
    Assertion,
    Charset,
    Concatenation,
    Dot,
    LiteralChar,
    NamedClass,
    Node,
    Repeat,
)

_NEWLINE = 10
_LAST_CODE_POINT = 0x10FFFF
_SPACES = "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
_NOT_SPACES = (
    "\\x00-\\x08\\x0E-\\x1F\\x21-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}"
    "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}"
)
_NEGATED_ASCII = {"d": "\\x00-/:-\\x7F", "w": "\\x00-/:-@\\x5B-\\x5E\\x60\\x7B-\\x7F"}
"""The ASCII characters that are not digits, and those that are not part of words."""
# Letters, marks, digits, joining punctuation, the two joiners, and the symbols that Unicode calls alphabetic.
_CIRCLED = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
_JOINERS = (0x200C, 0x200D)
_CASE_PAIRS = tuple({(ord(sign), ord(sign)) for sign in (one, one.upper())} for one in NON_ASCII_CASES)
_WORD_KINDS = ("L", "M", "Nd", "Nl", "Pc")


Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The non-ASCII meaning of `\\d` and `\\w`; None where Unicode class names express it."""

    digits: Ranges | None = ()
    words: Ranges | None = ()
    is_exact: bool = True
    """Whether the ranges are exact; otherwise they are a superset."""


ASCII = Dialect()
WIDE = Dialect(None, None)
_NON_ASCII_CASE_CODES = tuple(sorted(ord(sign) for sign in NON_ASCII_CASES.values()))
# Case variants of ASCII letters are not digits; otherwise case folding would make that letter a digit.
SUPERSET = Dialect(
    (
        (0x80, _NON_ASCII_CASE_CODES[0] - 1),
        (_NON_ASCII_CASE_CODES[0] + 1, _NON_ASCII_CASE_CODES[1] - 1),
        (_NON_ASCII_CASE_CODES[1] + 1, _LAST_CODE_POINT),
    ),
    ((0x80, _LAST_CODE_POINT),),
    is_exact=False,
)


def build_dialect(chars: Iterable[str]) -> Dialect:
    """Build the dialect for texts that contain no other non-ASCII characters."""
    # With case folding a class also contains the case variants of its characters, so treat them alike.
    variants = frozenset(NON_ASCII_CASES.values()).union(*(get_case_variants(char) for char in chars))
    codes = sorted(ord(char) for char in variants if not char.isascii())
    digits = [code for code in codes if unicodedata.category(chr(code)) == "Nd"]
    return Dialect(_merge_ranges(digits), _merge_ranges([code for code in codes if is_word(code)]))


def render(node: Node, *, fold: bool, dialect: Dialect) -> str:
    """Render a tree for RE2; `fold` is the case option that RE2 is compiled with."""
    return _Renderer(fold, dialect).render(node)


def has_nested_nonword(node: Node) -> bool:
    """Return whether Unicode class names cannot express the tree: `\\W` in a negated class, as in `[^\\W_]`."""
    match node:
        case Charset():
            return node.negated and NamedClass("w", negated=True) in node.named
        case Concatenation() | Alternation():
            return any(has_nested_nonword(part) for part in node.parts)
        case Repeat():
            return has_nested_nonword(node.node)
        case _:
            return False


class _Renderer:
    def __init__(self, fold: bool, dialect: Dialect) -> None:
        self._fold = fold
        self._dialect = dialect

    def render(self, node: Node) -> str:
        match node:
            case LiteralChar():
                return self._apply_case(_escape(node.code), node.fold) if node.code != _NEWLINE else _MATCH_NOTHING
            case Dot():
                return "."
            case Assertion():
                return node.text
            case Charset():
                return self._apply_case(self._render_charset(node), node.fold)
            case Alternation():
                return f"(?:{'|'.join(self.render(part) for part in node.parts)})"
            case Repeat():
                most = "" if node.most is None else str(node.most)
                return f"(?:{self.render(node.node)}){{{node.least},{most}}}{'?' if node.is_lazy else ''}"
            case Concatenation():
                return self._render_sequence(node.parts)

    def _render_sequence(self, parts: tuple[Node, ...]) -> str:
        """Render a sequence; letters with equal case flags stay together, because RE2 searches literals faster."""
        found: list[str] = []
        run = ""
        for at, part in enumerate(parts):
            if isinstance(part, LiteralChar) and part.code != _NEWLINE:
                run += _escape(part.code)
                after = parts[at + 1] if at + 1 < len(parts) else None
                if isinstance(after, LiteralChar) and after.fold == part.fold and after.code != _NEWLINE:
                    continue
                found.append(self._apply_case(run, part.fold))
                run = ""
            else:
                found.append(self.render(part))
        return "".join(found)

    def _apply_case(self, text: str, fold: bool) -> str:
        if fold == self._fold:
            return text
        return f"(?i:{text})" if fold else f"(?-i:{text})"

    def _render_charset(self, node: Charset) -> str:
        ranges = "".join(f"{_escape(low)}-{_escape(high)}" for low, high in node.ranges)
        if node.negated:
            return f"[^{ranges}{''.join(self._render_class(one) for one in node.named)}\\n]"
        if not node.fold and not node.named and set(node.ranges) in _CASE_PAIRS:
            # RE2 reads a class of both cases of a letter as that letter in any case, and these letters have three.
            return f"(?:{'|'.join(chr(code) for code, _ in node.ranges)})"
        kept = "".join(f"{_escape(low)}-{_escape(high)}" for low, high in _without_newline(node.ranges))
        choices = []
        for one in node.named:
            if one.name in ("d", "w") and not one.negated:
                kept += self._render_class(one, most=True)
            else:
                # It may contain the line break. RE2 cannot subtract, so negate its complement together with the break.
                choices.append(f"[^{self._render_class(NamedClass(one.name, not one.negated))}\\n]")
        if kept:
            choices.insert(0, f"[{kept}]")
        if not choices:
            return _MATCH_NOTHING
        return choices[0] if len(choices) == 1 else f"(?:{'|'.join(choices)})"

    def _render_class(self, one: NamedClass, *, most: bool = False) -> str:
        """Render a class inside brackets: all possible members (`most`), or only the certain ones."""
        if one.name.startswith("[:"):
            return one.name.replace("[:", "[:^") if one.negated else one.name
        if one.name.startswith("p"):
            return f"\\{'P' if one.negated else 'p'}{one.name[1:]}"
        if one.name == "s":
            # RE2's own \s lacks the vertical tab.
            return _NOT_SPACES if one.negated else _SPACES
        beyond = self._dialect.digits if one.name == "d" else self._dialect.words
        if beyond is None:
            return _render_unicode_class(one)
        if not beyond:
            return f"\\{one.name.upper() if one.negated else one.name}"
        if not one.negated:
            return f"\\{one.name}" + (_render_ranges(beyond) if most or self._dialect.is_exact else "")
        return _NEGATED_ASCII[one.name] + _render_ranges(_invert_ranges(beyond))


_MATCH_NOTHING = "[^\\x00-\\x{10FFFF}]"


def _escape(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and char.isalnum() else f"\\x{{{code:X}}}"


def _without_newline(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Remove the line break from ranges."""
    found = []
    for low, high in ranges:
        if low <= _NEWLINE <= high:
            found += [(a, b) for a, b in ((low, _NEWLINE - 1), (_NEWLINE + 1, high)) if a <= b]
        else:
            found.append((low, high))
    return found


def _render_unicode_class(one: NamedClass) -> str:
    """Render a class by Unicode class names; the complement of a word has none."""
    if one.name == "d":
        return "\\P{Nd}" if one.negated else "\\p{Nd}"
    assert not one.negated, "is_unnamed says so beforehand"
    kinds = "".join(f"\\p{{{kind}}}" for kind in _WORD_KINDS)
    return kinds + _render_ranges((*((code, code) for code in _JOINERS), *_CIRCLED))


def _render_ranges(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in ranges)


def _merge_ranges(codes: list[int]) -> Ranges:
    found: list[tuple[int, int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return tuple(found)


def _invert_ranges(ranges: Ranges) -> Ranges:
    """Return the non-ASCII complement of ranges."""
    found, at = [], 0x80
    for low, high in ranges:
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    return (*found, (at, _LAST_CODE_POINT)) if at <= _LAST_CODE_POINT else tuple(found)


def is_space(code: int) -> bool:
    """Return whether `\\s` matches a non-ASCII character."""
    return chr(code).isspace()


def is_word(code: int) -> bool:
    """Return whether `\\w` matches a non-ASCII character."""
    kind = unicodedata.category(chr(code))
    if kind[0] in "LM" or kind in _WORD_KINDS or code in _JOINERS:
        return True
    return kind == "So" and any(low <= code <= high for low, high in _CIRCLED)
