"""Checked claim: a verdict with what it is about, and how checks ask for a commit."""

from collections.abc import Callable
from typing import NamedTuple

from codecompass.model.history_facts import Commit
from codecompass.model.memory_values import Anchor, ClaimCheck

CommitFinder = Callable[[tuple[str, ...], tuple[str, ...], str, Callable[[str, bytes], bool]], Commit | None]
"""Finds the commit after which a file, under any of some paths, no longer satisfies a test."""


class CheckedClaim(NamedTuple):
    """A verdict with its anchor and the anchor's current path."""

    anchor: Anchor
    verdict: ClaimCheck
    current_path: str = ""


def commit_fields(commit: Commit | None) -> tuple[str, str, str]:
    return (commit.id, commit.author, commit.date) if commit else ("", "", "")
