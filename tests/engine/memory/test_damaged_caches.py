"""Damage in what is derived beside the index: noticed, made anew, and the answer is the same."""

import shutil
from pathlib import Path

import pytest

from codecompass.model.call import Call
from tests.engine.memory.memory_engine import CASE, Counter
from tests.engine.memory.memorylab import Lab, build
from tests.engine.support import desk_on
from tests.faults import flip_bit, flips

FILES = ("memory.db", "history.db", "shadow.git/HEAD", "shadow.git/config")
FLIPS = 6


def answers(repo: Path, data: Path, commits: list[str]) -> list[object]:
    with desk_on(repo, data) as desk:
        counter = Counter(Lab(repo, desk, commits))
        try:
            found = counter.ask("context_search", query="why pnpm instead of npm")["results"]
            refs = counter.ask("list_refs")["refs"]
            past = desk.engine.history(None, "src/shop/orders.py", None, (1, 3), Call())
            return [found, refs, past]
        finally:
            counter.dispatch.close()


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_changes_no_answer(name: str, tmp_path: Path) -> None:
    """DAMAGE-HEALS: bits at many places of each file: every tool answers as before, none fails."""
    repo, good = tmp_path / "repo", tmp_path / "good"
    commits = build(repo, CASE)
    with desk_on(repo, good) as desk:
        desk.index()
    answers(repo, good, commits)
    right = answers(repo, good, commits)
    victim = next((good / "projects").iterdir()) / name
    for at, bit in flips(victim.stat().st_size, FLIPS, 5):
        data = tmp_path / "data"
        shutil.copytree(good, data)
        flip_bit(next((data / "projects").iterdir()) / name, at, bit)
        assert answers(repo, data, commits) == right, (at, bit)
        shutil.rmtree(data)
