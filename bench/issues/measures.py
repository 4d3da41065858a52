"""Measures: where the answers to an issue stand, for files and for functions, and whether its context holds them."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.issues.anchored import AnchoredBM25
from bench.issues.labels import is_source
from bench.issues.trees import Issue, Place, Tree
from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.model.queries.context_bundle import ContextBundleQuery
from codecompass.model.queries.results import Hit
from codecompass.model.queries.search_query import SearchQuery
from codecompass.tools.get_code_context import estimate_piece_cost

DEPTH = 30
BEST = (1, 5, 10)
CONTEXT_TOKENS = 8_000
_SLACK = 4
"""Lines by which a result may begin before its function: comments and decorators belong to it."""


@dataclass
class Tally:
    """Ranks of the first right answers of one way of asking; 0 where there is none."""

    files: list[int] = field(default_factory=list)
    functions: list[int] = field(default_factory=list)
    context: list[bool] = field(default_factory=list)
    cpu_s: float = 0.0

    def row(self) -> dict[str, float]:
        return {
            **{f"file@{most}": _share(0 < rank <= most for rank in self.files) for most in BEST},
            **{f"function@{most}": _share(0 < rank <= most for rank in self.functions) for most in BEST},
            "context": _share(self.context),
        }

    def add(self, other: "Tally") -> None:
        self.files += other.files
        self.functions += other.functions
        self.context += other.context
        self.cpu_s += other.cpu_s


def _share(hits: Iterable[bool]) -> float:
    values = list(hits)
    return sum(values) / len(values) if values else 0.0


def _first_rank(answers: Iterable[bool]) -> int:
    return next((at for at, right in enumerate(answers, start=1) if right), 0)


def shows(hit: Hit, place: Place) -> bool:
    """Whether a result is a function, or lines inside of it; a class around it is not."""
    return (
        hit.result_type != "file"
        and hit.path == place.path
        and place.first - _SLACK <= hit.line_start
        and hit.line_end <= place.last + 1
    )


def ask_engine(engine: Engine, tree: Tree, *, context: bool) -> Tally:
    """Ask every issue of a tree, for results and for context."""
    tally = Tally()
    for issue in tree.issues:
        began = time.process_time()
        hits = engine.search(None, SearchQuery(issue.text, limit=DEPTH, freshness="best_effort"), Call()).hits
        tally.cpu_s += time.process_time() - began
        kept = [hit for hit in hits if is_source(hit.path)]
        paths = list(dict.fromkeys(hit.path for hit in kept))
        tally.files.append(_first_rank(path in issue.files for path in paths))
        if issue.functions:
            tally.functions.append(_first_rank(any(shows(hit, one) for one in issue.functions) for hit in kept))
            if context:
                tally.context.append(_in_context(engine, issue))
    return tally


def _in_context(engine: Engine, issue: Issue) -> bool:
    query = ContextBundleQuery(issue.text, CONTEXT_TOKENS, freshness="best_effort")
    bundle = engine.bundle(None, query, estimate_piece_cost, Call())
    return any(
        piece.path == one.path
        and ((piece.whole and piece.line_start <= one.first + _SLACK and one.last - 1 <= piece.line_end)
             or (one.first - _SLACK <= piece.line_start and piece.line_end <= one.last + 1))
        for piece in bundle.pieces for one in issue.functions
    )  # fmt: skip


def ask_baseline(tree: Tree) -> Tally:
    """BM25 with anchors, over whole files and over functions."""
    tally = Tally()
    names: dict[str, set[str]] = {path: set() for path in tree.texts}
    for place in tree.functions.values():
        names[place.path].add(place.name.rpartition(".")[2])
    files = AnchoredBM25(tree.texts, names)
    functions = AnchoredBM25(
        {key: f"{place.path}\n{place.name}\n{place.text}" for key, place in tree.functions.items()},
        {key: {place.name.rpartition(".")[2]} for key, place in tree.functions.items()},
    )
    for issue in tree.issues:
        tally.files.append(_first_rank(path in issue.files for path in files.best(issue.text, DEPTH)))
        if issue.functions:
            wanted = {one.key for one in issue.functions}
            tally.functions.append(_first_rank(key in wanted for key in functions.best(issue.text, DEPTH)))
    return tally
