"""Claims: statements about a commit that are true there, of seven kinds, drawn from its files by a fixed seed.

They are what people and agents note down: where something is, what a function or type may be trusted with, the value of
a constant, what a script runs, that a command exists, which package is used.
"""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from bench.memory.facts import Constant, Definition
from bench.memory.manifests import dependencies_of, scripts_of
from bench.memory.plaincode import ENDINGS, STYLES, plain_constants, plain_definitions
from bench.memory.pythoncode import python_constants, python_definitions
from bench.memory.trees import Tree

SEED = 8
SHARES = {"path": 45, "function": 55, "type": 20, "constant": 40, "script": 25, "command": 15, "dependency": 30}
"""At most so many claims of each kind from one repository."""
SHORTEST, LONGEST = 3, 80
"""Lines of a definition that is worth a claim: of a longer one nobody means all."""
_LONGEST_COMMAND = 120
_ASIDE = ("test", "spec", "example", "doc", "vendor", "fixture", "bench", "node_modules", "dist", "build")
_UNSTEADY = ("version", "release")
PHRASES = {
    "path": ("This is done in `{path}`.", "Start reading at `{path}`.", "`{path}` is the file to change for that."),
    "function": (
        "`{name}` in `{path}` may be called twice without harm.",
        "Callers rely on what `{name}` (`{path}`) gives back.",
        "No lock is needed around `{name}` in `{path}`.",
    ),
    "type": ("`{name}` in `{path}` holds no state of its own.", "Everybody may make a `{name}` (`{path}`)."),
    "constant": (
        "`{name}` in `{path}` is {form}.",
        "`{name} = {form}` (`{path}`) was chosen after measuring.",
        "We set `{name}` to {form} in `{path}`.",
    ),
    "script": ("`{name}` runs `{form}` (`{path}`).", "In `{path}`, `{name}` stands for `{form}`."),
    "command": ("Run `{name}` before you send a change.", "`{name}` is what everybody uses here."),
    "dependency": ("We use `{name}` {form} (`{path}`).", "`{path}` asks for `{name}` in version {form}."),
    "package": ("`{name}` is one of the packages in `{path}`.", "We depend on `{name}`, see `{path}`."),
}


class Stated(NamedTuple):
    """One claim: what it says in words, and what it says it of."""

    kind: str
    path: str
    name: str
    form: str
    words: str


def definitions_in(path: str, text: str) -> list[Definition]:
    if path.endswith(".py"):
        return python_definitions(text)
    style = ENDINGS.get(PurePosixPath(path).suffix)
    return plain_definitions(text, STYLES[style]) if style else []


def constants_in(path: str, text: str) -> list[Constant]:
    if path.endswith(".py"):
        return python_constants(text)
    style = ENDINGS.get(PurePosixPath(path).suffix)
    return plain_constants(text, STYLES[style]) if style else []


def is_code(path: str) -> bool:
    return path.endswith(".py") or PurePosixPath(path).suffix in ENDINGS


def claims_of(tree: Tree, seed: int = SEED) -> list[Stated]:
    """Claims about a tree, at most `SHARES` of each kind."""
    rng = random.Random(seed)
    found: list[Stated] = []
    for kind, share in SHARES.items():
        rows = sorted(set(_candidates(kind, tree)))
        chosen = rng.sample(rows, min(share, len(rows)))
        found += [_stated(kind, path, name, form, at) for at, (path, name, form) in enumerate(chosen)]
    return found


def _stated(kind: str, path: str, name: str, form: str, at: int) -> Stated:
    phrases = PHRASES["package" if kind == "dependency" and not form else kind]
    return Stated(kind, path, name, form, phrases[at % len(phrases)].format(path=path, name=name, form=form.strip('"')
                  if kind == "script" else form))  # fmt: skip


def _candidates(kind: str, tree: Tree) -> Iterator[tuple[str, str, str]]:
    """(path, name, form) of everything of a kind that a claim can be made of."""
    if kind == "path":
        yield from ((path, path, "") for path in tree.texts if PurePosixPath(path).suffix)
    for path, text in tree.texts.items() if kind != "path" else ():
        if kind in ("function", "type", "constant") and not _aside(path):
            yield from _named(kind, path, text)
        elif kind == "script":
            rows = scripts_of(path, text)
            yield from ((path, row.call, row.form) for row in rows if 0 < len(row.form) <= _LONGEST_COMMAND)
        elif kind == "command" and "/" not in path:
            yield from ((path, row.call, "") for row in scripts_of(path, text))
        elif kind == "dependency":
            yield from ((path, row.name, row.form) for row in dependencies_of(path, text))


def _named(kind: str, path: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Names that are defined once in a file: of two nobody could say which one is meant."""
    if kind != "constant":
        definitions = definitions_in(path, text)
        times = Counter(row.name for row in definitions)
        for one in definitions:
            wanted = times[one.name] == 1 and one.is_type == (kind == "type")
            if wanted and SHORTEST <= one.lines <= LONGEST and not _private(one.name):
                yield path, one.name, one.form
        return
    constants = constants_in(path, text)
    times = Counter(row.name for row in constants)
    for row in constants:
        if times[row.name] == 1 and row.form and len(row.name) > 2 and not _unsteady(row.name):
            yield path, row.name, row.form


def _aside(path: str) -> bool:
    return any(part.startswith(_ASIDE) or part.endswith(("_test.go", ".test.ts")) for part in path.lower().split("/"))


def _private(name: str) -> bool:
    """Names everything has, such as `__init__`, say nothing by themselves."""
    last = name.rsplit(".", 1)[-1]
    return last.startswith("__") or len(last) < 3


def _unsteady(name: str) -> bool:
    return name.startswith("__") or any(word in name.lower() for word in _UNSTEADY)
