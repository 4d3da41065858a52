"""Related: what a definition stands in a real relation to — types it names, what it calls, who uses it, siblings used.

A name that may mean several definitions proves nothing, so it counts only where the place decides: a sibling, then the
same file, then the only definition there is.
"""

import re
from collections.abc import Iterable, Iterator

from codecompass.engine.query.paths import is_test
from codecompass.engine.view import PinnedView, Symbol, shown
from codecompass.model.code import Reference
from codecompass.model.kinds import CONTAINER
from codecompass.model.result import SymbolPlace
from codecompass.store.ports import SymbolRow

MOST = 5
_OF_ONE_SORT = 3
_ROWS = 200
"""A name with more definitions than this says nothing."""
_NAMES = 40
"""Names of one body looked up; a body with more is long enough to have its five long before."""
_CALLS = frozenset({"call", "instance", "decorator", "throw"})
_TYPES = CONTAINER | {"type"}
_WORD = re.compile(r"[^\W\d]\w*")


def related(view: PinnedView, symbol: Symbol) -> tuple[SymbolPlace, ...]:
    """At most five neighbours: types first, then callees, then users; each is another definition than this one."""
    uses = list(_uses(view, symbol))
    sorts = (_types(view, symbol, uses), _callees(view, symbol, uses), _users(view, symbol))
    found: dict[tuple[str, int], Symbol] = {}
    spare: dict[tuple[str, int], Symbol] = {}
    for sort in sorts:
        taken = 0
        for other in sort:
            key = (other.path, other.position)
            if other == symbol or key in found or _encloses(symbol, other) or _encloses(other, symbol):
                continue
            if taken < _OF_ONE_SORT:
                found[key] = other
            else:
                spare.setdefault(key, other)
            taken += 1
            if taken > MOST:
                break
    chosen = [*found.values(), *(other for key, other in spare.items() if key not in found)][:MOST]
    return tuple(place_of(other) for other in chosen)


def place_of(symbol: Symbol) -> SymbolPlace:
    return SymbolPlace(symbol.definition.kind, symbol.definition.name, shown(symbol.path), symbol.definition.line_start)


def parent_of(view: PinnedView, symbol: Symbol) -> SymbolPlace | None:
    """The definition a member stands in."""
    above = symbol.definition.parent
    return place_of(view.symbol(symbol.path, above)) if above >= 0 else None


def _encloses(outer: Symbol, inner: Symbol) -> bool:
    one, two = outer.definition, inner.definition
    return outer.path == inner.path and one.byte_start <= two.byte_start and two.byte_end <= one.byte_end


def _uses(view: PinnedView, symbol: Symbol) -> Iterator[Reference]:
    """What the definition mentions, in what it holds too, in source order."""
    inside = {
        position
        for position, item in enumerate(view.facts(symbol.path).definitions)
        if symbol.definition.byte_start <= item.byte_start and item.byte_end <= symbol.definition.byte_end
    }
    for item in view.uses(symbol.path).references:
        if item.owner in inside:
            yield item


def _types(view: PinnedView, symbol: Symbol, uses: list[Reference]) -> Iterator[Symbol]:
    names = [item.name for item in uses if item.role == "inherit"]
    names += _WORD.findall(symbol.definition.signature)
    for other in _resolved(view, symbol, names):
        if other.definition.kind in _TYPES:
            yield other


def _callees(view: PinnedView, symbol: Symbol, uses: list[Reference]) -> Iterator[Symbol]:
    yield from _resolved(view, symbol, (item.name for item in uses if item.role in _CALLS))


def _resolved(view: PinnedView, symbol: Symbol, names: Iterable[str]) -> Iterator[Symbol]:
    for name in list(dict.fromkeys(names))[:_NAMES]:
        if name != symbol.definition.name:
            found = _only(view, symbol, name)
            if found is not None:
                yield found


def _only(view: PinnedView, symbol: Symbol, name: str) -> Symbol | None:
    """The one definition a name means from where the symbol stands, or None when that cannot be told."""
    rows = _definitions(view, name)
    own = view.entries[symbol.path].blob
    at_home = [row.position for row in rows if row.blob == own]
    definitions = view.facts(symbol.path).definitions
    siblings = [at for at in at_home if definitions[at].parent == symbol.definition.parent]
    for group in (siblings, at_home):
        if len(group) == 1:
            return view.symbol(symbol.path, group[0])
    # Counted by rows first: opening the files of a common name would cost more than the answer is worth.
    places = [(path, row.position) for row in rows for path in view.paths.get(row.blob, ())]
    return view.symbol(*places[0]) if len(places) == 1 else None


def _definitions(view: PinnedView, name: str) -> list[SymbolRow]:
    found = view.snapshot.symbols_named(name.casefold(), prefix=False, limit=_ROWS)
    return [row for row in found if row.name == name] if len(found) < _ROWS else []


def _users(view: PinnedView, symbol: Symbol) -> Iterator[Symbol]:
    """Definitions that mention this one by name, sources before tests, near ones first; none if others share it."""
    rows = _definitions(view, symbol.definition.name)
    if sum(len(view.paths.get(row.blob, ())) for row in rows) != 1:
        return
    near = symbol.path.rpartition("/")[0]
    mentioned: dict[str, list[int]] = {}
    for blob, places in view.snapshot.mentions(symbol.definition.name):
        owners = sorted({place[3] for place in places if place[3] >= 0 and place[0] != "import"})
        mentioned |= dict.fromkeys(view.paths.get(blob, ()), owners)
    for path in sorted(mentioned, key=lambda path: (is_test(path), path.rpartition("/")[0] != near, path)):
        for owner in mentioned[path]:
            yield view.symbol(path, owner)
