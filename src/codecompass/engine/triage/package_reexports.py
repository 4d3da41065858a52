"""Package re-exports: find the names that files bind to a package through other modules of the project.

`compat.py` imports `load` from `yaml`, and `config.py` imports it from `compat`: a call of `load` there is a call into
the package, though the file never names it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.languages.qualified_names import get_bound_name
from codecompass.model.code.facts import Import

MAX_NAMES = 500
"""Maximum names to follow, over all files."""


@dataclass(frozen=True, slots=True)
class ReexportedName:
    """A name that an import binds to something of a package, which another file of the project re-exports."""

    original: str
    """Its name in the package."""
    line: int
    through: str
    """The file that re-exports it."""


def find_reexported_names(
    resolver: Resolver, importing: Iterable[str], is_package_import: Callable[[Import], bool]
) -> dict[str, dict[str, ReexportedName]]:
    """Return file → name bound there → where it comes from; files that import the package itself are not listed."""
    found: dict[str, dict[str, ReexportedName]] = defaultdict(dict)
    queue = [
        (path, get_bound_name(spec, item), item.name)
        for path in importing
        if (spec := resolver.scope(path).spec) is not None
        for item in resolver.view.facts(path).imports
        if item.name not in ("", "*") and is_package_import(item)
    ]
    followed: set[tuple[str, str]] = set()
    while queue and len(followed) < MAX_NAMES:
        path, bound, original = queue.pop()
        if (path, bound) in followed:
            continue
        followed.add((path, bound))
        for other, name, line in _find_importers(resolver, path, bound):
            if name not in found[other]:
                found[other][name] = ReexportedName(original, line, path)
                queue.append((other, name, original))
    return {path: names for path, names in found.items() if names}


def _find_importers(resolver: Resolver, path: str, name: str) -> Iterator[tuple[str, str, int]]:
    """Yield the files that import a name from a file, the name that they bind, and the line."""
    view = resolver.view
    for blob, mentions in view.snapshot.mentions(name):
        if not any(role == "import" for role, *_ in mentions):
            continue
        for other in view.paths.get(blob, ()):
            spec = resolver.scope(other).spec
            if other == path or spec is None:
                continue
            for item in view.facts(other).imports:
                if item.name == name and path in (resolver.modules.find(spec, other, item.module) or ()):
                    yield other, get_bound_name(spec, item), item.line
