"""An engine on a real repository in a temporary directory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.engine.engine import Engine
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.freshness import WatchFactory
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import LocateQuery, SearchQuery
from codecompass.model.states import FreshnessPolicy
from codecompass.repo.files.file_watch import open_watch
from codecompass.store.embedded.embedded_store import EmbeddedStore


class Desk:
    """The engine with the calls a test makes most, in few words."""

    def __init__(self, engine: Engine, data: Path) -> None:
        self.engine = engine
        self.data = data

    def index(self, ref: str | None = None, *, force: bool = False) -> Job:
        return self.engine.index(None, ref, force=force, call=Call())

    def locate(
        self, name: str, ref: str | None = None, freshness: FreshnessPolicy = "best_effort", limit: int = 50
    ) -> Hits:
        return self.engine.locate(None, LocateQuery(name, ref=ref, freshness=freshness, limit=limit), Call())

    def places(self, name: str, ref: str | None = None) -> set[str]:
        """`path:line` of every exact definition of a name."""
        hits = self.locate(name, ref).hits
        return {f"{hit.path}:{hit.line_start}" for hit in hits if hit.tier == "exact"}

    def search(self, text: str, ref: str | None = None, limit: int = 10, language: str | None = None) -> Hits:
        query = SearchQuery(text, ref=ref, limit=limit, language=language, freshness="best_effort")
        return self.engine.search(None, query, Call())

    def paths(self, text: str, ref: str | None = None) -> list[str]:
        return [hit.path for hit in self.search(text, ref).hits]

    @property
    def home(self) -> Path:
        """The directory of the only project."""
        (found,) = (self.data / "projects").iterdir()
        return found


@contextmanager
def desk_on(
    repo: Path, data: Path, *, watch: bool = False, watches: WatchFactory | None = None, **options: object
) -> Iterator[Desk]:
    chosen = {"workers": 1, "default_workspace": str(repo), **options}
    watches = watches or (open_watch if watch else None)
    engine = Engine(data, EngineOptions(**chosen), EmbeddedStore, {}, watches)  # type: ignore[arg-type]
    try:
        yield Desk(engine, data)
    finally:
        engine.close()
