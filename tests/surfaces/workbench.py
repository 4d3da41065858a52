"""Workbench: the real program with a few more tools, whose behaviour a test can command.

Run as `python -m tests.surfaces.workbench serve-mcp …`, exactly like `codecompass`. The tools stand beside the shipped
ones and go through the same dispatch and surfaces; one of each family, so that every wording is seen.
"""

import os
import sys
import time
from pathlib import Path
from typing import Annotated, NoReturn

from jinja2 import ChainableUndefined, UndefinedError
from jinja2.utils import missing
from msgspec import Meta

from codecompass.app import main
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call, Progress
from codecompass.repo.process.child_process import run
from codecompass.surfaces.web.page_rendering import PageRenderer
from tests.repo.proctrees import ENV, program

POLL_S = 0.01


class WorkParams(Params, frozen=True, kw_only=True):
    """How a piece of work behaves."""

    seconds: Annotated[float, Meta(ge=0, le=600)] = 0.0
    reports: Annotated[int, Meta(ge=0, le=100_000)] = 0
    """Progress reports, spread over the time."""
    deaf: bool = False
    """Never looks whether it was cancelled, as a call into a library does not."""
    crash: bool = False
    trace: str = ""
    """A file that says how the work stands: `started`, then `stopped` or `finished`."""
    echo: str = ""


def work(_host: Host, call: Call, params: WorkParams) -> Answer:
    _note(params.trace, "started")
    began = time.monotonic()
    sent = 0
    try:
        while (spent := time.monotonic() - began) < params.seconds or sent < params.reports:
            due = params.reports if spent >= params.seconds else int(params.reports * spent / params.seconds)
            while sent < due:
                sent += 1
                call.report(Progress("work", sent, params.reports, f"step {sent}"))
            if not params.deaf:
                call.check()
            time.sleep(POLL_S if params.seconds else 0)
        if params.crash:
            raise RuntimeError("a secret that no client may see")
    except BaseException:
        _note(params.trace, "stopped")
        raise
    _note(params.trace, "finished")
    return Answer({"ok": True, "echo": params.echo, "reports": sent})


def _note(path: str, word: str) -> None:
    if path:
        temporary = f"{path}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(f"{word} {time.monotonic()}")
        os.replace(temporary, path)


class TreeParams(Params, frozen=True, kw_only=True):
    """Which tree of processes to grow; see `tests/repo/proctrees.py`."""

    kind: str
    notes: str
    """A file in which every process of it writes itself down."""


def tree(_host: Host, call: Call, params: TreeParams) -> Answer:
    done = run(program(params.kind, Path(params.notes)), env=ENV, timeout=60, stop=call.check)
    return Answer({"ok": True, "code": done.returncode, "out": done.stdout.decode()})


class FailingUndefined(ChainableUndefined):
    """A value that a template names and nobody gave: it may be asked for, but not shown; a mistyped name fails."""

    def __str__(self) -> str:
        self._fail()

    def __html__(self) -> str:
        self._fail()

    def __bool__(self) -> bool:
        if self._undefined_obj is missing:
            self._fail()
        return False

    def _fail(self) -> NoReturn:
        raise UndefinedError(self._undefined_message)


TOOLS = (
    *(
        Tool(name=f"{family}_work", family=family, summary="Work of a test.", params=WorkParams, run=work)
        for family in ("compass", "cleats", "context")
    ),
    Tool(name="cleats_tree", family="cleats", summary="Processes of a test.", params=TreeParams, run=tree),
)


if __name__ == "__main__":
    PageRenderer.undefined = FailingUndefined
    os._exit(main(sys.argv[1:], TOOLS))
