"""Command `grep`: ripgrep's flags, output and exit codes, on the files as they are now or on any ref."""

import argparse
import difflib
import os
import sys
import time
from dataclasses import replace
from typing import Any, Protocol

from codecompass.contract.engine_ports import EnginePort
from codecompass.contract.shapes.grep_shapes import build_payload
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepAnswer, GrepOutput, GrepQuery
from codecompass.surfaces.cli.command_lines import to_shell_text
from codecompass.surfaces.cli.grep_args import GREP_FLAGS, find_error_column, has_capital
from codecompass.surfaces.cli.output import print_note, show_failure, write_json
from codecompass.surfaces.cli.path_args import ShellPaths
from codecompass.surfaces.cli.views.grep_view import list_parts, show_file_counts, show_grep, write_lines
from codecompass.surfaces.cli.views.render import console
from codecompass.surfaces.cli.views.terminal_text import escape

MATCH, NO_MATCH, ERROR = 0, 1, 2


class GrepSession(Protocol):
    """The dependencies of the command."""

    @property
    def engine(self) -> EnginePort: ...

    @property
    def workspace(self) -> str: ...


def run_grep(args: argparse.Namespace, session: GrepSession) -> int:
    """Search and print the lines; return 0 for a match, 1 for none, 2 for an error, as grep does."""
    try:
        patterns, named = _split_words(args)
        paths, missing = _resolve_paths(session.workspace, named, args.ref)
        query = _build_query(args, patterns, paths, ShellPaths(session.workspace))
        began = time.monotonic()
        if named and not paths:
            return ERROR
        found = session.engine.grep(None, query, Call(id="cli"))
    except Failure as failure:
        return _show_failure(failure)
    milliseconds = (time.monotonic() - began) * 1000
    shown = _take_page(found, args.offset)
    if args.json:
        write_json(_shape(shown, args, patterns[0]))
    else:
        _show(args, shown, ShellPaths(session.workspace), milliseconds)
    return ERROR if missing else MATCH if found.total else NO_MATCH


def _split_words(args: argparse.Namespace) -> tuple[tuple[str, ...], list[str]]:
    """Split the arguments into patterns and paths."""
    words = [*args.words, *args.rest]
    unknown = [word for word in args.rest if word.startswith("-") and word != "-"]
    if unknown:
        near = difflib.get_close_matches(unknown[0], [name for flag in GREP_FLAGS for name in flag.names], n=1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        raise Failure("INVALID_REQUEST", f"Unknown flag: {unknown[0]}.{meant}", hint="See 'codecompass grep --help'.")
    if args.patterns:
        return tuple(args.patterns), words
    if not words:
        raise Failure("INVALID_REQUEST", "A pattern is missing.", hint="Write 'codecompass grep PATTERN [PATH ...]'.")
    return (words[0],), words[1:]


def _resolve_paths(workspace: str, named: list[str], ref: str | None) -> tuple[tuple[str, ...], bool]:
    """Resolve path arguments to project paths; say which do not exist. Return the paths and whether one is missing."""
    root = os.path.realpath(workspace)
    found: list[str] = []
    for name in named:
        real = os.path.realpath(name)
        inside = real == root or real.startswith(root.rstrip(os.sep) + os.sep)
        if not inside:
            message = f"{name} is outside the project {root}."
            raise Failure("INVALID_REQUEST", message, hint=f"Run 'codecompass grep PATTERN --project {name}'.")
        if ref is None and not os.path.lexists(name):
            print_note(f"error: No such file or directory: {escape(name)}")
            continue
        found.append("" if real == root else os.path.relpath(real, root).replace(os.sep, "/"))
    return tuple(found), len(found) < len(named)


def _build_query(
    args: argparse.Namespace, patterns: tuple[str, ...], paths: tuple[str, ...], shell: ShellPaths
) -> GrepQuery:
    if min(args.limit, args.offset) < 0:
        raise Failure("INVALID_REQUEST", "--limit and --offset are at least 0.", hint="--limit 0 shows all lines.")
    sensitive = args.case == "sensitive" or (
        args.case == "smart" and any(has_capital(one, fixed=args.fixed) for one in patterns)
    )
    around = args.context or 0
    limit = sys.maxsize if not args.limit else args.limit + args.offset
    return GrepQuery(
        pattern=patterns[0],
        more_patterns=patterns[1:],
        case_sensitive=sensitive,
        is_literal=args.fixed,
        is_word=args.word,
        is_inverted=args.invert,
        globs=tuple(shell.anchor_glob(glob) for glob in args.globs),
        paths=() if "" in paths else paths,
        languages=tuple(args.types),
        ref=args.ref,
        limit=limit,
        output=_choose_output(args),
        wants_spans=args.json or args.only_matching or sys.stdout.isatty(),
        before=around if args.before_context is None else args.before_context,
        after=around if args.after_context is None else args.after_context,
    )


def _choose_output(args: argparse.Namespace) -> GrepOutput:
    if args.list_files:
        return "files"
    if args.count:
        return "match_counts" if args.only_matching else "counts"
    wants_context = args.context is not None or args.before_context is not None or args.after_context is not None
    # JSON is the payload of the tool, with two shortened lines on each side, unless something else is wanted.
    return "excerpts" if args.json and not (args.only_matching or wants_context) else "lines"


def _take_page(found: GrepAnswer, offset: int) -> GrepAnswer:
    return replace(found, matches=found.matches[offset:], file_counts=found.file_counts[offset:])


def _shape(found: GrepAnswer, args: argparse.Namespace, pattern: str) -> dict[str, Any]:
    payload = build_payload(found, pattern, sys.maxsize)
    if args.list_files or args.count:
        payload["files"] = [{"file": path, "count": count} for path, count in found.file_counts]
    if args.only_matching:
        for row, match in zip(payload["matches"], found.matches, strict=True):
            row["parts"] = list_parts(match)
    return payload


def _show(args: argparse.Namespace, found: GrepAnswer, shell: ShellPaths, milliseconds: float) -> None:
    out = console()
    matches = [replace(match, path=shell.show(match.path)) for match in found.matches]
    counts = [(shell.show(path), count) for path, count in found.file_counts]
    if args.list_files or args.count:
        show_file_counts(out, counts, with_numbers=args.count)
    elif out.is_terminal:
        show_grep(out, matches, found, milliseconds, only_matching=args.only_matching)
    else:
        write_lines(matches, only_matching=args.only_matching)
    sys.stdout.flush()
    for note in found.notes:
        print_note(f"note: {escape(to_shell_text(note))}")
    if not found.complete:
        print_note("note: Time was up: there may be more matches. Name a path or a longer pattern.")
    shown = args.offset + len(matches)
    if not (args.list_files or args.count) and shown < found.total:
        print_note(f"note: {len(matches):,} of {found.total:,} lines; add '--offset {shown}' or '--all' for the rest.")


def _show_failure(failure: Failure) -> int:
    """Show a failure; for an invalid pattern, with a caret below the place."""
    pattern, reason = failure.details.get("pattern"), str(failure.details.get("details", ""))
    if isinstance(pattern, str) and reason:
        print_note(f"error: {escape(failure.message)}: {escape(reason.partition(': ')[0])}")
        print_note(f"    {escape(pattern)}")
        column = find_error_column(pattern, reason)
        if column is not None:
            print_note("    " + " " * len(escape(pattern[:column])) + "^")
        print_note(f"hint: {escape(failure.effective_hint)} '-F' takes the pattern as plain text.")
        return ERROR
    return max(show_failure(failure), ERROR)
