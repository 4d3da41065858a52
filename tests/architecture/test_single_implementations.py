"""One implementation per idea: durable writes, confinement, compressed streams, timestamps and HTTP exist once."""

import ast

from tests.architecture.source import SOURCES, Module

RENAMES: dict[str, str] = {
    "atomic": "the implementation",
    "repo.files.atomic_batch": "sets a damaged file aside; nothing is written",
    "engine.maintenance.storage.stored_projects": "sets a project aside before it is removed; nothing is written",
    "repo.git.shadow_directory": "swaps a directory that is rebuilt when it is incomplete",
    "engine.maintenance.downloads.model_install": "sets the old model aside and puts it back",
    "store.embedded.files.bundle_file": "renames inside a staging directory",
    "store.embedded.files.index_swap": "swaps a whole index in several steps, each of which can be repeated",
}
"""Module → why it renames files itself."""
FLUSHES: dict[str, str] = {
    "atomic": "the implementation",
    "store.embedded.files.bundle_file": "writes into a staging directory",
    "store.embedded.text.text_index": "writes into a new directory",
}
"""Module → why it flushes files itself."""
CONFINEMENTS: dict[str, str] = {
    "confine": "the implementation",
    "ownership": "compares paths as they are spelled, because it checks every link on the way itself",
    "embed.models": "chooses the directory from which ownership is checked",
}
"""Module → why it compares a path with a directory itself."""
TIMESTAMPS: dict[str, str] = {
    "model.timestamp": "the implementation",
    "repo.git.log_parser": "keeps the author's time zone",
    "surfaces.cli.commands.watch_command": "shows local time",
}
"""Module → why it formats times itself."""
HTTP_PACKAGES = frozenset({"httpx2", "httpcore2", "h11", "http.client", "urllib.request", "requests", "aiohttp"})
HTTP_MODULES: dict[str, set[str]] = {
    "fetch.http_client": {"httpx2", "httpcore2"},
    "fetch.checked_connection": {"httpcore2"},
    "surfaces.http.client_connection": {"h11"},
}
"""Module → the HTTP packages it imports: the client, the network below it, and the server's side."""


def calls(module: Module, names: set[str], owners: set[str] | None = None) -> bool:
    """Whether a module calls a method or function of one of these names, on one of these names if any are given."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in names
        and (owners is None or (isinstance(node.func.value, ast.Name) and node.func.value.id in owners))
        for node in ast.walk(module.tree)
    )


def test_files_are_replaced_by_one_module() -> None:
    """A new place that writes a file and renames it uses `atomic`."""
    found = {module.name for module in SOURCES.all if calls(module, {"replace", "rename", "renames"}, {"os"})}
    assert found == RENAMES.keys()
    found = {module.name for module in SOURCES.all if calls(module, {"fsync", "fdatasync"}, {"os"})}
    assert found == FLUSHES.keys()
    assert not [module.name for module in SOURCES.all if calls(module, {"mkstemp", "NamedTemporaryFile"})]


def test_paths_are_confined_by_one_module() -> None:
    """A new check that a path is inside a directory uses `confine`."""
    found = {module.name for module in SOURCES.all if calls(module, {"is_relative_to", "commonpath"})}
    assert found == CONFINEMENTS.keys()


def test_timestamps_are_formatted_by_one_module() -> None:
    assert {module.name for module in SOURCES.all if calls(module, {"isoformat"})} == TIMESTAMPS.keys()


def test_compressed_streams_are_read_by_one_module() -> None:
    """A new reader of a Zstandard file uses `zstd_stream`, which bounds each step and notices a missing end."""
    assert {module.name for module in SOURCES.all if calls(module, {"decompressobj"})} == {"zstd_stream"}


def test_http_requests_are_sent_by_one_module() -> None:
    """A new user of HTTP calls `fetch.http_client`; only the server parses HTTP itself."""
    found: dict[str, set[str]] = {}
    for module in SOURCES.all:
        names = {name for node in ast.walk(module.tree) for name in imported_names(node)}
        if used := {package for package in HTTP_PACKAGES if package in names or has_submodule(names, package)}:
            found[module.name] = used
    assert found == HTTP_MODULES


def imported_names(node: ast.AST) -> set[str]:
    """Modules that a statement imports; `from a import b` may mean the module `a.b`."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module:
        return {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return set()


def has_submodule(names: set[str], package: str) -> bool:
    return any(name.startswith(f"{package}.") for name in names)
