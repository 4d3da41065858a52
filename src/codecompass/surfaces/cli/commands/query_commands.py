"""Commands that call tools and print their answers, and the table of all command handlers."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from codecompass.contract.engine_ports import EnginePort
from codecompass.contract.envelope import Reply
from codecompass.errors import Failure
from codecompass.model.call import Call, ListRange
from codecompass.model.queries.search_query import LocateQuery
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.cli.command_table import QUERY_COMMANDS
from codecompass.surfaces.cli.editor.open_command import ProgramRunner
from codecompass.surfaces.cli.help.tool_help import find_tool
from codecompass.surfaces.cli.list_page import ListPage, is_tool_limit, read_range
from codecompass.surfaces.cli.output import print_line, print_note, show_failure, write_body, write_json
from codecompass.surfaces.cli.path_args import ShellPaths, resolve_path_arguments
from codecompass.surfaces.cli.search_args import select_tool
from codecompass.surfaces.cli.standard_streams import read_question
from codecompass.surfaces.cli.tool_args import read_arguments
from codecompass.surfaces.cli.views import render
from codecompass.surfaces.cli.views.hits_view import show_lists
from codecompass.surfaces.cli.views.navigation_view import QUERY_VIEWS
from codecompass.surfaces.cli.views.terminal import console

if TYPE_CHECKING:
    from codecompass.agents.agent_places import Machine

JOB_POLL_S = 0.2
NO_MATCH, MIN_FAILURE = 1, 2
_SHORTEST_NAME = 4
"""Shorter words are like too many names."""
EMPTY_LISTS = {
    "search_code": ("results",),
    "search": ("code", "prose", "extractedProse", "records"),
    "locate_symbol": ("results",),
    "find_references": ("references",),
}
"""Tools of commands that exit with NO_MATCH when they find nothing, and the lists that are then empty."""


@dataclass(frozen=True, slots=True)
class QuerySession:
    """The dependencies of a command: the engine for local work, the dispatch for tool calls."""

    engine: EnginePort
    dispatch: Dispatch
    workspace: str
    """Real path of the project given by --path or the current directory; also the engine's default."""
    machine: "Machine | None" = None
    """Home and environment, for commands about agents."""
    link_scheme: str = ""
    """How paths on a terminal are links: a row of `LINK_SCHEMES`, or none."""
    editor: str = ""
    """The command that opens a file: the setting, or that of the environment."""
    run_program: ProgramRunner = lambda _: None
    """Runs a program in place of this process, for the editor."""


def run_search(args: argparse.Namespace, session: QuerySession) -> int:
    if args.interactive:
        from codecompass.surfaces.cli.editor.interactive_search import run_interactive  # noqa: PLC0415 - on request

        return run_interactive(args, session)
    if args.query is None:
        raise Failure("INVALID_REQUEST", "The query is missing.", hint="Run 'codecompass search QUERY', or add -i.")
    args.query = read_question(args.query)
    name, raw = select_tool(args)

    out = console(link_scheme=session.link_scheme)
    around = raw.get("context", 0)

    def show(payload: dict[str, Any], milliseconds: float) -> None:
        for hits in [payload[key] for key in EMPTY_LISTS[name]] if around else []:
            for hit in hits:
                hit["around"] = around
        if name == "search":
            show_lists(out, payload, args.query, milliseconds)
        else:
            _correct_name(session, payload, args.query.strip())
            render.show_results(out, payload, milliseconds, args.query)

    as_json = args.json or raw.get("output") == "json"
    wanted = read_range(args.limit, args.offset)
    if not as_json:
        wanted = replace(wanted or ListRange(), source_lines=max(1, around))
    return _call_and_show(session, name, raw, as_json=as_json, show=show, page=ListPage(wanted, args.command_words))


def _correct_name(session: QuerySession, payload: dict[str, Any], query: str) -> None:
    """Say what a name that nothing has was probably meant to be."""
    names = {str(item.get("name", "")).casefold() for item in payload["results"]}
    if not query.isidentifier() or len(query) < _SHORTEST_NAME or query.casefold() in names:
        return
    wanted = LocateQuery(query, ref=payload["metadata"].get("ref"), limit=1, freshness="best_effort")
    found = session.engine.locate(None, wanted, Call(id="cli"))
    if found.near:
        payload["note"] = f"No symbol is named '{query}'. Did you mean {', '.join(found.near)}?"


def run_status(args: argparse.Namespace, session: QuerySession) -> int:
    raw = {"ref": args.ref} if args.ref is not None else {}

    def show(payload: dict[str, Any], _milliseconds: float) -> None:
        render.show_status(console(), payload)

    return _call_and_show(session, "index_status", raw, as_json=args.json, show=show)


def run_tool(args: argparse.Namespace, session: QuerySession) -> int:
    if args.name is None:
        return _list_tools(args, session)
    try:
        found = find_tool(session.dispatch.tools, args.name)
    except Failure as failure:
        return show_failure(failure)
    raw = read_arguments(found, args.rest)
    code = _call_and_show(session, found.name, raw, as_json=True, show=None)
    if code == 0 and found.starts_job:
        _wait_for_job(session, raw)
    return code


def _list_tools(args: argparse.Namespace, session: QuerySession) -> int:
    """List every tool with its summary; further arguments are an error."""
    if args.rest:
        raise Failure("INVALID_REQUEST", f"Unrecognized arguments: {' '.join(args.rest)[:100]}.",
                      hint="Name a tool first; 'codecompass tool' lists them.")  # fmt: skip
    if args.json:
        write_json([{"name": one.name, "summary": one.summary} for one in session.dispatch.tools])
        return 0
    width = max((len(one.name) for one in session.dispatch.tools), default=0)
    for one in session.dispatch.tools:
        print_line(f"{one.name:<{width}}  {one.summary}")
    return 0


def _wait_for_job(session: QuerySession, raw: dict[str, Any]) -> None:
    """Wait until the job is done, because a job ends with the process that started it."""
    print_note("Waiting for the job; Ctrl-C stops it.")
    while session.engine.status(raw.get("workspace"), raw.get("ref")).active_job is not None:
        time.sleep(JOB_POLL_S)


def _call_and_show(
    session: QuerySession,
    name: str,
    raw: dict[str, Any],
    *,
    as_json: bool,
    show: Callable[[dict[str, Any], float], None] | None,
    page: ListPage | None = None,
) -> int:
    """Call a tool and show the answer, as JSON or as text; return the exit code."""
    began = time.monotonic()
    reply = _call_with_paths(session, name, raw, page.wanted if page else None)
    if as_json and reply.rpc_error is None:
        write_body(reply.body)
    if reply.failure is not None:
        code = show_failure(reply.failure)
        # 1 means that nothing was found, so no failure of these commands may have that code.
        return max(code, MIN_FAILURE) if name in EMPTY_LISTS and show is not None else code
    if show is not None and not as_json:
        payload = ShellPaths(session.workspace).relocate(reply.payload)
        if page is not None and page.wanted is not None:
            payload["offset"] = page.wanted.offset
        show(payload, (time.monotonic() - began) * 1000)
        if page is not None and (more := page.format_next(name, payload)):
            print_line(more)
    is_empty = name in EMPTY_LISTS and not any(reply.payload.get(key) for key in EMPTY_LISTS[name])
    # `tool` exits as the call went, whatever it found.
    return NO_MATCH if is_empty and show is not None else 0


def _call_with_paths(session: QuerySession, name: str, raw: dict[str, Any], wanted: ListRange | None) -> Reply:
    """Call a tool with each candidate of its path argument until the file is found."""
    first, *others = resolve_path_arguments(session.workspace, name, raw)
    reply = session.dispatch.call(name, first, Call(id="cli", wanted=wanted))
    for arguments in others:
        if reply.code != "FILE_NOT_FOUND":
            break
        again = session.dispatch.call(name, arguments, Call(id="cli", wanted=wanted))
        reply = again if again.code != "FILE_NOT_FOUND" else reply
    return reply


def run_query_command(args: argparse.Namespace, session: QuerySession) -> int:
    """Run a command of the command table: its arguments and flags are the tool's parameters."""
    row = next(row for row in QUERY_COMMANDS if row.command == args.command)
    given = {key[4:]: value for key, value in vars(args).items() if key.startswith("ask:") and value is not None}
    limit, offset = 0 if given.pop("all", False) else given.pop("limit", None), given.pop("offset", None)
    wanted = read_range(limit, offset)
    given |= {"limit": limit} if is_tool_limit(limit) else {}
    if "file" in given:
        given["path"] = given.pop("file")
    if "query" in given:
        given["query"] = read_question(given["query"])
    spelled = {name.lower(): name for one in session.dispatch.tools if one.name == row.tool for name in one.fields}
    given = {spelled.get(key.replace("_", ""), key): value for key, value in given.items()}

    def show(payload: dict[str, Any], milliseconds: float) -> None:
        QUERY_VIEWS[row.command](console(link_scheme=session.link_scheme), payload, milliseconds)

    page = ListPage(wanted, args.command_words)
    return _call_and_show(session, row.tool, given, as_json=args.json, show=show, page=page)


def _run_context(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.context_command import run_context  # noqa: PLC0415 - one command of many

    return run_context(args, session.engine, session.dispatch, session.workspace)


def _run_care(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.care_command import run_care  # noqa: PLC0415 - one command of many

    return run_care(args, session)


def _run_doctor(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.doctor_command import run_doctor  # noqa: PLC0415 - one command of many

    return run_doctor(args, session.engine, session.machine)


def _run_eval(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.eval_command import evaluate  # noqa: PLC0415 - one command of many

    return evaluate(args, session.dispatch.call)


def _run_grep(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.grep_command import run_grep  # noqa: PLC0415 - one command of many

    return run_grep(args, session)


def _run_open(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.editor.open_command import run_open  # noqa: PLC0415 - one command of many

    return run_open(args, session.dispatch.call, session.workspace, session.editor, session.run_program)


def _run_history(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.history_command import run_history  # noqa: PLC0415 - one command of many

    return run_history(args, session.engine, session.workspace)


def _run_state(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.state_command import run_state  # noqa: PLC0415 - one command of many

    return run_state(args, session.engine, session.workspace)


def _run_triage(args: argparse.Namespace, session: QuerySession) -> int:
    from codecompass.surfaces.cli.commands.triage_command import run_triage  # noqa: PLC0415 - one command of many

    return run_triage(args, session.engine)


QUERY_HANDLERS: dict[str, Callable[[argparse.Namespace, QuerySession], int]] = {
    "context": _run_context,
    "care": _run_care,
    "doctor": _run_doctor,
    "eval": _run_eval,
    "grep": _run_grep,
    "history": _run_history,
    "open": _run_open,
    "search": run_search,
    "state": _run_state,
    "status": run_status,
    "tool": run_tool,
    "triage": _run_triage,
    **{row.command: run_query_command for row in QUERY_COMMANDS},
}
