"""What ripgrep finds is what we find: the same lines, line for line, for a thousand patterns over a nasty tree."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codecompass.engine.grep import grep_scan, match_counter
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepMatch, GrepQuery
from tests.engine.grep.patterns import patterns
from tests.engine.grep.regex_repo import RG, Line, ripgrep, thicket
from tests.engine.support import Desk, desk_on

pytestmark = pytest.mark.skipif(not RG, reason="ripgrep is a development dependency")
COUNT = 1_000
SEED = 20_261_116
EVERYTHING = 1_000_000
PATIENCE_S = 300.0


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return thicket(tmp_path_factory.mktemp("thicket") / "repo")


@pytest.fixture(scope="module")
def desk(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_on(repo, tmp_path_factory.mktemp("data"), watch=True) as found:
        found.index()
        yield found


def ours(desk: Desk, pattern: str, *, case_sensitive: bool) -> list[GrepMatch] | None:
    query = GrepQuery(pattern, case_sensitive=case_sensitive, limit=EVERYTHING)
    try:
        found = desk.engine.grep(None, query, Call())
    except Failure as failure:
        assert failure.message == "Invalid regex pattern" and failure.details["pattern"] == pattern
        return None
    assert found.total == len(found.matches) and found.complete
    return list(found.matches)


def compared(repo: Path, matches: list[GrepMatch], theirs: list[Line], *, only_ascii: bool) -> str:
    """How the two differ; empty when they do not."""
    mine = {(match.path, match.line): match for match in matches}
    them = {(line.file, line.line): line for line in theirs}
    if only_ascii:
        plain = {path for path, _ in mine.keys() | them.keys() if (repo / path).read_bytes().isascii()}
        mine = {key: match for key, match in mine.items() if key[0] in plain}
        them = {key: line for key, line in them.items() if key[0] in plain}
    if mine.keys() != them.keys():
        return f"too much {sorted(mine.keys() - them.keys())[:3]}, missing {sorted(them.keys() - mine.keys())[:3]}"
    for key, match in mine.items():
        line = them[key]
        if match.column != line.column:
            return f"{key}: column {match.column}, not {line.column}"
        if match.text.strip("…") not in line.text if match.cut else match.text != line.text:
            return f"{key}: {match.text!r}, not {line.text!r}"
    return ""


def counted(desk: Desk, pattern: str, case_sensitive: bool, lines: int) -> str:
    """The same when lines are only counted."""
    found = desk.engine.grep(None, GrepQuery(pattern, case_sensitive=case_sensitive, limit=1), Call())
    assert found.complete and len(found.matches) == min(lines, 1)
    return "" if found.total == lines else f"counted {found.total}, not {lines}"


@pytest.mark.timeout(900)
def test_a_thousand_patterns(desk: Desk, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GREP-LIKE-RG: file, line, column and text are ripgrep's; a word boundary beside other letters is ASCII's."""
    made = patterns(COUNT, SEED)
    rng = random.Random(SEED)
    cases = [(pattern, rng.random() < 0.5) for pattern in made]
    with ThreadPoolExecutor(2) as pool:
        theirs = list(pool.map(lambda case: ripgrep(repo, case[0], case_sensitive=case[1]), cases))
    wrong, both, found = [], 0, 0
    monkeypatch.setattr(match_counter, "_BLOCK", 4_096)
    # Lines are compared, not speed: a machine that stands still for seconds must not cut the counting short.
    monkeypatch.setattr(grep_scan, "COUNT_S", PATIENCE_S)
    monkeypatch.setattr(grep_scan, "SCAN_S", PATIENCE_S)
    for (pattern, case_sensitive), them in zip(cases, theirs, strict=True):
        mine = ours(desk, pattern, case_sensitive=case_sensitive)
        if them is None or mine is None:
            continue
        both += 1
        found += bool(them)
        bounded = "\\b" in pattern or "\\B" in pattern
        said = compared(repo, mine, them, only_ascii=bounded) or counted(desk, pattern, case_sensitive, len(mine))
        if said:
            wrong.append(f"{pattern!r} case={case_sensitive}: {said}")
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:20])
    assert both >= 0.97 * COUNT and found >= 0.5 * COUNT, (both, found)
