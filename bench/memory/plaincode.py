"""Definitions and constants of other languages, by their lines alone.

A definition begins on a line that a pattern of its language knows and ends where the indentation of that line comes
back with a closing word or bracket. Comments, blanks and a comma before a closing bracket are left out before two are
compared; nothing else is, so that a new layout may count as a change.
"""

import re
from typing import NamedTuple

from bench.memory.facts import Constant, Definition

_LITERAL = r"""(-?\d[\w.]*|"[^"\\\n]{0,38}"|'[^'\\\n]{0,38}')"""


class Style(NamedTuple):
    """How definitions and constants of a language look."""

    opening: re.Pattern[str]
    """Its groups are names: `f` with a number those of functions, `t` with a number those of types."""
    closing: re.Pattern[str]
    constant: re.Pattern[str]
    comment: re.Pattern[str]


# What stands in quotes is no comment: `"http://…"`.
_SLASHES = re.compile(r"""("(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_HASHES = re.compile(r"""(?m)("(?:\\.|[^"\\\n])*")|(?:^|(?<=\s))#[^\n]*""")
_LAST_COMMA = re.compile(r",([)\]}])")
_BRACE = re.compile(r"\s*[})\]]")
_END = re.compile(r"\s*end\b")

STYLES = {
    "go": Style(
        re.compile(r"func (?:\([^)]*\) )?(?P<f1>\w+)\(|type (?P<t1>\w+) (?:struct|interface) \{"),
        _BRACE,
        re.compile(rf"(?:const\s+|\t)(\w+)(?:\s+\w+)?\s+=\s+{_LITERAL}\s*$"),
        _SLASHES,
    ),
    "js": Style(
        re.compile(
            r"\s*(?:export )?(?:default )?(?:async )?"
            r"(?:function\*? (?P<f1>\w+)|(?:abstract )?class (?P<t1>\w+)|interface (?P<t2>\w+))"
            r"|(?:export )?const (?P<f2>\w+) = (?:async )?(?:\([^)]*\)|\w+) =>"
        ),
        _BRACE,
        re.compile(rf"\s*(?:export )?(?:const|let|var) (\w+)(?:: \w+)? = {_LITERAL};?\s*$"),
        _SLASHES,
    ),
    "rust": Style(
        re.compile(
            r"\s*(?:pub(?:\([^)]*\))? )?(?:async )?(?:unsafe )?"
            r"(?:fn (?P<f1>\w+)|struct (?P<t1>\w+)|enum (?P<t2>\w+)|trait (?P<t3>\w+))"
        ),
        _BRACE,
        re.compile(rf"\s*(?:pub(?:\([^)]*\))? )?(?:const|static) (\w+): [^=]+ = {_LITERAL};\s*$"),
        _SLASHES,
    ),
    "php": Style(
        re.compile(
            r"\s*(?:(?:public|protected|private|static|final|abstract) )*"
            r"(?:function (?P<f1>\w+)|class (?P<t1>\w+)|interface (?P<t2>\w+))"
        ),
        _BRACE,
        re.compile(rf"\s*const (\w+) = {_LITERAL};\s*$"),
        _SLASHES,
    ),
    "ruby": Style(
        re.compile(r"\s*(?:def (?:self\.)?(?P<f1>\w+[?!=]?)|class (?P<t1>\w+)|module (?P<t2>\w+))"),
        _END,
        re.compile(rf"\s*([A-Z]\w+)\s*=\s*{_LITERAL}(?:\.freeze)?\s*$"),
        _HASHES,
    ),
    "elixir": Style(
        re.compile(r"\s*(?:defp? (?P<f1>\w+[?!]?)|defmacrop? (?P<f2>\w+[?!]?)).*\bdo\s*$"),
        _END,
        re.compile(rf"\s*@(\w+) {_LITERAL}\s*$"),
        _HASHES,
    ),
    "shell": Style(
        re.compile(r"\s*(?:function )?(?P<f1>[\w-]+) ?\(\) ?\{"),
        _BRACE,
        re.compile(rf"\s*(?:export |readonly |declare -r )?([A-Z]\w+)={_LITERAL}\s*$"),
        _HASHES,
    ),
}
ENDINGS = {
    ".go": "go", ".js": "js", ".ts": "js", ".tsx": "js", ".jsx": "js", ".mjs": "js", ".rs": "rust", ".php": "php",
    ".rb": "ruby", ".ex": "elixir", ".exs": "elixir", ".sh": "shell", ".bash": "shell",
}  # fmt: skip


def plain_definitions(text: str, style: Style) -> list[Definition]:
    lines = text.splitlines()
    found = []
    for at, line in enumerate(lines):
        match = style.opening.match(line)
        group = match.lastgroup if match else None
        end = _end_of(lines, at, style) if group else 0
        if match and group and end:
            form = _form("\n".join(lines[at : end + 1]), style)
            found.append(Definition(match[group], form, end - at + 1, group.startswith("t")))
    return found


def plain_constants(text: str, style: Style) -> list[Constant]:
    matches = (style.constant.match(line) for line in text.splitlines())
    return [Constant(match[1], match[2]) for match in matches if match]


def _end_of(lines: list[str], at: int, style: Style) -> int:
    """The line that closes what opens at `at`, 0 where none does."""
    depth = _indent(lines[at])
    if style.closing is _BRACE and lines[at].count("{") and lines[at].count("{") == lines[at].count("}"):
        return at
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.strip() and _indent(line) <= depth:
            if style.closing.match(line) and not line.rstrip().endswith(("{", "(", ",")):
                return number
            if not style.closing.match(line) and not line.lstrip().startswith(("{", "where", "->")):
                return 0
    return 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _form(text: str, style: Style) -> str:
    plain = style.comment.sub(lambda match: match[1] or " ", text)
    folded = re.sub(r"\s+", " ", plain).strip()
    return _LAST_COMMA.sub(r"\1", re.sub(r" ?([^\w\s]) ?", r"\1", folded))


def clauses(path: str, text: str, name: str) -> int:
    """How often a name is defined where a function may have several clauses, which are one program."""
    if ENDINGS.get(path[path.rfind(".") :]) != "elixir":
        return 0
    return len(re.findall(rf"(?m)^\s*def(?:macro)?p?\s+{re.escape(name)}(?![\w?!])", text))
