"""Compiled ignore file: find the last rule that matches a path.

Most rules are plain names or `*.ending` and are looked up in tables; only real patterns are compiled with RE2, whose
running time is linear even for patterns of a hostile repository. Python's `re` is never used.
"""

import os
from typing import Any, NamedTuple

import re2

from codecompass.repo.files.wildmatch import count_literal_prefix, to_re2, unescape

_MAX_EXPRESSION = 8192
_PATTERNS_PER_SET = 100
_MAX_PATTERNS = 20_000


class _Rule(NamedTuple):
    text: bytes
    anchored: bool
    only_directories: bool


class IgnoreFile:
    """Rules of one file. `decide` takes a path relative to the directory of the file."""

    def __init__(self, data: bytes) -> None:
        self._negated: list[bool] = []
        # Each table maps to the position of the last such rule: [0] for files, [1] for directories.
        self._names: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._paths: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._endings: tuple[dict[str, int], dict[str, int]] = ({}, {})
        name_patterns: list[tuple[int, bytes]] = []
        path_patterns: list[tuple[int, bytes]] = []
        starts: set[str] = set()
        for line in _parse_lines(data):
            negated = line.startswith(b"!")
            rule = _parse_rule(line[1:] if negated else line)
            if rule is None:
                continue
            position = len(self._negated)
            self._negated.append(negated)
            if not self._add_to_tables(rule, position):
                body = to_re2(rule.text)
                if body is not None and len(body) <= _MAX_EXPRESSION:
                    body += b"/" if rule.only_directories else b"/?"
                    (path_patterns if rule.anchored else name_patterns).append((position, body))
                    if rule.anchored:
                        starts.add(os.fsdecode(rule.text[: count_literal_prefix(rule.text)]))
        self._suffixes = tuple(self._endings[1])
        self._name_sets = _compile(name_patterns[:_MAX_PATTERNS])
        self._path_sets = _compile(path_patterns[:_MAX_PATTERNS])
        self._path_starts = tuple(starts)
        self._by_name: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def __bool__(self) -> bool:
        return bool(self._negated)

    def decide(self, path: str, name: str, is_directory: bool) -> bool | None:
        """True to ignore, False to include, None when no rule matches."""
        # The same names occur many times (`__init__.py`), so the result of the name rules is cached.
        last = self._by_name[is_directory].get(name)
        if last is None:
            last = self._by_name[is_directory][name] = self._find_last_for_name(name, is_directory)
        if self._paths[1] and (found := self._paths[is_directory].get(path, -1)) > last:
            last = found
        # The literal prefixes of the patterns rule out most paths without a match.
        if self._path_sets and path.startswith(self._path_starts):
            last = max(last, _find_last_match(self._path_sets, path, is_directory))
        return None if last < 0 else not self._negated[last]

    def _find_last_for_name(self, name: str, is_directory: bool) -> int:
        last = max(self._names[is_directory].get(name, -1), _find_last_match(self._name_sets, name, is_directory))
        if self._suffixes and name.endswith(self._suffixes):
            table = self._endings[is_directory]
            last = max(last, *(table.get(name[cut:], -1) for cut in range(len(name) + 1)))
        return last

    def _add_to_tables(self, rule: _Rule, position: int) -> bool:
        plain = unescape(rule.text)
        if plain is not None:
            tables, key = (self._paths if rule.anchored else self._names), plain
        elif not rule.anchored and rule.text[:1] == b"*" and count_literal_prefix(rule.text[1:]) == len(rule.text) - 1:
            tables, key = self._endings, rule.text[1:]
        else:
            return False
        text = os.fsdecode(key)
        tables[1][text] = position
        if not rule.only_directories:
            tables[0][text] = position
        return True


def _parse_lines(data: bytes) -> list[bytes]:
    """Return the lines that hold a rule, cleaned as git does: BOM, CRLF, comments, unescaped trailing spaces."""
    found = []
    for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = raw.removesuffix(b"\r").partition(b"\0")[0]
        if line and not line.startswith(b"#"):
            found.append(_strip_trailing_spaces(line))
    return found


def _strip_trailing_spaces(line: bytes) -> bytes:
    cut = len(line.rstrip(b" "))
    if cut == len(line):
        return line
    # An odd number of backslashes before the spaces escapes the first of them.
    backslashes = cut - len(line[:cut].rstrip(b"\\"))
    return line[: cut + backslashes % 2]


def _parse_rule(text: bytes) -> _Rule | None:
    only_directories = text.endswith(b"/")
    if only_directories:
        text = text[:-1]
    anchored = b"/" in text
    text = text.removeprefix(b"/") if anchored else text
    # `**/name` matches a name at any depth, like a name without a slash.
    if anchored and text.startswith(b"**/") and b"/" not in text[3:]:
        text, anchored = text[3:], False
    return _Rule(text, anchored, only_directories) if text else None


def _compile(patterns: list[tuple[int, bytes]]) -> list[tuple[list[int], Any]]:
    """Compile sets of expressions with the positions of their rules; the last rules come first and often decide."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.dot_nl = True
    options.log_errors = False
    options.max_mem = 2**26
    sets = []
    for start in range(0, len(patterns), _PATTERNS_PER_SET):
        group = re2.Set.FullMatchSet(options)
        positions: list[int] = []
        for position, body in patterns[start : start + _PATTERNS_PER_SET]:
            try:
                group.Add(body)
            except re2.error:
                # Larger than RE2 accepts: not a serious rule.
                continue
            positions.append(position)
        if positions:
            group.Compile()
            sets.append((positions, group))
    return sets[::-1]


def _find_last_match(sets: list[tuple[list[int], Any]], subject: str, is_directory: bool) -> int:
    if not sets:
        return -1
    data = os.fsencode(subject) + b"/" if is_directory else os.fsencode(subject)
    for positions, group in sets:
        matched = group.Match(data)
        if matched:
            return int(positions[max(matched)])
    return -1
