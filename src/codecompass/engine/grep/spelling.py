"""Spelling: the tree of a pattern as RE2 shall read it, with ripgrep's meaning of lines and classes.

Nothing in it matches a line break: `.`, negated classes and `\\s` leave it out. `\\d`, `\\s` and `\\w` are those of
Unicode, and there are three ways to say so: `wide` as it is; `ascii`, shorter, which says the same of ASCII; and
`loose`, in which every character beyond ASCII may be a digit or part of a word: it misses nothing, and is short too.
"""

import unicodedata
from functools import cache

from codecompass.engine.grep.syntax import Charset, Dot, Either, Join, Letter, Mark, Named, Node, Times

_BREAK = 10
_LAST = 0x10FFFF
_SPACES = "\\x09-\\x0D\\x20\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
_NOT_SPACES = (
    "\\x00-\\x08\\x0E-\\x1F\\x21-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}"
    "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}"
)
_BEYOND = "\\x{80}-\\x{10FFFF}"
_NOT_ASCII = {"d": "\\x00-/:-\\x7F", "w": "\\x00-/:-@\\x5B-\\x5E\\x60\\x7B-\\x7F"}
"""What is surely no digit and no part of a word."""
# Letters, marks, digits, joining punctuation, the two joiners, and the symbols that Unicode calls alphabetic.
_CIRCLED = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
_JOINERS = (0x200C, 0x200D)
_WORD_KINDS = ("L", "M", "Nd", "Nl", "Pc")


def spell(node: Node, *, fold: bool, way: str) -> str:
    """The expression; `fold` says which case its options stand for."""
    return _Speller(fold, way).spell(node)


class _Speller:
    def __init__(self, fold: bool, way: str) -> None:
        self._fold = fold
        self._way = way

    def spell(self, node: Node) -> str:
        match node:
            case Letter():
                return self._cased(_escaped(node.code), node.fold) if node.code != _BREAK else _NOTHING
            case Dot():
                return "."
            case Mark():
                return node.text
            case Charset():
                return self._cased(self._charset(node), node.fold)
            case Either():
                return f"(?:{'|'.join(self.spell(part) for part in node.parts)})"
            case Times():
                most = "" if node.most is None else str(node.most)
                return f"(?:{self.spell(node.node)}){{{node.least},{most}}}"
            case Join():
                return self._joined(node.parts)

    def _joined(self, parts: tuple[Node, ...]) -> str:
        """Letters of one case stay together: RE2 looks for the first of them with much more speed."""
        found: list[str] = []
        run = ""
        for at, part in enumerate(parts):
            if isinstance(part, Letter) and part.code != _BREAK:
                run += _escaped(part.code)
                after = parts[at + 1] if at + 1 < len(parts) else None
                if isinstance(after, Letter) and after.fold == part.fold and after.code != _BREAK:
                    continue
                found.append(self._cased(run, part.fold))
                run = ""
            else:
                found.append(self.spell(part))
        return "".join(found)

    def _cased(self, text: str, fold: bool) -> str:
        if fold == self._fold:
            return text
        return f"(?i:{text})" if fold else f"(?-i:{text})"

    def _charset(self, node: Charset) -> str:
        ranges = "".join(f"{_escaped(low)}-{_escaped(high)}" for low, high in node.ranges)
        if node.negated:
            return f"[^{ranges}{''.join(self._inside(one) for one in node.named)}\\n]"
        kept = "".join(f"{_escaped(low)}-{_escaped(high)}" for low, high in _unbroken(node.ranges))
        choices = []
        for one in node.named:
            if one.name in ("d", "w") and not one.negated:
                kept += self._inside(one) + (_BEYOND if self._way == "loose" else "")
            else:
                # It may hold the line break, which RE2 cannot take away: its opposite is negated together with it.
                choices.append(f"[^{self._inside(Named(one.name, not one.negated))}\\n]")
        if kept:
            choices.insert(0, f"[{kept}]")
        if not choices:
            return _NOTHING
        return choices[0] if len(choices) == 1 else f"(?:{'|'.join(choices)})"

    def _inside(self, one: Named) -> str:
        """A name as it stands in brackets."""
        if one.name.startswith("[:"):
            return one.name.replace("[:", "[:^") if one.negated else one.name
        if one.name.startswith("p"):
            return f"\\{'P' if one.negated else 'p'}{one.name[1:]}"
        if one.name == "s":
            # RE2 leaves the vertical tab out of its own.
            return _NOT_SPACES if one.negated else _SPACES
        if self._way == "loose" and one.negated:
            return _NOT_ASCII[one.name]
        if self._way != "wide":
            return f"\\{one.name.upper() if one.negated else one.name}"
        if one.name == "d":
            return "\\P{Nd}" if one.negated else "\\p{Nd}"
        return _no_words() if one.negated else _words()


_NOTHING = "[^\\x00-\\x{10FFFF}]"


def _escaped(code: int) -> str:
    sign = chr(code)
    return sign if sign.isascii() and sign.isalnum() else f"\\x{{{code:X}}}"


def _unbroken(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Ranges without the line break."""
    found = []
    for low, high in ranges:
        if low <= _BREAK <= high:
            found += [(a, b) for a, b in ((low, _BREAK - 1), (_BREAK + 1, high)) if a <= b]
        else:
            found.append((low, high))
    return found


@cache
def _words() -> str:
    kinds = "".join(f"\\p{{{kind}}}" for kind in _WORD_KINDS)
    circled = "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in _CIRCLED)
    return kinds + "".join(f"\\x{{{code:X}}}" for code in _JOINERS) + circled


@cache
def _no_words() -> str:
    """What is no part of a word, by number: RE2 has no name for it, nor a way to take one class from another."""
    found: list[str] = []
    start = -1
    for code in range(_LAST + 2):
        outside = code <= _LAST and not _is_word(code)
        if outside and start < 0:
            start = code
        elif not outside and start >= 0:
            found.append(f"\\x{{{start:X}}}-\\x{{{code - 1:X}}}")
            start = -1
    return "".join(found)


def _is_word(code: int) -> bool:
    kind = unicodedata.category(chr(code))
    if kind[0] in "LM" or kind in _WORD_KINDS or code in _JOINERS:
        return True
    return kind == "So" and any(low <= code <= high for low, high in _CIRCLED)
