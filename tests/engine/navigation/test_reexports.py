"""Paths as users write them: through re-exports, renamed exports and overloads to the definition that is meant."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolNode, SymbolTarget
from codecompass.model.queries.search_query import GraphQuery, HierarchyQuery, ReferenceQuery
from codecompass.model.queries.symbol_inspection import InspectQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = {
    # Python: an __init__ that offers what its modules define, one of them under another name.
    "src/shop/__init__.py": "from .orders import Order\nfrom .prices import compute as price\nfrom .deep import *\n",
    "src/shop/orders.py": "class Base:\n    def save(self):\n        pass\n\n\nclass Order(Base):\n    pass\n",
    "src/shop/prices.py": "def compute(x):\n    return x\n",
    "src/shop/deep/__init__.py": "from shop.deep.core import dig\n",
    "src/shop/deep/core.py": "def dig():\n    pass\n",
    "use.py": "import shop\n\nshop.price(1)\nshop.Order().save()\n",
    # Rust: a private module behind `pub use`.
    "park/Cargo.toml": '[package]\nname = "park"\n',
    "park/src/lib.rs": "pub mod task;\npub use task::spawn;\n",
    "park/src/task/mod.rs": "mod blocking;\npub use blocking::spawn_blocking;\nmod spawn;\npub use spawn::spawn;\n",
    "park/src/task/blocking.rs": "pub fn spawn_blocking() {}\n",
    "park/src/task/spawn.rs": "pub fn spawn() {}\n",
    # TypeScript: a barrel with a star, a renamed export, and a local one under another name.
    "web/package.json": '{"name": "@acme/web", "main": "./src/index.ts"}',
    "web/src/index.ts": "export * from './client'\nexport { make as build } from './make'\nexport { it } from './it'\n",
    "web/src/client.ts": "export class Client {\n  assert(): void {}\n}\n",
    "web/src/make.ts": "export function make() {\n  return 1\n}\n",
    "web/src/it.ts": "const inner = { a: 1 }\nexport { inner as it }\n",
    # Go: a package is its directory.
    "go.mod": "module example.org/pit\n",
    "detect/rules.go": "package detect\n\nfunc Scan() int {\n\treturn 1\n}\n",
    # C++: a using-declaration in a namespace.
    "lib/inner.hpp": "namespace inner {\nint run(int x);\n}\n",
    "lib/inner.cpp": '#include "inner.hpp"\nnamespace inner {\nint run(\n    int x) {\n  return x;\n}\n}\n',
    "lib/front.hpp": '#include "inner.hpp"\nnamespace front {\nusing inner::run;\n}\n',
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    root = tmp_path_factory.mktemp("reexports")
    with desk_on(make_repo(root / "repo", FILES), root / "data") as found:
        found.index()
        yield found


def meant(desk: Desk, name: str) -> SymbolNode:
    return desk.engine.references(None, ReferenceQuery(SymbolTarget(name=name), freshness="best_effort"), Call()).symbol


@pytest.mark.parametrize(
    ("name", "place", "by"),
    [
        ("shop.Order", "src/shop/orders.py:6", ["src/shop/__init__.py:1"]),
        ("shop.Order.save", "src/shop/orders.py:2", ["src/shop/__init__.py:1"]),
        ("shop.price", "src/shop/prices.py:1", ["src/shop/__init__.py:2"]),
        ("shop.dig", "src/shop/deep/core.py:1", ["src/shop/__init__.py:3", "src/shop/deep/__init__.py:1"]),
        ("price", "src/shop/prices.py:1", ["src/shop/__init__.py:2"]),
        ("park::task::spawn_blocking", "park/src/task/blocking.rs:1", ["park/src/task/mod.rs:2"]),
        ("park::spawn", "park/src/task/spawn.rs:1", ["park/src/lib.rs:2", "park/src/task/mod.rs:4"]),
        ("task::spawn_blocking", "park/src/task/blocking.rs:1", ["park/src/task/mod.rs:2"]),
        ("@acme/web.Client", "web/src/client.ts:1", ["web/src/index.ts:1"]),
        ("@acme/web.Client.assert", "web/src/client.ts:2", ["web/src/index.ts:1"]),
        ("@acme/web.build", "web/src/make.ts:1", ["web/src/index.ts:2"]),
        ("build", "web/src/make.ts:1", ["web/src/index.ts:2"]),
        ("@acme/web.it", "web/src/it.ts:1", ["web/src/index.ts:3", "web/src/it.ts:2"]),
        ("example.org/pit/detect.Scan", "detect/rules.go:3", []),
        ("front::run", "lib/inner.cpp:3", ["lib/front.hpp:3"]),
    ],
)
def test_a_path_through_re_exports(desk: Desk, name: str, place: str, by: list[str]) -> None:
    """NAV-REEXPORT: the definition behind every re-export, and each import that passes the name on."""
    node = meant(desk, name)
    assert f"{node.path}:{node.line_start}" == place
    assert [f"{path}:{line}" for path, line in node.reached_by] == by


def test_every_tool_that_takes_a_name(desk: Desk) -> None:
    """NAV-REEXPORT: locate, calls, types and inspect understand the same paths as references."""
    (hit,) = desk.locate("park::task::spawn_blocking").hits
    assert (hit.path, hit.tier, hit.reached_by) == (
        "park/src/task/blocking.rs", "reexported", (("park/src/task/mod.rs", 2),),
    )  # fmt: skip
    target = SymbolTarget(name="shop.Order")
    graph = desk.engine.call_graph(None, GraphQuery(target, "callers", 1, freshness="best_effort"), Call())
    types = desk.engine.hierarchy(None, HierarchyQuery(target, freshness="best_effort"), Call())
    facts = desk.engine.inspect(None, InspectQuery(target, freshness="best_effort"), Call())
    for node in (graph.symbol, types.symbol, facts.symbol):
        assert node.path == "src/shop/orders.py" and node.reached_by == (("src/shop/__init__.py", 1),)
    assert [node.name for node in types.supertypes] == ["Base"]


def test_a_path_that_leads_nowhere_is_not_found(desk: Desk) -> None:
    """NAV-REEXPORT: nothing is guessed: a name that a module does not offer is no answer."""
    for name in ("shop.nothing", "park::task::nothing", "@acme/web.nothing", "nowhere::spawn_blocking"):
        with pytest.raises(Failure) as caught:
            meant(desk, name)
        assert caught.value.code == "SYMBOL_NOT_FOUND"
        assert not desk.locate(name).hits


OVERLOADED = {
    "a.py": (
        "import typing as t\nfrom typing import overload\n\n\n"
        "@overload\ndef parse(a: int) -> int: ...\n@t.overload\ndef parse(\n    a: str,\n) -> str: ...\n"
        "def parse(a):\n    return a\n\n\n"
        "class Box:\n    @property\n    def size(self):\n        return 1\n\n"
        "    @size.setter\n    def size(self, value):\n        pass\n\n\nparse(1)\nBox().size\n"
    ),
    "only.pyi": "from typing import overload\n@overload\ndef stub(a: int) -> int: ...\n"
    "@overload\ndef stub(a: str) -> str: ...\n",
    "b.ts": (
        "export function read(a: number): number\nexport function read(\n  a: string,\n): string\n"
        "export function read(a: any): any {\n  return a\n}\nread(1)\n"
        "export class Bag {\n  get size(): number { return 1 }\n  set size(v: number) {}\n}\n"
    ),
    "c.hpp": "int add(\n    int a,\n    int b,\n    int c,\n    int d,\n    int e);\n",
    "c.cpp": '#include "c.hpp"\nint add(int a, int b, int c, int d, int e) {\n  return a + b;\n}\n',
    "main.cpp": '#include "c.hpp"\nint main() { return add(1, 2, 3, 4, 5); }\n',
    "D.java": "class D {\n  int go(int a) { return a; }\n  int go(String a) { return 1; }\n}\n",
}


def test_the_implementation_is_meant_and_not_a_declaration(tmp_path: Path) -> None:
    """NAV-OVERLOADS: stubs and signatures are mentioned beside it; uses are counted once."""
    with desk_on(make_repo(tmp_path / "repo", OVERLOADED), tmp_path / "data") as desk:
        desk.index()
        expected = {
            "parse": ("a.py", 11, [5, 7], 1), "Box.size": ("a.py", 16, [], 2), "stub": ("only.pyi", 2, [4], 0),
            "read": ("b.ts", 5, [1, 2], 1), "Bag.size": ("b.ts", 10, [], 0), "D.go": ("D.java", 2, [], 0),
        }  # fmt: skip
        for name, (path, line, declared, uses) in expected.items():
            found = desk.engine.references(
                None, ReferenceQuery(SymbolTarget(name=name), freshness="best_effort"), Call()
            )
            node = found.symbol
            assert (node.path, node.line_start) == (path, line), name
            assert [one for _, one in node.overloads] == declared, name
            calls = [use for use in found.uses if use.kind in ("call", "read")]
            assert len(calls) == uses, name
        assert desk.locate("parse").hits[0].line_start == 11
        add = meant(desk, "add")
        assert (add.path, add.overloads) == ("c.cpp", (("c.hpp", 1),))
        place = ReferenceQuery(SymbolTarget(path="a.py", line=6), freshness="best_effort")
        stub = desk.engine.references(None, place, Call())
        assert stub.symbol.line_start == 5 and stub.total == 1  # a place names that very definition


RENAMED = {
    "shop/__init__.py": "from .prices import compute as price\n",
    "shop/prices.py": "def compute(x):\n    return x\n",
    "shop/rent.py": "def price(x):\n    return x\n",
    "use.py": (
        "import shop\nfrom shop import price\nfrom shop import price as cost\n\nshop.price(1)\nprice(2)\ncost(3)\n"
    ),
    "other.py": "from shop.rent import price\n\nprice(4)\nthing.price(5)\n",
    "make.ts": "export function make() {\n  return 1\n}\n",
    "index.ts": "export { make as build } from './make'\n",
    "use.ts": "import { build } from './index'\nbuild()\nconst own = { build: 1 }\nown.build\n",
}


def test_uses_behind_a_renamed_export_are_found(tmp_path: Path) -> None:
    """NAV-REEXPORT: under the name that a module gives it, and under further ones; never another symbol's."""
    with desk_on(make_repo(tmp_path / "repo", RENAMED), tmp_path / "data") as desk:
        desk.index()
        for name, places in (
            ("compute", {"shop/__init__.py:1", "use.py:2", "use.py:3", "use.py:5", "use.py:6", "use.py:7"}),
            ("make", {"index.ts:1", "use.ts:1", "use.ts:2"}),
        ):
            query = ReferenceQuery(SymbolTarget(name=name), freshness="best_effort")
            found = desk.engine.references(None, query, Call())
            assert {(f"{use.path}:{use.line}", use.resolution) for use in found.uses} == {
                (place, "resolved") for place in places
            }
