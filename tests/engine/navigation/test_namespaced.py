"""Names with namespaces before them: how they are shown, asked for and followed."""

from collections.abc import Iterator

import pytest

from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.search_query import HierarchyQuery, ReferenceQuery
from tests.engine.navigation.test_resolution import CASES, read_marks
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    root = tmp_path_factory.mktemp("namespaced")
    repo = make_repo(root / "repo", read_marks(CASES / "php")[0])
    with desk_on(repo, root / "data") as desk:
        desk.index()
        yield desk


def named(desk: Desk, name: str) -> str:
    return desk.engine.references(None, ReferenceQuery(SymbolTarget(name=name)), Call()).symbol.qualified_name


def test_members_and_namespaces_are_joined_as_the_language_joins_them(desk: Desk) -> None:
    """NAV-TARGET: a full name is shown as the source would write it, and is found by it and by each of its ends."""
    full = "Shop\\Models\\Order::total"
    for name in (full, f"\\{full}", "Models\\Order::total", "Order::total", "Order.total", "Order->total"):
        assert named(desk, name) == full
    assert named(desk, "Shop\\Util\\slug") == named(desk, "slug") == "Shop\\Util\\slug"


def test_an_inherited_member_is_found_by_a_full_name(desk: Desk) -> None:
    """NAV-TARGET: `Order::save` means the `save` that an Order has; what is mixed in comes before what is inherited."""
    assert named(desk, "Shop\\Models\\Order::save") == "Shop\\Models\\Entity::save"
    assert named(desk, "Order::describe") == "Shop\\Models\\Concerns\\Dated::describe"


def test_uses_are_found_through_imports_and_paths(desk: Desk) -> None:
    """NAV-REFERENCES: a class is used where it is imported, written with its namespace, or named beside its file."""
    found = desk.engine.references(None, ReferenceQuery(SymbolTarget(name="Shop\\Models\\Customer")), Call())
    sure = {(use.path, use.kind) for use in found.uses if use.resolution == "resolved"}
    assert ("src/helpers.php", "call") in sure
    assert ("src/Models/Order.php", "type") in sure
    assert ("src/Services/Mailer.php", "import") in sure


def test_what_is_mixed_in_is_a_type_above(desk: Desk) -> None:
    """NAV-HIERARCHY: a class stands below what it extends, what it implements and what is mixed into it."""
    found = desk.engine.hierarchy(None, HierarchyQuery(SymbolTarget(name="Shop\\Models\\Order")), Call())
    assert {node.name for node in found.supertypes} == {"Entity", "HasTotal", "Dated"}
