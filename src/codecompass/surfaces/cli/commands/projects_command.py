"""Commands `projects` and `forget`: what is kept of every project, and the removal of one."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Protocol

from rich.text import Text

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.known_projects import ForgottenProject, KnownProject
from codecompass.surfaces.cli.commands.care_command import ask_yes_no
from codecompass.surfaces.cli.output import format_bytes, format_moment, print_line, print_note, write_json
from codecompass.surfaces.cli.views.terminal import console, print_hanging
from codecompass.surfaces.cli.views.terminal_text import escape

JSON_VERSION = 1
"""Version of the JSON of these commands; raised when a field changes its meaning or goes away."""
STATE_TEXT = {"not_indexed": "not indexed", "incompatible": "older format", "unreadable": "unreadable"}


class ForgetProject(Protocol):
    """Removes what is kept of one project."""

    def __call__(self, named: str, call: Call, *, with_records: bool, dry_run: bool) -> ForgottenProject: ...


@dataclass(frozen=True, slots=True)
class ProjectsSession:
    """The dependencies of the commands."""

    list_projects: Callable[[Call], tuple[KnownProject, ...]]
    forget_project: ForgetProject
    workspace: str


def run_project_command(args: argparse.Namespace, session: ProjectsSession) -> int:
    """Run `projects` or `forget`."""
    code = (run_projects if args.command == "projects" else run_forget)(args, session)
    sys.stdout.flush()
    return code


def run_projects(args: argparse.Namespace, session: ProjectsSession) -> int:
    """Print every project; one whose directory is gone is marked."""
    found = [one for one in session.list_projects(Call(id="cli")) if one.is_missing or not args.missing]
    if args.json:
        write_json({"json_version": JSON_VERSION, "projects": [asdict(one) for one in found]})
        return 0
    if not found:
        print_line("No directory is missing." if args.missing else "No project is known; 'codecompass index' adds one.")
        return 0
    out = console()
    for one in found:
        for line in _format_project(one):
            print_hanging(out, line, 6)
    total = sum(one.derived_bytes + one.owned_bytes for one in found)
    missing = sum(one.is_missing and one.derived_bytes > 0 for one in found)
    note = f"; {missing} missing, 'codecompass care gc' removes their indexes" if missing else ""
    print_line(f"{len(found)} {'project' if len(found) == 1 else 'projects'}, {format_bytes(total)}{note}")
    return 0


def _format_project(one: KnownProject) -> tuple[Text, Text]:
    """Format a project as two lines: its directory, then what is kept of it."""
    size = format_bytes(one.derived_bytes + one.owned_bytes)
    indexed = f"{one.symbols:,} symbols, indexed {format_moment(one.indexed_at)}"
    line = Text(f"    {size}, {indexed if one.state == 'indexed' else STATE_TEXT[one.state]}", style="dim")
    if one.is_missing:
        line.append("  missing" if one.derived_bytes else "  missing, only records are left", style="red")
    return Text(escape(one.root or one.id), style="bold"), line


def run_forget(args: argparse.Namespace, session: ProjectsSession) -> int:
    """Show what would be removed, ask, then remove it; records stay unless they are named."""
    named = args.directory if args.directory is not None else session.workspace
    if not named or "\0" in named:
        raise Failure("INVALID_REQUEST", "A directory is missing.", hint="'codecompass projects' lists them.")

    def forget(*, dry_run: bool) -> ForgottenProject:
        return session.forget_project(named, Call(id="cli"), with_records=args.with_records, dry_run=dry_run)

    plan = forget(dry_run=True)
    if args.dry_run or not plan.removed:
        return _show_forgotten(args, plan)
    if not args.yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            size = format_bytes(sum(plan.removed.values()))
            raise Failure("INVALID_REQUEST", f"This would remove {size} of {plan.project.root}; nothing was removed.",
                          hint="Add --yes to do it, or --dry-run to see what would go.")  # fmt: skip
        _print_plan(plan, print_note)
        if not ask_yes_no("Remove it?"):
            print_note("Nothing was removed.")
            return 1
    return _show_forgotten(args, forget(dry_run=False))


def _show_forgotten(args: argparse.Namespace, done: ForgottenProject) -> int:
    if args.json:
        write_json({"json_version": JSON_VERSION, **asdict(done)})
    else:
        _print_plan(done, print_line)
    return 0


def _print_plan(done: ForgottenProject, write: Callable[[str], None]) -> None:
    verb = "would remove" if done.dry_run else "removed"
    write(f"{verb} {format_bytes(sum(done.removed.values()))} of {escape(done.project.root or done.project.id)}")
    for name, size in sorted(done.removed.items(), key=lambda part: -part[1]):
        write(f"    {name:<10} {format_bytes(size):>12}")
    if done.kept:
        write(f"kept: {', '.join(done.kept)} ({format_bytes(sum(done.kept.values()))}), which exist only there;"
              " --with-records removes them, too")  # fmt: skip
