"""Where the training pairs come from: public repositories under permissive licences, at the commits in `sources.toml`.

They are applications rather than well-known libraries, so that no benchmark of popular libraries holds them.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("sources.toml")


class Source(NamedTuple):
    """One repository and the commit it is read at."""

    name: str
    commit: str
    licence: str


def read_sources() -> tuple[Source, ...]:
    """All rows of the table, in its order."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return tuple(Source(name, row["commit"], row["licence"]) for name, row in table.items())
