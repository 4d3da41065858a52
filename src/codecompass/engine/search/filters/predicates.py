"""Filter predicates: test one unit against a filter value, keyed by the filter's field.

`VALUE_PREPARERS` convert a validated value to the form its predicate expects; most predicates take a lower-case word.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from codecompass.engine.search.filters.path_patterns import path_test
from codecompass.engine.search.filters.units import OUTSIDE, Unit
from codecompass.languages.registry import Registry
from codecompass.model.code.kinds import FILE
from codecompass.model.code.traits import Traits
from codecompass.model.queries.filters import Value, wrong_value

DAY = 86_400
_JOINT = re.compile(r"::|->|\?\.|\\")
Predicate = Callable[[Unit, Any], bool]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is needed to interpret filter values."""

    registry: Registry
    now: float
    """Seconds since 1970."""
    case_file: bool = False


# -- values ------------------------------------------------------------------------------------------------------------


def _lower(value: Any, _setting: Setting) -> Any:  # noqa: ANN401 - a value of any shape
    return value.lower() if isinstance(value, str) else value


def _as_is(value: Any, _setting: Setting) -> Any:  # noqa: ANN401
    return value


def _languages(value: tuple[str, ...], setting: Setting) -> frozenset[str]:
    """Resolve language names in any accepted spelling to their display names."""
    found = set()
    for word in value:
        name = "text" if word.lower() == "text" else setting.registry.canonical(word)
        if name is None:
            shown = sorted({setting.registry.shown_name(one) for one in setting.registry.languages} | {"text"})
            near = get_close_matches(word.lower(), shown, 3, 0.5) or shown
            raise wrong_value("lang", "enum", f"unknown language '{word[:40]}'; did you mean {', '.join(near)}")
        found.add("text" if name == "text" else setting.registry.shown_name(name))
    return frozenset(found)


def _chain(value: str, _setting: Setting) -> str:
    """Normalize the separators of a qualified call to dots, as in facts."""
    return _JOINT.sub(".", value)


def _patterns(field: str) -> Callable[[tuple[str, ...], Setting], tuple[Callable[[str], bool], ...]]:
    def compile_all(value: tuple[str, ...], setting: Setting) -> tuple[Callable[[str], bool], ...]:
        return tuple(path_test(field, one, case=setting.case_file) for one in value)

    return compile_all


def _since(value: float, setting: Setting) -> float:
    return setting.now - value * DAY


READY: dict[str, Callable[[Any, Setting], Any]] = {
    **dict.fromkeys(("import", "uses", "signature", "param"), _as_is),
    "calls": _chain,
    "lang": _languages,
    "path": _patterns("path"),
    "file": _patterns("file"),
    "modifiedSince": _since,
}
"""Filters whose values are not a lower-case word."""


def ready(field: str, value: Value, setting: Setting) -> Any:  # noqa: ANN401 - what the predicate of the field takes
    return READY.get(field, _lower)(value, setting)


# -- predicates --------------------------------------------------------------------------------------------------------


def _some(get: Callable[[Unit], Iterable[str]]) -> Predicate:
    """Build a predicate: a lower-case word is a substring of one of several texts."""
    return lambda unit, word: any(word in text.lower() for text in get(unit))


def _trait(get: Callable[[Traits], Iterable[str]]) -> Predicate:
    return _some(lambda unit: get(unit.traits))


def _at_least(get: Callable[[Traits], int]) -> Predicate:
    return lambda unit, least: get(unit.traits) >= least


def _marked(word: str) -> Predicate:
    return lambda unit, wanted: (word in unit.traits.marks) is wanted


def _kind(unit: Unit, kinds: tuple[str, ...]) -> bool:
    return FILE in kinds if unit.whole else unit.definition is not None and unit.definition.kind in kinds


def _author(unit: Unit, word: str) -> bool:
    last = unit.git.last(unit.path)
    return last is not None and word in last.author.lower()


def _line_author(unit: Unit, word: str) -> bool:
    return any(word in author.lower() for part in unit.own_lines() for author in unit.git.authors(unit.path, *part))


def _imports(unit: Unit, module: str) -> bool:
    """Imports that the definition uses, or imports of the file if uses are unknown, as for C headers."""
    if unit.position == OUTSIDE or not any(row.imports for row in unit.dossier.insight.traits):
        return any(item.module == module for item in unit.dossier.facts.imports)
    return module in unit.traits.imports


def _calls(unit: Unit, callee: str) -> bool:
    """Match the callee as written or by its last components."""
    return any(text == callee or _ends_with(text, callee) for text in unit.traits.calls)


def _ends_with(text: str, end: str) -> bool:
    before = text[: -len(end)]
    return text.endswith(end) and not (before[-1:].isalnum() or before[-1:] in ("_", "$"))


def _mentions(unit: Unit, name: str) -> bool:
    return name in unit.traits.uses or name in unit.traits.names()


def _parameter(unit: Unit, name: str) -> bool:
    """Match the name as written or without sigils such as `*` and `$`."""
    return any(name in (item.name, item.name.lstrip("*&$@.")) for item in unit.traits.parameters)


def _signature(unit: Unit, text: str) -> bool:
    return unit.definition is not None and text in unit.definition.signature


def _risk_tags(unit: Unit) -> Iterable[str]:
    yield from (tag for item in unit.dossier.uses.get(unit.position, ()) for tag in item.tags)
    yield from (tag for item in unit.dossier.flows.get(unit.position, ()) for tag in item.tags)


def _risk_sources(unit: Unit) -> Iterable[str]:
    yield from (item.name for item in unit.dossier.uses.get(unit.position, ()) if item.kind == "source")
    yield from (item.origin.name for item in unit.dossier.flows.get(unit.position, ()))


def _risk_sinks(unit: Unit) -> Iterable[str]:
    yield from (item.name for item in unit.dossier.uses.get(unit.position, ()) if item.kind == "sink")
    yield from (item.reach.name for item in unit.dossier.flows.get(unit.position, ()))


def _risk_categories(unit: Unit) -> Iterable[str]:
    yield from (item.category for item in unit.dossier.uses.get(unit.position, ()))
    yield from (item.reach.category for item in unit.dossier.flows.get(unit.position, ()))


def _risk_flows(unit: Unit) -> Iterable[str]:
    return (item.name for item in unit.dossier.flows.get(unit.position, ()))


def _modified(unit: Unit, moment: float) -> bool:
    last = unit.git.last(unit.path)
    return last is not None and last.time >= moment


def _churn(unit: Unit, least: int) -> bool:
    found = unit.git.churn(unit.path)
    return found is not None and found >= least


def _visibility(unit: Unit, words: tuple[str, ...]) -> bool:
    return unit.definition is not None and unit.definition.visibility in words


def _linted(unit: Unit, wanted: bool) -> bool:
    lines = unit.dossier.complaints.get(unit.position, ())
    return any(unit.first <= line <= unit.last for line in lines) is wanted


def _returns(unit: Unit, wanted: bool) -> bool:
    return (unit.traits.flow.returns > 0) is wanted


def _language(unit: Unit, languages: frozenset[str]) -> bool:
    """Match the language of the file, or of the embedded segment that contains the unit."""
    facts = unit.dossier.facts
    if (facts.language or "text") in languages:
        return True
    if unit.whole:
        return False
    shown = unit.dossier.view.registry.shown_name
    around = [part for part in facts.segments if part.line_start <= unit.first <= part.line_end]
    return bool(around) and (shown(around[-1].language) or around[-1].language) in languages


def _path(unit: Unit, tests: tuple[Callable[[str], bool], ...]) -> bool:
    return any(test(unit.path) for test in tests)


def _file(unit: Unit, tests: tuple[Callable[[str], bool], ...]) -> bool:
    name = unit.path.rpartition("/")[2]
    return any(test(unit.path) or test(name) for test in tests)


def _ending(unit: Unit, endings: tuple[str, ...]) -> bool:
    return unit.path.lower().endswith(endings)


def _recorded(_unit: Unit, _pairs: object) -> bool:
    """Never match: files of a repository have no record fields."""
    return False


PREDICATES: dict[str, Predicate] = {
    "type": _kind,
    "author": _author,
    "import": _imports,
    "calls": _calls,
    "uses": _mentions,
    "signature": _signature,
    "param": _parameter,
    "decorator": _some(lambda unit: unit.definition.decorators if unit.definition else ()),
    "inferredType": _trait(lambda traits: (item.type for item in traits.types)),
    "returnType": _trait(lambda traits: (traits.returns,)),
    "throws": _trait(lambda traits: traits.throws),
    "reads": _trait(lambda traits: traits.reads),
    "writes": _trait(lambda traits: traits.writes),
    "mutates": _trait(lambda traits: traits.mutations),
    "alias": _trait(lambda traits: traits.aliases),
    "awaits": _trait(lambda traits: traits.awaits),
    "risk": _some(_risk_tags),
    "riskTag": _some(_risk_tags),
    "riskSource": _some(_risk_sources),
    "riskSink": _some(_risk_sinks),
    "riskCategory": _some(_risk_categories),
    "riskFlow": _some(_risk_flows),
    "branchesMin": _at_least(lambda traits: traits.flow.branches),
    "loopsMin": _at_least(lambda traits: traits.flow.loops),
    "breaksMin": _at_least(lambda traits: traits.flow.breaks),
    "continuesMin": _at_least(lambda traits: traits.flow.continues),
    "churnMin": _churn,
    "chunkAuthor": _line_author,
    "modifiedAfter": _modified,
    "modifiedSince": _modified,
    "visibility": _visibility,
    "extends": _trait(lambda traits: traits.bases),
    "lint": _linted,
    "async": _marked("async"),
    "generator": _marked("generator"),
    "returns": _returns,
    "lang": _language,
    "path": _path,
    "file": _file,
    "ext": _ending,
    "meta": _recorded,
    "metaJson": _recorded,
}
