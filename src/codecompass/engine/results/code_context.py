"""Code context: pack definitions, callers, tests and documentation for a query into a token budget.

Each section has a share of the budget; what a section does not use goes to the others in a second round. A definition
that does not fit is shortened to its signature and the lines that contain query terms.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.call_graph import callees_of
from codecompass.engine.navigation.uses.references import uses_of
from codecompass.engine.search.paths.path_index import is_test
from codecompass.engine.search.pipeline import Found, Ranked
from codecompass.engine.search.ranking.term_coverage import Choice, spread
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.pinned_view import PinnedView, Symbol, shown
from codecompass.model.call import Call
from codecompass.model.code.kinds import CONTAINER, SECONDARY
from codecompass.model.queries.context_bundle import Bundle, BundleQuery, Omission, Piece
from codecompass.model.queries.results import ViewState
from codecompass.text.stems import stems
from codecompass.text.tokens import split_identifier

SHARES = {"definitions": 0.6, "callers": 0.15, "tests": 0.15, "docs": 0.1}
FOLLOWED = 3
"""Number of top definitions whose callers are added."""
LARGEST = 0.4
"""Maximum share of a section's budget for one piece in the first round."""
SMALL = 150
"""Tokens that any piece may use, however small the section."""
MAX_CALLERS = 4
MAX_MEMBERS = 40
AROUND = 2
"""Lines shown before and after a call."""
WORTH = 0.45
"""Candidates below this share of the best score are dropped."""
CALLING = 5
"""Number of top definitions whose callees are added."""
CALLED, CALLED_AGAIN = 0.8, 0.1
"""Score of a callee relative to its caller, and the bonus for each further caller."""
CANDIDATES = 40
WHOLE_LINES = 80
HEAD_LINES = 12
FRAME = 220
"""Tokens of an answer besides its pieces: metadata, counts, advice."""
NAME = 45
"""Tokens of one omission."""
MAX_NAMED = 8
MARGIN = 1.08
PROSE = frozenset({"", "text", "markdown"})
Price = Callable[[Piece], int]


@dataclass(frozen=True, slots=True)
class _Offer:
    """A candidate for the context: its section, its lines and its symbol."""

    section: str
    path: str
    line_start: int
    line_end: int
    why: str
    symbol: Symbol | None = None


class Bundler:
    """Builds the code context of one search."""

    def __init__(self, view: PinnedView, reader: ContentReader, resolver: Resolver, found: Found, call: Call) -> None:
        self._view = view
        self._reader = reader
        self._resolver = resolver
        self._found = found
        self._call = call
        self._lines: dict[str, list[str]] = {}

    def bundle(self, query: BundleQuery, cost: Price) -> Bundle:
        """Build the context; `cost` estimates the tokens of a piece as sent, to which a margin is added."""
        prices: dict[Piece, int] = {}

        def price(piece: Piece) -> int:
            if piece not in prices:
                prices[piece] = int(cost(piece) * MARGIN) + 1
            return prices[piece]

        named = min(MAX_NAMED, query.max_tokens // 500)
        pieces, missing = self.fill(query, price, query.max_tokens - FRAME - named * NAME)
        counts = {name: sum(1 for piece in pieces if piece.section == name) for name in query.sections}
        spent = sum(map(price, pieces)) + FRAME + min(named, len(missing)) * NAME
        state = ViewState("", "stale", "ready", "compatible")
        return Bundle(
            tuple(pieces), spent, tuple(missing[:named]), len(missing), self._found.total, self._found.intent, state,
            {name: count for name, count in counts.items() if count},
        )  # fmt: skip

    def fill(self, query: BundleQuery, price: Price, budget: int) -> tuple[list[Piece], list[Omission]]:
        """Select pieces, ordered by section, and list omissions; `price` returns the tokens of a piece."""
        offers = [offer for offer in self._offers() if offer.section in query.sections]
        remaining = {section: int(budget * SHARES[section]) for section in query.sections}
        pieces: dict[_Offer, Piece] = {}
        unused = budget - sum(remaining.values())
        for number, offer in enumerate(offers):
            self._call.step("pieces", number, len(offers))
            most = max(int(budget * SHARES[offer.section] * LARGEST), SMALL)
            piece = self._fitting(offer, min(remaining[offer.section], most), price, pieces)
            if piece is not None:
                pieces[offer] = piece
                remaining[offer.section] -= price(piece)
        missing = self._spend(offers, pieces, unused + sum(remaining.values()), price)
        order = sorted(pieces, key=lambda offer: (query.sections.index(offer.section), offers.index(offer)))
        return [pieces[offer] for offer in order], missing

    def _spend(self, offers: list[_Offer], pieces: dict[_Offer, Piece], unused: int, price: Price) -> list[Omission]:
        """Second round: spend the unused budget on missing and shortened pieces; returns the omissions."""
        missing = []
        for offer in offers:
            self._call.check()
            known = pieces.pop(offer, None)
            if known is not None and known.whole:
                pieces[offer] = known
                continue
            previous_cost = price(known) if known else 0
            piece = self._fitting(offer, unused + previous_cost, price, pieces) or known
            if piece is not None:
                pieces[offer] = piece
                unused -= price(piece) - previous_cost
            elif not _covered(offer, pieces):
                missing.append(self._omission(offer))
        return missing

    # -- candidates ------------------------------------------------------------------------------------------------

    def _offers(self) -> Iterator[_Offer]:
        seen: set[tuple[str, int]] = set()
        # Candidates share the budget whichever file they are in.
        best = sorted(self._found.ranked, key=lambda item: -item.worth)[:CANDIDATES]
        ranked = [item for item in best if not item.candidate.whole_file]
        least = ranked[0].worth * WORTH if ranked else 0.0
        choices: list[Choice[_Offer]] = []
        for item in ranked:
            offer = self._offer(item)
            if item.worth >= least and (offer.path, offer.line_start) not in seen:
                seen.add((offer.path, offer.line_start))
                choices.append(Choice(item.worth, _name_stems(offer), offer))
        calling = [choice for choice in choices if choice.item.section == "definitions" and choice.item.symbol]
        called = self._called(calling[:CALLING], seen)
        ordered = [choice.item for choice in spread([*choices, *called], self._found.shares)]
        yield from ordered
        followed = [offer.symbol for offer in ordered if offer.section == "definitions" and offer.symbol is not None]
        for symbol in followed[:FOLLOWED]:
            yield from self._calls(symbol, seen)

    def _called(self, choices: list[Choice[_Offer]], seen: set[tuple[str, int]]) -> list[Choice[_Offer]]:
        """Find callees of the top definitions whose names contain query terms; more callers give a higher score."""
        found: dict[tuple[str, int], Choice[_Offer]] = {}
        for choice in choices:
            symbol = choice.item.symbol
            assert symbol is not None
            for location, line in self._callees(symbol).items():
                offer = self._callee_offer(location, symbol, line)
                words = _name_stems(offer)
                if (offer.path, offer.line_start) in seen or self._found.shares.keys().isdisjoint(words):
                    continue
                known = found.get(location)
                score = known.worth + CALLED_AGAIN * choice.worth if known else CALLED * choice.worth
                found[location] = Choice(min(score, choices[0].worth), words, known.item if known else offer)
        seen.update((choice.item.path, choice.item.line_start) for choice in found.values())
        return list(found.values())

    def _callees(self, symbol: Symbol) -> dict[tuple[str, int], int]:
        """Return the resolved callees of a definition with the line of the first call; tests are excluded."""
        found: dict[tuple[str, int], int] = {}
        for edge in callees_of(self._resolver, symbol, 1, self._call).edges:
            if edge.other is not None and edge.resolution == "resolved" and not is_test(edge.other[0]):
                found.setdefault(edge.other, edge.line)
        return found

    def _callee_offer(self, location: tuple[str, int], caller: Symbol, line: int) -> _Offer:
        symbol = self._view.symbol(*location)
        item, why = symbol.definition, f"is called by {caller.definition.name} at line {line}"
        return _Offer("definitions", symbol.path, item.line_start, item.line_end, why, symbol)

    def _offer(self, item: Ranked) -> _Offer:
        path, facts = item.candidate.path, self._view.facts(item.candidate.path)
        chunk = facts.chunks[item.candidate.ordinal] if item.candidate.ordinal >= 0 else None
        symbol = item.symbol
        if symbol is None and chunk is not None and chunk.owner >= 0:
            symbol = self._view.symbol(path, chunk.owner)
        start, end = (chunk.line_start, chunk.line_end) if chunk else (1, facts.line_count)
        if item.symbol is not None:
            start, end = item.symbol.definition.line_start, item.symbol.definition.line_end
        section = "tests" if is_test(path) else "docs" if facts.language in PROSE else "definitions"
        return _Offer(section, path, start, end, f"matches the question ({item.worth:.2f})", symbol)

    def _calls(self, symbol: Symbol, seen: set[tuple[str, int]]) -> Iterator[_Offer]:
        """Yield the calls of a definition: as callers in source files, as tests in test files."""
        count = {"callers": 0, "tests": 0}
        for site in uses_of(self._resolver, symbol, self._call, "callers"):
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
                yield _Offer(section, site.path, start, owner.definition.line_end, why, owner)
            else:
                last = self._view.facts(site.path).line_count
                yield _Offer(section, site.path, max(1, site.line - AROUND), min(last, site.line + AROUND), why, owner)

    # -- pieces ----------------------------------------------------------------------------------------------------

    def _fitting(self, offer: _Offer, budget: int, price: Price, pieces: dict[_Offer, Piece]) -> Piece | None:
        if _covered(offer, pieces):
            return None
        for make in (self._whole, self._members, self._short, self._head):
            piece = make(offer)
            if piece is not None and price(piece) <= budget:
                return piece
        return None

    def _whole(self, offer: _Offer) -> Piece | None:
        lines = self._text(offer)
        return self._piece(offer, lines) if lines and len(lines) <= WHOLE_LINES else None

    def _members(self, offer: _Offer) -> Piece | None:
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
        return self._piece(offer, [symbol.definition.signature, *([doc] if doc else []), *heads], whole=False)

    def _short(self, offer: _Offer) -> Piece | None:
        """Shorten to the first lines and the lines that contain query terms."""
        lines = self._text(offer)
        if not lines:
            return None
        parts = self._found.question.parts
        kept = set(range(min(HEAD_LINES, len(lines))))
        kept |= {at for at, line in enumerate(lines) if parts & frozenset(split_identifier(line))}
        return self._piece(offer, _with_gaps(lines, sorted(kept)[: 3 * HEAD_LINES]), whole=len(kept) == len(lines))

    def _head(self, offer: _Offer) -> Piece | None:
        lines = self._text(offer)
        if offer.symbol is not None:
            return self._piece(offer, [offer.symbol.definition.signature], whole=False)
        return self._piece(offer, _with_gaps(lines, list(range(min(3, len(lines))))), whole=False) if lines else None

    def _piece(self, offer: _Offer, lines: list[str], *, whole: bool = True) -> Piece:
        item = offer.symbol.definition if offer.symbol else None
        return Piece(
            section=offer.section,
            path=shown(offer.path),
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

    def _text(self, offer: _Offer) -> list[str]:
        if offer.path not in self._lines:
            self._lines[offer.path] = self._reader.lines(self._view, offer.path) or []
        return self._lines[offer.path][offer.line_start - 1 : offer.line_end]

    def _omission(self, offer: _Offer) -> Omission:
        symbol = offer.symbol
        handle = self._view.handles(symbol).symbol_id if symbol else ""
        name = symbol.qualified_name if symbol else ""
        return Omission(offer.section, shown(offer.path), offer.line_start, name, handle)


def _name_stems(offer: _Offer) -> frozenset[str]:
    """Return the stems of a definition's name; none for headings and for tests, which have their own budget."""
    if offer.symbol is None or offer.section != "definitions" or offer.symbol.definition.kind in SECONDARY:
        return frozenset()
    return frozenset(stems(offer.symbol.definition.name))


def _covered(offer: _Offer, pieces: dict[_Offer, Piece]) -> bool:
    """Whether a selected piece already shows these lines."""
    return any(
        other.path == offer.path
        and other.line_start <= offer.line_start
        and offer.line_end <= other.line_end
        and pieces[other].whole
        for other in pieces
    )


def _with_gaps(lines: list[str], kept: list[int]) -> list[str]:
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
