"""Good questions to every tool that reads: none of them may fail, whatever happened to the index before."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.simulation.model import Tree
from tests.simulation.world import World

Arguments = dict[str, Any]
Make = Callable[[World, Random, Tree, Arguments], Arguments]


def _named(world: World, rng: Random, state: Tree, place: Arguments) -> Arguments:
    return {"name": rng.choice(state.names), **place}


def _worded(world: World, rng: Random, state: Tree, place: Arguments) -> Arguments:
    words = rng.sample(state.words, min(len(state.words), rng.randrange(1, 4)))
    return {"query": f"where is {' '.join(words)}", **place}


def _whole(world: World, rng: Random, state: Tree, place: Arguments) -> Arguments:
    return dict(place)


def _compared(world: World, rng: Random, state: Tree, place: Arguments) -> Arguments:
    about = {key: value for key, value in place.items() if key == "workspace"}
    return {"base_ref": "HEAD", **about}


def _filtered(world: World, rng: Random, state: Tree, place: Arguments) -> Arguments:
    ref = {"branch": place["ref"]} if "ref" in place else {}
    root = {"repoPath": place["workspace"]} if "workspace" in place else {}
    filters: Arguments = rng.choice(({"lang": "python"}, {"ext": "py"}, {"type": "function"}, {"calls": "nothing"}))
    return {"query": rng.choice(state.words), **filters, **ref, **root}


def _nowhere(world: World, rng: Random, state: Tree, place: Arguments) -> Arguments:
    return {}


QUESTIONS: tuple[tuple[str, Make], ...] = (
    ("find_references", _named),
    ("get_call_graph", _named),
    ("get_symbol_hierarchy", _named),
    ("inspect_symbol", _named),
    ("get_code_context", _worded),
    ("context_search", _worded),
    ("search_code", _worded),
    ("search", _filtered),
    ("get_diagnostics", _whole),
    ("find_risks", _whole),
    ("diff_context", _compared),
    ("health_check", _nowhere),
    ("workspace_status", _nowhere),
    ("report_artifacts", _nowhere),
    ("config_status", _nowhere),
)
