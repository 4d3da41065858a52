"""Merged facts: merges the facts of a host and of its embedded programs, in source order.

Every position in the facts of a part is mapped to the position of its definition in the whole. A top-level definition
of a part gets the innermost enclosing definition of another set as parent, but keeps the scope of its own language.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from codecompass.languages.extraction.nesting import Nesting
from codecompass.model.code.facts import Definition, EmbeddedSegment, Facts
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Analysis, ControlFlowCounts, Traits

_WORD_FIELDS = tuple(name for name in Traits._fields if name not in ("at", "parameters", "returns", "types", "flow"))


class FactsPart(NamedTuple):
    """The facts of one program, and its segments."""

    facts: Facts
    segments: tuple[EmbeddedSegment, ...]


def merge_facts(host: Facts, parts: list[FactsPart], text: Iterable[EmbeddedSegment] = ()) -> Facts:
    """Merge facts whose lines, columns and bytes already refer to the same file.

    `text` are segments without facts.
    """
    definitions, places = _merge_definitions(host, parts)
    nesting = Nesting(host.definitions)

    def shift(number: int, around: int) -> Callable[[int], int]:
        """Return a mapping from old to new positions; file level maps to the definition around the part."""
        return lambda at: places[(number, at)] if at >= 0 else around

    sets = [host, *(part.facts for part in parts)]
    homes = [-1, *(_find_enclosing(places, nesting, part) for part in parts)]
    owners = [shift(number, home) for number, home in enumerate(homes)]
    functions = [shift(number, -1) for number in range(len(sets))]
    references = [
        item._replace(owner=move(item.owner))
        for move, facts in zip(owners, sets, strict=True)
        for item in facts.references
    ]
    bindings = [
        item._replace(owner=move(item.owner), scope=move(item.scope))
        for move, facts in zip(functions, sets, strict=True)
        for item in facts.bindings
    ]
    segments = [*text, *(item for part in parts for item in (*part.segments, *part.facts.segments))]
    return host._replace(
        definitions=definitions,
        references=tuple(sorted(references, key=lambda item: (item.line, item.col))),
        imports=tuple(sorted((item for facts in sets for item in facts.imports), key=lambda item: item.line)),
        comments=tuple(sorted((item for facts in sets for item in facts.comments), key=lambda item: item.byte_start)),
        parse_errors=sum(facts.parse_errors for facts in sets),
        package=next((facts.package for facts in sets if facts.package), ""),
        bindings=tuple(sorted(bindings, key=lambda item: (item.line, item))),
        insight=_merge_analysis(sets, owners),
        segments=tuple(sorted(segments, key=lambda item: (item.byte_start, -item.byte_end))),
    )


def _find_enclosing(places: dict[tuple[int, int], int], nesting: Nesting, part: FactsPart) -> int:
    """Return the host definition that encloses a whole program."""
    first, last = part.segments[0].byte_start, max(item.byte_end for item in part.segments)
    at = nesting.find_owner(first)
    while at >= 0 and nesting.definitions[at].byte_end < last:
        at = nesting.definitions[at].parent
    return places[(0, at)] if at >= 0 else -1


def _merge_definitions(
    host: Facts, parts: list[FactsPart]
) -> tuple[tuple[Definition, ...], dict[tuple[int, int], int]]:
    """Return all definitions in source order, and the new position of each."""
    rows = [
        (item.byte_start, -item.byte_end, number, at, item)
        for number, facts in enumerate((host, *(part.facts for part in parts)))
        for at, item in enumerate(facts.definitions)
    ]
    # Parents come before their children; equal spans keep the order of their set.
    rows.sort(key=lambda row: row[:4])
    places = {(number, at): place for place, (_, _, number, at, _) in enumerate(rows)}
    found: list[Definition] = []
    opened: list[tuple[int, int, int]] = []
    for place, (start, end, number, _, item) in enumerate(rows):
        while opened and opened[-1][0] <= start:
            opened.pop()
        parent = item.parent
        if parent >= 0:
            parent = places[(number, parent)]
        elif number:
            parent = next((at for last, at, other in reversed(opened) if last >= -end and other != number), -1)
        found.append(item._replace(parent=parent))
        opened.append((-end, place, number))
    return tuple(found), places


def _merge_analysis(sets: list[Facts], owners: list[Callable[[int], int]]) -> Analysis:
    traits: dict[int, Traits] = {}
    for number, facts in enumerate(sets):
        for item in facts.insight.traits:
            at = owners[number](item.at)
            known = traits.get(at)
            traits[at] = item._replace(at=at) if known is None else _join_traits(known, item)
    faults = sorted((item for facts in sets for item in facts.insight.diagnostics), key=lambda item: item[:2])
    risks = [facts.insight.risks.remap_owners(owners[number]) for number, facts in enumerate(sets)]
    return Analysis(tuple(traits[at] for at in sorted(traits)), tuple(faults), Risks.merge(risks))


def _join_traits(one: Traits, two: Traits) -> Traits:
    """Join the file-level traits of two programs."""
    words: dict[str, Any] = {name: tuple(sorted({*getattr(one, name), *getattr(two, name)})) for name in _WORD_FIELDS}
    flow = ControlFlowCounts(*(sum(pair) for pair in zip(one.flow, two.flow, strict=True)))
    parameters, types = one.parameters + two.parameters, one.types + two.types
    return one._replace(parameters=parameters, returns=one.returns or two.returns, types=types, flow=flow, **words)
