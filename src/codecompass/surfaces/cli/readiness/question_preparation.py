"""Question preparation: index a project that never was, and sync the few files that changed, before an answer."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.index_readiness import IndexReadiness
from codecompass.surfaces.cli.output import ask, print_note
from codecompass.surfaces.cli.readiness.question_flags import format_with_index, get_ref
from codecompass.surfaces.cli.views.terminal_text import escape

if TYPE_CHECKING:
    from codecompass.surfaces.cli.readiness.index_run import IndexSession

QUICK_FILES = 50
QUICK_BYTES = 1_000_000
"""Changes up to these are synced before an answer; more would take longer than a person wants to wait."""


class ReadinessEngine(Protocol):
    """The part of the engine that checks an index and syncs it."""

    def check_readiness(self, workspace: str, ref: str | None, *, compare: bool = True) -> IndexReadiness: ...

    @property
    def sync_quickly(self) -> Callable[[str, Call], bool]: ...


@dataclass(frozen=True, slots=True)
class QuestionSession:
    """The dependencies of a preparation."""

    engine: ReadinessEngine
    open_index_session: Callable[[], "IndexSession"]
    workspace: str
    sync_s: float
    """Seconds that a sync may take; 0 for none."""


def prepare_question(args: argparse.Namespace, session: QuestionSession) -> int | None:
    """Make the index ready for a question. Return an exit code if the command ends here, else None."""
    found = session.engine.check_readiness(session.workspace, get_ref(args), compare=session.sync_s > 0)
    if found.state in ("not_registered", "not_indexed"):
        return _index_first(args, session, found)
    if found.state == "behind" and _is_small(found):
        if session.engine.sync_quickly(session.workspace, Call(id="cli", deadline=time.monotonic() + session.sync_s)):
            return None
    if found.state in ("behind", "busy"):
        _show_stale(found)
    return None


def _is_small(found: IndexReadiness) -> bool:
    return found.changed_files <= QUICK_FILES and found.changed_bytes <= QUICK_BYTES


def _show_stale(found: IndexReadiness) -> None:
    count = found.changed_files
    what = f"{count:,} {'file' if count == 1 else 'files'} changed" if count else "The checked-out commit changed"
    what += " since the last sync, so the answer may be stale"
    if found.state == "busy":
        print_note(f"note: {what}; another process is updating the index.")
    else:
        print_note(f"note: {what}. Run 'codecompass sync' first.")


def _index_first(args: argparse.Namespace, session: QuestionSession, found: IndexReadiness) -> int | None:
    problem = f"{escape(found.root)} was never indexed."
    if not found.is_project:
        if args.index:
            raise Failure(
                "INVALID_REQUEST",
                f"{found.root} is not a project: it is neither a git work tree nor has it a manifest, or it is a home "
                "directory.",
                hint="Change to a project or name one with '--project DIR'; 'codecompass index' indexes any directory.",
            )
        return _decline(args, found, "Change to a project, or name one with '--project DIR'.")
    if not args.index:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return _decline(args, found, f"Run 'codecompass index' first, or: {format_with_index(args.argv)}")
        if not ask(f"{problem} Index it now? [Y/n] "):
            return _decline(args, found, "Run 'codecompass index' when you want it to be indexed.")
    else:
        print_note(f"{problem} Indexing it now.")
    from codecompass.surfaces.cli.readiness.index_run import run_index_job  # noqa: PLC0415 - only the first time

    return run_index_job(session.open_index_session(), workspace=session.workspace, register=True, is_answer=False)


def _decline(args: argparse.Namespace, found: IndexReadiness, hint: str) -> int | None:
    """Let the question fail as it does without an index, with a hint that can be pasted."""
    if found.state == "not_registered" and not args.json:
        raise Failure("PROJECT_NOT_FOUND", f"{found.root} was never indexed.", hint=hint)
    print_note(f"note: {escape(found.root)} was never indexed. {hint}")
    return None
