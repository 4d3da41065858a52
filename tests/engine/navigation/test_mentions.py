"""A mention of a name is a use, sure or not, unless it is proved to be something else; the proof can be asked for."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from bench.accuracy.mentions import check

from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import ReferenceReport, SymbolTarget
from codecompass.model.queries.results import OutlineNode
from codecompass.model.queries.search_query import ReferenceQuery
from tests.engine.navigation.test_resolution import CASES, read_marks
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

Opened = Callable[[dict[str, str]], AbstractContextManager[Desk]]

QUERY = "class QuerySet:\n    def bulk_create(self, rows):\n        return rows\n"
MANAGED = {
    "shop/query.py": QUERY,
    "shop/manager.py": """from shop.query import QuerySet


class BaseManager:
    @classmethod
    def from_queryset(cls, queryset_class):
        return type(cls.__name__, (cls,), dict(vars(queryset_class)))


class Manager(BaseManager.from_queryset(QuerySet)):
    pass
""",
    "shop/models.py": """from shop.manager import Manager


class ModelBase(type):
    def __new__(cls, name, bases, members):
        made = super().__new__(cls, name, bases, members)
        made.prepare()
        return made

    def prepare(cls):
        manager = Manager()
        cls.add_to_class("objects", manager)


class Model(metaclass=ModelBase):
    pass


class Person(Model):
    pass


class Pet(Model):
    animals = Manager()
""",
    "shop/use.py": """from shop.models import Person, Pet


def make():
    Person.objects.bulk_create([1])
    Pet.animals.bulk_create([2])
    Person.cousins.bulk_create([3])
""",
}
DOUBTFUL = {
    "query.py": QUERY + "\n\nclass Other:\n    def bulk_create(self):\n        pass\n",
    "use.py": """import os
from outside import decorate, Base, g
from query import Other


@decorate
class Decorated(Base):
    def run(self):
        self.bulk_create(1)


class Proxy:
    def __getattr__(self, name):
        return getattr(self._held, name)


def either(flag, rows):
    made = Other()
    if flag:
        made = rows or make()
    made.bulk_create(2)


def known():
    Other().bulk_create(3)
    os.bulk_create(4)
    os.path.bulk_create(5)
    [].bulk_create(6)


def unknown():
    Proxy().bulk_create(7)
    g.held.bulk_create(8)


def local(bulk_create):
    bulk_create(9)


class Loader:
    def load(self):
        self.bulk_create = open
        self.bulk_create(10)
""",
}
TYPED = {
    "config.ts": """export interface Inline {
  serializers?: string[]
}
export interface User extends Inline { file: string }
export interface Resolved extends Omit<Required<User>, 'file' | 'mode'> { mode: string }
export interface Project { config: Resolved }
export interface Sent { serializers: string[] }
""",
    "use.ts": """import type { Inline, Project, Resolved, Sent } from './config'

export function send(project: Project): Sent {
  const { config } = project
  return { serializers: config.serializers }
}
export function resolve(options: unknown) {
  const resolved = merge(options) as Resolved
  resolved.serializers ??= []
  const serializers = 1
  return run(serializers, define({ serializers: ['a'] }))
}
const plain: Inline = { serializers: [] }
export function take({ serializers }: Inline) { return serializers }
""",
}


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    @contextmanager
    def opening(files: dict[str, str]) -> Iterator[Desk]:
        with desk_on(make_repo(tmp_path / "repo", files), tmp_path / "data", max_file_bytes=20_000) as desk:
            desk.index()
            yield desk

    return opening


def ask(desk: Desk, name: str) -> ReferenceReport:
    query = ReferenceQuery(SymbolTarget(name=name), limit=1000, freshness="best_effort", explain=True)
    return desk.engine.references(None, query, Call())


def listed(found: ReferenceReport) -> dict[str, str]:
    """`path:line:column` of each use → how sure it is."""
    return {f"{use.path}:{use.line}:{use.column}": use.resolution for use in found.uses}


def test_managers_are_followed(opened: Opened) -> None:
    """NAV-PROOF: a member set by a metaclass and a base made by a call lead to the definition; the rest is listed."""
    with opened(MANAGED) as desk:
        found = listed(ask(desk, "QuerySet.bulk_create"))
    assert found == {
        "shop/use.py:5:19": "resolved", "shop/use.py:6:16": "resolved", "shop/use.py:7:19": "unresolved"
    }  # fmt: skip


def test_what_is_not_proved_is_listed(opened: Opened) -> None:
    """NAV-PROOF: decorators, outside bases, proxies, two values of one variable and outside objects prove nothing."""
    with opened(DOUBTFUL) as desk:
        found = ask(desk, "QuerySet.bulk_create")
    lines = sorted({use.line for use in found.uses if use.path == "use.py"})
    assert lines == [9, 21, 32, 33]
    assert {use.resolution for use in found.uses} == {"unresolved"}


def test_the_proof_names_what_is_meant(opened: Opened) -> None:
    """NAV-PROOF: what is left out is counted, and explained by what it is instead."""
    with opened(DOUBTFUL) as desk:
        found = ask(desk, "QuerySet.bulk_create")
    proofs = {(item.path, item.line): item for item in found.explained}
    assert proofs["use.py", 25].means[0].qualified_name == "query.Other.bulk_create"
    assert {line: proofs["use.py", line].reason for line in (26, 27, 28)} == dict.fromkeys((26, 27, 28), "outside")
    assert proofs["use.py", 37].reason == "local_variable"
    assert proofs["use.py", 43].reason == "own_member"
    assert proofs["query.py", 7].reason == "definition"
    assert found.excluded["other_definition"] == 1 and found.excluded["outside"] == 3


def test_fields_given_by_name_are_uses(opened: Opened) -> None:
    """NAV-PROOF: keys of objects and destructured fields count, by the type that is written beside them."""
    with opened(TYPED) as desk:
        found = ask(desk, "Inline.serializers")
    assert listed(found) == {
        "use.ts:5:31": "resolved", "use.ts:9:11": "resolved", "use.ts:13:24": "resolved",
        "use.ts:14:23": "resolved", "use.ts:11:35": "unresolved",
    }  # fmt: skip
    proofs = {(item.path, item.line, item.column): item for item in found.explained}
    assert proofs["use.ts", 5, 11].means[0].qualified_name.endswith("Sent.serializers")
    assert proofs["use.ts", 10, 8].reason == "not_recorded"


def test_a_keyword_is_a_use_of_a_field(opened: Opened) -> None:
    """NAV-PROOF: a value given by name may be the field's; nothing says that it is not."""
    files = {"a.py": "class Card:\n    owner = None\n\n\ndef make(build):\n    return build(owner=1)\n"}
    with opened(files) as desk:
        assert listed(ask(desk, "Card.owner")) == {"a.py:6:17": "unresolved"}


def test_names_in_the_body_of_a_class_are_its_members(opened: Opened) -> None:
    """NAV-PROOF: a class body sees its own names, its functions do not."""
    text = "class Card:\n    def pay(self):\n        pay()\n    pay.safe = True\n    apay = wrap(pay)\n\n"
    text += "    @pay.guard\n    def stop(self, how=pay):\n        return pay\n"
    with opened({"a.py": text}) as desk:
        found = listed(ask(desk, "Card.pay"))
    assert found == dict.fromkeys(("a.py:4:4", "a.py:5:16", "a.py:7:5", "a.py:8:23"), "resolved")


def test_a_field_given_its_own_name_takes_the_value_from_outside(opened: Opened) -> None:
    """NAV-PROOF: a class body that binds a name to itself means the name outside."""
    with opened({"a.py": "class Card:\n    pass\n\n\nclass Box:\n    Card = Card\n    other = Card\n"}) as desk:
        assert listed(ask(desk, "Box.Card")) == {"a.py:7:12": "resolved"}
        assert listed(ask(desk, "a.Card")) == {"a.py:6:11": "resolved"}


def test_a_module_that_is_a_value_may_be_the_receiver(opened: Opened) -> None:
    """NAV-PROOF: a function of a module is named after whatever holds the module."""
    files = {
        "tools.py": "def helper():\n    pass\n",
        "use.py": "def run(module):\n    module.helper()\n\n\nclass A:\n    def f(self):\n        self.helper()\n",
    }
    with opened(files) as desk:
        assert listed(ask(desk, "helper")) == {"use.py:2:11": "unresolved"}


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        ("e.kt", "fun Int.twice() = 1\nval m = 3.twice()\n", "twice"),
        ("e.swift", 'extension String { func loud() {} }\nfunc go() { "x".loud() }\n', "loud"),
        ("e.swift", "extension Int { func twice() {} }\nfunc go() { 3.twice() }\n", "twice"),
        ("e.cs", "static class Ext { static int Twice(this int x) { return x; } }\n"
         "class M { void Go() { 3.Twice(); } }\n", "Twice"),
        ("e.scala", 'extension (s: String) def loud: String = s\nval b = "x".loud\n', "loud"),
        ("e.rb", "class Integer\n  def twice; end\nend\n3.twice\n", "twice"),
        ("e.rs", 'impl Ext for str { fn loud(&self) {} }\nfn go() { "x".loud(); }\n', "loud"),
    ],
)  # fmt: skip
def test_members_added_to_numbers_and_strings_are_not_excluded(opened: Opened, path: str, code: str, name: str) -> None:
    """NAV-PROOF: where code can add members to a literal's type, the literal proves nothing."""
    with opened({path: code}) as desk:
        found = ask(desk, name)
        assert [use.line for use in found.uses] == [code.count("\n")] and not found.excluded


def test_members_of_literals_are_outside_where_types_are_closed(opened: Opened) -> None:
    """NAV-PROOF: nobody can give a Python string another method."""
    with opened({"a.py": "class A:\n    def join(self):\n        pass\n\n\n''.join([])\n"}) as desk:
        assert not ask(desk, "A.join").uses


def test_files_that_could_not_be_searched_are_named(opened: Opened) -> None:
    """NAV-PROOF: a file that was cut may hold uses, so the answer is not complete."""
    long = "# " + "x" * 70 + "\n"
    files = {"query.py": QUERY, "long.py": long * 400 + "x.bulk_create()\n", "long.ts": long.replace("#", "//") * 400}
    with opened(files) as desk:
        assert ask(desk, "QuerySet.bulk_create").unread == (("long.py", "truncated"),)


def test_files_in_other_languages_leave_an_answer_complete(opened: Opened) -> None:
    """NAV-PROOF: what cannot share names with the symbol need not be searched."""
    with opened({"query.py": QUERY, "long.ts": "// no use of it is here\n" * 2_000}) as desk:
        assert not ask(desk, "QuerySet.bulk_create").unread


@pytest.mark.parametrize("language", ["python", "typescript", "javascript"])
def test_every_occurrence_is_accounted_for(language: str, tmp_path: Path) -> None:
    """NAV-PROOF: of every symbol, each time its name stands in code is listed or excluded with a proof."""
    files = {**read_marks(CASES / language)[0], **(MANAGED | DOUBTFUL if language == "python" else TYPED)}
    repo = make_repo(tmp_path / "repo", files)
    code = [path for path in files if path.endswith((".py", ".ts", ".js", ".tsx", ".mjs", ".cjs"))]
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        symbols = [handle for path in code for handle in handles(desk, path)]
        account = check(desk.engine, Registry(), repo, code, symbols)
    assert account.symbols > 30 and account.listed["resolved"] > 30
    assert not account.missing, "\n".join(account.missing)


def handles(desk: Desk, path: str) -> list[str]:
    def flat(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
        for node in nodes:
            yield node
            yield from flat(node.children)

    nodes = desk.engine.outline(None, path, None, "all", Call(), "best_effort").nodes
    return [node.symbol_id for node in flat(nodes) if node.name.isidentifier() and node.kind != "use"]
