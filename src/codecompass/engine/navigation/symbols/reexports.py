"""Re-exports: find definitions by the public path under which they are re-exported.

`tokio::task::spawn_blocking` is defined in a private module and re-exported by `pub use`; an `__init__` imports what
its package exports; a barrel file exports what other files define, sometimes under another name.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import Entities, Entity
from codecompass.engine.view.pinned_view import Symbol
from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Import

_SEPARATORS = re.compile(r"::|->|[.#/\\]")
MAX_STARTS = 40
"""Maximum number of modules that the first name of a path may refer to."""
MAX_STEPS = 12
MAX_MENTIONS = 50
"""Maximum mentions of a renamed export checked per file."""
_FOLLOWED_KINDS = frozenset({"def", "module", "namespace"})
_OWNER_KINDS = frozenset({"mod", "class", "struct", "enum", "trait", "interface", "type"})


class ReexportStep(NamedTuple):
    """One import that re-exports a name."""

    path: str
    line: int


class ReexportedSymbol(NamedTuple):
    """A definition and the re-exports that lead to it, in order."""

    symbol: Symbol
    steps: tuple[ReexportStep, ...]


def find_reexported(resolver: Resolver, name: str) -> list[ReexportedSymbol]:
    """Return the definitions that a path or a renamed export leads to, without duplicates."""
    text = name.strip().removesuffix("()")
    found: dict[tuple[str, int], ReexportedSymbol] = {}
    # A package name may contain separators itself: `@scope/name`, `example.org/module`.
    for separator in reversed(list(_SEPARATORS.finditer(text))):
        head, rest = text[: separator.start()], [part for part in _SEPARATORS.split(text[separator.end() :]) if part]
        if head and rest:
            _keep_shortest(resolver, found, _follow_path(resolver, head, rest))
        if found:
            return _sort_by_length(found)
    if not _SEPARATORS.search(text):
        _keep_shortest(resolver, found, _find_renamed(resolver, text))
    return _sort_by_length(found)


def _keep_shortest(
    resolver: Resolver,
    found: dict[tuple[str, int], ReexportedSymbol],
    more: Iterator[tuple[Entity, tuple[ReexportStep, ...]]],
) -> None:
    for entity, chain in more:
        known = found.get((entity.path, entity.position))
        if known is None or len(chain) < len(known.steps):
            found[entity.path, entity.position] = _to_reexported(resolver, entity, chain)


def _to_reexported(resolver: Resolver, entity: Entity, chain: tuple[ReexportStep, ...]) -> ReexportedSymbol:
    return ReexportedSymbol(resolver.view.symbol(entity.path, entity.position), chain)


def _sort_by_length(found: dict[tuple[str, int], ReexportedSymbol]) -> list[ReexportedSymbol]:
    """Sort by the number of re-exports; modules come last, as they often share the name of a member."""

    def order(one: ReexportedSymbol) -> tuple[bool, int, int, str]:
        symbol = one.symbol
        return symbol.definition.kind == "mod", len(one.steps), len(symbol.path), symbol.path

    return sorted(found.values(), key=order)


def _follow_path(resolver: Resolver, head: str, rest: list[str]) -> Iterator[tuple[Entity, tuple[ReexportStep, ...]]]:
    """Follow a path name by name from every module that its first name may refer to."""
    for start in list(dict.fromkeys(_find_starts(resolver, head)))[:MAX_STARTS]:
        level: list[tuple[Entity, tuple[ReexportStep, ...]]] = [(start, ())]
        for name in rest:
            level = [
                (entity, (*chain, *more))
                for before, chain in level
                for module in _to_modules(resolver, before)
                for entity, more in _follow_name(resolver, module, name)
            ]
        yield from ((entity, chain) for entity, chain in level if entity.kind == "def")


def _find_starts(resolver: Resolver, head: str) -> Iterator[Entity]:
    """Yield the packages, modules and definitions with this name."""
    modules = resolver.modules
    for path in modules.crates.find_by_name("", head) or ():
        yield Entity("module", path)
    for spec in _list_languages(resolver):
        strategy = spec.resolve.imports.partition(":")[0]
        if strategy in ("node", "modfile"):
            for path in modules.find(spec, "", head) or ():
                yield Entity("module", path)
        for place in modules.by_name.get(head, ()):
            if place.endswith("/"):
                yield from (Entity("module", path) for path in modules.find_at(spec, place[:-1]))
            elif place.endswith(spec.extensions):
                yield Entity("module", place)
    for path, position in resolver.find_definitions(head):
        if resolver.scope(path).definitions[position].kind in _OWNER_KINDS:
            yield Entity("def", path, position)


def _to_modules(resolver: Resolver, entity: Entity) -> Entities:
    """Return the files that a module declaration without a body refers to; other entities unchanged."""
    if entity.kind != "def":
        return (entity,)
    scope = resolver.scope(entity.path)
    item = scope.definitions[entity.position]
    if item.kind != "mod" or entity.position in scope.containers or scope.spec is None or not scope.rule.module_words:
        return (entity,)
    return tuple(Entity("module", path) for path in resolver.modules.find_child(scope.spec, entity.path, item.name))


def _find_sources(resolver: Resolver, scope: FileScope, item: Import) -> Entities:
    found = resolver.find_import_sources(scope, item)
    return tuple(module for one in found for module in _to_modules(resolver, one))


def _list_languages(resolver: Resolver) -> list[LanguageSpec]:
    """List the languages of the view whose files are modules, those with module files first."""
    view = resolver.view
    specs = [view.spec(name) for name in view.snapshot.language_counts(view.row)]
    known = [spec for spec in specs if spec is not None and spec.resolve.imports != "none"]
    return sorted(known, key=lambda spec: not spec.module_files)


def _follow_name(resolver: Resolver, before: Entity, name: str) -> Iterator[tuple[Entity, tuple[ReexportStep, ...]]]:
    if before.kind == "module":
        yield from _find_exports(resolver, before, name)
        yield from ((entity, ()) for entity in _find_open_definitions(resolver, before, name))
        return
    yield from ((entity, ()) for entity in resolver.member(before, name) if entity.kind in _FOLLOWED_KINDS)
    if before.kind == "def":
        yield from _find_using_declarations(resolver, before, name)


def _find_exports(
    resolver: Resolver, module: Entity, name: str, steps: int = 0
) -> list[tuple[Entity, tuple[ReexportStep, ...]]]:
    """Return what a module exports under a name: definitions and modules, not variable values."""
    entities = [entity for entity in resolver.member(module, name) if entity.kind in _FOLLOWED_KINDS]
    if entities:
        chain = _trace_reexports(resolver, module, name)
        return [(entity, chain if entity.path != module.path else ()) for entity in entities]
    if module.path not in resolver.modules.files or steps > MAX_STEPS:
        return []
    scope = resolver.scope(module.path)
    found = []
    for item in scope.imports.get(name, ()):
        for source in _find_sources(resolver, scope, item) if item.name else ():
            further = _find_exports(resolver, source, item.name, steps + 1) if source.kind == "module" else []
            found += [(entity, (ReexportStep(module.path, item.line), *more)) for entity, more in further]
    for bound in scope.bindings.get((-1, name), ()):
        if bound.how == "value" and bound.text != name and bound.text.isidentifier():
            named = resolver.resolve_name(module.path, -1, bound.text)
            found += [(entity, (ReexportStep(module.path, bound.line),)) for entity in named if entity.kind == "def"]
    return found


def _find_open_definitions(resolver: Resolver, root: Entity, name: str) -> Iterator[Entity]:
    """Yield definitions that belong to the crate root wherever they are defined, such as exported macros."""
    rule = resolver.scope(root.path).rule if root.path in resolver.modules.files else None
    if rule is None or not rule.open_kinds or not rule.module_words:
        return
    for path, position in resolver.find_definitions(name):
        scope = resolver.scope(path)
        if scope.spec is None or scope.definitions[position].kind not in rule.open_kinds:
            continue
        if root.path in (resolver.modules.find(scope.spec, path, rule.module_words[0]) or ()):
            yield Entity("def", path, position)


def _trace_reexports(resolver: Resolver, module: Entity, name: str, steps: int = 0) -> tuple[ReexportStep, ...]:
    """Return the chain of imports from a module to the definition of a name."""
    if module.kind != "module" or module.path not in resolver.modules.files or steps > MAX_STEPS:
        return ()
    scope = resolver.scope(module.path)
    if scope.children.get((-1, name)) and not scope.is_module_and_import(name):
        return ()
    for item in scope.imports.get(name, ()):
        further = (
            _trace_reexports(resolver, one, item.name, steps + 1)
            for one in _find_sources(resolver, scope, item)
            if item.name
        )
        return ReexportStep(module.path, item.line), *next((more for more in further if more), ())
    for item in scope.star_imports:
        for one in _find_sources(resolver, scope, item):
            if one.kind == "module" and resolver.member(one, name):
                return ReexportStep(module.path, item.line), *_trace_reexports(resolver, one, name, steps + 1)
    return ()


def _find_using_declarations(
    resolver: Resolver, space: Entity, name: str
) -> Iterator[tuple[Entity, tuple[ReexportStep, ...]]]:
    """Yield what a using-declaration in a namespace block imports from another namespace."""
    scope = resolver.scope(space.path)
    block = scope.definitions[space.position]
    if scope.rule.reach != "includes" or block.kind != "mod":
        return
    for item in scope.facts.imports:
        if block.line_start <= item.line <= block.line_end and item.name in ("", name) and "." not in item.module:
            for entity in _resolve_using(resolver, space, item, name):
                yield entity, (ReexportStep(space.path, item.line),)


def _resolve_using(resolver: Resolver, space: Entity, item: Import, name: str) -> Entities:
    scope = resolver.scope(space.path)
    joint = scope.spec.separator if scope.spec else "."
    block = scope.definitions[space.position]
    around = [part for part in (block.scope, block.name) if part]
    outer = [joint.join(around[:count]) for count in range(len(around), 0, -1)]
    spaces = [*(f"{one}{joint}{item.module}" for one in outer), item.module]
    return tuple(one for one in resolver.linkage.resolve_name(space.path, spaces, name) if one.kind == "def")


def follow_use(resolver: Resolver, symbol: Symbol) -> list[ReexportedSymbol]:
    """Follow an import or export statement that is listed as a definition of its file."""
    name = symbol.definition.name
    found = _find_exports(resolver, Entity("module", symbol.path), name)
    return [
        _to_reexported(resolver, entity, chain or (ReexportStep(symbol.path, symbol.definition.line_start),))
        for entity, chain in found
        if entity.kind == "def" and resolver.view.symbol(entity.path, entity.position).definition.kind != "use"
    ]


def _find_renamed(resolver: Resolver, alias: str) -> Iterator[tuple[Entity, tuple[ReexportStep, ...]]]:
    """Find what an alias refers to, through the files that mention it."""
    view = resolver.view
    for blob, mentions in view.snapshot.mentions(alias):
        for path in view.paths.get(blob, ()):
            for role, line, _, owner, receiver in mentions[:MAX_MENTIONS]:
                outcome = resolver.resolve(path, role, alias, owner, receiver, line)
                others = [place for place in outcome.places if view.symbol(*place).definition.name != alias]
                if not others:
                    continue
                sources = resolver.evaluate(path, owner, receiver) if receiver else (Entity("module", path),)
                chain = next((found for one in sources if (found := _trace_reexports(resolver, one, alias))), ())
                yield from ((Entity("def", *place), chain) for place in others if chain)
