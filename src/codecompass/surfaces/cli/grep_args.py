"""Arguments of `grep`, spelled as ripgrep spells them. Imports nothing heavy, because the parser is built from it."""

import argparse
import re
from typing import Any, NamedTuple


class GrepFlag(NamedTuple):
    """One option: its names, its help and its argparse options; without help it is hidden."""

    names: tuple[str, ...]
    help: str
    more: dict[str, Any]


_ON: dict[str, Any] = {"action": "store_true"}
_CASE: dict[str, Any] = {"action": "store_const", "dest": "case", "default": "smart"}
_MANY: dict[str, Any] = {"action": "append", "default": []}
_NUMBER: dict[str, Any] = {"type": int, "metavar": "N"}

GREP_FLAGS = (
    GrepFlag(("-e", "--regexp"), "a pattern (repeatable); then every other argument is a path",
             _MANY | {"dest": "patterns", "metavar": "PATTERN"}),
    GrepFlag(("-i", "--ignore-case"), "take capitals and small letters as equal", _CASE | {"const": "ignore"}),
    GrepFlag(("-s", "--case-sensitive"), "tell capitals from small letters (default: if the pattern has capitals)",
             _CASE | {"const": "sensitive"}),
    GrepFlag(("-S", "--smart-case"), "", _CASE | {"const": "smart"}),
    GrepFlag(("-w", "--word-regexp"), "match whole words only", _ON | {"dest": "word"}),
    GrepFlag(("-F", "--fixed-strings"), "take patterns as plain text", _ON | {"dest": "fixed"}),
    GrepFlag(("-v", "--invert-match"), "show the lines that do not match", _ON | {"dest": "invert"}),
    GrepFlag(("-o", "--only-matching"), "show only the matching parts of lines", _ON),
    GrepFlag(("-l", "--files-with-matches"), "show only the paths of files with a match", _ON | {"dest": "list_files"}),
    GrepFlag(("-c", "--count"), "show the number of matching lines of each file", _ON),
    GrepFlag(("-n", "--line-number"), "", _ON),
    GrepFlag(("-A", "--after-context"), "lines to show after each match", _NUMBER),
    GrepFlag(("-B", "--before-context"), "lines to show before each match", _NUMBER),
    GrepFlag(("-C", "--context"), "lines to show on both sides of each match", _NUMBER),
    GrepFlag(("-g", "--glob"), "only files that fit; '!GLOB' leaves them out (repeatable)", _MANY | {"dest": "globs"}),
    GrepFlag(("--file-pattern",), "", {"action": "append", "dest": "globs", "metavar": "GLOB"}),
    GrepFlag(("-t", "--type"), "only files of this language: py, rust, ts, … (repeatable)",
             _MANY | {"dest": "types", "metavar": "LANGUAGE"}),
    GrepFlag(("--limit",), "lines at most (default: 0, all)", _NUMBER | {"default": 0}),
    GrepFlag(("--all",), "show all lines, as --limit 0", {"action": "store_const", "const": 0, "dest": "limit"}),
    GrepFlag(("--offset",), "skip so many lines first", _NUMBER | {"default": 0}),
    GrepFlag(("--ref",), "branch or 'live' (default: the current branch)", {}),
    GrepFlag(("--json",), "the answer as JSON", _ON),
)  # fmt: skip

_NOT_LITERAL = re.compile(
    r"\\[pP]\{[^}]*\}|\\[pP].|\\x\{?[0-9A-Fa-f]+\}?|\\.|\(\?P?<[^>]*>|\(\?[a-zA-Z-]*[:)]", re.DOTALL
)


def add_grep_options(parser: argparse.ArgumentParser) -> None:
    """Add all arguments of `codecompass grep`."""
    parser.add_argument("words", nargs="*", metavar="PATTERN [PATH ...]",
                        help="an RE2 expression, then files and directories to search (default: all)")  # fmt: skip
    for flag in GREP_FLAGS:
        parser.add_argument(*flag.names, help=flag.help or argparse.SUPPRESS, **flag.more)


def has_capital(pattern: str, *, fixed: bool) -> bool:
    """Whether a pattern contains a literal capital letter; escapes such as `\\S` are none."""
    text = pattern if fixed else _NOT_LITERAL.sub("", pattern)
    return any(char.isupper() for char in text)


def find_error_column(pattern: str, reason: str) -> int | None:
    """Return the 0-based place in a pattern that an error of RE2 is about, or None if it is unknown."""
    problem, _, fragment = reason.partition(": ")
    if problem.startswith("missing )") or problem.startswith("unexpected )"):
        return _find_unbalanced(pattern)
    if problem.startswith("trailing \\"):
        return len(pattern) - 1
    at = pattern.rfind(fragment) if fragment else -1
    return at if at >= 0 else None


def _find_unbalanced(pattern: str) -> int | None:
    """Return the place of the first parenthesis without a partner."""
    opened: list[int] = []
    at, in_class = 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            at += pattern[at + 1 : at + 2] == "^"
            at += pattern[at + 1 : at + 2] == "]"
        elif char == "(":
            opened.append(at)
        elif char == ")":
            if not opened:
                return at
            opened.pop()
        at += 1
    return opened[-1] if opened else None
