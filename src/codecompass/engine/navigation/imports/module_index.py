"""Module index: resolve imports to files, by the strategy of each language.

A finder takes the text of an import and returns modules: file paths, or directory paths with a trailing slash. None
means that the module is not part of the repository; an empty list that it should be, but was not found.
"""

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from codecompass.engine.navigation.imports.crates import CrateIndex, resolve_crate
from codecompass.engine.navigation.imports.go_modules import GoModules
from codecompass.engine.navigation.imports.node_packages import NodePackages, join_path
from codecompass.engine.navigation.imports.project_files import DotnetProjects
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.languages.language_spec import LanguageSpec

ModulePaths = list[str] | None
MAX_CONFIGURATION = 400
"""Maximum number of configuration files that are read."""
CONFIGURATION = re.compile(
    r"(?:^|/)(?:package\.json|[jt]sconfig[\w.-]*\.json|go\.mod|Cargo\.toml|[\w.-]+\.csproj|Directory\.Build\.props"
    r"|pubspec\.yaml)$"
)
"""Configuration files that define module names."""

_DYNAMIC_PREFIX = re.compile(r"^\"?\$.*(?:[})`\"]|\$\w+)/+")
"""A path prefix whose value is known only at run time: `$DIR/`, `${HOME%/*}/`, `$(dirname "$0")/`."""
_PACKAGE_NAME = re.compile(r"^name:\s*['\"]?(\w+)", re.MULTILINE)
MAX_CACHED_IMPORTS = 50_000
MAX_TABLES = 1_000
"""Maximum number of files with cached tables; about 20 KB each."""
_DIRECTORY_STRATEGIES = frozenset({"dotted", "node"})
"""Strategies whose result depends on the directory of a file, not on the file."""


class ModuleIndex:
    """The files of one view, indexed for import lookup; built once for each generation."""

    def __init__(self, paths: Iterable[str], configuration: dict[str, str]) -> None:
        self.files = frozenset(paths)
        self._tables: dict[str, dict[str, object]] = {}
        self._cached: dict[tuple[str, str, str], ModulePaths] = {}
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
    def go_modules(self) -> GoModules:
        return GoModules(self.directories, self.configuration)

    @cached_property
    def crates(self) -> CrateIndex:
        return CrateIndex(self.files, self.configuration)

    @cached_property
    def node_packages(self) -> NodePackages:
        return NodePackages(self.files, self.configuration)

    @cached_property
    def dotnet_projects(self) -> DotnetProjects:
        return DotnetProjects(self.configuration)

    def get_tables(self, path: str) -> dict[str, object]:
        """Return the cached tables of one file; only a limited number of files have them."""
        known = self._tables.get(path)
        if known is None:
            if len(self._tables) >= MAX_TABLES:
                self._tables.clear()
            known = self._tables[path] = {}
        return known

    def find(self, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
        """Return the modules that the import text `module` in the file `path` refers to."""
        finder = spec.resolve.imports.partition(":")[0]
        if finder not in _DIRECTORY_STRATEGIES:
            return _FINDERS[finder](self, spec, path, module)
        key = (finder, path.rpartition("/")[0], module)
        if key not in self._cached:
            if len(self._cached) >= MAX_CACHED_IMPORTS:
                self._cached.clear()
            self._cached[key] = _FINDERS[finder](self, spec, path, module)
        return self._cached[key]

    def find_child(self, spec: LanguageSpec, module: str, name: str) -> list[str]:
        """Return a direct submodule of a module."""
        if module.endswith("/"):
            above = module[:-1]
        elif module.rpartition("/")[2].split(".")[0] in spec.module_files:
            above = module.rpartition("/")[0]
        elif spec.resolve.nested_modules:
            below = self.find_at(spec, f"{module.rpartition('.')[0]}/{name}")
            if below or self.find(spec, module, spec.resolve.module_words[0]) != [module]:
                return below
            above = module.rpartition("/")[0]  # the root of a crate has its modules beside it, whatever its file name
        else:
            return []
        found = self.find_at(spec, f"{above}/{name}" if above else name)
        return [place for place in found if not (spec.resolve.nested_modules and place.endswith("/"))]

    def find_at(self, spec: LanguageSpec, place: str) -> list[str]:
        """Return the module at a path without extension: a file, a directory's module file, or a directory."""
        for ending in spec.extensions:
            if place + ending in self.files:
                return [place + ending]
        for stem in spec.module_files:
            for ending in spec.extensions:
                if f"{place}/{stem}{ending}" in self.files:
                    return [f"{place}/{stem}{ending}"]
        return [place + "/"] if place in self.directories else []


def select_nearest(path: str, candidates: list[str]) -> list[str]:
    """Return the candidates that share the longest directory prefix with a path."""

    def count_shared(other: str) -> int:
        count = 0
        for one, two in zip(path.split("/")[:-1], other.split("/"), strict=False):
            if one != two:
                break
            count += 1
        return count

    best = max(map(count_shared, candidates), default=0)
    return [candidate for candidate in candidates if count_shared(candidate) == best]


def get_ancestor(directory: str, steps: int) -> str | None:
    """Return the directory `steps` levels up; None above the root."""
    for _ in range(steps):
        if not directory:
            return None
        directory = directory.rpartition("/")[0]
    return directory


def _find_none(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    return None


def _find_dotted(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve `a.b.c` from any source root, and `.b` from the file's own package."""
    rest = module.lstrip(".")
    if rest != module:
        above = get_ancestor(path.rpartition("/")[0], len(module) - len(rest) - 1)
        if above is None:
            return []
        place = "/".join(part for part in (above, *rest.split(".")) if part)
        return index.find_at(spec, place)
    tail = rest.replace(".", "/")
    last = tail.rpartition("/")[2]
    found = []
    for candidate in index.by_name.get(last, ()):
        place = _strip_extension(spec, candidate)
        if place == tail or place.endswith("/" + tail):
            root = place[: -len(tail)].rstrip("/")
            # A package directory is not a source root: `import a` does not find `x.a`.
            own = (f"{root}/{stem}{spec.extensions[0]}".lstrip("/") for stem in spec.module_files[:1])
            if not any(file in index.files for file in own):
                found += index.find_at(spec, place)
    if found:
        return select_nearest(path, list(dict.fromkeys(found)))
    root_name = rest.split(".")[0]
    return [] if root_name in index.by_name and "." in rest else None


def _strip_extension(spec: LanguageSpec, candidate: str) -> str:
    if candidate.endswith("/"):
        return candidate[:-1]
    above, _, name = candidate.rpartition("/")
    stem = name.rpartition(".")[0]
    if "." + name.rpartition(".")[2] not in spec.extensions:
        return ""
    return f"{above}/{stem}" if above else stem


def _find_node(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve `./x` from the file's directory, other names through package.json and tsconfig rules."""
    if not module.startswith("."):
        places = index.node_packages.find_paths(path, module)
        if places is None:
            return None
    else:
        places = [join_path(path.rpartition("/")[0], module)]
    for place in places:
        found = _find_node_file(index, spec, place)
        if found:
            return found
    return []


def _find_include(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve a path from the file's directory, or else the nearest file whose path ends with it."""
    beside = join_path(path.rpartition("/")[0], module)
    if beside in index.files:
        return [beside]
    tail = join_path("", module)
    fitting = [at for at in index.by_basename.get(tail.rpartition("/")[2], ()) if at == tail or at.endswith("/" + tail)]
    return select_nearest(path, fitting) or None


def _find_shell_source(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve a shell path; a prefix computed at run time may be any directory, so take the nearest match."""
    place = _DYNAMIC_PREFIX.sub("", module)
    return _find_include(index, spec, path, place) if place and not set(place) & set("$`*") else None


def _find_relative(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve a path from the file's directory; a name without extension is an external module."""
    place = join_path(path.rpartition("/")[0], module)
    return [place] if place in index.files else ([] if module.endswith(spec.extensions) else None)


def _find_pubspec(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve a path from the file's directory, or `package:name/path` below that package's lib directory."""
    scheme, colon, rest = module.partition(":")
    if not colon:
        return _find_relative(index, spec, path, module)
    name, _, inside = rest.partition("/")
    if scheme != "package":
        return None
    roots = [at.rpartition("/")[0] for at, text in index.configuration.items() if _is_package(at, text, name)]
    found = [place for root in roots if (place := join_path(root, f"lib/{inside}")) in index.files]
    return select_nearest(path, found) or ([] if roots else None)


def _is_package(path: str, text: str, name: str) -> bool:
    found = _PACKAGE_NAME.search(text) if path.rpartition("/")[2] == "pubspec.yaml" else None
    return found is not None and found[1] == name


def _find_node_file(index: ModuleIndex, spec: LanguageSpec, place: str) -> list[str]:
    if place in index.files:
        return [place]
    stem, dot, ending = place.rpartition(".")
    stems = [stem, place] if dot and ending in ("js", "jsx", "mjs", "cjs") else [place]
    for base in stems:
        for extension in index.node_packages.extensions:
            if base + extension in index.files:
                return [base + extension]
    for extension in index.node_packages.extensions:
        if f"{place}/index{extension}".lstrip("/") in index.files:
            return [f"{place}/index{extension}".lstrip("/")]
    return []


def _find_load_path(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve a file from the importing file's directory, or below any root of the repository."""
    ending = "" if module.endswith(spec.extensions) else spec.extensions[0]
    near = join_path(path.rpartition("/")[0], module) + ending
    if near in index.files:
        return [near]
    if module.startswith("."):
        return []
    wanted = module + ending
    named = index.by_basename.get(wanted.rpartition("/")[2], ())
    found = [place for place in named if place == wanted or place.endswith("/" + wanted)]
    return select_nearest(path, found) or None


def _find_php_include(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve a file by its path; anything else is a declared name."""
    return _find_load_path(index, spec, path, module.lstrip("/")) if module.endswith(spec.extensions) else None


def _find_unit(index: ModuleIndex, spec: LanguageSpec, path: str, module: str) -> ModulePaths:
    """Resolve to the file named like the last segment of a module, with or without a lowercase first letter."""
    last = module.rpartition(".")[2]
    stems = (last[:1].lower() + last[1:], last)
    found = [at for stem in stems for at in index.by_name.get(stem, ()) if at.endswith(spec.extensions) and at != path]
    return select_nearest(path, list(dict.fromkeys(found))) or None


_FINDERS: dict[str, Callable[[ModuleIndex, LanguageSpec, str, str], ModulePaths]] = {
    "none": _find_none,
    "package": _find_none,
    "namespace": _find_none,
    "target": _find_none,
    "constant": _find_load_path,
    "dotted": _find_dotted,
    "scoped": lambda index, spec, path, module: _find_dotted(index, spec, path, module.replace("::", ".")),
    "node": _find_node,
    "modfile": lambda index, spec, path, module: index.go_modules.find(module),
    "crate": lambda index, spec, path, module: resolve_crate(index.crates, path, module),
    "includes": _find_include,
    "unit": _find_unit,
    "included": _find_php_include,
    "sourced": _find_shell_source,
    "pubspec": _find_pubspec,
    "relative": _find_relative,
}


def get_module_index(project: Project, view: PinnedView) -> ModuleIndex:
    """Return the module index of a view, built once per generation from its files and configuration."""

    def build() -> ModuleIndex:
        reader = project.reader(view)
        files = [path for path, entry in view.entries.items() if entry.blob]
        chosen = sorted(filter(CONFIGURATION.search, files), key=lambda path: path.count("/"))[:MAX_CONFIGURATION]
        return ModuleIndex(files, {path: "\n".join(reader.read_lines(view, path) or ()) for path in chosen})

    return project.caches.get_for_view(ModuleIndex, view, build)
