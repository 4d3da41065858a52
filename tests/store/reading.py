"""A program that reads an index for a while and prints what it saw as JSON: one process of several."""

import json
import sys
import time
from pathlib import Path

from tests.engine.support import desk_on


def main(repo: str, data: str, end: str) -> None:
    """Until the file `end` exists: each look-up with the generation it was answered from."""
    seen = []
    deadline = time.monotonic() + 120
    with desk_on(Path(repo), Path(data)) as desk:
        while not Path(end).exists() and time.monotonic() < deadline:
            found = [desk.locate(f"version_of_{number}") for number in range(4)]
            versions = [[hits.state.generation, hits.hits[0].signature.split("(")[1]] for hits in found]
            hits = desk.search("marker", limit=20)
            seen.append([versions, hits.state.generation, len(hits.hits)])
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
