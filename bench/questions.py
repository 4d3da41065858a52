"""Questions: queries made from a repository's own names and paths, the same ones for the same index and seed."""

import random
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench import ours
from codecompass.engine.search.query.intent import classify
from codecompass.text.tokens import split_identifier

SAMPLED_FILES = 400
SHORTEST_NAME = 4


@dataclass(frozen=True, slots=True)
class Questions:
    """Texts for search_code by kind, and names for locate_symbol."""

    search: tuple[tuple[str, str], ...]
    """(kind, text)."""
    locate: tuple[str, ...]


def make_questions(repo: Path, data: Path, *, count: int, seed: int) -> Questions:
    """About `count` searches, a quarter of each kind, and half as many names to locate."""
    choose = random.Random(seed)
    paths = sorted(ours.indexed_files(repo, data))
    sample = choose.sample(paths, min(SAMPLED_FILES, len(paths)))
    names = [name for name in ours.defined_names(repo, data, sample) if _is_askable(name)]
    if len(names) < count:
        raise SystemExit("The repository defines too few names to ask about.")
    each = max(1, count // 4)
    picked = choose.sample(names, each * 4)
    made = {
        "symbol": picked[:each],
        "path": [_fragment(path) for path in choose.sample(paths, min(each, len(paths)))],
        "error": [_error_text(name) for name in picked[each : each * 2]],
        "natural_language": _word_pairs(choose, names, each),
    }
    searches = tuple((classify(text), text) for texts in made.values() for text in texts)
    return Questions(searches, tuple(choose.sample(names, each * 2)))


def _is_askable(name: str) -> bool:
    return len(name) >= SHORTEST_NAME and name.isidentifier() and bool(split_identifier(name))


def _fragment(path: str) -> str:
    """The last two parts of a path: what people remember of it."""
    return "/".join(PurePosixPath(path).parts[-2:])


def _error_text(name: str) -> str:
    return f"error: {' '.join(split_identifier(name))} failed"


def _word_pairs(choose: random.Random, names: list[str], count: int) -> list[str]:
    """Two words of one name and one of another: related enough to find something, and no name itself."""
    long = [parts for parts in (split_identifier(name) for name in names) if len(parts) >= 2]
    pairs = []
    for _ in range(count):
        first, second = choose.choice(long or [["main", "file"]]), choose.choice(names)
        pairs.append(f"{first[0]} {first[1]} {split_identifier(second)[-1]}")
    return pairs
