"""Dependencies: the repository files that one file depends on, by its imports and the names it uses.

An import leads to a file where its language defines that. Where it names a package or namespace, and where a language
sees its neighbours without an import, the names used in the file lead to the files that define them. Only certain
resolutions count.
"""

from collections.abc import Iterable

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import Entity
from codecompass.languages.extraction.name_chains import LOCAL, UNKNOWN
from codecompass.model.call import Call
from codecompass.model.code.facts import Import, Reference
from codecompass.model.queries.file_reading import Dependency

MAX_NAMES = 3_000
"""Maximum number of distinct names looked up per file; files with more are generated."""


def find_dependencies(resolver: Resolver, path: str, call: Call) -> tuple[Dependency, ...]:
    """Return the files that a file imports, in source order, then those it uses without an import."""
    scope = resolver.scope(path)
    rows: dict[str, Dependency] = {}
    unfound: dict[str | int, Import] = {}
    """Imports that lead to no file by themselves, keyed by the names and packages they bind and by line."""
    for item in scope.facts.imports:
        call.check()
        files = _find_imported_files(resolver, scope, item)
        for place in files:
            rows.setdefault(place, Dependency(place, "import", item.line))
        if not files:
            unfound.setdefault(item.alias or (item.module if item.name in ("", "*") else item.name), item)
            unfound.setdefault(item.line, item)
    for mention in _dedupe_references(scope.uses.references):
        call.check()
        for place in _find_defining_files(resolver, path, mention):
            rows.setdefault(place, _build_dependency(resolver, scope, place, mention, unfound))
    rows.pop(path, None)
    return tuple(sorted(rows.values(), key=lambda row: (row.type != "import", row.line, row.path)))


def _find_imported_files(resolver: Resolver, scope: FileScope, item: Import) -> list[str]:
    """Return the files that one import refers to; a directory yields none, because only its used files count."""
    if scope.spec is None:
        return []
    places = resolver.modules.find(scope.spec, scope.path, item.module) or []
    if item.name not in ("", "*"):
        joint = "" if item.module.endswith(".") else scope.spec.separator
        below = resolver.modules.find(scope.spec, scope.path, f"{item.module}{joint}{item.name}") or []
        # `from package import module` also imports the package, but the module is the target.
        places = [*places, *below]
    return [place for place in places if place in resolver.modules.files]


def _dedupe_references(references: Iterable[Reference]) -> list[Reference]:
    """Keep one reference for each name that may lead out of the file."""
    seen: dict[tuple[str, str, bool], Reference] = {}
    for item in references:
        if item.name and item.receiver not in (LOCAL, UNKNOWN):
            seen.setdefault((item.name, item.receiver, item.role == "import"), item)
    return list(seen.values())[:MAX_NAMES]


def _find_defining_files(resolver: Resolver, path: str, item: Reference) -> list[str]:
    """Return the other files that certainly define a name, except files that only reopen a namespace."""
    if item.receiver and not any(_is_namespace(resolver, one) for one in _evaluate_receiver(resolver, path, item)):
        return []  # members of a value may be defined in unrelated files
    found = resolver.resolve(path, item.role, item.name, item.owner, item.receiver, item.line)
    if found.status != "resolved" or any(place == path for place, _ in found.places):
        return []
    return [place for place, at in found.places if resolver.scope(place).definitions[at].kind != "mod"]


def _evaluate_receiver(resolver: Resolver, path: str, item: Reference) -> tuple[Entity, ...]:
    return resolver.evaluate(path, item.owner, item.receiver)


def _is_namespace(resolver: Resolver, entity: Entity) -> bool:
    """Return whether an entity is a pure container of names: a module or a namespace."""
    if entity.kind != "def":
        return entity.kind in ("module", "namespace")
    return resolver.scope(entity.path).definitions[entity.position].kind == "mod"


def _build_dependency(
    resolver: Resolver, scope: FileScope, place: str, mention: Reference, unfound: dict[str | int, Import]
) -> Dependency:
    """Build the dependency for a file found by name, through an import without a file of its own or without one."""
    first = mention.receiver.split(".")[0].split("::")[0] or mention.name
    other = resolver.scope(place).facts.package
    item = unfound.get(first) or unfound.get(mention.line) or (unfound.get(other) if other else None)
    item = item or _find_directory_import(resolver, scope, place)
    return Dependency(place, "import", item.line) if item else Dependency(place, "reference", mention.line)


def _find_directory_import(resolver: Resolver, scope: FileScope, place: str) -> Import | None:
    """Return the import of a file's directory."""
    directory = place.rpartition("/")[0] + "/"
    for item in scope.facts.imports if scope.spec else ():
        if directory in (resolver.modules.find(scope.spec, scope.path, item.module) or ()):  # type: ignore[arg-type]
            return item
    return None
