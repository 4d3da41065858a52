"""Whether what was written still holds, at each commit of one history."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.memory.memorylab import Lab, lab_on, put

AT = ("posting", "sums", "months", "output", "files", "tools")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_on(tmp_path_factory.mktemp("ledger"), "ledger") as lab:
        for commit in lab.commits[1:4]:
            lab.index(commit)
        yield lab


LIMIT, SUM, MONTH, OUTPUT, FILES, TOOLS = (
    "must check the limit", "only ever called", "end of a month", "prints rows", "Everything lives", "npm run test",
)  # fmt: skip


@pytest.mark.parametrize(
    ("section", "target", "at", "status", "breaker"),
    [
        (LIMIT, "post", 1, "fresh", None),
        (LIMIT, "MAX_ROWS", 1, "fresh", None),
        (LIMIT, "MAX_ROWS", 2, "changed", 2),
        (LIMIT, "MAX_ROWS", 3, "changed", 2),
        (SUM, "balance", 1, "fresh", None),
        (SUM, "balance", 2, "fresh", 2),
        (SUM, "balance", 4, "gone", 4),
        (FILES, "src/report.py", 4, "fresh", None),
        (FILES, "scripts/release.sh", 2, "fresh", None),
        (FILES, "scripts/release.sh", 3, "gone", 3),
        (TOOLS, "test", 2, "fresh", None),
        (TOOLS, "test", 3, "changed", 3),
        (TOOLS, "lint", 3, "gone", 3),
        (TOOLS, "lodash", 2, "fresh", None),
        (TOOLS, "lodash", 3, "gone", 3),
        (TOOLS, "express", 2, "fresh", None),
        (TOOLS, "express", 3, "changed", 3),
    ],
)
def test_verdicts(ledger: Lab, section: str, target: str, at: int, status: str, breaker: int | None) -> None:
    """MEM-STALE, MEM-REF: each claim at each ref, with the commit that ended it."""
    verdict = ledger.verdict(section, target, ledger.commits[at] if at < 4 else None)
    assert verdict.status == status
    assert verdict.commit == ("" if breaker is None else ledger.commits[breaker])


@pytest.mark.parametrize(
    ("section", "target", "at", "was", "now"),
    [
        (LIMIT, "MAX_ROWS", 2, "MAX_ROWS = 30", "MAX_ROWS = 60"),
        (TOOLS, "test", 3, "test: jest --ci", "test: vitest run"),
        (TOOLS, "express", 3, "express ^4.18.0", "express ^5.0.0"),
        (TOOLS, "lodash", 3, "lodash ^4.17.0", ""),
        (SUM, "balance", 4, "def balance(account)", ""),
    ],
)
def test_was_and_now(ledger: Lab, section: str, target: str, at: int, was: str, now: str) -> None:
    """MEM-STALE: one line each of what it was and what it is."""
    verdict = ledger.verdict(section, target, ledger.commits[at] if at < 4 else None)
    assert (verdict.was.rstrip(":"), verdict.now) == (was, now)


def test_same_line_says_what_is_otherwise(tmp_path: Path) -> None:
    """MEM-STALE: an edited body is a note with its commit, and no change of what the text says."""
    rule = {"AGENTS.md": "# Rules\n\n`settle()` must be called once.\n"}
    first = {"files": {"books.py": "def settle(day):\n    return day\n", **rule}}
    with lab_on(tmp_path, {"commit": [first, {"files": {"books.py": "def settle(day):\n    return None\n"}}]}) as lab:
        verdict = lab.verdict("must be called once", "settle")
        assert (verdict.status, verdict.was.rstrip(":"), verdict.note) == ("fresh", "def settle(day)", "edited since")


def test_layout_is_no_change(ledger: Lab) -> None:
    """MEM-PRECISE: comments, documentation and layout change the file and not the claimed thing."""
    verdict = ledger.verdict(LIMIT, "post", ledger.commits[2])
    assert (verdict.status, verdict.note) == ("fresh", "")
    assert ledger.show(LIMIT, ledger.commits[2]).freshness == "changed"


def test_file_that_moved(ledger: Lab) -> None:
    """MEM-MOVES: a renamed file is followed, and so is what it defines."""
    path = ledger.verdict(FILES, "src/ledger.py", ledger.commits[3])
    assert (path.status, path.note, path.now) == ("fresh", "moved", "src/books/ledger.py")
    symbol = ledger.verdict(LIMIT, "post", ledger.commits[3])
    assert (symbol.status, symbol.note) == ("fresh", "moved")


def test_symbol_that_moved(ledger: Lab) -> None:
    """MEM-MOVES: at the last commit the function is gone from its file; elsewhere it goes by another name."""
    assert ledger.verdict(MONTH, "close_month", ledger.commits[3]).status == "fresh"
    assert ledger.verdict(MONTH, "close_month").status == "gone"


def test_revert_heals(ledger: Lab) -> None:
    """MEM-HEALS: the limit was raised and is back: the claim holds again, although its line was never touched."""
    assert ledger.verdict(LIMIT, "MAX_ROWS", ledger.commits[3]).status == "changed"
    assert ledger.verdict(LIMIT, "MAX_ROWS").status == "fresh"


def test_never_a_guess(ledger: Lab) -> None:
    """MEM-CLAIMS: a name with two definitions names none of them; with its type it names one."""
    targets = {one.claim.target for one in ledger.show(OUTPUT, ledger.commits[1]).verdicts}
    assert targets == {"Journal.write"}


def test_uncommitted_change_counts(tmp_path: Path) -> None:
    """MEM-STALE, MEM-MOVES: what the working tree changes is told before it is committed, and a rename followed."""
    with lab_on(tmp_path, "ledger") as lab:
        text = (lab.repo / "src/books/ledger.py").read_text()
        put(lab.repo, {"src/books/ledger.py": text.replace("def post(", "def book(").replace("= 30", "= 31")})
        lab.index()
        limit = lab.verdict(LIMIT, "MAX_ROWS")
        assert (limit.status, limit.commit, limit.now) == ("changed", "", "MAX_ROWS = 31")
        renamed = lab.verdict(LIMIT, "post")
        assert (renamed.status, renamed.note) == ("fresh", "renamed") and "book" in renamed.now
