"""A program that makes vectors of an indexed repository, in small steps, and may kill itself at a named point."""

import sys
from pathlib import Path

from codecompass.engine.index import vector_build
from tests.embed.lab import MODEL
from tests.engine.killed_index import arm
from tests.engine.support import desk_on


def main(repo: str, data: str, point: str = "") -> None:
    vars(vector_build)["STEP_CHUNKS"] = 12
    if point:
        arm(point)
    with desk_on(Path(repo), Path(data), embedding=MODEL) as desk:
        desk.index()


if __name__ == "__main__":
    main(*sys.argv[1:])
