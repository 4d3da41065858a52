"""Walls: imports point one way, and some things live in one place only."""

import ast

import pytest

from tests.architecture.levels import ENGINE_ORDER, LEVELS, SYSTEM_MODULES, THIRD_PARTY
from tests.architecture.source import SOURCES, Module

SPAWNING = {"subprocess", "multiprocessing", "pty"}
SPAWN_CALLS = {
    "fork",
    "forkpty",
    "spawnv",
    "spawnve",
    "posix_spawn",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "system",
    "popen",
}
SPAWNERS = {"repo.process.supervisor", "repo.process.subreaper"}
MOST_METHODS = 12
DATABASES = {"apsw", "sqlite3", "tantivy"}


def level_of(name: str) -> str:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if ".".join(parts[:length]) in LEVELS:
            return ".".join(parts[:length])
    return parts[0]


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_imports_follow_the_table(module: Module) -> None:
    """HOUSE-LAYERS: a module imports only what its level may."""
    allowed = LEVELS.get(level_of(module.name), ())
    wrong = []
    for imported, line in module.imports():
        if imported == "codecompass" or not imported.startswith("codecompass."):
            continue
        inner = imported.removeprefix("codecompass.")
        target = level_of("__init__" if inner == "__version__" else inner)
        if "*" not in allowed and target not in allowed and inner != module.name:
            wrong.append(f"line {line}: {module.name} imports {inner}")
    assert not wrong, "\n".join(wrong)


def engine_rank(name: str) -> int:
    found = [package for package in ENGINE_ORDER if name == package or name.startswith(package + ".")]
    assert found, f"{name} has no place in ENGINE_ORDER"
    return ENGINE_ORDER.index(max(found, key=len))


@pytest.mark.parametrize("module", [m for m in SOURCES.all if m.name.startswith("engine.")], ids=lambda m: m.name)
def test_engine_packages_follow_their_order(module: Module) -> None:
    """HOUSE-LAYERS: inside the engine, imports point to earlier packages."""
    rank = engine_rank(module.name)
    wrong = [
        f"line {line}: {module.name} imports {imported}"
        for imported, line in module.imports()
        if imported.startswith("codecompass.engine.") and engine_rank(imported.removeprefix("codecompass.")) > rank
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_third_party_stays_in_its_level(module: Module) -> None:
    """HOUSE-LAYERS: databases, grammars, protocols and the terminal are known to one level each."""
    level = level_of(module.name)
    wrong = [
        f"line {line}: {imported}"
        for imported, line in module.imports()
        if (top := imported.split(".")[0]) in THIRD_PARTY and level not in THIRD_PARTY[top]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_no_async_below_runtime(module: Module) -> None:
    """HOUSE-ASYNC: the engine is synchronous; only runtime and surfaces change colour."""
    if level_of(module.name) in ("runtime", "surfaces", "app"):
        return
    found = [node.lineno for node in ast.walk(module.tree)
             if isinstance(node, (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await))]  # fmt: skip
    assert not found, f"async at lines {found}"


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_one_module_spawns_processes(module: Module) -> None:
    """HOUSE-SPAWN: processes are started by repo.supervisor and its warden, and by nobody else."""
    if module.name in SPAWNERS:
        return
    imported = [f"line {line}: {name}" for name, line in module.imports() if name.split(".")[0] in SPAWNING]
    called = [
        f"line {node.lineno}: os.{node.func.attr}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SPAWN_CALLS
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "os"
    ]  # fmt: skip
    assert not imported + called


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_only_the_store_opens_databases(module: Module) -> None:
    """HOUSE-STORE: SQLite and Tantivy are imported by the store alone."""
    if module.name.startswith(("store.embedded", "store.portable")):
        return
    assert not [name for name, _ in module.imports() if name.split(".")[0] in DATABASES]


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_only_the_system_package_imports_system_modules(module: Module) -> None:
    """HOUSE-SYSTEM: modules that some systems lack are imported by the package `system` alone, by any way of import."""
    if module.name.startswith("system."):
        return
    imported = [f"line {line}: {name}" for name, line in module.imports() if name.split(".")[0] in SYSTEM_MODULES]
    called = [
        f"line {node.lineno}: {argument.value}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and "import" in ast.unparse(node.func)
        for argument in node.args
        if isinstance(argument, ast.Constant) and argument.value in SYSTEM_MODULES
    ]
    assert not imported + called


def test_only_the_composition_names_the_concrete_store() -> None:
    """HOUSE-LAYERS: the engine and the tools know ports; two modules know what implements them.

    Composition builds the engine; shell completion, which must be fast, reads names without one.
    """
    users = {
        module.name
        for module in SOURCES.all
        for name, _ in module.imports()
        if name.startswith(("codecompass.store.embedded.", "codecompass.store.portable."))
    }
    assert {name for name in users if not name.startswith(("store.embedded", "store.portable"))} == {
        "composition",
        "shell_completion",
    }


def test_ports_of_the_engine_are_small() -> None:
    """HOUSE-PORTS: no Protocol of the contract declares more methods than one can keep in mind."""
    sizes = {
        node.name: sum(isinstance(part, ast.FunctionDef) for part in node.body)
        for module in SOURCES.all
        if module.name.startswith("contract.")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Protocol" for base in node.bases)
    }
    assert {"SearchPort", "NavigationPort", "FilesPort", "MemoryPort", "TriagePort", "MaintenancePort"} <= set(sizes)
    assert not {name: size for name, size in sizes.items() if size > MOST_METHODS}
