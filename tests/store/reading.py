"""A program that reads an index for a while and prints what it saw as JSON: one process of several."""

import json
import sys
import time
from pathlib import Path

from tests.engine.support import desk_on


def main(repo: str, data: str, seconds: str) -> None:
    seen = []
    deadline = time.monotonic() + float(seconds)
    with desk_on(Path(repo), Path(data)) as desk:
        while time.monotonic() < deadline:
            versions = {
                number: desk.locate(f"version_of_{number}").hits[0].signature.split("(")[1] for number in range(4)
            }
            hits = desk.search("marker", limit=20)
            seen.append([hits.state.generation, sorted(set(versions.values())), len(hits.hits)])
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
