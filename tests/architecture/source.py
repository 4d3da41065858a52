"""The program's own source, parsed once, for tests that look at it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "codecompass"


@dataclass(frozen=True)
class Module:
    path: Path

    @property
    def name(self) -> str:
        """Dotted name inside the package; a package's `__init__` goes by the package's name, the top one by its own."""
        parts = list(self.path.relative_to(PACKAGE).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        return ".".join(parts)

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def imports(self) -> Iterator[tuple[str, int]]:
        """(absolute module, line) of every import, TYPE_CHECKING blocks included."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name, node.lineno
            elif isinstance(node, ast.ImportFrom):
                yield node.module or "", node.lineno
                if node.module in ("codecompass",):
                    for alias in node.names:
                        yield f"codecompass.{alias.name}", node.lineno

    def imported_modules(self) -> Iterator[str]:
        """Absolute name of every imported module of the program; `from package import module` names the module."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "codecompass")
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "codecompass":
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    path = PACKAGE.parent.joinpath(*name.split("."))
                    is_module = path.with_suffix(".py").exists() or (path / "__init__.py").exists()
                    yield name if is_module else node.module or ""


def modules() -> list[Module]:
    return [Module(path) for path in sorted(PACKAGE.rglob("*.py"))]


class Sources:
    @cached_property
    def all(self) -> list[Module]:
        return modules()


SOURCES = Sources()
