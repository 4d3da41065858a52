"""Dependencies: the files of the repository that one file stands on, told by its imports and by what it names.

An import leads to a file where its language says so. Where it names a package or a namespace, and where a language sees
its neighbours without an import, the names that the file uses lead to the files that define them. Only what the
resolver is sure of counts.
"""

from collections.abc import Iterable

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.resolver.scopes import FileScope
from codecompass.engine.navigation.resolver.values import Thing
from codecompass.languages.extraction.name_chains import LOCAL, UNKNOWN
from codecompass.model.call import Call
from codecompass.model.code.facts import Import, Reference
from codecompass.model.queries.file_reading import Dependency

MOST_NAMES = 3_000
"""Different names of one file that are looked up; files that use more are generated."""


def dependencies_of(resolver: Resolver, path: str, call: Call) -> tuple[Dependency, ...]:
    """Files that a file imports, in the order in which it names them, then those it uses without an import."""
    scope = resolver.scope(path)
    rows: dict[str, Dependency] = {}
    unfound: dict[str | int, Import] = {}
    """Imports that lead to no file by themselves, under the names and packages they bring in and under their lines."""
    for item in scope.facts.imports:
        call.check()
        files = _files_of(resolver, scope, item)
        for place in files:
            rows.setdefault(place, Dependency(place, "import", item.line))
        if not files:
            unfound.setdefault(item.alias or (item.module if item.name in ("", "*") else item.name), item)
            unfound.setdefault(item.line, item)
    for mention in _distinct(scope.uses.references):
        call.check()
        for place in _places_of(resolver, path, mention):
            rows.setdefault(place, _dependency(resolver, scope, place, mention, unfound))
    rows.pop(path, None)
    return tuple(sorted(rows.values(), key=lambda row: (row.type != "import", row.line, row.path)))


def _files_of(resolver: Resolver, scope: FileScope, item: Import) -> list[str]:
    """The files that one import names; of a directory only the files whose names are used count, so none here."""
    if scope.spec is None:
        return []
    places = resolver.modules.find(scope.spec, scope.path, item.module) or []
    if item.name not in ("", "*"):
        joint = "" if item.module.endswith(".") else scope.spec.separator
        below = resolver.modules.find(scope.spec, scope.path, f"{item.module}{joint}{item.name}") or []
        # `from package import module`: the package is imported on the way, the module is what was meant.
        places = [*places, *below]
    return [place for place in places if place in resolver.modules.files]


def _distinct(references: Iterable[Reference]) -> list[Reference]:
    """One mention of each name that may lead out of the file."""
    seen: dict[tuple[str, str, bool], Reference] = {}
    for item in references:
        if item.name and item.receiver not in (LOCAL, UNKNOWN):
            seen.setdefault((item.name, item.receiver, item.role == "import"), item)
    return list(seen.values())[:MOST_NAMES]


def _places_of(resolver: Resolver, path: str, item: Reference) -> list[str]:
    """Where a name is surely defined: in other files only, and not in every file that adds to a namespace."""
    if item.receiver and not any(_is_space(resolver, one) for one in _before(resolver, path, item)):
        return []  # what a value has may be defined files away
    found = resolver.resolve(path, item.role, item.name, item.owner, item.receiver, item.line)
    if found.status != "resolved" or any(place == path for place, _ in found.places):
        return []
    return [place for place, at in found.places if resolver.scope(place).definitions[at].kind != "mod"]


def _before(resolver: Resolver, path: str, item: Reference) -> tuple[Thing, ...]:
    return resolver.evaluate(path, item.owner, item.receiver)


def _is_space(resolver: Resolver, thing: Thing) -> bool:
    """Whether a thing only holds names: a module, a namespace, or a block that is one."""
    if thing.kind != "def":
        return thing.kind in ("module", "space")
    return resolver.scope(thing.path).definitions[thing.position].kind == "mod"


def _dependency(
    resolver: Resolver, scope: FileScope, place: str, mention: Reference, unfound: dict[str | int, Import]
) -> Dependency:
    """A file that a name led to: by way of an import that has no file of its own, or without one."""
    first = mention.receiver.split(".")[0].split("::")[0] or mention.name
    other = resolver.scope(place).facts.package
    item = unfound.get(first) or unfound.get(mention.line) or (unfound.get(other) if other else None)
    item = item or _of_directory(resolver, scope, place)
    return Dependency(place, "import", item.line) if item else Dependency(place, "reference", mention.line)


def _of_directory(resolver: Resolver, scope: FileScope, place: str) -> Import | None:
    """The import that names the directory of a file."""
    directory = place.rpartition("/")[0] + "/"
    for item in scope.facts.imports if scope.spec else ():
        if directory in (resolver.modules.find(scope.spec, scope.path, item.module) or ()):  # type: ignore[arg-type]
            return item
    return None
