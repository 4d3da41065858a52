"""Packages are small, say what they are for and name their public modules; the overview is short."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT, SOURCES, Module

MAX_MODULES = 15
LISTS = {"tools"}
"""Packages that are one list of equal modules, and may be long."""
MAX_OVERVIEW_LINES = 130
PACKAGES = sorted({path.parent for path in PACKAGE.rglob("*.py")})
INNER = [package for package in PACKAGES if package != PACKAGE]
"""All packages but the top one, whose `__all__` is the library for Python programs."""


def name_of(package: Path) -> str:
    return package.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_a_package_says_in_one_line_what_it_is_for(package: Path) -> None:
    """HOUSE-NAMES: the docstring of `__init__` is one line."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert docstring and len(docstring.splitlines()) == 1


def exports_of(package: Path) -> list[str]:
    """The names in `__all__`, read without importing the package."""
    for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            assert isinstance(node.value, ast.Tuple)
            return [ast.literal_eval(item) for item in node.value.elts]
    return []


def modules_in(package: Path) -> set[str]:
    """The modules and packages directly in a package."""
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


def crossings(module: Module) -> Iterator[tuple[Path, str]]:
    """Each package that an import of the module enters from outside, with the name that it takes there."""
    for imported in module.imported_modules():
        parts = imported.split(".")[1:]
        for depth in range(1, len(parts)):
            package = PACKAGE.joinpath(*parts[:depth])
            if package not in module.path.parents:
                yield package, parts[depth]


@pytest.mark.parametrize("package", INNER, ids=name_of)
def test_a_package_names_its_public_modules(package: Path) -> None:
    """HOUSE-EXPORTS: `__all__` names modules of the package, and what its `__init__` itself assigns or imports."""
    exports = exports_of(package)
    own = {
        name
        for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body
        for name in names_bound_by(node)
    }
    assert exports == sorted(set(exports)) and exports
    assert not set(exports) - modules_in(package) - own


def names_bound_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {ast.unparse(target) for target in targets}


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_imports_from_outside_name_public_modules(module: Module) -> None:
    """HOUSE-EXPORTS: a module that `__all__` does not name is private to its package and the packages inside it."""
    wrong = [f"{name_of(package)}: {name}" for package, name in crossings(module) if name not in exports_of(package)]
    assert not wrong, f"{module.name} imports what is private to other packages: {', '.join(wrong)}"


def test_public_modules_are_used_from_outside() -> None:
    """HOUSE-EXPORTS: no module is public that only its own package imports."""
    used = {crossing for module in SOURCES.all for crossing in crossings(module)}
    unused = [
        f"{name_of(package)}: {name}"
        for package in INNER
        for name in sorted(modules_in(package) & set(exports_of(package)))
        if (package, name) not in used
    ]
    assert not unused, "\n".join(unused)


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_a_package_has_few_modules(package: Path) -> None:
    """HOUSE-SIZE: no package over 15 modules."""
    modules = [path.name for path in package.glob("*.py") if path.name != "__init__.py"]
    assert name_of(package) in LISTS or len(modules) <= MAX_MODULES, f"{len(modules)}: {', '.join(sorted(modules))}"


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_a_module_has_a_summary(module: Module) -> None:
    """HOUSE-NAMES: the first line of a docstring is a whole sentence; docs/building/map.md is made of these lines."""
    summary = (ast.get_docstring(module.tree) or "").partition("\n")[0]
    assert summary.endswith("."), summary


def test_the_overview_is_short() -> None:
    """HOUSE-SIZE: ARCHITECTURE.md is read in one sitting; docs/building/map.md is the complete list."""
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= MAX_OVERVIEW_LINES
