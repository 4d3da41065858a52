"""Word completion: the candidates for the last word of a command line, from the parser and from the index."""

import argparse
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from codecompass.surfaces.cli.help.parser_sections import list_subcommands, takes_value

MAX_CANDIDATES = 200
_SOURCES = {
    "ask:name": "symbols", "ask:path": "paths", "ask:base_ref": "refs", "ask:head_ref": "refs", "place": "paths",
    "ask:file": "paths", "ask:ref": "refs", "ref": "refs", "head": "refs", "base": "refs", "topic": "commands",
    "agents": "agents", "language": "languages", "ask:language": "languages", "types": "languages",
    "toolsets": "toolsets",
}  # fmt: skip
"""Destination of an argument → where its candidates come from; other arguments go by the word for their value."""
_SOURCES_BY_VALUE = {"REF": "refs", "FILE": "files", "QUERIES.jsonl": "files", "DIR": "directories"}
SHELL_SOURCES = ("files", "directories")
"""Sources that the shell itself completes."""
NameLists = Mapping[str, Callable[[str], Iterable[str]]]
"""Source → function that lists its names with a given beginning."""


class LateNames(Mapping[str, Callable[[str], Iterable[str]]]):
    """Names that are opened when one of them is first asked for: commands and flags must not wait for the index."""

    def __init__(self, open_names: Callable[[], NameLists]) -> None:
        self._open = open_names

    def __getitem__(self, source: str) -> Callable[[str], Iterable[str]]:
        return self._open()[source]

    def __iter__(self) -> Iterator[str]:
        return iter(self._open())

    def __len__(self) -> int:
        return len(self._open())


class CompletionWord(NamedTuple):
    """A word that may stand here, with its explanation."""

    word: str
    text: str = ""


def complete_words(parser: argparse.ArgumentParser, words: list[str], names: NameLists) -> list[CompletionWord]:
    """Return the candidates for the last of the words; it may be empty or only begun."""
    *before, last = words or [""]
    before, last, joined = _join_equals(before, last)
    parser, pending, count, literal = _walk(parser, before)
    if pending is not None:
        return _complete_value(pending, last, names, joined)
    if last.startswith("-") and not literal:
        return _complete_flag(parser, last)
    below = list_subcommands(parser)
    if below:
        return _keep(last, (CompletionWord(name, text) for name, text, _ in below))
    words_of = parser._positionals._group_actions
    rows = getattr(parser, "action_rows", ())
    if rows and count == 0:
        return _keep(last, (CompletionWord(*row) for row in rows))
    if parser.prog.endswith(" tool"):
        return _keep(last, map(CompletionWord, names["tools"](last))) if count == 0 else []
    if parser.prog.endswith(" grep"):
        # The first word is the pattern.
        return _list_names("paths", last, names) if count else []
    action = words_of[min(count, len(words_of) - 1)] if words_of else None
    if action is None or (count >= len(words_of) and action.nargs != "*"):
        return []
    return _complete_value(action, last, names, "")


def _join_equals(before: list[str], last: str) -> tuple[list[str], str, str]:
    """Separate `--flag=value`; bash passes the flag, the sign and the value as three words."""
    if last == "=" and before and before[-1].startswith("--"):
        return before, "", ""
    if len(before) >= 2 and before[-1] == "=" and before[-2].startswith("--"):
        return before[:-1], last, ""
    flag, sign, value = last.partition("=")
    if sign and flag.startswith("--"):
        return [*before, flag], value, f"{flag}="
    return before, last, ""


def _walk(
    parser: argparse.ArgumentParser, words: list[str]
) -> tuple[argparse.ArgumentParser, argparse.Action | None, int, bool]:
    """Return the parser that the words lead to, the option that waits for its value, and how many words are given."""
    pending: argparse.Action | None = None
    count, literal = 0, False
    for word in words:
        if pending is not None:
            pending = None
        elif word == "--":
            literal = True
        elif word.startswith("-") and len(word) > 1 and not literal:
            action = parser._option_string_actions.get(word.partition("=")[0])
            if action is not None and takes_value(action) and action.nargs != "?" and "=" not in word:
                pending = action
        else:
            below = {name: one for name, _, one in list_subcommands(parser)}
            if word in below:
                parser, count = below[word], 0
            else:
                count += 1
    return parser, pending, count, literal


def _complete_flag(parser: argparse.ArgumentParser, last: str) -> list[CompletionWord]:
    long = [
        CompletionWord(name, action.help or "")
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for name in action.option_strings
        if name.startswith("--")
    ]
    return _keep(last, long)


def _complete_value(action: argparse.Action, last: str, names: NameLists, joined: str) -> list[CompletionWord]:
    if action.choices is not None:
        found = _keep(last, (CompletionWord(str(choice)) for choice in action.choices))
    else:
        value = action.metavar if isinstance(action.metavar, str) else ""
        source = _SOURCES.get(action.dest) or _SOURCES_BY_VALUE.get(value)
        found = _list_names(source, last, names) if source else []
    return [one._replace(word=joined + one.word) for one in found] if joined else found


def _list_names(source: str, last: str, names: NameLists) -> list[CompletionWord]:
    if source in SHELL_SOURCES:
        return [CompletionWord(f":{source}")]
    if source not in names:
        return []
    if source == "paths":
        return _list_paths(names["paths"], last)
    return _keep(last, map(CompletionWord, names[source](last)))


def _list_paths(list_paths: Callable[[str], Iterable[str]], last: str) -> list[CompletionWord]:
    """List one level of paths, as shells do; directories end in a slash."""
    head = last[: last.rfind("/") + 1]
    found: dict[str, None] = {}
    for path in list_paths(head):
        rest = path[len(head) :]
        name, slash, _ = rest.partition("/")
        if path.startswith(last):
            found[f"{head}{name}{slash}"] = None
    return [CompletionWord(word) for word in sorted(found)][:MAX_CANDIDATES] or [CompletionWord(":files")]


def _keep(last: str, candidates: Iterable[CompletionWord]) -> list[CompletionWord]:
    folded = last.casefold()
    return [one for one in candidates if one.word.casefold().startswith(folded)][:MAX_CANDIDATES]


def relate_paths(root: str, here: str, paths: Iterable[str]) -> Iterable[str]:
    """Write paths of the project relative to a directory in it; from outside, nothing is listed."""
    inside = os.path.relpath(here, root).replace(os.sep, "/")
    if inside == ".":
        return paths
    if inside.startswith(".."):
        return ()
    return (posixpath.relpath(path, inside) for path in paths)


def complete_line(parser: argparse.ArgumentParser, words: list[str], names: NameLists) -> str:
    """Return the candidates for the last word as the scripts read them."""
    # The scripts write `--` first, so that a flag of the user is not taken for one of `complete`.
    return format_candidates(complete_words(parser, words[1:] if words[:1] == ["--"] else words, names))


def format_candidates(candidates: Iterable[CompletionWord]) -> str:
    """Format candidates for the scripts: one in a line, with a tab before the explanation."""
    return "".join(
        f"{one.word}\t{one.text.splitlines()[0]}\n" if one.text else f"{one.word}\n"
        for one in candidates
        if one.word.isprintable()
    )
