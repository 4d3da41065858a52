"""Module index: resolve imports to files, by the strategy of each language.

A finder takes the text of an import and returns modules: file paths, or directory paths with a trailing slash. None
means that the module is not part of the repository; an empty list that it should be, but was not found.
"""

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from codecompass.engine.navigation.imports.crates import Crates, find_crate
from codecompass.engine.navigation.imports.go_modules import ModuleTrees
from codecompass.engine.navigation.imports.node_packages import NodePackages, joined
from codecompass.engine.navigation.imports.project_files import Projects
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.languages.language_spec import LanguageSpec

Found = list[str] | None
MAX_CONFIGURATION = 400
"""Maximum number of configuration files that are read."""
CONFIGURATION = re.compile(
    r"(?:^|/)(?:package\.json|[jt]sconfig[\w.-]*\.json|go\.mod|Cargo\.toml|[\w.-]+\.csproj|Directory\.Build\.props"
    r"|pubspec\.yaml)$"
)
"""Configuration files that define module names."""

_WORKED_OUT = re.compile(r"^\"?\$.*(?:[})`\"]|\$\w+)/+")
"""A path prefix whose value is known only at run time: `$DIR/`, `${HOME%/*}/`, `$(dirname "$0")/`."""
_PACKAGE_NAME = re.compile(r"^name:\s*['\"]?(\w+)", re.MULTILINE)
MAX_FOUND = 50_000
MAX_TABLES = 1_000
"""Maximum number of files with cached tables; about 20 KB each."""
_BY_DIRECTORY = frozenset({"dotted", "node"})
"""Strategies whose result depends on the directory of a file, not on the file."""


class ModuleIndex:
    """The files of one view, indexed for import lookup; built once for each generation."""

    def __init__(self, paths: Iterable[str], configuration: dict[str, str]) -> None:
        self.files = frozenset(paths)
        self._tables: dict[str, dict[str, object]] = {}
        self._found: dict[tuple[str, str, str], Found] = {}
        self.configuration = configuration
        """Path → text of each file that matches `CONFIGURATION`."""

    @cached_property
    def directories(self) -> frozenset[str]:
        """All directories with files, without a trailing slash; the root is empty."""
        found = {""}
        for path in self.files:
            above = path.rpartition("/")[0]
            while above and above not in found:
                found.add(above)
                above = above.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """File name without extension → files, and directory name → directories with a trailing slash."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(path.rpartition("/")[2].split(".")[0], []).append(path)
        for path in sorted(self.directories):
            found.setdefault(path.rpartition("/")[2], []).append(path + "/")
        return found

    @cached_property
    def by_basename(self) -> dict[str, list[str]]:
        """File name with extension → files."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    @cached_property
    def by_directory(self) -> dict[str, list[str]]:
        """Directory → the files directly in it."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    @cached_property
    def trees(self) -> ModuleTrees:
        return ModuleTrees(self.directories, self.configuration)

    @cached_property
    def crates(self) -> Crates:
        return Crates(self.files, self.configuration)

    @cached_property
    def node(self) -> NodePackages:
        return NodePackages(self.files, self.configuration)

    @cached_property
    def projects(self) -> Projects:
        return Projects(self.configuration)

    def tables_of(self, path: str) -> dict[str, object]:
        """Return the cached tables of one file; only a limited number of files have them."""
        known = self._tables.get(path)
        if known is None:
            if len(self._tables) >= MAX_TABLES:
                self._tables.clear()
            known = self._tables[path] = {}
        return known

    def find(self, spec: LanguageSpec, path: str, module: str) -> Found:
        """Return the modules that the import text `module` in the file `path` refers to."""
        finder = spec.resolve.imports.partition(":")[0]
        if finder not in _BY_DIRECTORY:
            return _FINDERS[finder](self, spec, path, module)
        key = (finder, path.rpartition("/")[0], module)
        if key not in self._found:
            if len(self._found) >= MAX_FOUND:
                self._found.clear()
            self._found[key] = _FINDERS[finder](self, spec, path, module)
        return self._found[key]

    def child(self, spec: LanguageSpec, module: str, name: str) -> list[str]:
        """Return a direct submodule of a module."""
        if module.endswith("/"):
            above = module[:-1]
        elif module.rpartition("/")[2].split(".")[0] in spec.module_files:
            above = module.rpartition("/")[0]
        elif spec.resolve.nested_modules:
            below = self.at(spec, f"{module.rpartition('.')[0]}/{name}")
            if below or self.find(spec, module, spec.resolve.module_words[0]) != [module]:
                return below
            above = module.rpartition("/")[0]  # the root of a crate has its modules beside it, whatever its file name
        else:
            return []
        found = self.at(spec, f"{above}/{name}" if above else name)
        return [place for place in found if not (spec.resolve.nested_modules and place.endswith("/"))]

    def at(self, spec: LanguageSpec, place: str) -> list[str]:
        """Return the module at a path without extension: a file, a directory's module file, or a directory."""
        for ending in spec.extensions:
            if place + ending in self.files:
                return [place + ending]
        for stem in spec.module_files:
            for ending in spec.extensions:
                if f"{place}/{stem}{ending}" in self.files:
                    return [f"{place}/{stem}{ending}"]
        return [place + "/"] if place in self.directories else []


def nearest(path: str, candidates: list[str]) -> list[str]:
    """Return the candidates that share the longest directory prefix with a path."""

    def shared(other: str) -> int:
        count = 0
        for one, two in zip(path.split("/")[:-1], other.split("/"), strict=False):
            if one != two:
                break
            count += 1
        return count

    best = max(map(shared, candidates), default=0)
    return [candidate for candidate in candidates if shared(candidate) == best]


def climb(directory: str, steps: int) -> str | None:
    """Return the directory `steps` levels up; None above the root."""
    for _ in range(steps):
        if not directory:
            return None
        directory = directory.rpartition("/")[0]
    return directory


def _none(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    return None


def _dotted(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve `a.b.c` from any source root, and `.b` from the file's own package."""
    rest = module.lstrip(".")
    if rest != module:
        above = climb(path.rpartition("/")[0], len(module) - len(rest) - 1)
        if above is None:
            return []
        place = "/".join(part for part in (above, *rest.split(".")) if part)
        return index.at(spec, place)
    tail = rest.replace(".", "/")
    last = tail.rpartition("/")[2]
    found = []
    for candidate in index.by_name.get(last, ()):
        place = _place_of(spec, candidate)
        if place == tail or place.endswith("/" + tail):
            root = place[: -len(tail)].rstrip("/")
            # A package directory is not a source root: `import a` does not find `x.a`.
            own = (f"{root}/{stem}{spec.extensions[0]}".lstrip("/") for stem in spec.module_files[:1])
            if not any(file in index.files for file in own):
                found += index.at(spec, place)
    if found:
        return nearest(path, list(dict.fromkeys(found)))
    root_name = rest.split(".")[0]
    return [] if root_name in index.by_name and "." in rest else None


def _place_of(spec: LanguageSpec, candidate: str) -> str:
    if candidate.endswith("/"):
        return candidate[:-1]
    above, _, name = candidate.rpartition("/")
    stem = name.rpartition(".")[0]
    if "." + name.rpartition(".")[2] not in spec.extensions:
        return ""
    return f"{above}/{stem}" if above else stem


def _node(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve `./x` from the file's directory, other names through package.json and tsconfig rules."""
    if not module.startswith("."):
        places = index.node.places(path, module)
        if places is None:
            return None
    else:
        places = [joined(path.rpartition("/")[0], module)]
    for place in places:
        found = _node_file(index, spec, place)
        if found:
            return found
    return []


def _includes(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve a path from the file's directory, or else the nearest file whose path ends with it."""
    beside = joined(path.rpartition("/")[0], module)
    if beside in index.files:
        return [beside]
    tail = joined("", module)
    fitting = [at for at in index.by_basename.get(tail.rpartition("/")[2], ()) if at == tail or at.endswith("/" + tail)]
    return nearest(path, fitting) or None


def _sourced(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve a shell path; a prefix computed at run time may be any directory, so take the nearest match."""
    place = _WORKED_OUT.sub("", module)
    return _includes(index, spec, path, place) if place and not set(place) & set("$`*") else None


def _relative(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve a path from the file's directory; a name without extension is an external module."""
    place = joined(path.rpartition("/")[0], module)
    return [place] if place in index.files else ([] if module.endswith(spec.extensions) else None)


def _pubspec(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve a path from the file's directory, or `package:name/path` below that package's lib directory."""
    scheme, colon, rest = module.partition(":")
    if not colon:
        return _relative(index, spec, path, module)
    name, _, inside = rest.partition("/")
    if scheme != "package":
        return None
    roots = [at.rpartition("/")[0] for at, text in index.configuration.items() if _is_package(at, text, name)]
    found = [place for root in roots if (place := joined(root, f"lib/{inside}")) in index.files]
    return nearest(path, found) or ([] if roots else None)


def _is_package(path: str, text: str, name: str) -> bool:
    found = _PACKAGE_NAME.search(text) if path.rpartition("/")[2] == "pubspec.yaml" else None
    return found is not None and found[1] == name


def _node_file(index: ModuleIndex, spec: LanguageSpec, place: str) -> list[str]:
    if place in index.files:
        return [place]
    stem, dot, ending = place.rpartition(".")
    stems = [stem, place] if dot and ending in ("js", "jsx", "mjs", "cjs") else [place]
    for base in stems:
        for extension in index.node.extensions:
            if base + extension in index.files:
                return [base + extension]
    for extension in index.node.extensions:
        if f"{place}/index{extension}".lstrip("/") in index.files:
            return [f"{place}/index{extension}".lstrip("/")]
    return []


def _required(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve a file from the importing file's directory, or below any root of the repository."""
    ending = "" if module.endswith(spec.extensions) else spec.extensions[0]
    near = joined(path.rpartition("/")[0], module) + ending
    if near in index.files:
        return [near]
    if module.startswith("."):
        return []
    wanted = module + ending
    named = index.by_basename.get(wanted.rpartition("/")[2], ())
    found = [place for place in named if place == wanted or place.endswith("/" + wanted)]
    return nearest(path, found) or None


def _included(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve a file by its path; anything else is a declared name."""
    return _required(index, spec, path, module.lstrip("/")) if module.endswith(spec.extensions) else None


def _unit(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> Found:
    """Resolve to the file named like the last segment of a module, with or without a lowercase first letter."""
    last = module.rpartition(".")[2]
    stems = (last[:1].lower() + last[1:], last)
    found = [at for stem in stems for at in index.by_name.get(stem, ()) if at.endswith(spec.extensions) and at != path]
    return nearest(path, list(dict.fromkeys(found))) or None


_FINDERS: dict[str, Callable[[ModuleIndex, LanguageSpec, str, str], Found]] = {
    "none": _none,
    "package": _none,
    "namespace": _none,
    "target": _none,
    "constant": _required,
    "dotted": _dotted,
    "scoped": lambda index, spec, path, module: _dotted(index, spec, path, module.replace("::", ".")),
    "node": _node,
    "modfile": lambda index, spec, path, module: index.trees.find(module),
    "crate": lambda index, spec, path, module: find_crate(index.crates, path, module),
    "includes": _includes,
    "unit": _unit,
    "included": _included,
    "sourced": _sourced,
    "pubspec": _pubspec,
    "relative": _relative,
}


def get_module_index(project: Project, view: PinnedView) -> ModuleIndex:
    """Return the module index of a view, built once per generation from its files and configuration."""

    def build() -> ModuleIndex:
        reader = project.reader(view)
        files = [path for path, entry in view.entries.items() if entry.blob]
        chosen = sorted(filter(CONFIGURATION.search, files), key=lambda path: path.count("/"))[:MAX_CONFIGURATION]
        return ModuleIndex(files, {path: "\n".join(reader.lines(view, path) or ()) for path in chosen})

    return project.caches.of_view(ModuleIndex, view, build)
