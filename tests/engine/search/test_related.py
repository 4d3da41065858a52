"""Neighbours of a result: the definition around it, and symbols that really have to do with it."""

from collections.abc import Iterator

import pytest

from codecompass.model.call import Call
from codecompass.model.queries.results import Hit
from codecompass.model.queries.search_query import LocateQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = {
    "bank/money.py": (
        "class Amount:\n    def __init__(self, cents):\n        self.cents = cents\n\n\n"
        "class Currency:\n    pass\n\n\nclass Unrelated:\n    pass\n"
    ),
    "bank/account.py": (
        "from bank.money import Amount\nfrom bank.audit import note\n\n\n"
        "class Account:\n"
        "    def deposit(self, amount: Amount) -> None:\n        self.check(amount)\n        note('deposit')\n\n"
        "    def check(self, amount):\n        return amount\n\n"
        "    def idle(self):\n        return 1\n\n\n"
        "class Savings(Account):\n    def grow(self):\n        pass\n"
    ),
    "bank/audit.py": "def note(text):\n    print(text)\n\n\ndef check(what):\n    return what\n",
    "bank/teller.py": (
        "from bank.account import Account\n\n\ndef serve(account: Account):\n    account.deposit(3)\n\n\n"
        "def close():\n    return 2\n"
    ),
    "tests/test_account.py": (
        "from bank.account import Account\n\n\ndef test_deposit(account: Account):\n    account.deposit(1)\n"
    ),
}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("bank")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as desk:
        desk.index()
        yield desk


def hit(bank: Desk, name: str) -> Hit:
    query = LocateQuery(name, detail="context", freshness="best_effort")
    return bank.engine.locate(None, query, Call()).hits[0]


def names(bank: Desk, name: str) -> list[str]:
    return [f"{place.path}:{place.name}" for place in hit(bank, name).related]


def test_types_callees_and_callers(bank: Desk) -> None:
    """RELATED-REAL: types of the signature, what it calls (its own sibling before a namesake), who uses it."""
    assert names(bank, "deposit") == [
        "bank/money.py:Amount", "bank/account.py:check", "bank/audit.py:note", "bank/teller.py:serve",
        "tests/test_account.py:test_deposit",
    ]  # fmt: skip


def test_a_type_has_its_bases_and_users(bank: Desk) -> None:
    """RELATED-REAL: what a class inherits, and who mentions it."""
    assert names(bank, "Savings") == ["bank/account.py:Account"]
    assert "bank/account.py:deposit" in names(bank, "Amount")
    assert "bank/account.py:Savings" in names(bank, "Account")


def test_strangers_are_not_related(bank: Desk) -> None:
    """RELATED-REAL: standing in the same file or class is no relation, and nothing is related to itself."""
    assert names(bank, "idle") == names(bank, "close") == names(bank, "Unrelated") == []
    for file in FILES:
        for node in bank.engine.outline(None, file, None, "all", Call(), "best_effort").nodes:
            if node.kind != "use":
                assert f"{file}:{node.name}" not in names(bank, node.qualified_name)


def test_a_member_names_its_parent(bank: Desk) -> None:
    """RELATED-REAL: the parent of a member is the definition around it; others have none."""
    parent = hit(bank, "deposit").parent
    assert parent is not None and (parent.kind, parent.name, parent.line) == ("class", "Account", 5)
    assert hit(bank, "note").parent is None
