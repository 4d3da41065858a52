"""Definitions: asked for by name, does the first answer stand where the compiler says?"""

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from bench.accuracy.baselines import Tag, first_tag
from bench.accuracy.ours import Ours, is_defined_by
from bench.accuracy.truth import Truth, TruthSymbol, is_aside, is_generated

KINDS = ("function", "method", "type", "variable")
_PACKAGE_FILES = ("__init__", "__main__", "index")
_BARE_LIMIT = 10
SEED = 11


@dataclass(frozen=True, slots=True)
class Question:
    symbol: TruthSymbol
    text: str
    """The name an agent would ask for: `Class.method`, or as much of the module before it as makes it the only one."""


@dataclass(frozen=True, slots=True)
class Located:
    """The answers to one question."""

    question: Question
    first: bool
    among_ten: bool
    tagged: bool
    """What ctags answers."""
    instead: str
    """Where our first answer stands, when it is another."""


def questions(truth: Truth) -> list[Question]:
    """Every definition outside of tests and generated files that has a name of its own, in order of place."""
    shared = Counter(name for symbol in truth.symbols.values() for name in _suffixes(_parts(symbol)))
    chosen = [symbol for symbol in truth.symbols.values() if _is_counted(truth, symbol)]
    asked = ((symbol, _shortest(symbol, shared)) for symbol in sorted(chosen, key=lambda item: item.home))
    return [Question(symbol, text) for symbol, text in asked if text]


def _is_counted(truth: Truth, symbol: TruthSymbol) -> bool:
    path = symbol.home.path
    if symbol.named.kind not in KINDS or is_aside(path) or is_generated(truth.sources, path):
        return False
    # An augmentation of another module stands in a namespace with quotes; nobody asks for it by name.
    return not any("'" in part or '"' in part for part in symbol.named.scope)


def _parts(symbol: TruthSymbol) -> list[str]:
    """Module, scope and name. What stands above a source root is no part of a module's name."""
    module = list(PurePosixPath(symbol.home.path).parts)
    module[-1] = module[-1].split(".")[0] or module[-1]
    if "src" in module[:-1]:
        module = module[len(module) - module[::-1].index("src") :]
    if module[-1] in _PACKAGE_FILES and len(module) > 1:
        module.pop()
    return [*module, *symbol.named.scope, symbol.name]


def _suffixes(parts: list[str]) -> list[str]:
    return [".".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]


def _shortest(symbol: TruthSymbol, shared: Counter[str]) -> str:
    """The shortest name with its whole scope that no other definition ends in; empty when there is none."""
    names = _suffixes(_parts(symbol))[len(symbol.named.scope) :]
    return next((name for name in names if shared[name] == 1), "")


def measure(truth: Truth, ours: Ours, tags: dict[str, list[Tag]], limit: int) -> list[Located]:
    """Ask all questions, or as many of them as a limit allows, drawn from a fixed seed."""
    asked = questions(truth)
    if len(asked) > limit:
        asked = random.Random(SEED).sample(asked, limit)
    return [_ask(truth, question, ours, tags) for question in asked]


def _ask(truth: Truth, question: Question, ours: Ours, tags: dict[str, list[Tag]]) -> Located:
    symbol = question.symbol
    # What stands in files the indexer did not read can be neither right nor wrong.
    hits = [hit for hit in ours.locate(question.text, _BARE_LIMIT) if hit.path in truth.paths]
    first = bool(hits) and is_defined_by(hits[0], symbol)
    bare = ours.locate(symbol.name, _BARE_LIMIT)
    tag = first_tag(tags, symbol.name, symbol.named.scope)
    return Located(
        question=question,
        first=first,
        among_ten=any(is_defined_by(hit, symbol) for hit in bare),
        tagged=tag is not None and any((tag.path, tag.line) == place[:2] for place in symbol.definitions),
        instead="" if first else f"{hits[0].path}:{hits[0].line_start} {hits[0].qualified_name}" if hits else "nothing",
    )
