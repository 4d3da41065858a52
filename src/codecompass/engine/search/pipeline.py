"""Search: question → intent → candidates → features → ranked candidates. Shaping into hits is `hits.py`'s."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.search.filters.boolean_match import Verdict
from codecompass.engine.search.filters.candidates import Candidate, Pool, key_of
from codecompass.engine.search.filters.filter_set import Sieve
from codecompass.engine.search.filters.predicates import Setting
from codecompass.engine.search.filters.units import GitSide
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.paths.path_roles import ASKING
from codecompass.engine.search.query.idf import Asked, weigh
from codecompass.engine.search.query.query_syntax import Field
from codecompass.engine.search.query.query_terms import Question, without
from codecompass.engine.search.ranking.features import Judging
from codecompass.engine.search.ranking.scorer import (
    FURTHER,
    PROFILED,
    REFERRED,
    Features,
    Signals,
    Spot,
    blend,
    of_file,
    of_spot,
    reasons,
    scaled,
    score,
    uses,
)
from codecompass.engine.search.retrieval.query_plan import Plan, field_filter, plan
from codecompass.engine.search.retrieval.retriever import retrieve
from codecompass.engine.search.retrieval.vector_channel import Ask, Nearby
from codecompass.engine.search.retrieval.verbatim import Quote, find_quotes
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.file_modes import EXTRACTED
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.model.call import Call
from codecompass.model.queries.results import Reasons
from codecompass.model.queries.search_query import SearchQuery
from codecompass.text.stems import stem

_PASSING = frozenset(("author", "chunkAuthor", "churnMin", "modifiedAfter", "modifiedSince", "lint"))
"""Filters whose answers change while the view stays."""
STEADY = 100
"""Candidates ranked whatever the limit, the largest limit there is: so a smaller one cuts the same list."""


@dataclass(slots=True)
class Ranked:
    """A candidate with the numbers that ranked it."""

    candidate: Candidate
    view: PinnedView
    intent: str
    line: int
    spot: Spot
    file: Signals
    """What the file brings, the same for all its places."""
    share: float = 1.0
    """How much it counts; less for a further place of a file."""
    score: float = 0.0
    worth: float = 0.0
    """Its score as if it were the only place of its file."""

    @property
    def signals(self) -> Signals:
        return self.file._replace(**self.spot._asdict())

    @property
    def features(self) -> Features:
        return scaled(blend(self.signals, self.intent), self.share)

    @property
    def symbol(self) -> Symbol | None:
        """The definition it is, if it is one."""
        item = self.candidate
        return self.view.symbol(item.path, item.position) if item.position >= 0 else None

    @property
    def reasons(self) -> Reasons:
        features = self.features
        return reasons(features, score(features, self.intent))


@dataclass(frozen=True, slots=True)
class Found:
    ranked: list[Ranked]
    question: Question
    intent: str
    total: int
    relaxed: bool
    notes: tuple[str, ...] = ()
    """What is to be said about how the query was read, and how far it was answered."""
    complete: bool = True
    """`total` is exact; otherwise there are at least so many, and whether more pass the filters was not looked at."""
    opened: int = 0
    """Contents whose facts the filters looked into."""
    filtered: bool = False
    """Filters or a mode left something out."""
    lasting: bool = True
    """The same will be found as long as the view stays as it is; git and linters were not asked."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Stem of the question → its share of the whole; rare ones have more."""


def search(
    view: PinnedView,
    paths: PathIndex,
    query: SearchQuery,
    call: Call,
    reader: ContentReader,
    history: Callable[[], ViewHistory],
    ask: Ask | None = None,
) -> Found:
    """Everything fetched, best first; the caller cuts to its limit. `history` is asked for by filters that need git,
    `ask` for what is near in meaning.
    """
    call.step("search", 0, 2)
    made = plan(query, view.registry, view.words, of_files=True)
    quotes = _quotes(view, reader, made, query)
    made = _told(made, view, paths)
    setting = Setting(view.registry, time.time(), query.case_file)
    sieve = Sieve(view, paths, made.filters, made.without, query.mode, setting, GitSide(history), call)
    judge = None
    if made.tree is not None:

        def test(candidate: Candidate, item: Field) -> bool:
            return all(sieve.holds(row.field, value, candidate) for row, value in field_filter(item))

        judge = Verdict(view, reader, made.tree, query.case_tokens, test, call, sieve.prose)
    asked = weigh(made.question, made.intent, view.snapshot)
    nearby = _nearby(view, made, asked, query, ask)
    judging = Judging(view, paths, made.question, asked, made.intent, nearby)
    # Who asks for definitions wants all of a file that are so.
    further = 1.0 if sieve.of_definitions else FURTHER
    least = max(query.limit, STEADY)
    while True:
        active = sieve.is_active or (judge is not None and made.clause is None)
        pool = retrieve(view, paths, made, asked, query.language, least, judge, sieve if active else None, nearby)
        _mark_quotes(view, pool, quotes, new=not active and judge is None and not query.language)
        call.step("search", 1, 2)
        ranked = _ranked_all(judging, pool, further, call)
        if not sieve.is_late:
            break
        ranked, tested = _proven(ranked, sieve, query.limit)
        pool.is_open = pool.is_open or not tested
        if not tested or not pool.is_open or sieve.git.is_cut:
            break
        # What git was asked for did not leave enough; the next ones in rank are asked about.
        least *= 4
    call.step("search", 2, 2)
    notes = (*made.notes, *sieve.git.notes, *sieve.notes)
    total = len(ranked) if sieve.is_late else pool.total
    complete = not pool.is_open and not sieve.git.is_cut
    question, intent = made.question, made.intent
    steady = not any(row.field in _PASSING for row, _ in (*made.filters, *made.without)) and made.tree is None
    return Found(
        ranked, question, intent, total, pool.relaxed, notes, complete, sieve.opened, sieve.is_active,
        steady and not sieve.notes,
        asked.shares,
    )  # fmt: skip


def _told(made: Plan, view: PinnedView, paths: PathIndex) -> Plan:
    """A sentence without the name of the language that most files are in: it tells none of them from the others."""
    if made.intent != "natural_language" or made.tree is not None:
        return made
    words = [word for word in made.question.words if stem(word.lower()) not in ASKING]
    languages = {word: view.registry.canonical(word) for word in words}
    if not any(languages.values()):
        return made
    main = paths.main_language(view)
    said = frozenset(word for word, language in languages.items() if language and language == main)
    return replace(made, question=without(made.question, said))


def _quotes(view: PinnedView, reader: ContentReader, made: Plan, query: SearchQuery) -> list[Quote]:
    """Where the query stands verbatim; nothing is looked for where names or paths were asked for."""
    if made.intent not in ("error", "natural_language") or not made.question.words or query.mode == EXTRACTED:
        return []
    return find_quotes(view, reader, query.text, message=made.intent == "error")


def _mark_quotes(view: PinnedView, pool: Pool, quotes: list[Quote], *, new: bool) -> None:
    """Note on every candidate what stands there verbatim; `new` ones are added where nothing narrows the search."""
    for quote in quotes:
        position = view.heads(quote.blob).begun(quote.ordinal)
        for path in view.paths.get(quote.blob, ()):
            known = pool.candidates.get(key_of(path, position, quote.ordinal))
            if known is None and new:
                known = Candidate(path, position, quote.ordinal)
                pool.candidates[known.key] = known
                # Its words were counted with all that match.
                pool.text_found = min(pool.text_found + 1, pool.text_total)
            if known is not None:
                known.verbatim = max(known.verbatim, quote.share)


def _nearby(view: PinnedView, made: Plan, asked: Asked, query: SearchQuery, ask: Ask | None) -> Nearby | None:
    """What is near the question; nothing where no word of it is known, or where meaning counts for nothing."""
    if ask is None or not uses("near", made.intent) or not any(asked.forms.values()) or made.tree is not None:
        return None
    likeness = ask(view, made.question.text) if query.mode != EXTRACTED else None
    return Nearby(likeness) if likeness is not None else None


def _ranked_all(judging: Judging, pool: Pool, further: float, call: Call) -> list[Ranked]:
    """Every candidate; the best of a file as it is, its other places counting less."""
    paths: dict[str, list[Candidate]] = {}
    for candidate in pool.candidates.values():
        paths.setdefault(candidate.path, []).append(candidate)
    judging.meet(paths)
    known = {path: judging.outside(path) for path in paths}
    likely = sorted(paths, key=lambda path: (-judging.rough(known[path], paths[path]), path))
    files = []
    for at, path in enumerate(likely):
        # Each may have to unpack the facts of a file.
        call.check()
        named = at < PROFILED or any(item.named for item in paths[path])
        whole = judging.inside(path, known[path]) if named else known[path]
        files.append(_of_file(judging, path, paths[path], whole))
    files.sort(key=lambda file: _order(file[0]))
    if uses("referred", judging.intent):
        first = files[:REFERRED]
        for file, referred in zip(first, judging.referred([file[0].candidate.path for file in first]), strict=True):
            whole = file[0].file._replace(referred=referred)
            for item in file:
                item.file = whole
            _score(file)
    for file in files:
        for item in file[1:]:
            item.share = further
            item.score = further * of_file(item.file, item.intent) + of_spot(item.spot, item.intent, further)
    return sorted((item for file in files for item in file), key=_order)


def _of_file(judging: Judging, path: str, candidates: list[Candidate], whole: Signals) -> list[Ranked]:
    """The places of one file, best first."""
    view, intent = judging.view, judging.intent
    heads = view.heads(view.entries[path].blob)
    found = []
    for candidate, spot in zip(candidates, judging.spots(path, candidates), strict=True):
        at = candidate.position
        line = heads.line(at) if at >= 0 else candidate.ordinal
        found.append(Ranked(candidate, view, intent, line, spot, whole))
    _score(found)
    found.sort(key=_order)
    return found


def _score(file: list[Ranked]) -> None:
    base = of_file(file[0].file, file[0].intent)
    for item in file:
        item.score = item.worth = base + of_spot(item.spot, item.intent)


def _proven(ranked: list[Ranked], sieve: Sieve, wanted: int) -> tuple[list[Ranked], bool]:
    """The first so many that pass the filters which ask git, in the order of rank; and whether all were tested."""
    kept: list[Ranked] = []
    for item in ranked:
        if len(kept) >= wanted or sieve.git.is_cut:
            return kept, False
        if sieve.proves(item.candidate):
            kept.append(item)
    return kept, True


def _order(item: Ranked) -> tuple[float, str, int]:
    return -item.score, item.candidate.path, item.line
