"""Golden rankings: the first results of fixed questions on fixed repositories.

After an intended change `python -m tests.engine.search.goldenset` writes them again; git shows the difference.
"""

import json
import tempfile
from pathlib import Path

from tests.engine.search import ranking_repo, small_repo
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

HERE = Path(__file__).parent / "golden"
SHOWN = 5
REPOSITORIES = {"shop": small_repo.FILES, "depot": ranking_repo.FILES}
QUESTIONS = {
    "shop": (
        "validate_token", "Session", "session", "where are tokens validated", "rate limit", "RateLimiter",
        "total price of the basket", "deliver a message by mail", "src/auth/token.py", "visitor", "open socket port",
    ),
    "depot": (
        "shipping_price", "Parcel", "RouteCache", "how is the price of a delivery computed",
        "plan the route of parcels", "validating addresses", "label printing", "test of the shipping price",
        "documentation of shipping",
        "legacy tariff", "invalidate the route cache", "depot/tariff.py", "heavy parcels",
        "InvalidAddress: an address is needed",
    ),
}  # fmt: skip


def rankings(desk: Desk, name: str) -> dict[str, list[str]]:
    """Question → its first results as `type path:line name`."""
    return {
        query: [
            f"{hit.result_type} {hit.path}:{hit.line_start} {hit.name}".rstrip()
            for hit in desk.search(query, limit=SHOWN).hits
        ]
        for query in QUESTIONS[name]
    }


def stored(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def write() -> None:
    for name, files in REPOSITORIES.items():
        with tempfile.TemporaryDirectory() as base:
            with desk_on(make_repo(Path(base) / "repo", files), Path(base) / "data") as desk:
                desk.index()
                text = json.dumps(rankings(desk, name), indent=1, ensure_ascii=False)
        (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
