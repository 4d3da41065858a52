"""Packages are small and say what they are for, modules have a summary, and the overview is short."""

import ast
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT, SOURCES, Module

MAX_MODULES = 15
LISTS = {"tools"}
"""Packages that are one list of equal modules, and may be long."""
MAX_OVERVIEW_LINES = 130
PACKAGES = sorted({path.parent for path in PACKAGE.rglob("*.py")})


def name_of(package: Path) -> str:
    return package.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_a_package_says_in_one_line_what_it_is_for(package: Path) -> None:
    """HOUSE-NAMES: the docstring of `__init__` is one line."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert docstring and len(docstring.splitlines()) == 1


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_a_package_has_few_modules(package: Path) -> None:
    """HOUSE-SIZE: no package over 15 modules."""
    modules = [path.name for path in package.glob("*.py") if path.name != "__init__.py"]
    assert name_of(package) in LISTS or len(modules) <= MAX_MODULES, f"{len(modules)}: {', '.join(sorted(modules))}"


@pytest.mark.parametrize("module", SOURCES.all, ids=lambda m: m.name)
def test_a_module_has_a_summary(module: Module) -> None:
    """HOUSE-NAMES: the first line of a docstring is a whole sentence; docs/map.md is made of these lines."""
    summary = (ast.get_docstring(module.tree) or "").partition("\n")[0]
    assert summary.endswith("."), summary


def test_the_overview_is_short() -> None:
    """HOUSE-SIZE: ARCHITECTURE.md is read in one sitting; docs/map.md is the complete list."""
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= MAX_OVERVIEW_LINES
