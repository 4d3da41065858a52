"""Requirements: every rule has an id, every id is cited by a test, every cited id exists."""

import ast
import re

from tests.architecture.source import ROOT
from tests.requirements import REQUIREMENTS

CITATION = re.compile(r"^\s*((?:[A-Z][A-Z0-9]*-)+[A-Z0-9]+)(?:,\s*((?:[A-Z][A-Z0-9]*-)+[A-Z0-9]+))*\s*:")
ID = re.compile(r"(?:[A-Z][A-Z0-9]*-)+[A-Z0-9]+")


def citations() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                head = (ast.get_docstring(node) or "").split(":", 1)[0]
                if CITATION.match(ast.get_docstring(node) or ""):
                    for name in ID.findall(head):
                        found.setdefault(name, set()).add(f"{path.name}::{node.name}")
    return found


def test_every_requirement_is_tested() -> None:
    """HOUSE-REQUIREMENTS: no rule without a test."""
    assert not set(REQUIREMENTS) - set(citations())


def test_every_citation_is_a_requirement() -> None:
    """HOUSE-REQUIREMENTS: no test cites a rule that does not exist."""
    assert not set(citations()) - set(REQUIREMENTS)


def test_every_requirement_names_its_source() -> None:
    """HOUSE-REQUIREMENTS: a rule says where it comes from and what it demands."""
    for name, (document, rule) in REQUIREMENTS.items():
        assert document and len(rule) > 15, name
