"""Code context: pack definitions, callers, tests and documentation for a query into a token budget.

Each section has a share of the budget; what a section does not use goes to the others in a second round. A definition
that does not fit is shortened to its signature and the lines that contain query terms.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.call_graph import find_callees
from codecompass.engine.navigation.uses.references import find_uses
from codecompass.engine.search.paths.path_roles import is_test
from codecompass.engine.search.pipeline import RankedCandidate, SearchOutcome
from codecompass.engine.search.ranking.term_coverage import CoverageCandidate, order_by_coverage
from codecompass.engine.view.pinned_view import ContentReader, PinnedView, Symbol
from codecompass.model.call import Call
from codecompass.model.code.kinds import CONTAINER, SECONDARY
from codecompass.model.path_text import display_path
from codecompass.model.queries.context_bundle import ContextBundle, ContextBundleQuery, ContextSnippet, OmittedSnippet
from codecompass.model.queries.results import ViewState
from codecompass.text.tokens import split_identifier, stem_parts

SECTION_SHARES = {"definitions": 0.6, "callers": 0.15, "tests": 0.15, "docs": 0.1}
CALLER_LOOKUPS = 3
"""Number of top definitions whose callers are added."""
MAX_PIECE_SHARE = 0.4
"""Maximum share of a section's budget for one piece in the first round."""
MIN_PIECE_TOKENS = 150
"""Tokens that any piece may use, however small the section."""
MAX_CALLERS = 4
MAX_MEMBERS = 40
CALL_CONTEXT_LINES = 2
"""Lines shown before and after a call."""
MIN_SCORE_SHARE = 0.45
"""Candidates below this share of the best score are shown only in room that nothing better uses."""
SPARE_SCORE_SHARE = 0.15
"""Candidates below this share of the best score are dropped."""
CALLEE_LOOKUPS = 5
"""Number of top definitions whose callees are added."""
CALLEE_WEIGHT, REPEAT_CALLEE_BONUS = 0.8, 0.1
"""Score of a callee relative to its caller, and the bonus for each further caller."""
MAX_CANDIDATES = 40
MAX_SPARE_CANDIDATES = 80
MAX_WHOLE_LINES = 80
MAX_FILL_LINES = 400
"""Lines up to which a piece is shown whole, in the first round and where room is left."""
MAX_ACCESSOR_LINES = 4
_ACCESSOR = re.compile(r"^[^\n]*[\n{]\s*return (?:self|this)\.\w+;?\s*\}?\s*$")
HEAD_LINES = 12
OVERHEAD_TOKENS = 132
"""Tokens of an answer besides its pieces: metadata, counts, advice."""
OMISSION_TOKENS = 30
"""Tokens of one omission."""
MAX_OMISSIONS = 8
TOKEN_MARGIN = 1.03
PROSE_LANGUAGES = frozenset({"", "text", "markdown"})
PieceCost = Callable[[ContextSnippet], int]


@dataclass(frozen=True, slots=True)
class _ContextCandidate:
    """A candidate for the context: its section, its lines and its symbol."""

    section: str
    path: str
    line_start: int
    line_end: int
    why: str
    symbol: Symbol | None = None


class ContextBuilder:
    """Builds the code context of one search."""

    def __init__(
        self, view: PinnedView, reader: ContentReader, resolver: Resolver, found: SearchOutcome, call: Call
    ) -> None:
        self._view = view
        self._reader = reader
        self._resolver = resolver
        self._found = found
        self._call = call
        self._lines: dict[str, list[str]] = {}

    def build(self, query: ContextBundleQuery, cost: PieceCost) -> ContextBundle:
        """Build the context; `cost` estimates the tokens of a piece as sent, to which a margin is added."""
        prices: dict[ContextSnippet, int] = {}

        def price(piece: ContextSnippet) -> int:
            if piece not in prices:
                prices[piece] = int(cost(piece) * TOKEN_MARGIN) + 1
            return prices[piece]

        named = min(MAX_OMISSIONS, query.max_tokens // 500)
        pieces, missing = self.select_pieces(query, price, query.max_tokens - OVERHEAD_TOKENS - named * OMISSION_TOKENS)
        counts = {name: sum(1 for piece in pieces if piece.section == name) for name in query.sections}
        spent = sum(map(price, pieces)) + OVERHEAD_TOKENS + min(named, len(missing)) * OMISSION_TOKENS
        state = ViewState("", "stale", "ready", "compatible")
        return ContextBundle(
            tuple(pieces), spent, tuple(missing[:named]), len(missing), self._found.total, self._found.intent, state,
            {name: count for name, count in counts.items() if count},
        )  # fmt: skip

    def select_pieces(
        self, query: ContextBundleQuery, price: PieceCost, budget: int
    ) -> tuple[list[ContextSnippet], list[OmittedSnippet]]:
        """Select pieces, ordered by section, and list omissions; `price` returns the tokens of a piece."""
        seen: set[tuple[str, int]] = set()
        offers = [offer for offer in self._find_candidates(seen) if offer.section in query.sections]
        remaining: dict[str, int] = {section: int(budget * SECTION_SHARES[section]) for section in query.sections}
        pieces: dict[_ContextCandidate, ContextSnippet] = {}
        unused = budget - sum(remaining.values())
        for number, offer in enumerate(offers):
            self._call.step("pieces", number, len(offers))
            most = max(int(budget * SECTION_SHARES[offer.section] * MAX_PIECE_SHARE), MIN_PIECE_TOKENS)
            piece = self._fit_piece(offer, min(remaining[offer.section], most), price, pieces)
            if piece is not None:
                pieces[offer] = piece
                remaining[offer.section] -= price(piece)
        unused, missing = self._fill_remaining(offers, pieces, unused + sum(remaining.values()), price)
        spare = [offer for offer in self._find_spare_candidates(seen) if offer.section in query.sections]
        for offer in spare if unused > MIN_PIECE_TOKENS else ():
            piece = self._fit_piece(offer, unused, price, pieces)
            if piece is not None and (piece.whole or unused > 4 * MIN_PIECE_TOKENS):
                pieces[offer] = piece
                unused -= price(piece)
        ranks = {offer: rank for rank, offer in enumerate([*offers, *spare])}
        order = sorted(pieces, key=lambda offer: (query.sections.index(offer.section), ranks[offer]))
        return [pieces[offer] for offer in order], missing

    def _fill_remaining(
        self,
        offers: list[_ContextCandidate],
        pieces: dict[_ContextCandidate, ContextSnippet],
        unused: int,
        price: PieceCost,
    ) -> tuple[int, list[OmittedSnippet]]:
        """Second round: spend the unused budget on missing and shortened pieces; returns the rest and the omissions."""
        missing = []
        for offer in offers:
            self._call.check()
            known = pieces.pop(offer, None)
            if known is not None and known.whole:
                pieces[offer] = known
                continue
            previous_cost = price(known) if known else 0
            piece = self._fit_piece(offer, unused + previous_cost, price, pieces, longest=MAX_FILL_LINES) or known
            if piece is not None:
                pieces[offer] = piece
                unused -= price(piece) - previous_cost
            elif not _is_covered(offer, pieces):
                missing.append(self._make_omission(offer))
        return unused, missing

    # -- candidates ------------------------------------------------------------------------------------------------

    def _find_spare_candidates(self, seen: set[tuple[str, int]]) -> list[_ContextCandidate]:
        """Return weaker candidates, the best first, for room that is left."""
        best = sorted(self._found.ranked, key=lambda item: -item.standalone_score)[:MAX_SPARE_CANDIDATES]
        ranked = [item for item in best if not item.candidate.whole_file]
        least = ranked[0].standalone_score * SPARE_SCORE_SHARE if ranked else 0.0
        offers = [self._to_candidate(item) for item in ranked if item.standalone_score >= least]
        return [offer for offer in offers if (offer.path, offer.line_start) not in seen]

    def _find_candidates(self, seen: set[tuple[str, int]]) -> Iterator[_ContextCandidate]:
        # Candidates share the budget whichever file they are in.
        best = sorted(self._found.ranked, key=lambda item: -item.standalone_score)[:MAX_CANDIDATES]
        ranked = [item for item in best if not item.candidate.whole_file]
        least = ranked[0].standalone_score * MIN_SCORE_SHARE if ranked else 0.0
        choices: list[CoverageCandidate[_ContextCandidate]] = []
        for item in ranked:
            offer = self._to_candidate(item)
            if item.standalone_score >= least and (offer.path, offer.line_start) not in seen:
                seen.add((offer.path, offer.line_start))
                choices.append(CoverageCandidate(item.standalone_score, _name_stems(offer), offer))
        calling = [choice for choice in choices if choice.item.section == "definitions" and choice.item.symbol]
        called, bonuses = self._find_callees(calling[:CALLEE_LOOKUPS], seen)
        best_score = choices[0].score if choices else 0.0
        raised = [
            one._replace(score=min(one.score + bonuses.get((one.item.path, one.item.line_start), 0.0), best_score))
            for one in choices
        ]
        ordered = [choice.item for choice in order_by_coverage([*raised, *called], self._found.idf_share)]
        yield from ordered
        followed = [offer.symbol for offer in ordered if offer.section == "definitions" and offer.symbol is not None]
        for symbol in followed[:CALLER_LOOKUPS]:
            yield from self._find_callers(symbol, seen)

    def _find_callees(
        self, choices: list[CoverageCandidate[_ContextCandidate]], seen: set[tuple[str, int]]
    ) -> tuple[list[CoverageCandidate[_ContextCandidate]], dict[tuple[str, int], float]]:
        """Find callees of the top definitions whose names contain query terms; more callers give a higher score.

        Of callees that are candidates already, by path and line, only the bonus for their callers is returned.
        """
        found: dict[tuple[str, int], CoverageCandidate[_ContextCandidate]] = {}
        bonuses: dict[tuple[str, int], float] = {}
        for choice in choices:
            symbol = choice.item.symbol
            assert symbol is not None
            for location, line in self._resolved_callees(symbol).items():
                offer = self._callee_candidate(location, symbol, line)
                words, place = _name_stems(offer), (offer.path, offer.line_start)
                if self._found.idf_share.keys().isdisjoint(words):
                    continue
                if place in seen:
                    if place != (choice.item.path, choice.item.line_start):
                        bonuses[place] = bonuses.get(place, 0.0) + REPEAT_CALLEE_BONUS * choice.score
                    continue
                known = found.get(location)
                score = known.score + REPEAT_CALLEE_BONUS * choice.score if known else CALLEE_WEIGHT * choice.score
                found[location] = CoverageCandidate(min(score, choices[0].score), words, known.item if known else offer)
        seen.update((choice.item.path, choice.item.line_start) for choice in found.values())
        return list(found.values()), bonuses

    def _resolved_callees(self, symbol: Symbol) -> dict[tuple[str, int], int]:
        """Return the resolved callees of a definition with the line of the first call; tests are excluded."""
        found: dict[tuple[str, int], int] = {}
        for edge in find_callees(self._resolver, symbol, 1, self._call).edges:
            if edge.other is not None and edge.resolution == "resolved" and not is_test(edge.other[0]):
                found.setdefault(edge.other, edge.line)
        return found

    def _callee_candidate(self, location: tuple[str, int], caller: Symbol, line: int) -> _ContextCandidate:
        symbol = self._view.symbol(*location)
        item, why = symbol.definition, f"is called by {caller.definition.name} at line {line}"
        return _ContextCandidate("definitions", symbol.path, item.line_start, item.line_end, why, symbol)

    def _to_candidate(self, item: RankedCandidate) -> _ContextCandidate:
        path, facts = item.candidate.path, self._view.facts(item.candidate.path)
        chunk = facts.chunks[item.candidate.ordinal] if item.candidate.ordinal >= 0 else None
        symbol = item.symbol
        if symbol is None and chunk is not None and chunk.owner >= 0:
            symbol = self._view.symbol(path, chunk.owner)
        start, end = (chunk.line_start, chunk.line_end) if chunk else (1, facts.line_count)
        if item.symbol is not None:
            start, end = item.symbol.definition.line_start, item.symbol.definition.line_end
        section = "tests" if is_test(path) else "docs" if facts.language in PROSE_LANGUAGES else "definitions"
        return _ContextCandidate(
            section, path, start, end, f"matches the question ({item.standalone_score:.2f})", symbol
        )

    def _find_callers(self, symbol: Symbol, seen: set[tuple[str, int]]) -> Iterator[_ContextCandidate]:
        """Yield the calls of a definition: as callers in source files, as tests in test files."""
        count = {"callers": 0, "tests": 0}
        for site in find_uses(self._resolver, symbol, self._call, "callers"):
            if site.kind != "call" or site.resolution != "resolved":
                continue
            section = "tests" if is_test(site.path) else "callers"
            owner = self._view.symbol(site.path, site.owner) if site.owner >= 0 else None
            start = owner.definition.line_start if owner else site.line
            if count[section] >= MAX_CALLERS or (site.path, start) in seen or owner == symbol:
                continue
            seen.add((site.path, start))
            count[section] += 1
            why = f"calls {symbol.definition.name} at line {site.line}"
            if owner is not None and owner.definition.line_end - start <= 2 * HEAD_LINES:
                yield _ContextCandidate(section, site.path, start, owner.definition.line_end, why, owner)
            else:
                last = self._view.facts(site.path).line_count
                yield _ContextCandidate(
                    section,
                    site.path,
                    max(1, site.line - CALL_CONTEXT_LINES),
                    min(last, site.line + CALL_CONTEXT_LINES),
                    why,
                    owner,
                )

    # -- pieces ----------------------------------------------------------------------------------------------------

    def _fit_piece(
        self,
        offer: _ContextCandidate,
        budget: int,
        price: PieceCost,
        pieces: dict[_ContextCandidate, ContextSnippet],
        longest: int = MAX_WHOLE_LINES,
    ) -> ContextSnippet | None:
        """Return the longest form of a candidate that fits; None if there is none, or it says nothing new."""
        if _is_covered(offer, pieces) or _is_accessor(self._read_lines(offer)):
            return None
        whole = self._read_lines(offer)
        forms = (self._outline_piece, self._excerpt_piece, self._signature_piece)
        first = [self._make_piece(offer, whole)] if whole and len(whole) <= longest else []
        for piece in chain(first, (make(offer) for make in forms)):
            if piece is not None and price(piece) <= budget:
                return None if any(piece.code == other.code for other in pieces.values()) else piece
        return None

    def _outline_piece(self, offer: _ContextCandidate) -> ContextSnippet | None:
        """Shorten a type to its signature and those of its members."""
        symbol = offer.symbol
        if symbol is None or symbol.definition.kind not in CONTAINER or offer.section != "definitions":
            return None
        facts = self._view.facts(offer.path)
        inside = [item for item in facts.definitions if item.parent == symbol.position and item.kind != "use"]
        heads = [f"    {item.signature}  # line {item.line_start}" for item in inside[:MAX_MEMBERS]]
        if len(inside) > MAX_MEMBERS:
            heads.append(f"… {len(inside) - MAX_MEMBERS} members left out …")
        doc = symbol.definition.doc.split("\n\n")[0]
        return self._make_piece(offer, [symbol.definition.signature, *([doc] if doc else []), *heads], whole=False)

    def _excerpt_piece(self, offer: _ContextCandidate) -> ContextSnippet | None:
        """Shorten to the first lines and the lines that contain query terms."""
        lines = self._read_lines(offer)
        if not lines:
            return None
        parts = self._found.question.parts
        kept = set(range(min(HEAD_LINES, len(lines))))
        kept |= {at for at, line in enumerate(lines) if parts & frozenset(split_identifier(line))}
        return self._make_piece(offer, _mark_gaps(lines, sorted(kept)[: 3 * HEAD_LINES]), whole=len(kept) == len(lines))

    def _signature_piece(self, offer: _ContextCandidate) -> ContextSnippet | None:
        lines = self._read_lines(offer)
        if offer.symbol is not None:
            return self._make_piece(offer, [offer.symbol.definition.signature], whole=False)
        return (
            self._make_piece(offer, _mark_gaps(lines, list(range(min(3, len(lines))))), whole=False) if lines else None
        )

    def _make_piece(self, offer: _ContextCandidate, lines: list[str], *, whole: bool = True) -> ContextSnippet:
        item = offer.symbol.definition if offer.symbol else None
        return ContextSnippet(
            section=offer.section,
            path=display_path(offer.path),
            line_start=offer.line_start,
            line_end=offer.line_end,
            language=self._view.facts(offer.path).language or "text",
            code="\n".join(lines),
            why=offer.why,
            kind=item.kind if item else "",
            name=offer.symbol.qualified_name if offer.symbol else "",
            symbol_id=self._view.handles(offer.symbol).symbol_id if offer.symbol else "",
            whole=whole,
        )

    def _read_lines(self, offer: _ContextCandidate) -> list[str]:
        if offer.path not in self._lines:
            self._lines[offer.path] = self._reader.read_lines(self._view, offer.path) or []
        return self._lines[offer.path][offer.line_start - 1 : offer.line_end]

    def _make_omission(self, offer: _ContextCandidate) -> OmittedSnippet:
        symbol = offer.symbol
        handle = self._view.handles(symbol).symbol_id if symbol else ""
        name = symbol.qualified_name if symbol else ""
        return OmittedSnippet(offer.section, display_path(offer.path), offer.line_start, name, handle)


def _name_stems(offer: _ContextCandidate) -> frozenset[str]:
    """Return the stems of a definition's name; none for headings and for tests, which have their own budget."""
    if offer.symbol is None or offer.section != "definitions" or offer.symbol.definition.kind in SECONDARY:
        return frozenset()
    return frozenset(stem_parts(offer.symbol.definition.name))


def _is_covered(offer: _ContextCandidate, pieces: dict[_ContextCandidate, ContextSnippet]) -> bool:
    """Whether a selected piece already shows these lines."""
    return any(
        other.path == offer.path
        and other.line_start <= offer.line_start
        and offer.line_end <= other.line_end
        and pieces[other].whole
        for other in pieces
    )


def _is_accessor(lines: list[str]) -> bool:
    """Whether a definition only returns a field of its object."""
    return len(lines) <= MAX_ACCESSOR_LINES and _ACCESSOR.search("\n".join(lines)) is not None


def _mark_gaps(lines: list[str], kept: list[int]) -> list[str]:
    """Return the kept lines with a marker and the line count at each gap."""
    found: list[str] = []
    before = -1
    for at in [*kept, len(lines)]:
        if at - before > 1:
            found.append(f"… {at - before - 1} lines left out …")
        if at < len(lines):
            found.append(lines[at])
        before = at
    return found
