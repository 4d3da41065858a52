"""Overloads: distinguish the implementation of a function from its overload declarations."""

import re

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.languages.language_spec import ResolveRule
from codecompass.model.code.facts import Definition

_KINDS = frozenset({"fn", "method"})
_HEADER = re.compile(r"\.(?:h|hpp|hh|hxx)$", re.IGNORECASE)
"""Header files; their functions are declarations unless nothing else defines them."""


def is_overload_stub(view: PinnedView, path: str, position: int) -> bool:
    """Return whether a definition is an overload declaration whose implementation is in the same file."""
    facts = view.facts(path)
    spec = view.spec(facts.language)
    if spec is None or not (spec.resolve.overload_marks or spec.resolve.overloads_first):
        return False
    siblings = find_siblings(facts.definitions, position)
    stubs = _find_stubs(spec.resolve, facts.definitions, siblings)
    return position in stubs and len(stubs) < len(siblings)


def find_siblings(definitions: tuple[Definition, ...], position: int) -> list[int]:
    """Return the positions of the functions of one name in one scope, in source order."""
    wanted = definitions[position]
    if wanted.kind not in _KINDS:
        return [position]
    return [
        at
        for at, item in enumerate(definitions)
        if item.name == wanted.name
        and item.kind == wanted.kind
        and (item.parent, item.scope) == (wanted.parent, wanted.scope)
    ]


def _find_stubs(rule: ResolveRule, definitions: tuple[Definition, ...], siblings: list[int]) -> set[int]:
    marked = {
        at
        for at in siblings
        if any(_get_decorator_name(text) in rule.overload_marks for text in definitions[at].decorators)
    }
    return marked | set(siblings[:-1] if rule.overloads_first else ())


def _get_decorator_name(decorator: str) -> str:
    """Return `overload` for `@typing.overload`."""
    return decorator.lstrip("@").partition("(")[0].rpartition(".")[2].strip()


def find_implementation(resolver: Resolver, symbol: Symbol) -> tuple[Symbol, tuple[Symbol, ...]]:
    """Return the implementation of a function and its declarations; other symbols are returned unchanged."""
    view = resolver.view
    rule = resolver.scope(symbol.path).rule
    place = (symbol.path, symbol.position)
    if rule.reach == "includes":
        places = resolver.add_declarations((place,))
        if symbol.definition.kind in _KINDS:
            places = tuple(sorted(places, key=lambda one: bool(_HEADER.search(one[0]))))
    elif rule.overload_marks or rule.overloads_first:
        siblings = find_siblings(view.facts(symbol.path).definitions, symbol.position)
        places = tuple((symbol.path, at) for at in siblings)
        places = tuple(sorted(places, key=lambda one: is_overload_stub(view, *one)))
    else:
        return symbol, ()
    first, *rest = (view.symbol(*one) for one in places)
    return first, tuple(rest)
