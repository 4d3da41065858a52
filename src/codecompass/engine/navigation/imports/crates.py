"""Crates: crate roots, the crates of a repository, and parent modules."""

import tomllib
from functools import cached_property
from typing import Any, NamedTuple

_MANIFEST = "Cargo.toml"
_SEPARATE_ROOTS = ("src/bin/", "tests/", "examples/", "benches/")
"""Directories in which every file is the root of its own crate."""
_BUILTIN_CRATES = frozenset({"std", "core", "alloc", "proc_macro", "test"})


class Crate(NamedTuple):
    """One Cargo package of a repository."""

    directory: str
    name: str
    root: str
    """The root file of its library, or else of its program."""
    aliases: dict[str, str]
    """Aliases of its dependencies → their real names."""
    dependencies: frozenset[str]


class CrateIndex:
    """The crates of one generation, read once; an invalid manifest is ignored."""

    def __init__(self, files: frozenset[str], texts: dict[str, str]) -> None:
        self._files = files
        self._texts = texts

    @cached_property
    def _all(self) -> list[Crate]:
        """All crates, deepest directory first."""
        found = []
        for path, text in self._texts.items():
            above, _, name = path.rpartition("/")
            if name == _MANIFEST:
                crate = _parse_manifest(self._files, above, text)
                if crate is not None:
                    found.append(crate)
        return sorted(found, key=lambda item: (-len(item.directory), item.directory))

    @cached_property
    def _by_name(self) -> dict[str, Crate]:
        return {crate.name: crate for crate in reversed(self._all)}

    def find_owner(self, path: str) -> Crate | None:
        """Return the crate that a file belongs to."""
        return next((item for item in self._all if not item.directory or path.startswith(item.directory + "/")), None)

    def find_root(self, path: str) -> list[str]:
        """Return the root file of the crate that a file belongs to."""
        crate = self.find_owner(path)
        if crate is None:
            return []
        below = path[len(crate.directory) :].lstrip("/")
        for apart in _SEPARATE_ROOTS:
            if below.startswith(apart):
                first, deeper, _ = below[len(apart) :].partition("/")
                start = _join_path(crate.directory, f"{apart}{first}/main.rs") if deeper else path
                return [start] if start in self._files else []
        return [crate.root] if crate.root else []

    def find_by_name(self, path: str, name: str) -> list[str] | None:
        """Return the root of another crate of the repository by the name a file uses; None for an external crate."""
        user = self.find_owner(path)
        real = user.aliases.get(name, name) if user else name
        crate = self._by_name.get(real)
        if crate is None or (real in _BUILTIN_CRATES and (user is None or real not in user.dependencies)):
            return None
        return [crate.root] if crate.root else []

    def find_parent(self, path: str) -> list[str]:
        """Return the parent module of the module that a file is."""
        directory, _, name = path.rpartition("/")
        if path in self.find_root(path):
            return []
        if name == "mod.rs":
            directory = directory.rpartition("/")[0]
        for place in (_join_path(directory, "mod.rs"), directory + ".rs"):
            if place in self._files and place != path:
                return [place]
        roots = [place for place in self.find_root(path) if place.rpartition("/")[0] == directory]
        beside = (_join_path(directory, name) for name in ("lib.rs", "main.rs"))
        return roots or [place for place in beside if place in self._files and place != path][:1]


def _parse_manifest(files: frozenset[str], directory: str, text: str) -> Crate | None:
    try:
        manifest = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    package = _get_table(manifest, "package")
    if not package:
        return None  # a workspace without a package of its own
    library = _get_table(manifest, "lib")
    name = str(library.get("name") or package.get("name", "")).replace("-", "_")
    starts = [str(library.get("path", "")), "src/lib.rs", "src/main.rs"]
    root = next((place for start in starts if start and (place := _join_path(directory, start)) in files), "")
    renamed: dict[str, str] = {}
    needs = set()
    for group in ("dependencies", "dev-dependencies", "build-dependencies"):
        for key, value in _get_table(manifest, group).items():
            own = key.replace("-", "_")
            needs.add(own)
            if isinstance(value, dict) and "package" in value:
                renamed[own] = str(value["package"]).replace("-", "_")
    return Crate(directory, name, root, renamed, frozenset(needs))


def _get_table(of: dict[str, Any], key: str) -> dict[str, Any]:
    found = of.get(key)
    return found if isinstance(found, dict) else {}


def _join_path(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def resolve_crate(crates: CrateIndex, path: str, module: str) -> list[str] | None:
    """Resolve the first segment of a path: the root, the module itself, its parent, or another crate."""
    if module == "crate":
        return crates.find_root(path)
    if module == "self":
        return [path]
    if module == "super":
        return crates.find_parent(path)
    return crates.find_by_name(path, module)
