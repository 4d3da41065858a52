"""Crates: crate roots, the crates of a repository, and parent modules."""

import tomllib
from functools import cached_property
from typing import Any, NamedTuple

_MANIFEST = "Cargo.toml"
_APART = ("src/bin/", "tests/", "examples/", "benches/")
"""Directories in which every file is the root of its own crate."""
_GIVEN = frozenset({"std", "core", "alloc", "proc_macro", "test"})


class Crate(NamedTuple):
    """One Cargo package of a repository."""

    directory: str
    name: str
    root: str
    """The root file of its library, or else of its program."""
    renamed: dict[str, str]
    """Aliases of its dependencies → their real names."""
    needs: frozenset[str]


class Crates:
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
                crate = _read(self._files, above, text)
                if crate is not None:
                    found.append(crate)
        return sorted(found, key=lambda item: (-len(item.directory), item.directory))

    @cached_property
    def _by_name(self) -> dict[str, Crate]:
        return {crate.name: crate for crate in reversed(self._all)}

    def of(self, path: str) -> Crate | None:
        """Return the crate that a file belongs to."""
        return next((item for item in self._all if not item.directory or path.startswith(item.directory + "/")), None)

    def root(self, path: str) -> list[str]:
        """Return the root file of the crate that a file belongs to."""
        crate = self.of(path)
        if crate is None:
            return []
        below = path[len(crate.directory) :].lstrip("/")
        for apart in _APART:
            if below.startswith(apart):
                first, deeper, _ = below[len(apart) :].partition("/")
                start = _join(crate.directory, f"{apart}{first}/main.rs") if deeper else path
                return [start] if start in self._files else []
        return [crate.root] if crate.root else []

    def named(self, path: str, name: str) -> list[str] | None:
        """Return the root of another crate of the repository by the name a file uses; None for an external crate."""
        user = self.of(path)
        real = user.renamed.get(name, name) if user else name
        crate = self._by_name.get(real)
        if crate is None or (real in _GIVEN and (user is None or real not in user.needs)):
            return None
        return [crate.root] if crate.root else []

    def above(self, path: str) -> list[str]:
        """Return the parent module of the module that a file is."""
        directory, _, name = path.rpartition("/")
        if path in self.root(path):
            return []
        if name == "mod.rs":
            directory = directory.rpartition("/")[0]
        for place in (_join(directory, "mod.rs"), directory + ".rs"):
            if place in self._files and place != path:
                return [place]
        roots = [place for place in self.root(path) if place.rpartition("/")[0] == directory]
        beside = (_join(directory, name) for name in ("lib.rs", "main.rs"))
        return roots or [place for place in beside if place in self._files and place != path][:1]


def _read(files: frozenset[str], directory: str, text: str) -> Crate | None:
    try:
        manifest = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    package = _table(manifest, "package")
    if not package:
        return None  # a workspace without a package of its own
    library = _table(manifest, "lib")
    name = str(library.get("name") or package.get("name", "")).replace("-", "_")
    starts = [str(library.get("path", "")), "src/lib.rs", "src/main.rs"]
    root = next((place for start in starts if start and (place := _join(directory, start)) in files), "")
    renamed: dict[str, str] = {}
    needs = set()
    for group in ("dependencies", "dev-dependencies", "build-dependencies"):
        for key, value in _table(manifest, group).items():
            own = key.replace("-", "_")
            needs.add(own)
            if isinstance(value, dict) and "package" in value:
                renamed[own] = str(value["package"]).replace("-", "_")
    return Crate(directory, name, root, renamed, frozenset(needs))


def _table(of: dict[str, Any], key: str) -> dict[str, Any]:
    found = of.get(key)
    return found if isinstance(found, dict) else {}


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def find_crate(crates: Crates, path: str, module: str) -> list[str] | None:
    """Resolve the first segment of a path: the root, the module itself, its parent, or another crate."""
    if module == "crate":
        return crates.root(path)
    if module == "self":
        return [path]
    if module == "super":
        return crates.above(path)
    return crates.named(path, module)
