"""A repository in many languages with a history of several people: what the filters are asked about."""

import io
import time
from pathlib import Path

from codecompass.model.call import Call
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import Hit
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import SearchMode
from codecompass.model.triage_values import IngestRequest
from tests.engine.support import Desk
from tests.repo.story import Story

SOURCES = Path(__file__).parent / "polyglot"
OLD = 1_600_000_000
"""September 2020: when all files came in."""
LATER = 1_700_000_000
"""November 2023: when Grace changed the depot."""


FINDINGS = (
    b'[{"recordId": "depot-1", "vulnId": "CVE-2031-1", "package": "crate-lib", "severity": "low"},'
    b' {"recordId": "depot-2", "vulnId": "CVE-2031-2", "package": "truck", "severity": "high"}]'
)
"""What a scanner found there."""


def sources() -> dict[str, str]:
    return {
        str(path.relative_to(SOURCES)): path.read_text(encoding="utf-8")
        for path in sorted(SOURCES.rglob("*"))
        if path.is_file()
    }


def write_history(path: Path) -> Path:
    """Ada writes everything, Grace adds the run of the depot later, Linus changes the route again and again of late."""
    files = sources()
    before = files["app/depot.py"].replace("        subprocess.run(parcel, shell=True)\n", "        pass\n")
    story = Story(path, clock=OLD)
    story.commit({**files, "app/depot.py": before}, author="Ada Lovelace")
    story.clock = LATER
    story.commit({"app/depot.py": files["app/depot.py"]}, author="Grace Hopper")
    story.clock = int(time.time()) - 10 * 3_600
    for number in range(4):
        more = "".join(f"// parcel note {number} {line}\n" for line in range(30))
        story.commit({"srv/route.go": files["srv/route.go"] + more}, author="Linus")
    story.commit({"srv/route.go": files["srv/route.go"]}, author="Linus")
    story.write()
    return path


def take_findings(desk: Desk) -> None:
    desk.engine.triage_ingest(None, IngestRequest("generic"), Call(), io.BytesIO(FINDINGS))


def ask(desk: Desk, text: str = "", mode: SearchMode = "", /, **filters: object) -> list[Hit]:
    query = SearchQuery(text, limit=1_000, freshness="best_effort", mode=mode, filters=Filters.parse(filters))
    return list(desk.engine.search(None, query, Call()).hits)


def said(hit: Hit) -> str:
    """`path:name` of a definition, `path` of a file, `path:-` of text outside all definitions."""
    if hit.result_type == "file":
        return hit.path
    return f"{hit.path}:{hit.name or '-'}"


def found(desk: Desk, text: str = "", mode: SearchMode = "", /, **filters: object) -> set[str]:
    return {said(hit) for hit in ask(desk, text, mode, **filters)}
