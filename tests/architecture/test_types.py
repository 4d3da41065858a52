"""Types: a closed set of strings is defined once, as a Literal type, and its tuple of values is derived from it."""

import ast
from typing import get_args

from codecompass.engine.memory.source_weights import SOURCE_PRIORS, STATE_WEIGHTS
from codecompass.engine.search.ranking.scorer import BLENDS, WEIGHTS
from codecompass.model import states
from codecompass.model.job import TRANSITIONS
from codecompass.model.memory_values import SOURCES, STATES
from codecompass.model.states import ACTIVE, INTENTS, EndedJobState, JobState, RankingTable, parse_schema_state
from tests.architecture.source import SOURCES as SOURCES_OF_CODE

OPEN_SETS = {
    "model.memory_values.MemoryQuery.type": "empty for all",
    "model.memory_values.MemoryFilter.type": "empty for all",
    "model.memory_values.MemoryFilter.state": "empty for all",
    "model.memory_values.SessionActivity.kind": "any version of the program may have written it",
    "model.triage_values.EvidenceHit.kind": "a kind of definition, which languages name",
}
"""Fields of memory and triage that have the name of a closed set and may be any text, with the reason."""
CLOSED_NAMES = ("severity", "freshness", "status", "state", "kind", "type", "outcome")


def strings_of(node: ast.expr) -> frozenset[str]:
    """The strings of a tuple, list or set that holds nothing else."""
    items = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else ()
    found = frozenset(item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str))
    return found if len(found) == len(items) else frozenset()


def test_closed_sets_are_defined_once() -> None:
    """HOUSE-TYPES: no Literal and no constant of a module repeats the values of a type."""
    places: dict[frozenset[str], list[str]] = {}
    for module in SOURCES_OF_CODE.all:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
                places.setdefault(strings_of(node.slice), []).append(f"{module.name}:{node.lineno}")
    types = {values for values in places if len(values) > 1}
    for module in SOURCES_OF_CODE.all:
        for node in module.tree.body:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)  # a name for each value
            if value is not None and not named and strings_of(value) in types:
                places[strings_of(value)].append(f"{module.name}:{node.lineno}")
    wrong = [" and ".join(places[values]) for values in types if len(places[values]) > 1]
    assert not wrong, "\n".join(wrong)


def test_tables_have_a_row_for_every_value() -> None:
    """HOUSE-TYPES: job transitions and ranking weights know every state and every intent."""
    every = {*ACTIVE, *get_args(EndedJobState)}
    assert set(TRANSITIONS) == set(ACTIVE)
    assert {state for after in TRANSITIONS.values() for state in after} == every - {"queued"}
    assert {value for part in get_args(JobState) for value in get_args(part) or (part,)} == every
    assert set(WEIGHTS) == set(BLENDS) == set(get_args(RankingTable)) == {*INTENTS, "issue"}
    assert set(SOURCE_PRIORS) == set(SOURCES)
    assert set(STATE_WEIGHTS) == set(STATES) - {"forgotten"}


def test_memory_and_triage_use_the_types() -> None:
    """HOUSE-TYPES: a severity, state or kind of memory, triage and risks is a type, not any text."""
    texts = {
        f"{module.name}.{owner.name}.{node.target.id}"
        for module in SOURCES_OF_CODE.all
        if module.name in ("model.memory_values", "model.triage_values", "model.code.risk_facts")
        for owner in ast.walk(module.tree)
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in CLOSED_NAMES
        and ast.unparse(node.annotation) == "str"
    }  # fmt: skip
    assert texts == set(OPEN_SETS)
    arguments = [
        f"{module.name}:{node.lineno}"
        for module in SOURCES_OF_CODE.all
        for node in ast.walk(module.tree)
        if isinstance(node, ast.arg) and node.arg == "severity" and node.annotation is not None
        and ast.unparse(node.annotation) == "str"
    ]  # fmt: skip
    assert not arguments


def test_text_becomes_a_state_or_the_default() -> None:
    """HOUSE-TYPES: what comes from the details of a failure is narrowed where it enters."""
    assert all(parse_schema_state(state, "unknown") == state for state in states.SCHEMA_STATES)
    assert parse_schema_state(None, "corrupt_manifest") == parse_schema_state("odd", "corrupt_manifest")
