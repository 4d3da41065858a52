"""Regex syntax: parses a pattern that RE2 accepts into a tree.

The tree has two uses: rendering the pattern again with ripgrep's meaning of lines and classes, and finding the
characters that a match must contain. Neither needs groups or names, so the tree omits them. The parser
rejects syntax that it does not know with `UnsupportedSyntax`; it never guesses.
"""

from dataclasses import dataclass
from typing import NamedTuple

MAX_GROUP_DEPTH = 60
_SIMPLE_ESCAPES = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_PERL_CLASSES = "dDsSwW"
_ASSERTIONS = {"b": r"\b", "B": r"\B", "A": "^", "z": "$"}
"""Escapes of zero-width assertions. A pattern sees one line at a time, so text ends are line ends."""


class UnsupportedSyntax(Exception):
    """Raised for syntax that this parser does not support; the message says what it is."""


class LiteralChar(NamedTuple):
    """One character; with `fold`, in any case."""

    code: int
    fold: bool


class NamedClass(NamedTuple):
    """A named part of a character class: `d`, `s`, `w`, a Unicode property after `\\p`, or a POSIX class."""

    name: str
    negated: bool


class Charset(NamedTuple):
    """A character class."""

    ranges: tuple[tuple[int, int], ...]
    named: tuple[NamedClass, ...]
    negated: bool
    fold: bool


class Dot(NamedTuple):
    """Any character except a line break."""


class Assertion(NamedTuple):
    """A zero-width assertion: `^`, `$`, `\\b`, …"""

    text: str


class Repeat(NamedTuple):
    """A repetition; `most` is None if unbounded."""

    node: "Node"
    least: int
    most: int | None
    is_lazy: bool = False


class Concatenation(NamedTuple):
    """A concatenation; empty for the empty pattern."""

    parts: tuple["Node", ...]


class Alternation(NamedTuple):
    """An alternation."""

    parts: tuple["Node", ...]


Node = LiteralChar | Charset | Dot | Assertion | Repeat | Concatenation | Alternation


def parse(pattern: str, *, fold: bool) -> Node:
    """Parse a pattern that RE2 has accepted."""
    reader = _RegexParser(pattern, fold)
    node = reader.parse_alternation(0)
    if reader.at < len(pattern):
        raise UnsupportedSyntax(f"at character {reader.at + 1}")
    return node


def collect_assertions(node: Node) -> frozenset[str]:
    """Return the zero-width assertions in a tree."""
    match node:
        case Assertion():
            return frozenset({node.text})
        case Concatenation() | Alternation():
            return frozenset[str]().union(*(collect_assertions(part) for part in node.parts))
        case Repeat():
            return collect_assertions(node.node)
        case _:
            return frozenset()


@dataclass
class _RegexParser:
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

    def _read_until(self, end: str) -> str:
        found = self.text.find(end, self.at)
        if found < 0:
            raise UnsupportedSyntax(f"'{end}' is missing")
        taken = self.text[self.at : found]
        self.at = found + len(end)
        return taken

    # -- structure -------------------------------------------------------------------------------------------------

    def parse_alternation(self, depth: int) -> Node:
        """Parse up to the closing parenthesis of the group; flags set inside apply up to there."""
        if depth > MAX_GROUP_DEPTH:
            raise UnsupportedSyntax("groups are nested too deeply")
        outer = self.fold
        found = [self._parse_sequence(depth)]
        while self._take("|"):
            found.append(self._parse_sequence(depth))
        self.fold = outer
        return found[0] if len(found) == 1 else Alternation(tuple(found))

    def _parse_sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self._peek() not in "|)":
            if self._take("\\Q"):
                end = self.text.find("\\E", self.at)
                quoted = self.text[self.at :] if end < 0 else self.text[self.at : end]
                self.at = len(self.text) if end < 0 else end + 2
                letters = [LiteralChar(ord(char), self.fold) for char in quoted]
                if letters:
                    parts += letters[:-1]
                    parts.append(self._parse_repeat(letters[-1]))
                continue
            parts.append(self._parse_repeat(self._parse_atom(depth)))
        return parts[0] if len(parts) == 1 else Concatenation(tuple(parts))

    def _parse_atom(self, depth: int) -> Node:
        char = self._next()
        if char == "(":
            return self._parse_group(depth)
        if char == "[":
            return self._parse_charset()
        if char == ".":
            return Dot()
        if char in "^$":
            return Assertion(char)
        if char == "\\":
            return self._parse_escape()
        return LiteralChar(ord(char), self.fold)

    def _parse_group(self, depth: int) -> Node:
        outer = self.fold
        if self._take("?"):
            if self._take("P<") or self._take("<"):
                self._read_until(">")
            elif not self._take(":"):
                if self._parse_flags():
                    return Concatenation(())  # the flags apply to the rest of the enclosing group
        node = self.parse_alternation(depth + 1)
        self.fold = outer
        if not self._take(")"):
            raise UnsupportedSyntax("a group is not closed")
        return node

    def _parse_flags(self) -> bool:
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
                raise UnsupportedSyntax(f"flag '{char}'")

    def _parse_repeat(self, node: Node) -> Node:
        while self.at < len(self.text):
            bounds = self._parse_bounds()
            if bounds is None:
                break
            node = Repeat(node, *bounds, is_lazy=self._take("?"))
        return node

    def _parse_bounds(self) -> tuple[int, int | None] | None:
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

    def _parse_escape(self) -> Node:
        char = self._peek()
        if char in _ASSERTIONS:
            self.at += 1
            return Assertion(_ASSERTIONS[char])
        named = self._parse_named_class()
        if named is not None:
            return Charset((), (named,), negated=False, fold=self.fold)
        return LiteralChar(self._parse_code_point(), self.fold)

    def _parse_named_class(self) -> NamedClass | None:
        """Parse `\\d`, `\\pL`, `\\p{Greek}` and their negations after the backslash."""
        char = self._peek()
        if char and char in _PERL_CLASSES:
            self.at += 1
            return NamedClass(char.lower(), char.isupper())
        if char not in ("p", "P"):
            return None
        self.at += 1
        name = self._read_until("}") if self._take("{") else self._next()
        negated = name.startswith("^")
        return NamedClass(f"p{{{name.removeprefix('^')}}}", (char == "P") is not negated)

    def _parse_code_point(self) -> int:
        """Parse the character of an escape after the backslash."""
        char = self._next()
        if char == "x":
            return _parse_hex(self._read_until("}") if self._take("{") else self._next() + self._next())
        if char.isdigit():
            self.at -= 1
            return self._parse_octal()
        if char in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[char]
        if not char or char.isalnum():
            raise UnsupportedSyntax(f"escape '\\{char}'")
        return ord(char)

    def _parse_octal(self) -> int:
        digits = ""
        while len(digits) < 3 and self._peek() and self._peek() in "01234567":
            digits += self._next()
        if not digits:
            raise UnsupportedSyntax("a number is missing")
        return int(digits, 8)

    def _parse_charset(self) -> Node:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        named: list[NamedClass] = []
        first = True
        while first or not self._take("]"):
            if self.at >= len(self.text):
                raise UnsupportedSyntax("a class is not closed")
            first = False
            if self._take("[:"):
                name = self._read_until(":]")
                named.append(NamedClass(f"[:{name.removeprefix('^')}:]", name.startswith("^")))
                continue
            if self._peek() == "\\":
                self.at += 1
                found = self._parse_named_class()
                if found is not None:
                    named.append(found)
                    continue
                self.at -= 1
            low = self._parse_class_member()
            high = low
            if self._peek() == "-" and self._peek(2) != "-]":
                self.at += 1
                high = self._parse_class_member()
            ranges.append((low, high))
        return Charset(tuple(ranges), tuple(named), negated, self.fold)

    def _parse_class_member(self) -> int:
        if self._take("\\"):
            return self._parse_code_point()
        char = self._next()
        if not char:
            raise UnsupportedSyntax("a class is not closed")
        return ord(char)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _parse_hex(digits: str) -> int:
    try:
        return int(digits, 16)
    except ValueError:
        raise UnsupportedSyntax("a number is missing") from None
