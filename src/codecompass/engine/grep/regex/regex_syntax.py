"""Regex syntax: parses a pattern that RE2 accepts into a tree.

The tree has two uses: rendering the pattern again with ripgrep's meaning of lines and classes, and finding the
characters that a match must contain. Neither needs groups, names or greediness, so the tree omits them. The parser
rejects syntax that it does not know with `UnsupportedSyntax`; it never guesses.
"""

from dataclasses import dataclass
from typing import NamedTuple

MOST_DEPTH = 60
_SIMPLE = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_PERL = "dDsSwW"
_MARKS = {"b": r"\b", "B": r"\B", "A": "^", "z": "$"}
"""Escapes of zero-width assertions. A pattern sees one line at a time, so text ends are line ends."""


class Strange(Exception):
    """Raised for syntax that this parser does not support; the message says what it is."""


class Letter(NamedTuple):
    """One character; with `fold`, in any case."""

    code: int
    fold: bool


class Named(NamedTuple):
    """A named part of a character class: `d`, `s`, `w`, a Unicode property after `\\p`, or a POSIX class."""

    name: str
    negated: bool


class Charset(NamedTuple):
    """A character class."""

    ranges: tuple[tuple[int, int], ...]
    named: tuple[Named, ...]
    negated: bool
    fold: bool


class Dot(NamedTuple):
    """Any character except a line break."""


class Mark(NamedTuple):
    """A zero-width assertion: `^`, `$`, `\\b`, …"""

    text: str


class Times(NamedTuple):
    """A repetition; `most` is None if unbounded."""

    node: "Node"
    least: int
    most: int | None


class Join(NamedTuple):
    """A concatenation; empty for the empty pattern."""

    parts: tuple["Node", ...]


class Either(NamedTuple):
    """An alternation."""

    parts: tuple["Node", ...]


Node = Letter | Charset | Dot | Mark | Times | Join | Either


def parse(pattern: str, *, fold: bool) -> Node:
    """Parse a pattern that RE2 has accepted."""
    reader = _Reader(pattern, fold)
    node = reader.alternatives(0)
    if reader.at < len(pattern):
        raise Strange(f"at character {reader.at + 1}")
    return node


def marks_of(node: Node) -> frozenset[str]:
    """Return the zero-width assertions in a tree."""
    match node:
        case Mark():
            return frozenset({node.text})
        case Join() | Either():
            return frozenset[str]().union(*(marks_of(part) for part in node.parts))
        case Times():
            return marks_of(node.node)
        case _:
            return frozenset()


@dataclass
class _Reader:
    text: str
    fold: bool
    at: int = 0

    def _peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def _take(self, wanted: str) -> bool:
        if not self.text.startswith(wanted, self.at):
            return False
        self.at += len(wanted)
        return True

    def _next(self) -> str:
        char = self._peek()
        self.at += 1
        return char

    def _until(self, end: str) -> str:
        found = self.text.find(end, self.at)
        if found < 0:
            raise Strange(f"'{end}' is missing")
        taken = self.text[self.at : found]
        self.at = found + len(end)
        return taken

    # -- structure -------------------------------------------------------------------------------------------------

    def alternatives(self, depth: int) -> Node:
        """Parse up to the closing parenthesis of the group; flags set inside apply up to there."""
        if depth > MOST_DEPTH:
            raise Strange("groups are nested too deeply")
        outer = self.fold
        found = [self._sequence(depth)]
        while self._take("|"):
            found.append(self._sequence(depth))
        self.fold = outer
        return found[0] if len(found) == 1 else Either(tuple(found))

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self._peek() not in "|)":
            if self._take("\\Q"):
                end = self.text.find("\\E", self.at)
                quoted = self.text[self.at :] if end < 0 else self.text[self.at : end]
                self.at = len(self.text) if end < 0 else end + 2
                letters = [Letter(ord(char), self.fold) for char in quoted]
                if letters:
                    parts += letters[:-1]
                    parts.append(self._repeated(letters[-1]))
                continue
            parts.append(self._repeated(self._atom(depth)))
        return parts[0] if len(parts) == 1 else Join(tuple(parts))

    def _atom(self, depth: int) -> Node:
        char = self._next()
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._charset()
        if char == ".":
            return Dot()
        if char in "^$":
            return Mark(char)
        if char == "\\":
            return self._escape()
        return Letter(ord(char), self.fold)

    def _group(self, depth: int) -> Node:
        outer = self.fold
        if self._take("?"):
            if self._take("P<") or self._take("<"):
                self._until(">")
            elif not self._take(":"):
                if self._flags():
                    return Join(())  # the flags apply to the rest of the enclosing group
        node = self.alternatives(depth + 1)
        self.fold = outer
        if not self._take(")"):
            raise Strange("a group is not closed")
        return node

    def _flags(self) -> bool:
        """Read `i-s:` or `i)`; return True if the flags form a group without a body."""
        on = True
        while True:
            char = self._next()
            if char == "-":
                on = False
            elif char == "i":
                self.fold = on
            elif char == ")":
                return True
            elif char == ":":
                return False
            elif not char or char not in "msU":
                # The other flags do not change which lines match.
                raise Strange(f"flag '{char}'")

    def _repeated(self, node: Node) -> Node:
        while self.at < len(self.text):
            bounds = self._bounds()
            if bounds is None:
                break
            self._take("?")
            node = Times(node, *bounds)
        return node

    def _bounds(self) -> tuple[int, int | None] | None:
        for char, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(char):
                return bounds
        if self._peek() != "{":
            return None
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at + 1 : max(end, self.at + 1)].partition(",")
        if not _is_number(least) or (most and not _is_number(most)):
            return None  # a literal brace
        self.at = end + 1
        return int(least), (int(most) if most else None) if comma else int(least)

    # -- characters ------------------------------------------------------------------------------------------------

    def _escape(self) -> Node:
        char = self._peek()
        if char in _MARKS:
            self.at += 1
            return Mark(_MARKS[char])
        named = self._named()
        if named is not None:
            return Charset((), (named,), negated=False, fold=self.fold)
        return Letter(self._code(), self.fold)

    def _named(self) -> Named | None:
        """Parse `\\d`, `\\pL`, `\\p{Greek}` and their negations after the backslash."""
        char = self._peek()
        if char and char in _PERL:
            self.at += 1
            return Named(char.lower(), char.isupper())
        if char not in ("p", "P"):
            return None
        self.at += 1
        name = self._until("}") if self._take("{") else self._next()
        negated = name.startswith("^")
        return Named(f"p{{{name.removeprefix('^')}}}", (char == "P") is not negated)

    def _code(self) -> int:
        """Parse the character of an escape after the backslash."""
        char = self._next()
        if char == "x":
            return _hexadecimal(self._until("}") if self._take("{") else self._next() + self._next())
        if char.isdigit():
            self.at -= 1
            return self._octal()
        if char in _SIMPLE:
            return _SIMPLE[char]
        if not char or char.isalnum():
            raise Strange(f"escape '\\{char}'")
        return ord(char)

    def _octal(self) -> int:
        digits = ""
        while len(digits) < 3 and self._peek() and self._peek() in "01234567":
            digits += self._next()
        if not digits:
            raise Strange("a number is missing")
        return int(digits, 8)

    def _charset(self) -> Node:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        named: list[Named] = []
        first = True
        while first or not self._take("]"):
            if self.at >= len(self.text):
                raise Strange("a class is not closed")
            first = False
            if self._take("[:"):
                name = self._until(":]")
                named.append(Named(f"[:{name.removeprefix('^')}:]", name.startswith("^")))
                continue
            if self._peek() == "\\":
                self.at += 1
                found = self._named()
                if found is not None:
                    named.append(found)
                    continue
                self.at -= 1
            low = self._member()
            high = low
            if self._peek() == "-" and self._peek(2) != "-]":
                self.at += 1
                high = self._member()
            ranges.append((low, high))
        return Charset(tuple(ranges), tuple(named), negated, self.fold)

    def _member(self) -> int:
        if self._take("\\"):
            return self._code()
        char = self._next()
        if not char:
            raise Strange("a class is not closed")
        return ord(char)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _hexadecimal(digits: str) -> int:
    try:
        return int(digits, 16)
    except ValueError:
        raise Strange("a number is missing") from None
