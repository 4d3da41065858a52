"""Word search: find names and values in the code of a tree, without its comments and documents. Pure.

A name is gone only if no code has it any more, in any spelling: `--dry-run` is also `dry_run` and `dryRun`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from codecompass.engine.memory.manifests.ci_pipelines import is_ci_file
from codecompass.engine.memory.manifests.manifest_reader import is_manifest
from codecompass.engine.memory.prose_claims.stated_values import RUNTIME_FILES, RUNTIMES

_PROSE = re.compile(
    r"\.(?:md|mdx|mdc|markdown|rst|adoc|txt|org|po|pot|svg|csv|ipynb|1|diff|patch)$"
    r"|(?:^|/)(?:licen[cs]e|copying|notice|authors|contributors|change[-_]?log|changes|history|news)[^/]*$"
    r"|(?:^|/)(?:node_modules|vendor|third_party)/",
    re.IGNORECASE,
)
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->", re.DOTALL)
_DOCSTRING = re.compile(r"^[ \t]*[rRuU]{0,2}(\"\"\"|''').*?\1", re.DOTALL | re.MULTILINE)
_HASH_EXTENSIONS = tuple(
    ".py .pyi .rb .sh .bash .yml .yaml .toml .ex .exs .pl .r .jl .cfg .nix .tf .mk .cmake .php .zsh .fish .ps1 .graphql"
    " .properties".split()
)
_HASH_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#(?!\{).*$")
_DASH_COMMENT = re.compile(r"(?m)^\s*--\s.*$")
_SLASH_COMMENT = re.compile(r"(?m)(?:^|(?<=[\s;{}(),]))//.*$")
_STAR_LINE = re.compile(r"(?m)^\s*\*\s.*$")
_DISTINCT = re.compile(r"[a-z][A-Z]|[A-Za-z0-9][_.-][A-Za-z0-9]|[A-Za-z]\d|[A-Z][a-z]+[A-Z]")
_MIN_DISTINCT_LENGTH = 5
_WINDOW_LINES = 3
"""Lines from a name on in which its value may stand."""
_MAX_FILES = 40
_OTHER_LITERAL = re.compile(r"\d|[\"']|\b(?:true|false|none|null)\b", re.IGNORECASE)
_BOOLEANS = frozenset({"true", "false", "none", "null"})
_VERSION_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*")


class CodeTree(Protocol):
    """The code of a tree as searches need it."""

    @property
    def paths(self) -> frozenset[str]: ...

    def find_files_with(self, words: Sequence[str]) -> Sequence[str]:
        """Return code files that may contain all the words."""

    def read_code(self, path: str) -> str:
        """Return the text of a file without comments; empty if it cannot be read."""


def is_code_path(path: str) -> bool:
    return _PROSE.search(path) is None


def strip_code_comments(path: str, text: str) -> str:
    """Replace comments by blanks; lines stay where they are."""
    name = path.rpartition("/")[2].lower()
    if name.endswith((".json", ".html", ".erb", ".lock")):
        return text
    text = _BLOCK_COMMENT.sub(_keep_lines, text)
    if name.endswith((".py", ".pyi")):
        text = _DOCSTRING.sub(_keep_lines, text)
    if name.endswith(_HASH_EXTENSIONS) or "." not in name.lstrip("."):
        return _HASH_COMMENT.sub("", text)
    if name.endswith((".hs", ".sql", ".lua", ".elm")):
        return _DASH_COMMENT.sub("", text)
    return _STAR_LINE.sub("", _SLASH_COMMENT.sub("", text))


def _keep_lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def is_distinct(name: str) -> bool:
    """Whether a name is more than one common word."""
    return len(name) >= _MIN_DISTINCT_LENGTH and _DISTINCT.search(name) is not None


def list_spellings(name: str) -> tuple[str, ...]:
    """Return the spellings that code may have for an option or a key, as written first."""
    bare = name.lstrip("-")
    parts = [part for part in re.split(r"[-_.]", bare) if part]
    if len(parts) < 2:
        return (name,)
    camel = parts[0] + "".join(part[:1].upper() + part[1:] for part in parts[1:])
    found = (
        name,
        "".join(parts),
        bare,
        "_".join(parts),
        "-".join(parts),
        camel,
        camel[:1].upper() + camel[1:],
        "_".join(parts).upper(),
    )
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def make_word_pattern(word: str) -> re.Pattern[str]:
    edge = r"[\w-]" if "-" in word else r"\w"
    flags = re.IGNORECASE if word[:1] in "-\"':" or "-" in word else 0
    return re.compile(rf"(?<!{edge}){re.escape(word)}(?!{edge})", flags)


def find_word(tree: CodeTree, word: str, most: int = 1) -> list[str]:
    """Return code files that contain a word outside comments."""
    pattern, found = make_word_pattern(word), []
    for path in tree.find_files_with((word,)):
        if pattern.search(tree.read_code(path)):
            found.append(path)
            if len(found) >= most:
                break
    return found


@lru_cache(maxsize=4096)
def make_value_pattern(value: str) -> re.Pattern[str]:
    """Return a pattern of a value in code: digits may be grouped, and constants have any case."""
    plain = value.strip()
    number = re.match(r"^(-?\d[\d_,]*(?:\.\d+)*)\s?([A-Za-z%]*)$", plain)
    if number:
        digits = re.sub(r"[_,]", "", number[1])
        grouped = "[_,]?".join(map(re.escape, digits))
        unit = rf"(?:\s?{re.escape(number[2])})?" if number[2] else ""
        return re.compile(rf"(?<![\w.]){grouped}{unit}(?!\.?\d)", re.IGNORECASE)
    if plain.casefold() in _BOOLEANS:
        return re.compile(
            r"\b(?:nil|none|null)\b" if plain.casefold() in ("none", "null") else rf"\b{plain}\b", re.IGNORECASE
        )
    return re.compile(rf"(?<!\w){re.escape(plain)}(?!\w)")


def iter_windows(text: str, words: Sequence[str], *, exact: bool) -> Iterator[str]:
    """Yield the lines from each that has all the words on; a plain word may be part of a name."""
    lines = text.split("\n")
    patterns = (
        [make_word_pattern(words[0])] if exact else [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    )
    for at, line in enumerate(lines):
        if len(line) < 2_000 and all(pattern.search(line) for pattern in patterns):
            yield "\n".join(lines[at : at + (_WINDOW_LINES if exact else 1)])


def find_stated(
    tree: CodeTree, words: Sequence[str], value: str, *, exact: bool, first: str = ""
) -> tuple[str, str] | None:
    """Return (path, line) where code gives a name a value."""
    wanted = make_value_pattern(value)
    paths = [path for path in (first,) if path in tree.paths]
    paths += [path for path in tree.find_files_with((max(words, key=len), value)) if path != first]
    for path in paths[:_MAX_FILES]:
        for window in iter_windows(tree.read_code(path), words, exact=exact):
            if has_value(window, words, wanted):
                return path, " ".join(window.split("\n")[0].split())
    return None


def has_value(window: str, words: Sequence[str], wanted: re.Pattern[str]) -> bool:
    """Whether a value stands behind a name."""
    at = window.casefold().find(words[0].casefold())
    return wanted.search(window, max(at, 0) + len(words[0])) is not None


def find_other_value(text: str, words: Sequence[str], *, exact: bool) -> str:
    """Return the line that gives a name some value; empty if none does."""
    for window in iter_windows(text, words, exact=exact):
        line = window.split("\n")[0]
        if _OTHER_LITERAL.search(line.replace(words[0], "")):
            return " ".join(line.split())
    return ""


def find_runtime_lines(tree: CodeTree, runtime: str, others: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return path → lines that state a runtime's version; of manifests and version"
    " files, else of pipelines and images.
    """
    firm: dict[str, list[str]] = {}
    loose: dict[str, list[str]] = {}
    for path in sorted(tree.paths, key=lambda one: (one.count("/"), one)):
        name = path.rpartition("/")[2]
        if RUNTIME_FILES.get(name) == runtime:
            firm[path] = [line for line in tree.read_code(path).split("\n") if line.strip()][:1]
        elif path.count("/") <= 2 and (
            is_manifest(path) or name in ("setup.py", "setup.cfg", ".tool-versions", "rust-toolchain.toml")
        ):
            firm[path] = _filter_lines(tree.read_code(path), runtime)
        elif is_ci_file(path) or name.startswith(("Dockerfile", "docker-compose", "compose.")):
            loose[path] = _filter_lines(tree.read_code(path), runtime)
    for found in (firm, loose):
        kept = {path: lines for path, lines in found.items() if lines}
        if kept:
            return kept
    return {}


def _filter_lines(text: str, runtime: str) -> list[str]:
    words = RUNTIMES.get(runtime, ())
    return [
        " ".join(line.split())
        for line in text.split("\n")
        if len(line) < 300
        and any(word.casefold() in line.casefold() for word in words)
        and _VERSION_NUMBER.search(line)
    ][:20]


def matches_version(line: str, version: str) -> bool:
    """Whether a line has a version, or a longer spelling of it."""
    return re.search(rf"(?<![\d.]){re.escape(version)}(?:\.[\dx*]+)*(?![\d])(?!\.\d)", line) is not None
