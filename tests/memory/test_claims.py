"""What a statement in plain words claims, in many languages and manifests, and what becomes of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.memory.memorylab import Lab, lab_on, load
from tests.repo.gitrepo import git

CASE = load("polyglot")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, dict[str, str]]]:
    """A repository at its second commit, in which every statement was recorded at the first; statement → id."""
    with lab_on(tmp_path_factory.mktemp("polyglot"), CASE, index=False) as lab:
        git(lab.repo, "checkout", "-q", "-B", "work", lab.commits[0])
        lab.index()
        ids = {row["say"]: lab.remember(row["say"]).id for row in CASE["claim"]}
        git(lab.repo, "checkout", "-q", "-B", "work", lab.commits[1])
        lab.index()
        yield lab, ids


@pytest.mark.parametrize("row", CASE["claim"], ids=[f"{at} {row['target']}" for at, row in enumerate(CASE["claim"])])
def test_claim(told: tuple[Lab, dict[str, str]], row: dict[str, Any]) -> None:
    """MEM-CLAIMS, MEM-STALE, MEM-PRECISE: what is claimed is found, and only its own change is told."""
    lab, ids = told
    verdicts = lab.verdicts(ids[row["say"]])
    found = [one for one in verdicts if one.claim.target == row["target"]]
    if not row["status"]:
        assert not found, found
        return
    # A file and a package may have one name: the one that can be told is meant.
    assert len(found) == 1, [(one.claim, one.status) for one in verdicts]
    verdict = found[0]
    assert (verdict.status, verdict.note) == (row["status"], row.get("note", "")), verdict
    assert row.get("was", "") in verdict.was and row.get("now", "") in verdict.now, verdict
    if verdict.status in ("changed", "gone"):
        assert verdict.commit == lab.commits[1] and verdict.was, verdict
