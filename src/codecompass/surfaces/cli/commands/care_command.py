"""Command `care`: call the maintenance tools, with confirmation before anything is removed."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from codecompass.contract.engine_ports import EnginePort
from codecompass.contract.envelope import Reply
from codecompass.contract.tool import Tool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.cli.care_args import CARE_ACTIONS, CareAction
from codecompass.surfaces.cli.output import (
    format_bytes,
    print_line,
    print_note,
    shape_failure,
    show_failure,
    write_body,
    write_json,
)
from codecompass.surfaces.cli.tool_args import read_arguments
from codecompass.surfaces.cli.views.index_progress import open_reporter
from codecompass.surfaces.cli.views.maintenance_view import CARE_VIEWS, show_removals
from codecompass.surfaces.cli.views.terminal import console

Arguments = dict[str, Any]


class CareSession(Protocol):
    """The dependencies of the command."""

    @property
    def engine(self) -> EnginePort: ...

    @property
    def dispatch(self) -> Dispatch: ...

    @property
    def workspace(self) -> str: ...


def run_care(args: argparse.Namespace, session: CareSession) -> int:
    """Run one action; without an action, list them."""
    if args.action is None:
        if args.json:
            write_json([{"name": row.name, "tool": row.tool, "summary": row.help} for row in CARE_ACTIONS])
            return 0
        for row in CARE_ACTIONS:
            print_line(f"codecompass care {row.name:<22} {row.help}")
        return 0
    action = next(row for row in CARE_ACTIONS if row.name == args.action)
    tool = next(one for one in session.dispatch.tools if one.name == action.tool)
    raw = read_arguments(tool, args.rest, _program_name(action))
    if action.registers and "repoPath" not in raw:
        session.engine.init(session.workspace)
    if action.removes:
        return _remove(args, session, tool, raw)
    return _show_reply(args, tool, _call_tool(args, session, tool, raw))


def _program_name(action: CareAction) -> str:
    return f"codecompass care {action.name}"


def _call_tool(args: argparse.Namespace, session: CareSession, tool: Tool, raw: Arguments) -> Reply:
    with open_reporter(as_json=args.json, bar=args.bar) as report:
        return session.dispatch.call(tool.name, raw, replace(Call(id="cli"), report=report))


def _show_reply(args: argparse.Namespace, tool: Tool, reply: Reply) -> int:
    if args.json and reply.rpc_error is None:
        write_body(reply.body)
    if reply.failure is not None:
        return show_failure(reply.failure)
    if not args.json:
        CARE_VIEWS[tool.name](console(), reply.payload)
    return 0 if reply.payload.get("ok", True) else 1


def _remove(args: argparse.Namespace, session: CareSession, tool: Tool, raw: Arguments) -> int:
    """Show what would be removed, ask, then remove. Nothing is removed that was not shown."""
    wish = raw.get("dryRun")
    plan = _call_tool(args, session, tool, {**raw, "dryRun": True, **_confirm_arguments(tool)})
    if plan.failure is not None or wish is True or not plan.payload["removals"]:
        return _show_reply(args, tool, plan)
    if not args.yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            if tool.name == "cache_gc" and wish is None:
                code = _show_reply(args, tool, plan)
                print_note("Nothing was removed; add --yes to do it.")
                return code
            freed = format_bytes(plan.payload["freedBytes"])
            refusal = Failure("INVALID_REQUEST", f"This would remove {freed}; nothing was removed.",
                              hint="Add --yes to do it, or --dry-run to see what would go.")  # fmt: skip
            if args.json:
                write_json(shape_failure(refusal))
            return show_failure(refusal)
        show_removals(console(stderr=True), plan.payload)
        if not ask_yes_no("Remove it?"):
            print_note("Nothing was removed.")
            return 1
    return _show_reply(
        args, tool, _call_tool(args, session, tool, {**raw, "dryRun": False, **_confirm_arguments(tool)})
    )


def _confirm_arguments(tool: Tool) -> Arguments:
    return {"confirm": True} if "confirm" in tool.fields else {}


def ask_yes_no(question: str, read: Callable[[], str] | None = None) -> bool:
    """Ask a yes/no question on the terminal; an empty answer and the end of the input mean no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = (read or sys.stdin.readline)()
    return answer.strip().lower() in ("y", "yes")
