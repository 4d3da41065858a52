"""Questions: written by hand from the histories, with the commits or documents that answer them, or with none."""

import json
from pathlib import Path
from typing import NamedTuple

from bench.memory.repositories import DATA

ANSWERED = DATA / "memory_questions.jsonl"
UNANSWERED = DATA / "memory_unanswered.jsonl"
SPLITS = ("dev", "test")


class Asked(NamedTuple):
    """A question; any of the commits or paths answers it. Neither: nothing is recorded about it."""

    repo: str
    question: str
    split: str
    commits: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    nearness: str = ""
    """`inside`: about things it has, whose reason nobody wrote down; `near`: about things such a project might have;
    `far`: about another trade."""

    @property
    def answered(self) -> bool:
        return bool(self.commits or self.paths)


class Found(NamedTuple):
    """One result of any method: the commit or the path it leads to."""

    commit: str = ""
    path: str = ""


def read_asked(path: Path) -> list[Asked]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Asked(
            row["repo"],
            row["question"],
            row["split"],
            tuple(row.get("commits", ())),
            tuple(row.get("paths", ())),
            row.get("nearness", ""),
        )
        for row in rows
    ]


def rank_of(found: list[Found], asked: Asked) -> int:
    """The place of the first result that answers, from 1; 0 if none does."""
    for place, one in enumerate(found, 1):
        if (one.commit and one.commit in asked.commits) or (one.path and one.path in asked.paths):
            return place
    return 0
