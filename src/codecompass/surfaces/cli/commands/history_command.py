"""Command `history PATH[:LINE[-LINE]]`: last author and churn of a file, and the authors of its lines."""

import argparse
import re
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.text import Text

from codecompass.contract.engine_ports import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import FileHistory, HistoryAnswer, LineAuthors
from codecompass.surfaces.cli.output import write_json
from codecompass.surfaces.cli.path_args import ShellPaths, list_candidate_paths
from codecompass.surfaces.cli.views.terminal import console
from codecompass.surfaces.cli.views.terminal_text import escape

_PLACE = re.compile(r"(?s)(.+?):(\d{1,9})(?:-(\d{1,9}))?")
_BAR = 20
HISTORY_NOTES = {
    "truncated": "the history goes on beyond what was looked at",
    "shallow": "the clone is shallow; older commits are not here",
    "missing": "objects of older commits are missing",
}


def run_history(args: argparse.Namespace, engine: EnginePort, workspace: str) -> int:
    """Show the history of one file, with the authors of the given lines."""
    named, lines = parse_location(args.place)
    first, *others = list_candidate_paths(workspace, named)
    try:
        answer = engine.history(None, first, args.ref, lines, Call(id="cli"))
    except Failure as failure:
        if failure.code != "FILE_NOT_FOUND" or not others:
            raise
        answer = engine.history(None, others[0], args.ref, lines, Call(id="cli"))
    if args.json:
        write_json(build_payload(answer))
    else:
        shown = replace(answer.file, path=ShellPaths(workspace).show(answer.file.path))
        show_history(console(), replace(answer, file=shown))
    return 0


def parse_location(text: str) -> tuple[str, tuple[int, int] | None]:
    """Parse `path`, `path:12` or `path:12-20`."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return text, None
    first = int(found[2])
    last = int(found[3]) if found[3] else first
    if first < 1 or last < first:
        raise Failure("INVALID_REQUEST", "Lines are counted from 1, and the last is not before the first.",
                      hint="Write PATH:LINE or PATH:FIRST-LAST.")  # fmt: skip
    return found[1], (first, last)


def build_payload(answer: HistoryAnswer) -> dict[str, Any]:
    """Build the JSON; unknown fields are left out."""
    file = answer.file
    payload: dict[str, Any] = {"path": file.path, "git": file.git}
    if file.git != "ok":
        return payload | {"reason": file.reason}
    if file.last is not None:
        last = file.last
        payload["last_commit"] = {"id": last.id, "author": last.author, "date": last.date}
    payload |= {"commits": file.commits, "window": file.window, "history": file.history}
    if file.churn is not None:
        payload["churn"] = {"added": file.added, "deleted": file.deleted, "total": file.churn}
    payload["uncommitted"] = file.uncommitted
    if file.former_names:
        payload["former_names"] = list(file.former_names)
    if answer.lines is not None:
        payload["lines"] = _shape_lines(answer.lines)
    return payload


def _shape_lines(lines: LineAuthors) -> dict[str, Any]:
    rows = [
        {"author": row.author, "lines": row.lines} | ({"latest": row.latest} if row.latest else {})
        for row in lines.authors
    ]
    found: dict[str, Any] = {"start": lines.start, "end": lines.end, "authors": rows}
    return found | ({"reason": lines.reason} if lines.reason else {})


def show_history(out: Console, answer: HistoryAnswer) -> None:
    """Print the history as text."""
    file = answer.file
    out.print(Text(escape(file.path), style="bold"))
    if file.git != "ok":
        out.print(Text(f"  no history: {escape(file.reason)}", style="yellow"))
        return
    for label, value in _list_rows(file):
        line = Text(f"  {label:<8}", style="dim")
        line.append(escape(value), style="")
        out.print(line)
    if file.history != "complete":
        out.print(Text(f"  {HISTORY_NOTES[file.history]}", style="yellow"))
    if answer.lines is not None:
        _show_lines(out, answer.lines)


def _list_rows(file: FileHistory) -> list[tuple[str, str]]:
    rows = []
    if file.last is not None:
        rows += [("author", file.last.author), ("date", file.last.date), ("commit", file.last.id[:12])]
    elif file.history == "complete":
        rows.append(("commit", "in no commit yet"))
    if file.churn is not None and file.commits:
        plural = "" if file.commits == 1 else "s"
        rows.append(("churn", f"{file.churn} lines (+{file.added} −{file.deleted}) in {file.commits} commit{plural}"))
    if file.former_names:
        rows.append(("formerly", ", ".join(file.former_names)))
    if file.uncommitted:
        rows.append(("edits", "not committed"))
    return rows


def _show_lines(out: Console, lines: LineAuthors) -> None:
    where = f"{lines.start}-{lines.end}" if lines.end != lines.start else f"{lines.start}"
    out.print(Text(f"  lines {where}", style="dim"))
    total = sum(row.lines for row in lines.authors)
    width = min(32, max((len(escape(row.author)) for row in lines.authors), default=0))
    for row in lines.authors:
        full = max(1, round(_BAR * row.lines / total))
        line = Text(f"    {escape(row.author):<{width}}  ", style="")
        line.append("█" * full + "·" * (_BAR - full), style="cyan")
        line.append(f" {row.lines:>5}  {row.latest[:10]}", style="dim")
        out.print(line)
    if not lines.authors:
        out.print(Text(f"    {escape(lines.reason or 'no such lines')}", style="yellow"))
