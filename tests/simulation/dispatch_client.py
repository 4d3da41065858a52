"""Seats: engines in this process that are asked through the same dispatch as servers; parsing happens in place."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from codecompass.contract.tool import Defaults, Host
from codecompass.embed.models import ModelChoice
from codecompass.engine.engine import Engine
from codecompass.engine.index import worker_pool
from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParsedBlob, ParseTask
from codecompass.engine.jobs import job_runner as jobs
from codecompass.engine.options import EngineOptions
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.repo.files.file_watch import open_watch
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.tools import INNER_TOOLS, TOOLS
from tests.simulation.run_limits import Surroundings, replaced

_BENCH = ParserContext()


class Told(NamedTuple):
    """What a tool answered; `code` is the row of the error table, empty where nothing went wrong."""

    payload: dict[str, Any]
    code: str = ""

    @property
    def is_fresh(self) -> bool:
        """Whether the answer claims to be what lies on disk."""
        about = self.payload.get("metadata", self.payload)
        return "fresh" in (about.get("freshness_status"), about.get("freshness"))

    @property
    def is_part(self) -> bool:
        """Whether the answer says that it comes from a part of a first index."""
        about = self.payload.get("metadata", self.payload)
        return "indexing_progress" in about and about.get("schema_status") == "compatible"

    @property
    def refusal(self) -> str:
        """The code of a failure, or `NO_INDEX` where the answer says that nothing is indexed."""
        about = self.payload.get("metadata", self.payload)
        return self.code or ("NO_INDEX" if about.get("schema_status") == "not_indexed" else "")


class InlinePool:
    """Parses in this process: starting a worker costs more than all that a step changes."""

    def __init__(self, **_: object) -> None:
        self.closed = False

    def run(self, tasks: Iterator[tuple[Any, ParseTask]]) -> Iterator[tuple[Any, ParseTask, ParsedBlob | None]]:
        for key, task in tasks:
            yield key, task, parse_blob(_BENCH, task)

    def close(self) -> None:
        self.closed = True


@contextmanager
def parsing_inline() -> Iterator[None]:
    """Jobs and answers of this process parse without workers."""
    with replaced(jobs, "WorkerPool", InlinePool), replaced(worker_pool, "WorkerPool", InlinePool):
        yield


class Seat:
    """One engine with the dispatch in front of it."""

    def __init__(self, name: str, root: Path, data: Path, around: Surroundings, *, watch: bool) -> None:
        self.name = name
        options = EngineOptions(
            workers=1, default_workspace=str(root), lint_rules="", personal=True,
            allowed_roots=(str(root.parent),), embedding=ModelChoice("bundled" if around.vectors else "none"),
        )  # fmt: skip
        self.engine = Engine(data, options, EmbeddedStore, {}, open_watch if watch else None)
        host = Host(self.engine, Defaults(freshness_policy="best_effort"))
        self._log = io.StringIO()
        log = Log("error", stream=self._log)
        self._dispatch = Dispatch(TOOLS, host, log, timeout_ms=lambda _tool, _own: 0, inner=INNER_TOOLS)

    def ask(self, tool: str, **arguments: object) -> Told:
        reply = self._dispatch.call(tool, arguments)
        if reply.code == "INTERNAL":
            return Told({"log": self._log.getvalue()[-600:], **reply.payload}, reply.code)
        return Told(reply.payload, reply.code)

    def index(self, workspace: Path, ref: str | None = None, *, force: bool = False) -> Job:
        return self.engine.index(str(workspace), ref, force=force, call=Call())

    def close(self) -> None:
        self._dispatch.admission.close()
        self.engine.close()
