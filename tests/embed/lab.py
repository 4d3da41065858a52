"""What the tests about vectors share: a small repository, its view and its vectors."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from codecompass.embed.embedder import Vectors
from codecompass.embed.models import ModelChoice
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.repo.workspace import LIVE
from codecompass.store.vector_port import VectorIndex
from tests.engine.support import Desk

MODEL = ModelChoice()
TOPICS = ("cookie header", "password hash", "database migration", "template loader", "socket timeout", "image resize")


def source(number: int) -> str:
    """A file about one of the topics."""
    first, second = TOPICS[number % len(TOPICS)].split()
    return (
        f"class {first.title()}{second.title()}{number}:\n    def open_{first}(self, {second}):\n"
        f"        return self.{first}.{second}({number})\n\n\n"
        f"def {first}_{second}_{number}(request):\n    '''The {second} of a {first}.'''\n    return request.{second}\n"
    )


FILES = {f"pkg/{TOPICS[number % 6].split()[0]}_{number}.py": source(number) for number in range(24)}


def project_of(desk: Desk) -> Project:
    return desk.engine._projects.open_for_query(None)


@contextmanager
def looked(desk: Desk, ref: str = LIVE) -> Iterator[tuple[PinnedView, VectorIndex | None]]:
    """The view of a ref and its vectors."""
    project = project_of(desk)
    with project.open_view(ref) as view:
        yield view, project.embedder.vector_index(view)


def content(desk: Desk, ref: str = LIVE) -> dict[str, tuple[Vectors, Vectors]]:
    """All vectors of a view by path: chunks, and outline and path."""
    with looked(desk, ref) as (view, field):
        if field is None:
            return {}
        paths = [path for path, entry in view.entries.items() if entry.blob]
        sides, chunks = field.file_vectors(paths), field.chunk_vectors(view.entries[path].blob for path in paths)
        return {path: (chunks[view.entries[path].blob], sides[path]) for path in paths if path in sides}


def same(one: dict[str, tuple[Vectors, Vectors]], other: dict[str, tuple[Vectors, Vectors]]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(mine, theirs) for path in one for mine, theirs in zip(one[path], other[path], strict=True)
    )
