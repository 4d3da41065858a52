"""Navigation: the uses of a symbol and the definition behind a use, as codecompass answers them."""

from bench.accuracy.ours import Ours
from bench.accuracy.sources import Place
from bench.accuracy.truth import TruthSymbol
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolNode, SymbolTarget, SymbolUse
from codecompass.model.queries.search_query import ReferenceQuery

_ALL = 1_000_000
_SURE = {"resolved": 0, "ambiguous": 1, "unresolved": 2}


def uses_of(ours: Ours, truth: TruthSymbol) -> dict[Place, SymbolUse]:
    """Every use we know of a symbol; where two of its definitions claim a place, the surer claim stays."""
    found: dict[Place, SymbolUse] = {}
    for handle in ours.symbols(truth):
        query = ReferenceQuery(SymbolTarget(handle=handle), limit=_ALL, freshness="best_effort")
        for use in ours.engine.references(None, query, Call()).uses:
            place = Place(use.path, use.line, use.column)
            if place not in found or _SURE[use.resolution] < _SURE[found[place].resolution]:
                found[place] = use
    return found


def definition_at(ours: Ours, place: Place) -> tuple[str, tuple[SymbolNode, ...]]:
    """How sure we are of what the name at a place means, and what it may mean."""
    try:
        return ours.engine.definition_at(None, place.path, place.line, place.column)
    except Failure:
        return "unresolved", ()
