"""Samples: questions in a repository's own words (messages it raises, its documentation) and symbols to follow."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.freshness_bench import opened
from bench.questions import make_questions
from codecompass.engine.search.query.intent import classify
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.kinds import CALLABLE

INTENTS = ("symbol", "path", "error", "natural_language")
TYPES = frozenset({"class", "struct", "trait", "interface", "enum"})
OUTLINE_SYMBOLS = 200
OUTLINE_FILES = 20
COMMON = 50
"""A name that so many definitions bear cannot be asked for one of them."""
_RAISED = re.compile(
    r"\b(?:raise|throw(?:\s+new)?)\s+(?:\w+(?:\.|::))*(\w+)\s*\(\s*(?:\w*\(\s*)?[bfruBFRU]{0,2}"
    r"""(["'`])((?:(?!\2)[^\\\n]){16,200})\2"""
)
_HOLE = re.compile(r"%\(\w+\)[sdr]|%[-\d.]*[sdrifx]|\$?\{[^{}]*\}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n")
_VERB = re.compile(r"[A-Z][a-z]+(?<!ing)(?<!ed)(?<!s)$")
"""How documentation that tells what a function does begins, as far as one word shows it."""
_FEWEST_WORDS, _MOST_WORDS = 4, 14


@dataclass(frozen=True, slots=True)
class Sampled:
    """One definition, and the handle an outline shows for it."""

    symbol_id: str
    name: str
    kind: str
    path: str
    is_rare: bool

    @property
    def text(self) -> str:
        return f"{self.kind} {self.name} in {self.path}"


@dataclass(frozen=True, slots=True)
class Samples:
    """What is asked; the same for the same index and seed."""

    names: tuple[str, ...]
    searches: tuple[tuple[str, str], ...]
    """(intent, text)."""
    outlines: tuple[str, ...]
    symbols: tuple[Sampled, ...]
    types: tuple[Sampled, ...]


def make_samples(repo: Path, data: Path, *, count: int, seed: int) -> Samples:
    """About `count` of each kind; a repository that says little yields fewer."""
    choose = random.Random(seed)
    # Names and paths are made as for the other benchmark of questions: half of its count are names to locate.
    questions = make_questions(repo, data, count=max(4, 2 * count), seed=seed)
    texts: dict[str, list[str]] = {intent: [] for intent in INTENTS}
    for intent, text in questions.search:
        if intent in ("symbol", "path"):
            texts[intent].append(text)
    with opened(repo, data, watch=False) as project, project.open_view(project.effective_ref(None)) as view:
        paths = [path for path, entry in sorted(view.entries.items()) if entry.blob]
        choose.shuffle(paths)
        each = max(1, count // len(INTENTS))
        texts["error"] = _first(_errors(repo, paths), "error", each)
        texts["natural_language"] = _first(_questions(view, paths), "natural_language", each)
        searches = [(intent, text) for intent in INTENTS for text in texts[intent][:each]]
        symbols = _symbols(view, paths, CALLABLE | TYPES, count, choose)
        types = _symbols(view, paths, TYPES, count, choose)
        return Samples(questions.locate[:count], tuple(searches), _outlines(view, paths), symbols, types)


def _first(texts: Iterator[str], intent: str, count: int) -> list[str]:
    """The first few that the program takes for what they are, each once."""
    found: dict[str, None] = {}
    for text in texts:
        if classify(text) == intent:
            found[text] = None
        if len(found) >= count:
            break
    return list(found)


def _errors(repo: Path, paths: Sequence[str]) -> Iterator[str]:
    """One message a file, as somebody would see it: with its type before it, and something in every gap."""
    for path in paths:
        match = _RAISED.search((repo / path).read_text(encoding="utf-8", errors="replace"))
        if match and len(match[3].split()) >= _FEWEST_WORDS:
            yield f"{match[1]}: {_HOLE.sub('value', match[3]).strip()}"


def _questions(view: PinnedView, paths: Sequence[str]) -> Iterator[str]:
    """The first sentence of one function's documentation a file, asked as a question."""
    for path in paths:
        for item in (item for item in view.facts(path).definitions if item.kind in CALLABLE):
            words = _SENTENCE.split(item.doc.strip())[0].split()
            if _FEWEST_WORDS <= len(words) <= _MOST_WORDS and _VERB.match(words[0]):
                yield f"How do I {words[0].lower()} {' '.join(words[1:]).rstrip('.!?')}?"
                break


def _symbols(
    view: PinnedView, paths: Sequence[str], kinds: frozenset[str], count: int, choose: random.Random
) -> tuple[Sampled, ...]:
    """Definitions drawn from all of these kinds, so that a file with many gives many."""
    known = [(path, position, item.name) for path in paths
             for position, item in enumerate(view.facts(path).definitions) if item.kind in kinds]  # fmt: skip
    bearers = Counter(name for _, _, name in known)
    found = []
    for path, position, name in choose.sample(known, min(count, len(known))):
        symbol = view.symbol(path, position)
        handle = view.handles(symbol).symbol_id
        found.append(Sampled(handle, name, symbol.definition.kind, path, bearers[name] < COMMON))
    return tuple(found)


def _outlines(view: PinnedView, paths: Sequence[str]) -> tuple[str, ...]:
    """The files whose number of symbols is nearest to the one the target is about."""
    distance = {path: abs(len(view.facts(path).definitions) - OUTLINE_SYMBOLS) for path in paths}
    return tuple(sorted(paths, key=lambda path: (distance[path], path))[:OUTLINE_FILES])
