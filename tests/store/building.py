"""A program that builds the portable file and kills itself, hard, at a named point."""

import sys
from pathlib import Path

from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.store.portable import portable_writer
from tests.engine.killed_index import arm
from tests.engine.support import desk_on


def main(repo: str, data: str, point: str) -> None:
    vars(portable_writer)["BATCH"] = 2
    arm(point)
    with desk_on(Path(repo), Path(data)) as desk:
        desk.engine.build_portable(None, PortableBuildRequest(), Call())


if __name__ == "__main__":
    main(*sys.argv[1:])
