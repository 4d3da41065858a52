"""Filter predicates: test one unit against a filter value, keyed by the filter's field.

`VALUE_PREPARERS` convert a validated value to the form its predicate expects; most predicates take a lower-case word.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from codecompass.engine.search.filters.path_patterns import compile_path_test
from codecompass.engine.search.filters.units import OUTSIDE, FilterUnit
from codecompass.languages.registry import Registry
from codecompass.model.code.kinds import FILE
from codecompass.model.code.traits import Traits
from codecompass.model.queries.filters import FilterValue, make_invalid_value

DAY = 86_400
_SCOPE_SEPARATOR = re.compile(r"::|->|\?\.|\\")
Predicate = Callable[[FilterUnit, Any], bool]


@dataclass(frozen=True, slots=True)
class FilterValueContext:
    """What is needed to interpret filter values."""

    registry: Registry
    now: float
    """Seconds since 1970."""
    case_file: bool = False


# -- values ------------------------------------------------------------------------------------------------------------


def _to_lower(value: Any, _setting: FilterValueContext) -> Any:  # noqa: ANN401 - a value of any shape
    return value.lower() if isinstance(value, str) else value


def _keep_value(value: Any, _setting: FilterValueContext) -> Any:  # noqa: ANN401
    return value


def _resolve_languages(value: tuple[str, ...], setting: FilterValueContext) -> frozenset[str]:
    """Resolve language names in any accepted spelling to their display names."""
    found = set()
    for word in value:
        name = "text" if word.lower() == "text" else setting.registry.resolve_name(word)
        if name is None:
            shown = sorted({setting.registry.display_name(one) for one in setting.registry.languages} | {"text"})
            near = get_close_matches(word.lower(), shown, 3, 0.5) or shown
            raise make_invalid_value("lang", "enum", f"unknown language '{word[:40]}'; did you mean {', '.join(near)}")
        found.add("text" if name == "text" else setting.registry.display_name(name))
    return frozenset(found)


def _normalize_call_chain(value: str, _setting: FilterValueContext) -> str:
    """Normalize the separators of a qualified call to dots, as in facts."""
    return _SCOPE_SEPARATOR.sub(".", value)


def _compile_patterns(field: str) -> Callable[[tuple[str, ...], FilterValueContext], tuple[Callable[[str], bool], ...]]:
    def compile_all(value: tuple[str, ...], setting: FilterValueContext) -> tuple[Callable[[str], bool], ...]:
        return tuple(compile_path_test(field, one, case=setting.case_file) for one in value)

    return compile_all


def _to_timestamp(value: float, setting: FilterValueContext) -> float:
    return setting.now - value * DAY


VALUE_PREPARERS: dict[str, Callable[[Any, FilterValueContext], Any]] = {
    **dict.fromkeys(("import", "uses", "signature", "param"), _keep_value),
    "calls": _normalize_call_chain,
    "lang": _resolve_languages,
    "path": _compile_patterns("path"),
    "file": _compile_patterns("file"),
    "modifiedSince": _to_timestamp,
}
"""Filters whose values are not a lower-case word."""


def prepare_value(field: str, value: FilterValue, setting: FilterValueContext) -> Any:  # noqa: ANN401 - what the predicate of the field takes
    return VALUE_PREPARERS.get(field, _to_lower)(value, setting)


# -- predicates --------------------------------------------------------------------------------------------------------


def _any_contains(get: Callable[[FilterUnit], Iterable[str]]) -> Predicate:
    """Build a predicate: a lower-case word is a substring of one of several texts."""
    return lambda unit, word: any(word in text.lower() for text in get(unit))


def _any_trait_contains(get: Callable[[Traits], Iterable[str]]) -> Predicate:
    return _any_contains(lambda unit: get(unit.traits))


def _count_at_least(get: Callable[[Traits], int]) -> Predicate:
    return lambda unit, least: get(unit.traits) >= least


def _has_mark(word: str) -> Predicate:
    return lambda unit, wanted: (word in unit.traits.marks) is wanted


def _has_kind(unit: FilterUnit, kinds: tuple[str, ...]) -> bool:
    return FILE in kinds if unit.is_file else unit.definition is not None and unit.definition.kind in kinds


def _has_author(unit: FilterUnit, word: str) -> bool:
    last = unit.git.last_commit(unit.path)
    return last is not None and word in last.author.lower()


def _has_line_author(unit: FilterUnit, word: str) -> bool:
    return any(
        word in author.lower() for part in unit.own_lines() for author in unit.git.line_authors(unit.path, *part)
    )


def _has_import(unit: FilterUnit, module: str) -> bool:
    """Imports that the definition uses, or imports of the file if uses are unknown, as for C headers."""
    if unit.position == OUTSIDE or not any(row.imports for row in unit.blob_facts.insight.traits):
        return any(item.module == module for item in unit.blob_facts.facts.imports)
    return module in unit.traits.imports


def _has_call(unit: FilterUnit, callee: str) -> bool:
    """Match the callee as written or by its last components."""
    return any(text == callee or _ends_with(text, callee) for text in unit.traits.calls)


def _ends_with(text: str, end: str) -> bool:
    before = text[: -len(end)]
    return text.endswith(end) and not (before[-1:].isalnum() or before[-1:] in ("_", "$"))


def _mentions(unit: FilterUnit, name: str) -> bool:
    return name in unit.traits.uses or name in unit.traits.collect_identifiers()


def _has_parameter(unit: FilterUnit, name: str) -> bool:
    """Match the name as written or without sigils such as `*` and `$`."""
    return any(name in (item.name, item.name.lstrip("*&$@.")) for item in unit.traits.parameters)


def _has_signature(unit: FilterUnit, text: str) -> bool:
    return unit.definition is not None and text in unit.definition.signature


def _risk_tags(unit: FilterUnit) -> Iterable[str]:
    yield from (tag for item in unit.blob_facts.uses.get(unit.position, ()) for tag in item.tags)
    yield from (tag for item in unit.blob_facts.flows.get(unit.position, ()) for tag in item.tags)


def _risk_sources(unit: FilterUnit) -> Iterable[str]:
    yield from (item.name for item in unit.blob_facts.uses.get(unit.position, ()) if item.kind == "source")
    yield from (item.origin.name for item in unit.blob_facts.flows.get(unit.position, ()))


def _risk_sinks(unit: FilterUnit) -> Iterable[str]:
    yield from (item.name for item in unit.blob_facts.uses.get(unit.position, ()) if item.kind == "sink")
    yield from (item.reach.name for item in unit.blob_facts.flows.get(unit.position, ()))


def _risk_categories(unit: FilterUnit) -> Iterable[str]:
    yield from (item.category for item in unit.blob_facts.uses.get(unit.position, ()))
    yield from (item.reach.category for item in unit.blob_facts.flows.get(unit.position, ()))


def _risk_flows(unit: FilterUnit) -> Iterable[str]:
    return (item.name for item in unit.blob_facts.flows.get(unit.position, ()))


def _is_modified_since(unit: FilterUnit, moment: float) -> bool:
    last = unit.git.last_commit(unit.path)
    return last is not None and last.time >= moment


def _has_churn(unit: FilterUnit, least: int) -> bool:
    found = unit.git.churn(unit.path)
    return found is not None and found >= least


def _has_visibility(unit: FilterUnit, words: tuple[str, ...]) -> bool:
    return unit.definition is not None and unit.definition.visibility in words


def _has_lint(unit: FilterUnit, wanted: bool) -> bool:
    lines = unit.blob_facts.diagnostic_lines.get(unit.position, ())
    return any(unit.first <= line <= unit.last for line in lines) is wanted


def _has_return(unit: FilterUnit, wanted: bool) -> bool:
    return (unit.traits.flow.returns > 0) is wanted


def _has_language(unit: FilterUnit, languages: frozenset[str]) -> bool:
    """Match the language of the file, or of the embedded segment that contains the unit."""
    facts = unit.blob_facts.facts
    if (facts.language or "text") in languages:
        return True
    if unit.is_file:
        return False
    shown = unit.blob_facts.view.registry.display_name
    around = [part for part in facts.segments if part.line_start <= unit.first <= part.line_end]
    return bool(around) and (shown(around[-1].language) or around[-1].language) in languages


def _matches_path(unit: FilterUnit, tests: tuple[Callable[[str], bool], ...]) -> bool:
    return any(test(unit.path) for test in tests)


def _matches_file_name(unit: FilterUnit, tests: tuple[Callable[[str], bool], ...]) -> bool:
    name = unit.path.rpartition("/")[2]
    return any(test(unit.path) or test(name) for test in tests)


def _has_ending(unit: FilterUnit, endings: tuple[str, ...]) -> bool:
    return unit.path.lower().endswith(endings)


def _matches_no_file(_unit: FilterUnit, _pairs: object) -> bool:
    """Never match: files of a repository have no record fields."""
    return False


PREDICATES: dict[str, Predicate] = {
    "type": _has_kind,
    "author": _has_author,
    "import": _has_import,
    "calls": _has_call,
    "uses": _mentions,
    "signature": _has_signature,
    "param": _has_parameter,
    "decorator": _any_contains(lambda unit: unit.definition.decorators if unit.definition else ()),
    "inferredType": _any_trait_contains(lambda traits: (item.type for item in traits.types)),
    "returnType": _any_trait_contains(lambda traits: (traits.returns,)),
    "throws": _any_trait_contains(lambda traits: traits.throws),
    "reads": _any_trait_contains(lambda traits: traits.reads),
    "writes": _any_trait_contains(lambda traits: traits.writes),
    "mutates": _any_trait_contains(lambda traits: traits.mutations),
    "alias": _any_trait_contains(lambda traits: traits.aliases),
    "awaits": _any_trait_contains(lambda traits: traits.awaits),
    "risk": _any_contains(_risk_tags),
    "riskTag": _any_contains(_risk_tags),
    "riskSource": _any_contains(_risk_sources),
    "riskSink": _any_contains(_risk_sinks),
    "riskCategory": _any_contains(_risk_categories),
    "riskFlow": _any_contains(_risk_flows),
    "branchesMin": _count_at_least(lambda traits: traits.flow.branches),
    "loopsMin": _count_at_least(lambda traits: traits.flow.loops),
    "breaksMin": _count_at_least(lambda traits: traits.flow.breaks),
    "continuesMin": _count_at_least(lambda traits: traits.flow.continues),
    "churnMin": _has_churn,
    "chunkAuthor": _has_line_author,
    "modifiedAfter": _is_modified_since,
    "modifiedSince": _is_modified_since,
    "visibility": _has_visibility,
    "extends": _any_trait_contains(lambda traits: traits.bases),
    "lint": _has_lint,
    "async": _has_mark("async"),
    "generator": _has_mark("generator"),
    "returns": _has_return,
    "lang": _has_language,
    "path": _matches_path,
    "file": _matches_file_name,
    "ext": _has_ending,
    "meta": _matches_no_file,
    "metaJson": _matches_no_file,
}
