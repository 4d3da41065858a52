"""Commands that ask: each takes the parsed words and a Session, shows an answer and returns an exit code."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codecompass.contract.port import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.cli import render
from codecompass.surfaces.cli.asking import QUESTION_ROWS
from codecompass.surfaces.cli.care import care
from codecompass.surfaces.cli.context import context
from codecompass.surfaces.cli.diagnosis import doctor
from codecompass.surfaces.cli.evaluation import evaluate
from codecompass.surfaces.cli.history import history
from codecompass.surfaces.cli.hitpictures import show_lists
from codecompass.surfaces.cli.output import note, say, show_failure, write_body
from codecompass.surfaces.cli.pictures import PICTURES
from codecompass.surfaces.cli.searching import asked_tool
from codecompass.surfaces.cli.state import state
from codecompass.surfaces.cli.toolargs import read_arguments
from codecompass.surfaces.cli.triage import triage

JOB_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Session:
    """What a command works with: the engine for work on this machine, the dispatch for questions."""

    engine: EnginePort
    dispatch: Dispatch
    workspace: str
    """Real path of the project meant by --path, or by the current directory; also the engine's default."""


def search(args: argparse.Namespace, session: Session) -> int:
    name, raw = asked_tool(args)

    def show(payload: dict[str, Any], milliseconds: float) -> None:
        if name == "search":
            show_lists(render.console(), payload, args.query, milliseconds)
        else:
            render.show_results(render.console(), payload, milliseconds)

    return _ask(session, name, raw, as_json=args.json, show=show)


def status(args: argparse.Namespace, session: Session) -> int:
    raw = {"ref": args.ref} if args.ref is not None else {}

    def show(payload: dict[str, Any], _milliseconds: float) -> None:
        render.show_status(render.console(), payload)

    return _ask(session, "index_status", raw, as_json=args.json, show=show)


def tool(args: argparse.Namespace, session: Session) -> int:
    if args.name is None:
        for one in session.dispatch.tools:
            say(f"{one.name:<18} {one.summary}")
        return 0
    found = next((one for one in session.dispatch.tools if one.name == args.name), None)
    if found is None:
        return show_failure(Failure("NOT_FOUND", f"Unknown tool: {args.name}", hint="'codecompass tool' lists them."))
    raw = read_arguments(found, args.rest)
    code = _ask(session, found.name, raw, as_json=True, show=None)
    if code == 0 and found.effect == "job":
        _wait_for_job(session, raw)
    return code


def _wait_for_job(session: Session, raw: dict[str, Any]) -> None:
    """A job ends with the process that started it, so this one stays until the job is done."""
    note("Waiting for the job; Ctrl-C stops it.")
    while session.engine.status(raw.get("workspace"), raw.get("ref")).active_job is not None:
        time.sleep(JOB_POLL_S)


def _ask(
    session: Session,
    name: str,
    raw: dict[str, Any],
    *,
    as_json: bool,
    show: Callable[[dict[str, Any], float], None] | None,
) -> int:
    """One call of a tool: its payload for programs, a picture for people, the exit code for both."""
    began = time.monotonic()
    reply = session.dispatch.call(name, raw, Call(id="cli"))
    if as_json and reply.rpc_error is None:
        write_body(reply.body)
    if reply.failure is not None:
        return show_failure(reply.failure)
    if show is not None and not as_json:
        show(reply.payload, (time.monotonic() - began) * 1000)
    return 0


def follow(args: argparse.Namespace, session: Session) -> int:
    """A command of `asking`: its words and flags are the tool's parameters."""
    row = next(row for row in QUESTION_ROWS if row.command == args.command)
    given = {key[4:]: value for key, value in vars(args).items() if key.startswith("ask:") and value is not None}
    if "file" in given:
        given["path"] = given.pop("file")
    spelled = {name.lower(): name for one in session.dispatch.tools if one.name == row.tool for name in one.fields}
    given = {spelled.get(key.replace("_", ""), key): value for key, value in given.items()}

    def show(payload: dict[str, Any], milliseconds: float) -> None:
        PICTURES[row.command](render.console(), payload, milliseconds)

    return _ask(session, row.tool, given, as_json=args.json, show=show)


QUESTIONS: dict[str, Callable[[argparse.Namespace, Session], int]] = {
    "context": lambda args, session: context(args, session.engine, session.dispatch, session.workspace),
    "care": care,
    "doctor": lambda args, session: doctor(args, session.engine),
    "eval": lambda args, session: evaluate(args, session.dispatch.call),
    "history": lambda args, session: history(args, session.engine),
    "search": search,
    "state": lambda args, session: state(args, session.engine, session.workspace),
    "status": status,
    "tool": tool,
    "triage": lambda args, session: triage(args, session.engine),
    **{row.command: follow for row in QUESTION_ROWS},
}
