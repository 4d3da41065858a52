"""Uses in the code blocks of documents: listed behind the code, and only where they can be meant."""

from pathlib import Path

from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import ReferenceReport, SymbolTarget
from codecompass.model.queries.search_query import ReferenceQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

FILES = {
    "src/shop/__init__.py": "from .orders import Order, total\n",
    "src/shop/orders.py": "class Order:\n    def pay(self):\n        pass\n\n\ndef total(x):\n    return x\n",
    "zz_use.py": "from shop import total\n\ntotal(1)\n",
    "docs/guide.md": (
        "# Guide\n\nThe word total in prose.\n\n"
        "```python\nfrom shop import Order, total\n\ntotal(2)\nOrder().pay()\n```\n\n"
        "```python\nfrom elsewhere import other as total2\nimport elsewhere\nelsewhere.total(3)\n```\n\n"
        "```js\ntotal(4)\n```\n\n```\ntotal(5)\n```\n"
    ),
    "docs/other.md": "```python\nfrom elsewhere import total\ntotal(6)\n```\n",
    "docs/short.rst": "Title\n=====\n\n.. code-block:: python\n\n    import shop\n    shop.total(7)\n",
    "a_sample.md": "```python\ntotal(8)\n```\n",
}


def references(desk: Desk, name: str) -> ReferenceReport:
    return desk.engine.references(None, ReferenceQuery(SymbolTarget(name=name), freshness="best_effort"), Call())


def test_samples_are_listed_behind_the_code(tmp_path: Path) -> None:
    """NAV-SAMPLES: resolved through the sample's imports; a foreign import, prose and other languages are no uses."""
    with desk_on(make_repo(tmp_path / "repo", FILES), tmp_path / "data") as desk:
        desk.index()
        found = references(desk, "total")
        assert [(use.path, use.line, use.resolution) for use in found.uses if use.in_document] == [
            ("docs/guide.md", 6, "resolved"), ("docs/guide.md", 8, "resolved"), ("docs/short.rst", 7, "resolved"),
            ("a_sample.md", 2, "unresolved"),
        ]  # fmt: skip
        marks = [use.in_document for use in found.uses]
        assert marks == sorted(marks) and marks.count(False) == 3 and found.in_documents == 4
        pay = references(desk, "Order.pay")
        assert [(use.path, use.line, use.in_document) for use in pay.uses] == [("docs/guide.md", 9, True)]


EXAMPLES = {
    "src/shop/__init__.py": "from .orders import total\n",
    "src/shop/orders.py": 'def total(x):\n    """Add.\n\n    >>> from shop import total\n    >>> total(1)\n    """\n',
    "src/shop/help.py": (
        '"""Help.\n\n>>> for one in (1, 2):\n...     total(one)\ntotal(3) is prose\n... total(4) too\n"""\n'
    ),
    "src/shop/foreign.py": '"""\n>>> from elsewhere import total\n>>> total(5)\n"""\n',
    "docs/guide.rst": (
        "Guide\n=====\n\nAdd up::\n\n    import shop\n    shop.total(6)\n\nThen::\n\n    $ total --all; 7\n"
    ),
    "docs/session.md": "# Session\n\n    >>> import shop\n    >>> shop.total(8)\n    8\n",
}


def test_examples_after_prompts_and_bare_blocks_are_samples(tmp_path: Path) -> None:
    """NAV-SAMPLES: docstring examples and blocks after `::` are uses like those of fenced blocks; output is none."""
    with desk_on(make_repo(tmp_path / "repo", EXAMPLES), tmp_path / "data") as desk:
        desk.index()
        found = references(desk, "total")
        assert [(use.path, use.line, use.column, use.resolution) for use in found.uses if use.in_document] == [
            ("docs/guide.rst", 7, 9, "resolved"), ("docs/session.md", 4, 13, "resolved"),
            ("src/shop/orders.py", 4, 25, "resolved"), ("src/shop/orders.py", 5, 8, "resolved"),
            ("src/shop/help.py", 4, 8, "unresolved"),
        ]  # fmt: skip
        inside = {use.path: use.inside for use in found.uses if use.line == 5}
        assert inside["src/shop/orders.py"] is not None and inside["src/shop/orders.py"].name == "total"
