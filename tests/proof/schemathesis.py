"""Schemathesis: requests made from our OpenAPI document, and answers judged by it.

`python -m tests.proof.schemathesis` installs it into a virtual environment of its own, in the user's cache. All checks
are on but one: a value that fits the schema may still be refused (a path that is not absolute, an unknown language),
and that is no fault. With few examples real faults are missed, so `/search` gets many.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.proof.conftest import make_place
from tests.proof.installs import installed
from tests.proof.servers import SHIPPED, http

PACKAGE = "schemathesis==4.32.5"
RUN_S = 3_600
COMMON = (
    "--seed", "1", "--continue-on-failure", "--request-timeout", "20", "--workers", "1",
    "--exclude-checks", "positive_data_acceptance",
)  # fmt: skip
NEVER_ENDING = ("--exclude-path", "/status/stream")
"""A stream that is followed ends with its client only."""


def program() -> Path:
    """The program, installed once."""
    return installed(PACKAGE, "schemathesis", RUN_S)


def campaign(url: str, authorization: str, scratch: Path, *words: str) -> int:
    """One run, as a client that may do more than read; its exit code."""
    command = [str(program()), "run", f"{url}/openapi.json", "--header", authorization, *COMMON, *words]
    return subprocess.run(command, cwd=scratch, timeout=RUN_S, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", type=int, default=1_500, help="examples for /search")
    parser.add_argument("--others", type=int, default=30, help="examples for every other operation")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        place = make_place(Path(home))
        # Built, so that the second backend is searched and not only refused.
        build = place.command(SHIPPED, "tool", "build_sqlite_index")
        subprocess.run(build, cwd=place.repo, env=place.environment(), check=True, stdout=subprocess.DEVNULL)
        with http(place, SHIPPED) as address:
            url = address.removesuffix("/mcp")
            secret = place.authorization
            codes = [
                campaign(url, secret, Path(home), "--include-path", "/search", "--max-examples", str(args.search)),
                campaign(url, secret, Path(home), "--exclude-path", "/search",
                         "--exclude-path-regex", "^/tools/.*/stream$", *NEVER_ENDING,
                         "--max-examples", str(args.others)),
            ]  # fmt: skip
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
