"""A repository with files nobody would write on purpose, and what an index of it must still hold."""

import os
from collections.abc import Mapping
from pathlib import Path

from codecompass.engine.workspace.project import Project
from codecompass.model.code.facts import Facts
from tests.engine.support import Desk
from tests.repo.gitrepo import make_repo

NEIGHBOUR = "def neighbour_stays():\n    return 1\n"


def odd_repo(path: Path, files: Mapping[str | bytes, bytes] | None = None) -> Path:
    """A repository with one committed, ordinary file, and the odd ones beside it."""
    repo = make_repo(path, {"neighbour.py": NEIGHBOUR})
    for name, data in (files or {}).items():
        target = os.path.join(os.fsencode(repo), os.fsencode(name))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as stream:
            stream.write(data)
    return repo


def project_of(desk: Desk) -> Project:
    return desk.engine._projects.open_for_query(None)


def facts_by_path(desk: Desk, ref: str = "main") -> dict[str, Facts]:
    """Facts of every indexed file of a view."""
    with project_of(desk).open_view(ref) as view:
        return {path: view.facts(path) for path, entry in view.entries.items() if entry.blob}


def skipped(desk: Desk, ref: str | None = None) -> dict[str, int]:
    return desk.engine.status(None, ref).skipped


def assert_whole(desk: Desk) -> None:
    """The ordinary file is found by name and by text, every checksum is right, and the view is fresh."""
    assert desk.places("neighbour_stays") == {"neighbour.py:1"}
    assert "neighbour.py" in desk.paths("neighbour_stays")
    assert project_of(desk).store.verify() == []
    assert desk.engine.status(None, None).state.freshness == "fresh"
