"""A laboratory for differences: one engine for all tests, because each engine starts its own parse worker."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.model.queries.symbol_difference import DiffQuery, SymbolChange, SymbolDiff
from tests.engine.support import desk_on
from tests.repo.gitrepo import git

CART = '''class Cart:
    """Holds items."""

    def add(self, item, count=1):
        self.items.append((item, count))
        return len(self.items)

    def total(self):
        return sum(price(item) * count for item, count in self.items)


def price(item):
    if item.sale:
        log("on  sale")
        return item.cost // 2
    return item.cost


def log(text):
    print(text)
'''
SHOP = {
    "src/cart.py": CART,
    "src/pay.py": "from cart import log, price\n\n\ndef pay(item):\n    log(item)\n    return price(item)\n",
    "README.md": "# Shop\n",
}


class Lab:
    """The engine with the calls these tests make."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def index(self, repo: Path, ref: str | None = None) -> None:
        self.engine.index(str(repo), ref, force=False, call=Call())

    def diff(self, repo: Path, base: str | None = None, head: str | None = None, **more: object) -> SymbolDiff:
        chosen: dict[str, object] = {"freshness": "best_effort", **more}
        return self.engine.diff(str(repo), DiffQuery(base, head, **chosen), Call())  # type: ignore[arg-type]

    def committed(self, repo: Path, **more: object) -> SymbolDiff:
        """Commit what was edited and compare with the commit before; nothing is indexed."""
        git(repo, "add", "-A", "-f")
        git(repo, "commit", "-q", "-m", "edited")
        return self.diff(repo, "HEAD~1", "HEAD", **more)


@contextmanager
def lab_in(data: Path, **options: object) -> Iterator[Lab]:
    """Any repository may be named in a call; none is indexed unless a test does it."""
    with desk_on(data / "none", data, auto_workspace=True, **options) as desk:  # type: ignore[arg-type]
        yield Lab(desk.engine)


def told(found: SymbolDiff) -> set[tuple[str, str]]:
    return {(change.change, change.qualified_name) for change in found.changes}


def change_of(found: SymbolDiff, name: str) -> SymbolChange:
    (one,) = (change for change in found.changes if change.name == name)
    return one


def edit(repo: Path, path: str, old: str, new: str) -> None:
    text = (repo / path).read_text()
    assert old in text
    (repo / path).write_text(text.replace(old, new))
