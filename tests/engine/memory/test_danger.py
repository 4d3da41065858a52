"""Which discoveries a change puts at risk; and what the whole looks like from above."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from tests.engine.memory.memorylab import Lab, lab_on, put


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Lab]:
    with lab_on(tmp_path, "shop") as lab:
        yield lab


def test_diff_endangers(shop: Lab) -> None:
    """MEM-DANGER: a broken claim first, then what speaks of the changed function, and the comment that stands in it."""
    assert shop.danger().items == ()
    path = "src/billing/charge.py"
    text = (shop.repo / path).read_text()
    put(shop.repo, {path: text.replace("RETRY_LIMIT = 3", "RETRY_LIMIT = 5").replace("return True", "return 1")})
    shop.index()
    report = shop.danger()
    told = {item.discovery.content: item for item in report.items}
    money = next(item for text, item in told.items() if "must stay idempotent" in text)
    assert report.items[0].severity == "broken" and money.severity == "broken"
    assert any("RETRY_LIMIT" in why and "= 3" in why and "= 5" in why for why in money.why)
    warned = next(item for text, item in told.items() if "Never retry" in text)
    assert warned.paths == (path,) and "charge" in warned.why[0]
    assert not [text for text in told if "docstring" in text]
    assert report.total == len(report.items) and report.changed_paths == 1


def test_a_file_that_became_binary(shop: Lab) -> None:
    """MEM-DANGER: a file without text any more is a removal of all its lines, not damage of the index."""
    (shop.repo / "src/billing/charge.py").write_bytes(b"\x00\x01\x02 no text")
    shop.index()
    told = {item.discovery.content: item.severity for item in shop.danger().items}
    assert next(severity for text, severity in told.items() if "must stay idempotent" in text) == "broken"


def test_between_refs(shop: Lab) -> None:
    """MEM-DANGER: the same between two refs: only what these commits broke."""
    path = "src/billing/charge.py"
    text = (shop.repo / path).read_text()
    shop.commit({"files": {path: text.replace("RETRY_LIMIT = 3", "RETRY_LIMIT = 5")}, "message": "More tries"})
    before = shop.commits[-1]
    shop.commit({"files": {"src/cart/cart.py": "class Cart:\n    def drop(self):\n        return 1\n"}, "message": "z"})
    report = shop.danger(base=before, ref="main")
    assert not [item for item in report.items if item.severity == "broken"]
    wider = shop.danger(base=shop.commits[-3], ref="main")
    assert [item.severity for item in wider.items][:1] == ["broken"]


def test_manifests_endanger(shop: Lab) -> None:
    """MEM-DANGER: a command that can no longer be run breaks what tells to run it; other edits of a manifest do not."""
    text = (shop.repo / "Makefile").read_text()
    put(shop.repo, {"Makefile": text.replace("ruff check", "ruff check --fix")})
    shop.index()
    assert shop.danger().items == ()
    put(shop.repo, {"Makefile": text.replace("check:", "verify:")})
    shop.index()
    (told,) = shop.danger().items
    assert told.severity == "broken" and "Run `make check`" in told.discovery.content
    assert told.paths == ("Makefile",) and told.why[0].startswith("check gone: was check: lint")


def test_move_endangers(shop: Lab) -> None:
    """MEM-DANGER, MEM-MOVES: a file that moved is told with its new name and breaks nothing."""
    (shop.repo / "src/carts").mkdir()
    (shop.repo / "src/cart/cart.py").rename(shop.repo / "src/carts/cart.py")
    shop.index()
    told = next(item for item in shop.danger().items if "Do not import" in item.discovery.content)
    assert told.severity == "touched" and "moved to src/carts/cart.py" in told.why[0]


def test_rename_endangers(shop: Lab) -> None:
    """MEM-DANGER: who speaks of a function by its old name is told that it has another one."""
    path = "src/billing/charge.py"
    text = (shop.repo / path).read_text()
    put(shop.repo, {path: text.replace("def charge(", "def collect_payment(")})
    shop.index()
    told = next(item for item in shop.danger().items if "must stay idempotent" in item.discovery.content)
    assert told.paths == (path,)
    assert f"fn charge renamed to collect_payment in {path}: the discovery names it" in told.why


def test_from_above(shop: Lab) -> None:
    """MEM-OVERVIEW: stack, modules and the statements to read first; one module with its files and rules."""
    whole = shop.engine.memory_overview(None, None, Call())
    assert ("JavaScript package manager", "pnpm") in whole.stack
    assert {"billing", "cart", "catalog"} <= {name for name, _ in whole.modules}
    assert whole.counts["decision"]["adr"] == 1
    assert [hit.discovery.source.kind for hit in whole.discoveries][0] == "adr"
    part = shop.engine.memory_module(None, "billing", None, Call())
    assert part.files == 1 and part.key_files == (("src/billing/charge.py", "core"),)
    assert any("Never retry" in hit.discovery.content for hit in part.discoveries)
    with pytest.raises(Failure):
        shop.engine.memory_module(None, "nowhere", None, Call())
