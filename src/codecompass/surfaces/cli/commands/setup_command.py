"""Command `setup`: show the edits of agents' files, ask, and write them or undo them."""

import argparse
import json
import sys

from codecompass.agents.agent_places import Machine, detect_agents, find_config, find_own_command
from codecompass.agents.agent_setup import (
    SetupPlan,
    SetupRequest,
    choose_shape,
    find_entry,
    make_entry,
    plan_setup,
    plan_undo,
)
from codecompass.agents.agent_table import AGENTS, AGENTS_BY_NAME, PROGRAM, Agent
from codecompass.agents.file_edit import FileEdit, apply_edits, render_diff
from codecompass.agents.hook_entries import render_note
from codecompass.agents.instructions import NOTE
from codecompass.errors import Failure
from codecompass.model.near_words import describe_typo
from codecompass.surfaces.cli.commands.care_command import ask_yes_no
from codecompass.surfaces.cli.output import print_line, print_note, write_json
from codecompass.surfaces.cli.views.terminal_text import escape


def run_setup(args: argparse.Namespace, machine: Machine) -> int:
    """Plan the edits, show them, ask and write."""
    agents = _select_agents(args, machine)
    request = SetupRequest(agents, args.scope, find_own_command(), tuple(dict.fromkeys(args.hooks)), args.instructions)
    plan = (plan_undo if args.undo else plan_setup)(request, machine)
    edits = plan.session.list_changes()
    may_write = args.yes or (bool(edits) and not args.print_only and not args.json and _can_ask())
    if not args.json:
        _show_plan(args, plan, edits, request, machine)
    written = False
    if edits and not args.print_only:
        if not may_write:
            raise Failure(
                "INVALID_REQUEST", "Nothing was written: there is no terminal to ask on.",
                hint="Add --yes to write the changes, or --print to only see them.",
            )  # fmt: skip
        if args.yes or ask_yes_no(f"Write {len(edits)} file{'' if len(edits) == 1 else 's'}?"):
            stop = machine.project if args.scope == "project" else machine.home
            apply_edits(edits, stop, keeps_backup=not args.undo)
            written = True
        else:
            print_note("Nothing was written.")
    if args.json:
        _write_report(edits, plan, request, written=written)
    elif written:
        _show_outcome(args, request, machine)
    return 0


def show_note(name: str) -> None:
    """Print the note of the hook `guide` in the form of an agent; nothing for an agent without hooks."""
    agent = AGENTS_BY_NAME.get(name)
    if agent is not None and agent.hooks is not None:
        print_line(render_note(agent.hooks, NOTE))


def _select_agents(args: argparse.Namespace, machine: Machine) -> tuple[Agent, ...]:
    unknown = [name for name in args.agents if name not in AGENTS_BY_NAME]
    names = ", ".join(AGENTS_BY_NAME)
    if unknown:
        raise Failure("INVALID_REQUEST", f"Unknown agent: {', '.join(unknown)}.",
                      describe_typo(unknown[0], AGENTS_BY_NAME), hint=f"Choose from: {names}.")  # fmt: skip
    if args.agents:
        return tuple(AGENTS_BY_NAME[name] for name in dict.fromkeys(args.agents))
    if args.undo:
        return AGENTS
    found = detect_agents(machine)
    if not found:
        message = "No coding agent was found: no program in PATH and no configuration file."
        raise Failure("NOT_FOUND", message, hint=f"Name one: codecompass setup AGENT. Agents: {names}.")
    if not args.json:
        for one in found:
            print_note(escape(f"{one.agent.title}: {one.reason}"))
    return tuple(one.agent for one in found)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _show_plan(
    args: argparse.Namespace, plan: SetupPlan, edits: list[FileEdit], request: SetupRequest, machine: Machine
) -> None:
    for edit in edits:
        for line in render_diff(edit).split("\n"):
            print_line(escape(line))
    for note in plan.notes:
        print_note(escape(note))
    if args.print_only and not args.undo:
        for agent in request.agents:
            if find_config(agent, machine, request.scope) is None:
                print_line(_render_snippet(agent, request, machine))
    if not edits:
        print_note("Nothing to undo." if args.undo else "Nothing to change.")


def _render_snippet(agent: Agent, request: SetupRequest, machine: Machine) -> str:
    """Return the entry as a text to paste."""
    shape = choose_shape(agent, None)
    value: object = {PROGRAM: make_entry(agent, shape, request, machine)}
    for key in reversed(shape.keys):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)


def _show_outcome(args: argparse.Namespace, request: SetupRequest, machine: Machine) -> None:
    """Read the files again and say what each agent sees."""
    for agent in request.agents:
        entry = find_entry(agent, machine, request.scope)
        if args.undo:
            continue
        if entry is not None:
            print_note(escape(f"{agent.title} starts: {' '.join(entry.command)}"))
            print_note(escape(f"    {agent.restart}"))
    hint = "" if args.undo else " 'codecompass doctor' tries the connection; 'codecompass setup --undo' removes it."
    print_note("Done." + hint)


def _write_report(edits: list[FileEdit], plan: SetupPlan, request: SetupRequest, *, written: bool) -> None:
    write_json(
        {
            "ok": True,
            "written": written,
            "agents": [agent.name for agent in request.agents],
            "changes": [{"path": str(edit.path), "diff": render_diff(edit)} for edit in edits],
            "notes": plan.notes,
        }
    )
