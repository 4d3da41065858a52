"""Uses, calls and types of real symbols in real repositories, on the ref that was asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import CallGraph, Hierarchy, ReferenceReport, SymbolTarget
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, ReferenceQuery
from codecompass.model.states import CallDirection
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

SHOP = {
    "shop/__init__.py": "from .orders import Order\n",
    "shop/orders.py": """class Base:
    def save(self):
        return self


class Order(Base):
    limit = 3

    def pay(self, amount):
        self.save()
        return check(amount) and Order.limit


class BigOrder(Order):
    pass


def check(amount):
    return amount > 0 or retry(amount)


def retry(amount):
    return check(amount)
""",
    "main.py": """import shop
from shop.orders import check as verify, Order


def run(thing):
    order = Order()
    order.pay(1)
    thing.pay(2)
    handler = verify
    verify(3)
    print(shop.Order)


class Other:
    def pay(self):
        pass


def clear(o: Other):
    o.pay()
""",
}


def references(desk: Desk, name: str, **more: object) -> ReferenceReport:
    chosen: Any = {"freshness": "best_effort", **more}
    return desk.engine.references(None, ReferenceQuery(SymbolTarget(name=name), **chosen), Call())


def places(found: ReferenceReport) -> list[str]:
    return [f"{use.path}:{use.line}:{use.column} {use.kind} {use.resolution}" for use in found.uses]


def graph(desk: Desk, name: str, direction: CallDirection, depth: int = 1) -> CallGraph:
    query = GraphQuery(SymbolTarget(name=name), direction, depth, freshness="best_effort")
    return desk.engine.call_graph(None, query, Call())


def hierarchy(desk: Desk, name: str) -> Hierarchy:
    return desk.engine.hierarchy(None, HierarchyQuery(SymbolTarget(name=name), freshness="best_effort"), Call())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    root = tmp_path_factory.mktemp("shop")
    with desk_on(make_repo(root / "repo", SHOP), root / "data") as found:
        found.index()
        yield found


def test_a_class_is_followed_through_imports(desk: Desk) -> None:
    """NAV-REFERENCES: imports, re-exports, calls, reads and bases, each at its own place."""
    assert places(references(desk, "Order")) == [
        "main.py:2:41 import resolved",
        "main.py:6:12 call resolved",
        "main.py:11:15 read resolved",
        "shop/__init__.py:1:20 import resolved",
        "shop/orders.py:11:33 read resolved",
        "shop/orders.py:14:15 inherit resolved",
    ]


def test_sure_and_unsure_uses_are_told_apart(desk: Desk) -> None:
    """NAV-REFERENCES: an object of unknown type may be meant and says so; one of another type is not listed."""
    found = references(desk, "Order.pay")
    assert places(found) == ["main.py:7:10 call resolved", "main.py:8:10 call unresolved"]
    assert found.counts == {"resolved": 1, "unresolved": 1} and found.uses[1].candidates == 2
    assert found.uses[0].text == "order.pay(1)" and found.uses[0].inside is not None
    assert found.uses[0].inside.qualified_name == "main.run"
    assert places(references(desk, "Other.pay")) == ["main.py:20:6 call resolved", "main.py:8:10 call unresolved"]
    assert references(desk, "Order.pay", resolution="resolved").total == 1


def test_uses_under_another_name(desk: Desk) -> None:
    """NAV-REFERENCES: what was imported under an alias is found under it."""
    found = places(references(desk, "check"))
    assert "main.py:2:24 import resolved" in found
    assert "main.py:9:14 read resolved" in found and "main.py:10:4 call resolved" in found


def test_kinds_and_limits(desk: Desk) -> None:
    """NAV-REFERENCES: a kind narrows, a limit cuts and is told; counts stay those of all uses."""
    calls = references(desk, "check", kinds=("call",))
    assert {use.kind for use in calls.uses} == {"call"} and calls.total == len(calls.uses) == 3
    one = references(desk, "check", limit=1)
    assert len(one.uses) == 1 and one.truncated and one.total == 5 and sum(one.kinds.values()) == 5
    assert places(references(desk, "limit")) == ["shop/orders.py:11:39 read resolved"]


def test_callers_and_callees(desk: Desk) -> None:
    """NAV-CALLS: both directions, several steps, cycles once."""
    up = graph(desk, "check", "callers", 3)
    assert [(edge.symbol.name if edge.symbol else "", edge.depth) for edge in up.callers] == [
        ("run", 1), ("pay", 1), ("retry", 1), ("run", 2), ("check", 2), ("run", 2),
    ]  # fmt: skip
    down = graph(desk, "Order.pay", "callees", 5)
    names = [(edge.symbol.name if edge.symbol else edge.name, edge.depth) for edge in down.callees]
    assert names == [("save", 1), ("check", 1), ("retry", 2), ("check", 3)]
    assert not down.callers and down.total_callees == 4


COMMON = {
    "client.py": "class Client:\n    def get(self):\n        return 1\n\n\ndef real():\n    return Client().get()\n",
    "other.py": "def several(thing):\n" + "".join(f"    thing.get({number})\n" for number in range(30)),
    "again.py": "from other import several\n\n\ndef twice(thing):\n    several(thing)\n",
}


def test_guesses_by_a_common_name_do_not_bury_the_certain_calls(tmp_path: Path) -> None:
    """NAV-CERTAINTY: the certain caller comes first; of thirty guesses ten are shown, and the rest is counted."""
    with desk_on(make_repo(tmp_path / "repo", COMMON), tmp_path / "data") as desk:
        desk.index()
        found = graph(desk, "Client.get", "callers")
        assert [edge.resolution for edge in found.callers] == ["resolved"] + ["unresolved"] * 10
        assert found.caller_counts == {"resolved": 1, "unresolved": 30} and found.total_callers == 31
        assert found.guesses_left_out == 20 and found.truncated
        deeper = graph(desk, "Client.get", "callers", 2)
        assert deeper.unfollowed == 1  # `several` may or may not call it, so who calls `several` is not told
        assert graph(desk, "several", "callers", 2).unfollowed == 0


def test_types_above_and_below(desk: Desk) -> None:
    """NAV-HIERARCHY: supertypes, subtypes, members and containers."""
    found = hierarchy(desk, "Order")
    assert [(node.name, node.resolution) for node in found.supertypes] == [("Base", "resolved")]
    assert [node.name for node in found.subtypes] == ["BigOrder"]
    assert [node.name for node in found.members] == ["limit", "pay"]
    assert [node.name for node in hierarchy(desk, "Order.pay").containers] == ["Order"]
    assert [child.name for node in hierarchy(desk, "Base").subtypes for child in node.children] == ["BigOrder"]


def test_an_inherited_member_is_found_by_the_type_that_has_it(desk: Desk) -> None:
    """NAV-TARGET: `Order.save` means the `save` that an Order has."""
    assert references(desk, "Order.save").symbol.qualified_name == "shop.orders.Base.save"
    with pytest.raises(Failure) as caught:
        references(desk, "Order.missing")
    assert caught.value.code == "SYMBOL_NOT_FOUND"


def test_each_ref_has_its_own_uses(tmp_path: Path) -> None:
    """NAV-REFS: a use on one branch is none on another, and a renamed file keeps its uses."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def one():\n    pass\n", "b.py": "from a import one\none()\n"})
    git(repo, "checkout", "-qb", "other")
    git(repo, "mv", "b.py", "c.py")
    commit(repo, {"d.py": "import a\na.one()\n"})
    git(repo, "checkout", "-q", "-")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("other")
        here = {use.path for use in references(desk, "one").uses}
        there = {use.path for use in references(desk, "one", ref="other").uses}
        assert here == {"b.py"} and there == {"c.py", "d.py"}
        (repo / "b.py").write_text("from a import one\n")
        desk.index()
        assert [use.kind for use in references(desk, "one").uses] == ["import"]
        assert len(references(desk, "one", ref="other").uses) == 3


def test_cycles_end(tmp_path: Path) -> None:
    """NAV-RESOLVE: imports, bases and values that lead back to themselves have an end."""
    repo = make_repo(tmp_path / "repo", {
        "a.py": "from b import *\nfrom b import x as y\nclass A(B):\n    pass\nz = w\nw = z\nz.run()\n",
        "b.py": "from a import *\nfrom a import y as x\nclass B(A):\n    def go(self):\n        self.none().none()\n"
        "def f():\n    return g()\ndef g():\n    return f()\nf().go()\nx.go()\n",
    })  # fmt: skip
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert references(desk, "go").counts == {"unresolved": 2}
        assert hierarchy(desk, "A").supertypes[0].name == "B"
