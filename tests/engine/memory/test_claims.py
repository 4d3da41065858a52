"""What a statement in plain words claims, in many languages and manifests, and what becomes of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.engine.memory.memorylab import Lab, lab_on, load
from tests.repo.gitrepo import git

CASES = {name: load(name) for name in ("polyglot", "builds")}
Told = tuple[Lab, dict[str, str]]


@contextmanager
def told_on(place: Path, case: dict[str, Any]) -> Iterator[Told]:
    """A repository at its second commit, in which every statement was recorded at the first; statement → id."""
    with lab_on(place, case, index=False) as lab:
        git(lab.repo, "checkout", "-q", "-B", "work", lab.commits[0])
        lab.index()
        ids = {row["say"]: lab.remember(row["say"]).id for row in case["claim"]}
        git(lab.repo, "checkout", "-q", "-B", "work", lab.commits[1])
        lab.index()
        yield lab, ids


@pytest.fixture(scope="module")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    with told_on(tmp_path_factory.mktemp("polyglot"), CASES["polyglot"]) as told:
        yield told


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    with told_on(tmp_path_factory.mktemp("builds"), CASES["builds"]) as told:
        yield told


def rows_of(name: str) -> pytest.MarkDecorator:
    rows = CASES[name]["claim"]
    return pytest.mark.parametrize("row", rows, ids=[f"{at} {row['target']}" for at, row in enumerate(rows)])


@rows_of("polyglot")
def test_claim(polyglot: Told, row: dict[str, Any]) -> None:
    """MEM-CLAIMS, MEM-STALE, MEM-PRECISE: what is claimed is found, and only its own change is told."""
    check(polyglot, row)


@rows_of("builds")
def test_claim_of_builds(builds: Told, row: dict[str, Any]) -> None:
    """MEM-MANIFESTS, MEM-STALE: packages, versions and tasks of each kind of build file are claims like any other."""
    check(builds, row)


def check(told: Told, row: dict[str, Any]) -> None:
    lab, ids = told
    verdicts = lab.verdicts(ids[row["say"]])
    found = [one for one in verdicts if one.claim.target == row["target"]]
    if not row["status"]:
        assert not found, found
        return
    # A file and a package may have one name: the one that can be told is meant.
    assert len(found) == 1, [(one.claim, one.status) for one in verdicts]
    verdict = found[0]
    # A text that only names a definition stays true when its body is edited: a note tells, with the commit.
    is_edited = row["status"] == "edited"
    expected = ("fresh", "edited since") if is_edited else (row["status"], row.get("note", ""))
    assert (verdict.status, verdict.note) == expected, verdict
    assert row.get("was", "") in verdict.was and row.get("now", "") in verdict.now, verdict
    if is_edited or verdict.status in ("changed", "gone"):
        assert verdict.commit == lab.commits[1] and verdict.was, verdict
