"""Alarms on what a text asserts: values, names, versions and flags in prose; mentions and history raise none."""

from collections.abc import Iterator

import pytest

from codecompass.engine.memory.prose_claims.claim_candidates import extract_claims
from codecompass.engine.memory.prose_claims.stated_signatures import contradicts_signature, normalize_type
from tests.engine.memory.memorylab import Lab, lab_on

CODE = '''import os

PORT = int(os.environ.get("SHOP_PORT", "8080"))
LEVEL = os.environ["SHOP_LOG_LEVEL"]
settings = {"cache.max-age": 300, "listen_queue": 50}


def connect(host, port=5432):
    """Connect."""
    return host, port


def shared_total(rows):
    return sum(rows)


def parse(args):
    args.add_argument("--dry-run")
    args.add_argument("--loud")
'''
RULES = """# Rules

## Port

The server listens on `SHOP_PORT` (default: `8080`). The level is in `SHOP_LOG_LEVEL`.

## Cache

`cache.max-age` is 300 by default. The default listen queue is 50.

## Flags

Give `--dry-run` to see what would happen, and --loud to see everything.

## Python

Requires Python 3.9 or later, as the types need it.

## Connect

Always call `connect(host, port=5432)`; never `connect` twice.

## Sums

`shared_total` must get every row.

## History

Previously `forgotten_helper` did this. We removed `shared_total` from the interface once.

## Sample

```text
$ tree
src/shop.py  def shared_total
```
"""
PROJECT = '[project]\nname = "shop"\nrequires-python = ">={}"\n'


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    changed = (
        CODE.replace('"8080"', '"9090"')
        .replace("SHOP_LOG_LEVEL", "SHOP_VERBOSITY")
        .replace("300", "600")
        .replace('"listen_queue": 50', '"listen_queue": 80')
        .replace("--dry-run", "--pretend")
        .replace("--loud", "--noisy")
        .replace("port=5432", "port=5433")
        .replace("shared_total", "sum_rows")
        .replace("return sum(rows)", "return sum(row for row in rows)")
    )
    files = {"src/shop.py": CODE, "AGENTS.md": RULES, "pyproject.toml": PROJECT.format("3.9")}
    rows = [{"files": files}, {"files": {"src/shop.py": changed, "pyproject.toml": PROJECT.format("3.11")}}]
    with lab_on(tmp_path_factory.mktemp("shop"), {"commit": rows}) as lab:
        lab.index(lab.commits[0])
        yield lab


ROWS = (
    ("listens on", "SHOP_PORT", "changed"),
    ("listens on", "SHOP_LOG_LEVEL", "gone"),
    ("by default", "cache.max-age", "changed"),
    ("by default", "listen queue", "changed"),
    ("would happen", "--dry-run", "gone"),
    ("would happen", "--loud", "gone"),
    ("or later", "Python", "changed"),
    ("Always call", "connect", "changed"),
    ("must get every", "shared_total", "gone"),
)


@pytest.mark.parametrize(("section", "target", "status"), ROWS)
def test_what_is_asserted(shop: Lab, section: str, target: str, status: str) -> None:
    """MEM-ASSERT: each holds at first, and is told with the commit that ended it."""
    assert shop.verdict(section, target, shop.commits[0]).status == "fresh"
    verdict = shop.verdict(section, target)
    assert (verdict.status, verdict.commit) == (status, shop.commits[1])


def test_history_and_samples_assert_nothing(shop: Lab) -> None:
    """MEM-ASSERT: what was removed, and what stands in a sample, is no claim; neither is a commit."""
    for section in ("Previously", "tree"):
        assert shop.show(section).verdicts == ()
    assert all(shop.verdicts(item.id) == () for item in shop.all(source="commit"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It goes via config options and uses the library.", []),
        ("We depend on Django 4.2 here.", [("dependency", "Django", "4.2")]),
        ("Until v2 `old_name` was used.", []),
        ("Use `Repository<Order>` for it.", [("symbol", "Repository", ""), ]),
        ("Set `CACHE_TTL` to 300.", [("constant", "CACHE_TTL", "300")]),
        ("Since Python 3.8 there are positional parameters.", []),
    ],
)  # fmt: skip
def test_candidates(text: str, found: list[tuple[str, str, str]]) -> None:
    """MEM-ASSERT: plain words name nothing; versions, values and generic types do."""
    kinds = [
        (one.kind, one.target, one.expected) for one in extract_claims(text) if one.kind != "dependency" or one.expected
    ]
    assert kinds == found


def test_types_of_newer_syntax_are_equal() -> None:
    """MEM-ASSERT: a signature is compared by what it means."""
    assert normalize_type("Optional[str]") == normalize_type("str | None") == normalize_type("None|str")
    assert not contradicts_signature("(a: Optional[str])", ["def f(a: Optional[str])"], ["def f(a: str | None)"])
    assert contradicts_signature("(a, b)", ["def f(a, b)"], ["def f(a)"])
    assert not contradicts_signature("(1, 2)", ["def f(a, b)"], ["def f(a)"])
