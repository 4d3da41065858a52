"""Commands that call tools and print their answers, and the table of all command handlers."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codecompass.contract.engine_port import EnginePort
from codecompass.contract.envelope import Reply
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.cli.command_table import QUESTION_ROWS
from codecompass.surfaces.cli.commands.care_command import care
from codecompass.surfaces.cli.commands.context_command import context
from codecompass.surfaces.cli.commands.doctor_command import doctor
from codecompass.surfaces.cli.commands.eval_command import evaluate
from codecompass.surfaces.cli.commands.history_command import history
from codecompass.surfaces.cli.commands.search_command import asked_tool
from codecompass.surfaces.cli.commands.state_command import state
from codecompass.surfaces.cli.commands.triage_command import triage
from codecompass.surfaces.cli.output import note, say, show_failure, write_body, write_json
from codecompass.surfaces.cli.path_args import arguments_from_here
from codecompass.surfaces.cli.tool_args import read_arguments, tool_parser
from codecompass.surfaces.cli.views import render
from codecompass.surfaces.cli.views.hits_view import show_lists
from codecompass.surfaces.cli.views.navigation_view import PICTURES

JOB_POLL_S = 0.2
EXIT_BY_MATCHES = ("grep",)
"""Commands with the exit codes of `grep`: 0 for a match, 1 for none, more for a failure."""
NO_MATCH, LEAST_FAILURE = 1, 2


@dataclass(frozen=True, slots=True)
class Session:
    """The dependencies of a command: the engine for local work, the dispatch for tool calls."""

    engine: EnginePort
    dispatch: Dispatch
    workspace: str
    """Real path of the project given by --path or the current directory; also the engine's default."""


def search(args: argparse.Namespace, session: Session) -> int:
    name, raw = asked_tool(args)

    def show(payload: dict[str, Any], milliseconds: float) -> None:
        if name == "search":
            show_lists(render.console(), payload, args.query, milliseconds)
        else:
            render.show_results(render.console(), payload, milliseconds)

    as_json = args.json or raw.get("output") == "json"
    return _ask(session, name, raw, as_json=as_json, show=show)


def status(args: argparse.Namespace, session: Session) -> int:
    raw = {"ref": args.ref} if args.ref is not None else {}

    def show(payload: dict[str, Any], _milliseconds: float) -> None:
        render.show_status(render.console(), payload)

    return _ask(session, "index_status", raw, as_json=args.json, show=show)


def tool(args: argparse.Namespace, session: Session) -> int:
    if args.name is None:
        return _list_tools(args, session)
    found = next((one for one in session.dispatch.tools if one.name == args.name), None)
    if found is None:
        return show_failure(Failure("NOT_FOUND", f"Unknown tool: {args.name}", hint="'codecompass tool' lists them."))
    if args.wants_help:
        say(tool_parser(found).format_help().rstrip())
        return 0
    raw = read_arguments(found, args.rest)
    code = _ask(session, found.name, raw, as_json=True, show=None)
    if code == 0 and found.starts_job:
        _wait_for_job(session, raw)
    return code


def _list_tools(args: argparse.Namespace, session: Session) -> int:
    """List every tool with its summary; further arguments are an error."""
    if args.rest and not args.wants_help:
        raise Failure("INVALID_REQUEST", f"Unrecognized arguments: {' '.join(args.rest)[:100]}.",
                      hint="Name a tool first; 'codecompass tool' lists them.")  # fmt: skip
    if args.wants_help:
        say("usage: codecompass tool NAME [--arg KEY=VALUE | --args-json OBJECT | the tool's own flags]\n")
    if args.json:
        write_json([{"name": one.name, "summary": one.summary} for one in session.dispatch.tools])
        return 0
    for one in session.dispatch.tools:
        say(f"{one.name:<18} {one.summary}")
    return 0


def _wait_for_job(session: Session, raw: dict[str, Any]) -> None:
    """Wait until the job is done, because a job ends with the process that started it."""
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
    count: list[int] | None = None,
) -> int:
    """Call a tool and show the answer, as JSON or as text; return the exit code.

    The number of matches is appended to `count`.
    """
    began = time.monotonic()
    reply = _called(session, name, raw)
    if as_json and reply.rpc_error is None:
        write_body(reply.body)
    if reply.failure is not None:
        return show_failure(reply.failure)
    if show is not None and not as_json:
        show(reply.payload, (time.monotonic() - began) * 1000)
    if count is not None and "totalMatches" in reply.payload:
        count.append(reply.payload["totalMatches"])
    return 0


def _called(session: Session, name: str, raw: dict[str, Any]) -> Reply:
    """Call a tool with each candidate of its path argument until the file is found."""
    first, *others = arguments_from_here(session.workspace, name, raw)
    reply = session.dispatch.call(name, first, Call(id="cli"))
    for arguments in others:
        if reply.code != "FILE_NOT_FOUND":
            break
        again = session.dispatch.call(name, arguments, Call(id="cli"))
        reply = again if again.code != "FILE_NOT_FOUND" else reply
    return reply


def follow(args: argparse.Namespace, session: Session) -> int:
    """Run a command of the command table: its arguments and flags are the tool's parameters."""
    row = next(row for row in QUESTION_ROWS if row.command == args.command)
    given = {key[4:]: value for key, value in vars(args).items() if key.startswith("ask:") and value is not None}
    if "file" in given:
        given["path"] = given.pop("file")
    spelled = {name.lower(): name for one in session.dispatch.tools if one.name == row.tool for name in one.fields}
    given = {spelled.get(key.replace("_", ""), key): value for key, value in given.items()}

    def show(payload: dict[str, Any], milliseconds: float) -> None:
        PICTURES[row.command](render.console(), payload, milliseconds)

    found: list[int] = []
    code = _ask(session, row.tool, given, as_json=args.json, show=show, count=found)
    if row.command not in EXIT_BY_MATCHES:
        return code
    # 1 means that nothing was found, so no failure may have that code.
    return max(code, LEAST_FAILURE) if code else NO_MATCH if found == [0] else 0


QUESTIONS: dict[str, Callable[[argparse.Namespace, Session], int]] = {
    "context": lambda args, session: context(args, session.engine, session.dispatch, session.workspace),
    "care": care,
    "doctor": lambda args, session: doctor(args, session.engine),
    "eval": lambda args, session: evaluate(args, session.dispatch.call),
    "history": lambda args, session: history(args, session.engine, session.workspace),
    "search": search,
    "state": lambda args, session: state(args, session.engine, session.workspace),
    "status": status,
    "tool": tool,
    "triage": lambda args, session: triage(args, session.engine),
    **{row.command: follow for row in QUESTION_ROWS},
}
